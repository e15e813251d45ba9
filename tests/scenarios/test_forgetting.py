"""What is removed leaves nothing behind but the record of what was searched."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from encyclopedia import Encyclopedia
from tests.encyclopedia.faces.cli.command import Command
from tests.switches import off

if TYPE_CHECKING:
    from collections.abc import Iterator

WORD = "quibblesnort"


def holding(home: Path, word: str) -> Iterator[str]:
    for path in home.rglob("*"):
        if path.is_file() and word.encode() in path.read_bytes():
            yield path.relative_to(home).as_posix()


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "one.md").write_text(f"# Pool\n\nThe pool is emptied by a {WORD} every night.\n")
    (folder / "two.md").write_text("# Queue\n\nThe queue is never emptied.\n")
    return folder


async def ask(home: Path) -> bool:
    async with Encyclopedia(home=str(home), environ={"PATH": "/usr/bin:/bin", **off()}) as e:
        report = await e.search("what empties the pool", corpora="notes")
        assert WORD in report.results[0].content
        return report.cached


@pytest.mark.spec("ENC-CACHE-19")
async def test_a_removed_corpus_is_in_no_stored_answer(command: Command, notes: Path):
    command("corpus", "add", "notes", str(notes))
    assert not await ask(command.home)
    assert await ask(command.home)
    assert list(holding(command.home, WORD))
    assert command("corpus", "remove", "notes").returncode == 0
    assert list(holding(command.home, WORD)) == []


@pytest.mark.spec("ENC-CACHE-19")
async def test_a_removed_document_is_in_no_stored_answer(command: Command, notes: Path):
    command("corpus", "add", "notes", str(notes))
    await ask(command.home)
    (notes / "one.md").unlink()
    assert command("corpus", "index", "notes").returncode == 0
    assert [name for name in holding(command.home, WORD) if name.startswith("cache/")] == []
