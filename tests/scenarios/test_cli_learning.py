"""``stats``, ``feedback`` and what ``history clear`` takes with it, as processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.encyclopedia.faces.cli.command import Command

QUERY = "rotate the signing keys"


@pytest.fixture
def command(tmp_path: Path) -> Command:
    made = Command(tmp_path)
    folder = made.notes()
    made.json("corpus", "add", "notes", str(folder))
    made.json("search", QUERY, "--corpus", "notes")
    return made


@pytest.mark.spec("ENC-CLI-31")
def test_stats_show_each_source_and_forget_on_request(command: Command) -> None:
    command.json("search", QUERY, "--corpus", "notes")  # from the cache
    (row,) = command.json("stats")["sources"]
    assert (row["source"], row["type"], row["samples"], row["factor"], row["cold"]) == ("notes", "library_docs", 1, 1.0, True)
    assert row["weight"] == row["adaptive"] > 0
    assert row["ms"]["p50"] == row["ms"]["p95"] >= 0
    assert command.json("stats", "--source", "packages")["sources"] == []
    assert command.json("stats", "--type", "repository")["sources"] == []
    text = command("stats", "--text").stdout
    assert "notes" in text
    assert "profile.adaptive is off" in text
    assert command.json("stats", "--reset")["removed"] == 1
    assert command.json("stats")["sources"] == []
    assert "nothing is measured yet" in command("stats", "--text").stdout


@pytest.mark.spec("ENC-CLI-31")
@pytest.mark.parametrize(
    ("option", "wrong", "right"), [("--type", "librry_docs", "library_docs"), ("--source", "nots", "notes")]
)
def test_stats_name_what_is_nearest_to_an_unknown_name(command: Command, option: str, wrong: str, right: str) -> None:
    done = command("stats", option, wrong)
    assert done.returncode == 1
    assert f"did you mean {right}?" in done.stdout


@pytest.mark.spec("ENC-CLI-32")
def test_feedback_is_a_vote_that_stats_show(command: Command) -> None:
    told = command.json("feedback", "last", "up")
    assert (told["query"], told["sources"], told["vote"], told["result"]) == (QUERY, ["notes"], 1, None)
    text = command("feedback", f"{told['id']}:1", "down", "--text").stdout
    assert text == "one vote against notes; it moves weights once profile.adaptive is on\n"
    assert command.json("stats")["sources"][0]["votes"] == {"up": 1, "down": 1}


@pytest.mark.spec("ENC-CLI-32")
@pytest.mark.parametrize(("words", "code"), [(("nothing", "up"), 1), (("last:99", "up"), 1), (("last", "maybe"), 64)])
def test_what_cannot_be_voted_on_has_a_remedy(command: Command, words: tuple[str, str], code: int) -> None:
    done = command("feedback", *words, "--text")
    assert (done.returncode, done.stdout) == (code, "")
    assert len(done.stderr.splitlines()) == 2


@pytest.mark.spec("ENC-SYNERGY-1")
def test_who_clears_the_history_clears_the_memories(command: Command) -> None:
    for _ in range(3):
        command.json("search", QUERY, "--corpus", "notes")
    file = command.home / "memories.jsonl"
    assert QUERY in file.read_text()
    command.json("history", "clear")
    assert file.read_text() == ""
    assert command.json("stats")["sources"]
