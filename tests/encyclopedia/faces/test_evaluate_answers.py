from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from encyclopedia import Encyclopedia
from encyclopedia.faces import evaluations
from encyclopedia.faces.evaluate_answers import Question, read
from encyclopedia.model.errors import ConfigurationError
from tests.switches import off

NOTES = {
    "retry.md": "# Retries\n\nThe client does not retry more than 3 times by default.\n",
    "pool.md": "# Pool\n\nThe pool keeps 10 connections open for each host.\n",
}
GOLD = [
    {"question": "How many times does the client retry?", "gold": [["retry.md"]], "facts": ["3 times"]},
    {"question": "How many connections does the pool keep?", "gold": ["pool.md"], "facts": ["10", "11"]},
    {"question": "What is the capital of France?"},
    {"question": "What does the pool keep open?"},
]


@pytest.fixture
def home(tmp_path: Path) -> str:
    kept = tmp_path / "home" / "corpora" / "notes"
    kept.mkdir(parents=True)
    (tmp_path / "notes").mkdir()
    for name, text in NOTES.items():
        (tmp_path / "notes" / name).write_text(text)
    (kept / "corpus.json").write_text(json.dumps({"path": str(tmp_path / "notes"), "kind": "documents"}))
    (tmp_path / "gold.jsonl").write_text("\n".join(map(json.dumps, GOLD)))
    return str(tmp_path / "home")


def engine(home: str) -> Encyclopedia:
    return Encyclopedia(home=home, environ={"PATH": "/usr/bin:/bin", **off()})


@pytest.mark.spec("ENC-EVALASK-1")
async def test_answers_are_measured_by_what_they_found_cited_said_and_refused(home, tmp_path):
    async with engine(home) as e:
        await e.search("pool", corpora="notes")  # which indexes the notes
        body = await e.evaluate_answers(str(tmp_path / "gold.jsonl"))
    assert body["metrics"]["passage_recall@5"] == 1.0
    assert body["metrics"]["citation_recall"] == 1.0
    assert body["metrics"]["citation_precision"] == 1.0
    assert body["metrics"]["faithfulness"] == 1.0
    assert body["metrics"]["facts"] == 0.75
    assert body["metrics"]["refusal"] == 0.75  # the last one was answered, and no passage of it is known
    assert [row["refused"] for row in body["queries"]] == [False, False, True, False]


@pytest.mark.spec("ENC-EVALASK-1")
async def test_measurements_of_answers_are_compared_question_by_question(home, tmp_path):
    async with engine(home) as e:
        await e.search("pool", corpora="notes")
        before = await e.evaluate_answers(str(tmp_path / "gold.jsonl"))
        after = await e.evaluate_answers(str(tmp_path / "gold.jsonl"), max_tokens=1)
    told = evaluations.compare(before, after, "before")
    assert told["shared"] == 4
    assert told["metrics"]["passage_recall@5"]["same"] == 2
    assert told["metrics"]["refusal"]["difference"] == 0
    assert "asked.max_tokens" in told["differs"]


@pytest.mark.spec("ENC-EVALASK-2")
@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("no", "line 1: this is not JSON"),
        ("[]", "line 1: there is no question"),
        ('{"question": " "}', "line 1: there is no question"),
        ('{"question": "q", "gold": "x"}', "line 1: gold is no list"),
        ('{"question": "q", "gold": [[]]}', "line 1: gold is no list"),
        ('{"question": "q", "facts": [1]}', "line 1: facts is no list"),
        ('{"question": "q"}\n{"question": "q"}', "line 2: the question was asked before"),
        ("", "it holds no question"),
    ],
)
def test_what_is_wrong_with_a_gold_set_is_named_by_its_line(tmp_path, line, fault):
    path = tmp_path / "gold.jsonl"
    path.write_text(line)
    with pytest.raises(ConfigurationError, match=fault):
        read(str(path))


@pytest.mark.spec("ENC-EVALASK-2")
def test_a_group_holds_passages_of_which_one_is_enough(tmp_path):
    path = tmp_path / "gold.jsonl"
    path.write_text('{"question": "q", "gold": ["a", ["b", "c"]], "facts": ["f"], "kind": "ignored"}')
    assert read(str(path)) == (Question("q", (("a",), ("b", "c")), ("f",)),)
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read(str(tmp_path / "missing.jsonl"))


@pytest.mark.spec("ENC-EVALASK-2")
async def test_a_passage_that_nothing_is_called_is_an_error(home, tmp_path):
    path = tmp_path / "wrong.jsonl"
    path.write_text('{"question": "What does the pool keep?", "gold": ["pol.md"]}')
    async with engine(home) as e:
        await e.search("pool", corpora="notes")
        with pytest.raises(ConfigurationError, match=r"pol\.md"):
            await e.evaluate_answers(str(path))


@pytest.mark.spec("ENC-EVALASK-1")
def test_the_command_keeps_and_compares(home, tmp_path):
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        environ = {"PATH": "/usr/bin:/bin", "ENCYCLOPEDIA_HOME": home, **off()}
        command = [sys.executable, "-m", "encyclopedia", *words]
        return subprocess.run(command, capture_output=True, text=True, env=environ, cwd=tmp_path, check=False)

    run("corpus", "index", "notes", "--no-vectors")
    kept = run("eval", "ask", "gold.jsonl", "--save", "first", "--text")
    assert (kept.returncode, kept.stderr) == (0, "")
    assert "passage_recall@5    1.0000" in kept.stdout
    told = json.loads(run("eval", "ask", "gold.jsonl", "--compare", "first").stdout)
    assert told["comparison"]["metrics"]["faithfulness"]["difference"] == 0
    assert run("eval", "ask", "gold.jsonl", "more.jsonl").returncode == 64


@pytest.mark.spec("ENC-EVALASK-2")
async def test_sections_and_relations_of_a_graph_are_known_passages(home, tmp_path):
    books = Path(__file__).parents[2] / "fixtures" / "books-patterns"
    kept = Path(home) / "corpora" / "books"
    kept.mkdir()
    (kept / "corpus.json").write_text(json.dumps({"path": str(books), "kind": "graph"}))
    gold = {
        "question": "How is Bloc related to the Observer pattern?",
        "gold": [["java_patterns__bloc__s02", "relationships.jsonl#1"]],
    }
    (tmp_path / "gold.jsonl").write_text(json.dumps(gold))
    async with engine(home) as e:
        await e.search("pool")
        body = await e.evaluate_answers(str(tmp_path / "gold.jsonl"), corpora="books")
        assert body["metrics"]["citation_recall"] == 1.0
        (tmp_path / "gold.jsonl").write_text(json.dumps(gold | {"gold": ["java_patterns__blok__s02"]}))
        with pytest.raises(ConfigurationError, match="blok"):
            await e.evaluate_answers(str(tmp_path / "gold.jsonl"), corpora="books")
