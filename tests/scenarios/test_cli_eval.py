from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.encyclopedia.faces.cli.command import Command, tree

GOLD = [
    {"query": "rotate the signing keys", "expected": ["keys"]},
    {"query": "green tea water", "expected": ["tea.md"]},
]
NOTES = {
    "keys": "# Keys\n\nRotate the signing keys every quarter.\n",
    "tea": "# Tea\n\nGreen tea wants water of eighty degrees.\n",
}


@pytest.fixture
def command(tmp_path: Path) -> Command:
    made = Command(tmp_path).with_notes(**NOTES)
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in GOLD))
    return made


@pytest.mark.spec("ENC-EVAL-8")
def test_a_pipe_gets_the_figures_and_every_question_on_request(command: Command) -> None:
    body = command.json("eval", "gold.jsonl", "--corpus", "notes")
    assert list(body)[:2] == ["schema_version", "status"]
    assert (body["metrics"]["mrr"], body["metrics"]["recall@1"], body["gold"]["queries"]) == (1.0, 1.0, 2)
    assert "queries" not in body
    rows = command.json("eval", "gold.jsonl", "--corpus", "notes", "--per-query", "--k", "3")["queries"]
    assert [row["places"] for row in rows] == [{"keys": 1}, {"tea.md": 1}]
    assert list(rows[0]["metrics"]) == ["recall@3", "precision@3", "hit@3", "ndcg@3", "mrr", "map"]


@pytest.mark.spec("ENC-EVAL-8")
def test_a_person_gets_tables(command: Command) -> None:
    code, seen = command.terminal("eval", "gold.jsonl", "--corpus", "notes", "--per-query", "--color", "never")
    assert code == 0
    assert "measuring" in seen
    for part in (
        "2 questions to notes (documents)",
        "recall     1.0000  1.0000  1.0000",
        "mrr        1.0000",
        "green tea water → tea.md",
    ):
        assert part in seen
    done = command("eval", "gold.jsonl", "--corpus", "notes", "--text")
    assert (done.returncode, done.stderr) == (0, "")
    assert "green tea" not in done.stdout


@pytest.mark.spec("ENC-EVAL-4")
def test_nothing_is_sent_and_nothing_written(command: Command) -> None:
    before = tree(command.home)
    done, audit = command.audited("eval", "gold.jsonl", "--corpus", "notes")
    assert done.returncode == 0, done.stdout
    assert {line for line in audit if line.startswith(("socket", "subprocess"))} <= {"socket.__new__"}  # the event loop's own
    assert {path: content for path, (_, _, content) in tree(command.home).items() if "lock" not in path} == {
        path: content for path, (_, _, content) in before.items() if "lock" not in path
    }
    assert command.json("history")["history"] == []


@pytest.mark.spec("ENC-EVAL-7")
def test_two_runs_are_compared(command: Command) -> None:
    saved = command.json("eval", "gold.jsonl", "--corpus", "notes", "--save", "before")["saved"]
    assert Path(saved).is_file()
    arguments = ("eval", "gold.jsonl", "--corpus", "notes", "--no-expand", "--set", "fusion.k=60")
    for name in ("before", saved):
        told = command.json(*arguments, "--compare", name)["comparison"]
        assert (told["with"], told["shared"], told["changed"]) == (name, 2, [])
        assert told["differs"] == {"expand": [True, False], "settings.fusion.k": [10.0, 60.0]}
        assert told["metrics"]["mrr"]["p"] == 1.0
    shown = command(*arguments, "--compare", "before", "--text").stdout
    assert "compared with before, 2 questions in common" in shown
    assert "made with another settings.fusion.k: 10.0 → 60.0" in shown
    piped = command("eval", "gold.jsonl", "--corpus", "notes", "--per-query").stdout
    (command.folder / "piped.json").write_text(piped)
    assert command.json("eval", "gold.jsonl", "--corpus", "notes", "--compare", "piped.json")["comparison"]["shared"] == 2


@pytest.mark.spec("ENC-EVAL-3")
def test_unknown_ids_are_loud(command: Command) -> None:
    with (command.folder / "gold.jsonl").open("a") as file:
        file.write('{"query": "lost keys", "expected": ["kyes.md"]}\n')
    told = command.json("eval", "gold.jsonl", "--corpus", "notes", code=1)
    assert "'kyes.md' (nearest: keys.md)" in told["message"]
    assert told["unknown"] == [{"id": "kyes.md", "nearest": ["keys.md"]}]
    shown = command("eval", "gold.jsonl", "--corpus", "notes", "--allow-unknown", "--text")
    assert shown.returncode == 0
    assert "no document has 1 expected id, which lowers the figures: kyes.md" in shown.stdout


@pytest.mark.spec("ENC-EVAL-5")
def test_a_source_that_does_not_answer_is_code_3_with_what_was_measured(command: Command) -> None:
    command.settings(
        '[sources.wiki]\nkind = "json"\nserves = { library_docs = 0.3 }\nurl = "http://127.0.0.1:9/?q={query}"\nresults = "hits[]"\n'
        'fields = { title = "name" }\n'
    )
    arguments = ("eval", "gold.jsonl", "--corpus", "notes", "--sources", "wiki")
    told = command.json(*arguments, code=3)
    assert (told["status"], told["measured"], len(told["failed"])) == ("error", 0, 2)
    shown = command(*arguments, "--text")
    assert shown.returncode == 3
    assert "2 of 2 questions could not be asked" in shown.stderr


@pytest.mark.spec("ENC-EVAL-6")
@pytest.mark.parametrize(
    ("arguments", "code", "hint"),
    [
        (("gold.jsonl",), 64, "--corpus"),
        (("--corpus", "notes"), 64, "JSON lines"),
        (("gold.jsonl", "--corpus", "note"), 1, "notes"),
        (("gold.jsonl", "--corpus", "notes", "--k", "1,x"), 64, "--help"),
        (("gold.jsonl", "--corpus", "notes", "--set", "fusion"), 64, "depth=2"),
        (("gold.jsonl", "--corpus", "notes", "--set", "fusion.kk=1"), 1, "fusion.k"),
        (("gold.jsonl", "--corpus", "notes", "--compare", "none"), 1, "--save"),
        (("gold.jsonl", "--corpus", "notes", "--save", "../x"), 1, "letters"),
        (("none.jsonl", "--corpus", "notes"), 1, "JSON lines"),
    ],
)
def test_what_does_not_fit_is_told_before_anything_is_asked(
    command: Command, arguments: tuple[str, ...], code: int, hint: str
) -> None:
    told = command.json("eval", *arguments, code=code)
    assert hint in told["hint"]
