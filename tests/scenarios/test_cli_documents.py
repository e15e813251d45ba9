"""Documents from the command line: one document, labels, settings of a kind, vectors, and watching."""

from __future__ import annotations

import json
import os
import signal
from typing import TYPE_CHECKING

import pytest

from tests.encyclopedia.faces.cli.command import Command
from tests.switches import off

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

KEY = "AK" + "IA" + "QWERTYUIOP234567"


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path)


@pytest.mark.spec("ENC-CLI-29")
def test_one_document_is_shown_with_who_links_to_it(command: Command) -> None:
    folder = command.notes(
        keys="---\naliases: [Keys]\ntags: [ops]\n---\n# Signing keys\n\nRotate [[plan]].", plan="# Plan\n\nSee [[Keys|them]]."
    )
    command.json("corpus", "add", "notes", str(folder))
    row = command.json("corpus", "show", "notes", "--document", "keys.md")
    assert (row["title"], row["tags"], row["aliases"], row["label"]) == ("Signing keys", ["ops"], ["Keys"], "public")
    assert row["links"] == [{"target": "plan", "path": "plan.md"}]
    assert row["backlinks"] == [{"path": "plan.md", "section": "Plan", "lines": [3, 3]}]
    shown = command("corpus", "show", "notes", "--document", "keys.md", "--text").stdout
    assert "plan -> plan.md" in shown
    assert "plan.md line 3 § Plan" in shown
    failed = command.json("corpus", "show", "notes", "--document", "key.md", code=1)
    assert failed["hint"] == "did you mean keys.md?"


@pytest.mark.spec("ENC-LABEL-1")
def test_results_carry_their_label(command: Command) -> None:
    folder = command.notes(keys=f"# Signing keys\n\nRotate the signing keys.\n\n## Token\n\nThe cloud token {KEY}\n")
    command.json("corpus", "add", "notes", str(folder), "--label", "internal")
    first = command.json("search", "rotate the signing keys", "--corpus", "notes")["results"][0]
    assert first["label"] == "internal"
    found = command.json("search", "cloud token", "--corpus", "notes")
    assert (found["results"][0]["label"], found["cached"]) == ("secret", False)
    assert command.json("search", "cloud token", "--corpus", "notes")["cached"] is False
    assert "internal" in command("search", "rotate the signing keys", "--corpus", "notes", "--text").stdout
    kept = [path for path in command.home.rglob("*") if path.is_file() and "corpora" not in path.parts]
    assert kept
    assert not [path for path in kept if KEY.encode() in path.read_bytes()]


@pytest.mark.spec("ENC-CORPUS-4")
def test_a_kind_takes_settings_of_its_own(command: Command) -> None:
    folder = command.notes(a="zeppelin", b="zeppelin")
    made = command.json("corpus", "add", "notes", str(folder), "--set", 'exclude=["b.md"]', "--set", "gitignore=false")
    assert made["corpus"]["options"] == {"exclude": ["b.md"], "gitignore": False}
    assert made["indexed"]["added"] == 1
    failed = command.json("corpus", "add", "other", str(folder), "--set", "exclud=x", code=1)
    assert (failed["message"], failed["hint"]) == ("unknown setting corpora.other.exclud", "did you mean exclude?")
    failed = command.json("corpus", "add", "other", str(folder), "--set", "gitignore=maybe", code=1)
    assert "corpora.other.gitignore cannot be 'maybe'" in failed["message"]
    assert [row["name"] for row in command.json("corpus", "list")["corpora"]] == ["notes"]
    assert command.json("corpus", "add", "other", str(folder), "--set", "nothing", code=64)["hint"].startswith(
        "for example --set"
    )


@pytest.mark.spec("ENC-DOCS-25")
def test_vectors_are_made_unless_they_are_not_wanted(tmp_path: Path) -> None:
    command = Command(tmp_path, off())
    folder = command.notes(
        air="# Flying\n\nA large airship filled with helium crossed the ocean.", food="# Food\n\nBread is baked."
    )
    plain = command.json("corpus", "add", "notes", str(folder), "--no-vectors")["indexed"]
    assert (plain["added"], "vectors" in plain) == (2, False)
    assert command.json("corpus", "index", "notes")["indexed"][0]["vectors"] == 2
    found = command.json("search", "a zeppelin flight over the sea", "--corpus", "notes")
    assert found["results"][0]["locator"]["path"] == "air.md"


def lines_of(process: subprocess.Popen[str], event: str) -> dict[str, object]:
    """The next line of that event; fails when the process ends before."""
    assert process.stdout is not None
    for line in process.stdout:
        row: dict[str, object] = json.loads(line)
        if row.get("event") == event:
            return row
    raise AssertionError(f"it ended with {process.wait()} before {event}")


@pytest.mark.spec("ENC-CLI-30")
def test_a_watched_folder_is_followed_until_it_is_interrupted(command: Command) -> None:
    folder = command.notes(a="zeppelin")
    process = command.start("corpus", "add", "notes", str(folder), "--watch", "--json")
    try:
        assert lines_of(process, "watching")["corpora"] == ["notes"]
        (folder / "b.md").write_text("airship")
        told = lines_of(process, "indexed")
        assert (told["name"], told["added"], told["unchanged"]) == ("notes", 1, 1)
        (folder / "a.md").unlink()
        assert lines_of(process, "indexed")["removed"] == 1
        os.replace(folder, folder.parent / "elsewhere")
        assert lines_of(process, "gone")["name"] == "notes"
        (folder.parent / "elsewhere" / "c.md").write_text("balloon")
        os.replace(folder.parent / "elsewhere", folder)
        assert lines_of(process, "indexed")["added"] == 1
        (folder / "d.md").write_text("kite")
        assert lines_of(process, "indexed")["added"] == 1
    finally:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors == "stopped watching; what was indexed is kept\n"
    assert command.json("search", "kite", "--corpus", "notes")["results"][0]["locator"]["path"] == "d.md"


@pytest.mark.spec("ENC-CLI-30")
def test_what_is_no_corpus_is_not_watched(command: Command) -> None:
    failed = command.json("corpus", "index", "--watch", code=1)
    assert "no corpus to watch" in failed["message"]
