"""Documentation of others as corpora, through the real command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.adapters.local import manuals
from tests.encyclopedia.faces.cli.command import Command, tree

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SAMPLES: dict[str, Callable[[Path], Path]] = {
    "inventory": lambda _folder: manuals.built(),
    "docset": manuals.docset,
    "devdocs": manuals.devdocs,
    "llms": manuals.llms,
}


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path)


@pytest.mark.spec("ENC-REF-2")
@pytest.mark.parametrize("kind", SAMPLES)
def test_the_life_of_a_corpus_of_each_kind(command: Command, kind: str) -> None:
    path = SAMPLES[kind](command.folder)
    added = command.json("corpus", "add", "orrery", str(path), "--kind", kind, "--tag", "clock")
    assert (added["corpus"]["kind"], added["corpus"]["tags"]) == (kind, ["clock"])
    documents = added["indexed"]["added"]
    assert documents > 0
    row: dict[str, Any] = command.json("corpus", "list")["corpora"][0]
    assert (row["kind"], row["documents"], row["problems"]) == (kind, documents, [])
    assert command.json("corpus", "show", "orrery")["passages"] == added["indexed"]["passages"]
    assert command.json("corpus", "index", "orrery")["indexed"][0]["unchanged"] == documents
    assert command.json("corpus", "check")["status"] == "success"
    found = command.json("search", "slack of the mesh in millimetres", "--corpus", "orrery", "--tag", "clock")["results"][0]
    assert "mesh" in found["title"]
    assert "Bring two gears together" in found["content"]
    assert found["url"].startswith("https://docs.example.org/orrery/gears")
    assert found["locator"]["corpus"] == "orrery"
    assert found["version"] == (None if kind == "llms" else "2.4")
    assert command.json("corpus", "remove", "orrery")["removed"] == "orrery"
    assert not list((command.home / "corpora").iterdir())


@pytest.mark.spec("ENC-REF-5")
@pytest.mark.parametrize("kind", SAMPLES)
def test_a_path_of_another_kind_is_not_registered(command: Command, kind: str) -> None:
    command.with_notes()
    before = set(tree(command.home))
    told = command.json("corpus", "add", "orrery", "notes", "--kind", kind, code=1)
    assert f"is no corpus of kind {kind}: there is no " in told["message"]
    assert "--kind" in told["hint"]
    assert set(tree(command.home)) == before
