from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia.faces.gold import Asked, read
from encyclopedia.model.errors import ConfigurationError, UsageError

BEIR_QUERIES = (
    '{"_id": "1", "text": "lost keys"}\n{"_id": "2", "text": "lost keys"}\n{"_id": 3, "text": "nobody judged this"}\n'
)
BEIR_QRELS = "query-id\tcorpus-id\tscore\n1\tkeys.md\t2\n1\told notes.md\t0\n2\tkeys.md\t1\n"


def written(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return str(path)


def problems(path: str) -> list[tuple[Any, Any]]:
    """The lines with their reasons, of which the sentence tells the first."""
    with pytest.raises(ConfigurationError, match="problems") as failed:
        read(path)
    rows: Any = failed.value.details["problems"]
    assert all(f"line {row['line']}: {row['reason']}" in failed.value.message for row in rows[:5])
    return [(row["line"], row["reason"]) for row in rows]


@pytest.mark.spec("ENC-EVAL-1")
def test_json_lines_with_ids_or_grades(tmp_path: Path) -> None:
    text = '{"query": "a", "expected": ["x", 7], "more": true}\n\n{"query": "b", "expected": "y"}\n{"query": "c", "relevant": {"x": 0, "z": 1.5, "y": 3}}\n'
    gold = read(written(tmp_path, "gold.jsonl", text))
    assert gold.asked == (
        Asked("a", "a", {"x": 1.0, "7": 1.0}),
        Asked("b", "b", {"y": 1.0}),
        Asked("c", "c", {"x": 0.0, "z": 1.5, "y": 3.0}),
    )
    assert gold.asked[2].expected == ["y", "z"]
    assert (gold.name, gold.left_out) == ("gold.jsonl", 0)
    again = read(written(tmp_path, "other.txt", "\ufeff" + text))
    assert (again.asked, again.digest) == (gold.asked, gold.digest)
    assert read(written(tmp_path, "gold.jsonl", text + '{"query": "d", "expected": "y"}')).digest != gold.digest


@pytest.mark.spec("ENC-EVAL-1")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("gold.csv", 'query,expected,grade\r\n"a, quoted",x,2\r\nb,y,\r\n"a, quoted",z,1\r\n'),
        ("gold.tsv", "expected\tquery\tgrade\nx\ta, quoted\t2\ny\tb\t\nz\ta, quoted\t1"),
    ],
)
def test_tables_hold_one_id_a_row(tmp_path: Path, name: str, text: str) -> None:
    gold = read(written(tmp_path, name, text))
    assert gold.asked == (Asked("a, quoted", "a, quoted", {"x": 2.0, "z": 1.0}), Asked("b", "b", {"y": 1.0}))


@pytest.mark.spec("ENC-EVAL-1")
@pytest.mark.parametrize("place", ["qrels.tsv", "qrels/test.tsv"])
def test_a_beir_folder(tmp_path: Path, place: str) -> None:
    queries, qrels = written(tmp_path, "set/queries.jsonl", BEIR_QUERIES), written(tmp_path, f"set/{place}", BEIR_QRELS)
    gold = read(str(tmp_path / "set"))
    assert gold.asked == (
        Asked("1", "lost keys", {"keys.md": 2.0, "old notes.md": 0.0}),
        Asked("2", "lost keys", {"keys.md": 1.0}),
    )
    assert (gold.name, gold.left_out) == ("set", 1)
    assert read(queries=queries, qrels=qrels).asked == gold.asked
    trec = written(tmp_path, "trec.txt", "1 0 keys.md 2\n1 0 old 0\n2 0 keys.md 1\n")
    assert [one.expected for one in read(queries=queries, qrels=trec).asked] == [["keys.md"], ["keys.md"]]


@pytest.mark.spec("ENC-EVAL-2")
def test_every_line_with_a_problem_is_named(tmp_path: Path) -> None:
    lines = [
        '{"query": "a", "expected": []}',
        "{bad",
        "",
        '{"query": "  ", "expected": ["x"]}',
        '{"query": "q", "expected": ["x", "x"]}',
        '{"query": "q", "expected": ["y"]}',
        "[1]",
        '{"query": "z", "relevant": {"y": 1}, "expected": ["y"]}',
        '{"query": "n", "relevant": {"y": NaN}}',
        '{"query": "t", "expected": [true, ""]}',
        '{"query": 7, "expected": ["x"]}',
        "[" * 100_000,
        '{"query": "good", "expected": ["x"]}',
    ]
    assert problems(written(tmp_path, "bad.jsonl", "\n".join(lines))) == [
        (1, "nothing is expected"),
        (2, "this is not JSON"),
        (4, "the query is empty"),
        (5, "'x' is expected twice"),
        (6, "the same query as line 5"),
        (7, "this is no JSON object"),
        (8, "an object with `query` and one of `expected` and `relevant` is wanted"),
        (9, "the grade of 'y' is no number"),
        (9, "nothing is expected"),
        (10, "an expected id is empty or no text"),
        (10, "an expected id is empty or no text"),
        (10, "nothing is expected"),
        (11, "the query is empty"),
        (12, "this is not JSON"),
    ]


@pytest.mark.spec("ENC-EVAL-2")
def test_so_are_those_of_tables_and_judgements(tmp_path: Path) -> None:
    assert problems(written(tmp_path, "a.csv", "question,id\nx,y\n"))[0][0] == 1
    assert problems(written(tmp_path, "b.csv", "query,expected\nx,y\n,z\nx,y\nw\n")) == [
        (3, "the query is empty"),
        (4, "'y' is expected twice"),
        (5, "an expected id is empty or no text"),
    ]
    assert problems(written(tmp_path, "c.csv", 'query,expected\nx,"y\n'))[0][0] >= 2
    written(tmp_path, "set/queries.jsonl", BEIR_QUERIES + '{"_id": "1", "text": "again"}\n{"text": "none"}\n')
    written(tmp_path, "set/qrels.tsv", BEIR_QRELS + "9\tx\t1\n2\tx\n2\tkeys.md\t1\n2\tz\tmuch\n")
    assert problems(str(tmp_path / "set")) == [
        (4, "the same query as line 1"),
        (5, "the id of the query is no text"),
        (5, "there is no query '9'"),
        (6, "three columns (query, id, grade) or four (query, 0, id, grade) are wanted"),
        (7, "'keys.md' is expected twice"),
        (8, "the grade of 'z' is no number"),
    ]


@pytest.mark.spec("ENC-EVAL-2")
def test_what_is_no_gold_set_is_refused_with_what_one_is(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "latin.jsonl").write_bytes(b'{"query": "\xe9"}')
    for path in (
        str(tmp_path / "missing"),
        str(tmp_path / "pipe.jsonl"),
        str(tmp_path / "latin.jsonl"),
        str(tmp_path),
        written(tmp_path, "prose.md", "# Not this"),
        written(tmp_path, "empty.jsonl", "\n"),
    ):
        with pytest.raises(ConfigurationError) as failed:
            read(path)
        assert os.path.basename(path) in failed.value.message
        assert failed.value.hint
    for wrong in ({}, {"path": "a", "qrels": "b", "queries": "c"}, {"qrels": "b"}, {"queries": "b"}):
        with pytest.raises(UsageError):
            read(**wrong)


@pytest.mark.spec("ENC-EVAL-2")
@given(st.text(max_size=200), st.sampled_from([".jsonl", ".csv", ".tsv"]))
def test_no_text_crashes_the_reading(tmp_path_factory: pytest.TempPathFactory, text: str, form: str) -> None:
    path = tmp_path_factory.getbasetemp() / f"any{form}"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        assert read(str(path)).asked
    except ConfigurationError as error:
        assert error.hint
