"""Bundles of JSON Lines: hostile rows are named by their line and cost only themselves; out and in again is the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from encyclopedia.model.errors import ConfigurationError
from encyclopedia_adapters.local.graph import KIND
from encyclopedia_adapters.local.graph.bundle import Bundle
from encyclopedia_adapters.local.graph.shelf import Unit
from encyclopedia_adapters.local.graph.values import Problem
from tests.graph_books import AGENTIC, PATTERNS, bundle, corpus, dump, indexed, rows

GOOD = [{"id": "a", "name": "Alpha"}, {"id": "b", "name": "Beta"}]
BAD_CONCEPTS = [
    "{broken",
    "[1, 2]",
    '"text"',
    "nul\x00l",
    {"name": "no id"},
    {"id": 7, "name": "a number"},
    {"id": "c", "name": ["list"]},
    {"id": "c"},
    {"id": "a", "name": "twice"},
    {"id": "c\nd", "name": "two lines"},
    {"id": "c", "name": "C", "aliases": "text"},
    {"id": "c", "name": "C", "chapter": "three"},
    {"id": "c", "name": "C", "book_id": None},
    "[" * 100_000,
    '{"id": "c", "name": "' + "x" * 4_100_000 + '"}',
]
BAD_RELATIONS = [
    {"from": "a", "to": "nobody"},
    {"from": "a", "to": "a"},
    {"from": "a"},
    {"from": "a", "to": "b", "type": "hates"},
    {"from": "a", "to": "b", "type": 3},
    '{"from": "a", "to": "b", "confidence": NaN}',
    '{"from": "a", "to": "b", "confidence": 1e999}',
    {"from": "a", "to": "b", "confidence": -0.1},
    {"from": "a", "to": "b", "confidence": True},
    {"from": "a", "to": "b", "confidence": "high"},
    {"from": "a", "to": "b", "section_id": "nowhere"},
]


@pytest.mark.spec("ENC-BOOKS-11")
def test_each_bad_line_is_named_and_costs_only_itself(tmp_path: Path) -> None:
    concepts = [*GOOD[:1], *BAD_CONCEPTS, *GOOD[1:]]
    good = [{"from": "a", "to": "b", "type": "Alternative-To"}, {"from": "b", "to": "a", "type": "uses", "confidence": 1}]
    sections = [
        {"id": "s", "title": "S", "content": "Alpha.", "concept_ids": ["a", "ghost"]},
        {"id": "s"},
        {"id": "t", "content": 4},
    ]
    made = corpus(tmp_path, bundle(tmp_path / "x", concepts=concepts, relationships=[*BAD_RELATIONS, *good], sections=sections))
    done = KIND.index(made, lambda *_: None)
    lines = [path for path, _ in done.skipped]
    assert lines == [
        *(f"concepts.jsonl:{n}" for n in range(2, 2 + len(BAD_CONCEPTS))),
        *(f"relationships.jsonl:{n}" for n in range(1, 1 + len(BAD_RELATIONS))),
        *(f"sections.jsonl:{n}" for n in (1, 2, 3)),
    ]
    told = dict(done.skipped)
    assert told["relationships.jsonl:1"] == "a relation with the unknown concept 'nobody'"
    assert "twice" in told["concepts.jsonl:10"]
    (book,) = KIND.graph(made).list_books()["books"]
    assert (book["concepts"], book["sections"], book["relations"]) == (2, 1, 2)
    report = KIND.report(made)
    assert len(report.problems) == len(done.skipped)
    assert dict(report.counts) == {"books": 1, "sections": 1, "concepts": 2, "relations": 2, "projects": 0}


@pytest.mark.spec("ENC-BOOKS-11")
def test_a_list_of_books_is_binding_and_a_broken_one_is_not(tmp_path: Path) -> None:
    folder = bundle(
        tmp_path / "x", concepts=[{"id": "a", "name": "A", "book_id": "one"}, {"id": "b", "name": "B", "book_id": "two"}]
    )
    (folder / "books.json").write_text('[{"id": "one", "title": "One"}, {"title": "none"}, {"id": "one", "title": "again"}]')
    done = KIND.index(made := corpus(tmp_path, folder), lambda *_: None)
    assert [reason for _, reason in done.skipped] == [
        "book 2: id is missing",
        "book 3: the id 'one' is there twice",
        "unknown book 'two'",
    ]
    (folder / "books.json").write_text("{nothing")
    done = KIND.index(made, lambda *_: None)
    assert [book["id"] for book in KIND.graph(made).list_books()["books"]] == ["one", "two"]
    assert "books are taken as the other files name them" in done.skipped[0][1]


@pytest.mark.spec("ENC-BOOKS-11")
def test_escapes_and_surrogates_do_not_come_through(tmp_path: Path) -> None:
    concepts = ['{"id": "a", "name": "Al\\u001b[31mpha\\u202e", "definition": "lone \\ud800 half", "aliases": ["\\udfff"]}']
    sections = [
        '{"id": "s", "title": "\\ud800", "content": "Alpha \\u001b]8;;x\\u0007 <script>x</script>\\u0000", "concept_ids": ["a"]}'
    ]
    graph = indexed(corpus(tmp_path, bundle(tmp_path / "x", concepts=concepts, sections=sections)))
    assert graph.match_concepts("alpha")["matched_concepts"][0]["name"] == "Alpha"
    (passage,) = graph.ask_book("alpha")["passages"]
    assert "\x1b" not in passage["content"]
    assert "script" not in passage["content"]


@pytest.mark.spec("ENC-BOOKS-11")
def test_thousands_of_bad_lines_are_counted_and_a_link_out_is_refused(tmp_path: Path) -> None:
    folder = bundle(tmp_path / "x", concepts=[*GOOD, *["{"] * 3000])
    done = KIND.index(made := corpus(tmp_path, folder), lambda *_: None)
    assert len(done.skipped) == 1001
    assert any("2000 more lines" in reason for _, reason in done.skipped)
    (tmp_path / "secret.jsonl").write_text('{"id": "s", "content": "secret"}')
    (folder / "sections.jsonl").symlink_to(tmp_path / "secret.jsonl")
    KIND.index(made, lambda *_: None)
    assert KIND.report(made).passages == 0


VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8) | st.sampled_from(["a", "b", "uses", "s"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "x"]), inner, max_size=2),
    max_leaves=4,
)
KEYS = "id book_id name aliases definition category chapter from to type confidence description section_id title content concept_ids pages path lines"
ROWS = st.lists(st.dictionaries(st.sampled_from(KEYS.split()), VALUES, max_size=8), max_size=6)


@pytest.mark.spec("ENC-BOOKS-11")
@settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(concepts=ROWS, sections=ROWS, relations=ROWS)
def test_no_rows_crash_the_reading(
    tmp_path: Path, concepts: list[object], sections: list[object], relations: list[object]
) -> None:
    folder = bundle(tmp_path / "x", concepts=[*GOOD, *concepts], sections=sections, relationships=relations)
    unit = Unit("x", str(folder), True, {f"{name}.jsonl": (1, 1) for name in ("concepts", "sections", "relationships")})
    records = list(Bundle(unit).records())
    names = [record.id for record in records if type(record).__name__ == "Concept"]
    assert names[:2] == ["a", "b"]
    assert len(names) == len(set(names))
    assert all(record.reason for record in records if isinstance(record, Problem))
    for record in records:
        if type(record).__name__ == "Relation":
            assert {record.start, record.end} <= set(names)
            assert 0 <= record.confidence <= 1


@pytest.mark.spec("ENC-BOOKS-12")
@pytest.mark.parametrize("source", [PATTERNS, AGENTIC])
def test_out_and_in_again_is_the_same_graph(tmp_path: Path, source: Path) -> None:
    graph = indexed(corpus(tmp_path / "one", source))
    counts = graph.export(str(tmp_path / "out"))
    again = indexed(corpus(tmp_path / "two", tmp_path / "out"))
    again.export(str(tmp_path / "back"))
    for name in ("books.json", "concepts.jsonl", "sections.jsonl", "relationships.jsonl"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "back" / name).read_bytes()
    for name in ("concepts", "relationships"):
        ours, theirs = rows(tmp_path / "out" / f"{name}.jsonl"), rows(source / f"{name}.jsonl")
        assert counts[name] == len(ours) == len(theirs)
        for row, original in zip(ours, theirs, strict=True):
            for key in original.keys() - {"chapter", *(("id",) if name == "relationships" else ())}:
                told = original[key]
                assert row[key] == (" ".join(told.split()) if key == "name" else told)
    if source is PATTERNS:
        bodies = [(row["id"], row["content"], row["concept_ids"]) for row in rows(tmp_path / "out" / "sections.jsonl")]
        assert bodies == [(row["id"], row["content"], row["concept_ids"]) for row in rows(source / "sections.jsonl")]


@pytest.mark.spec("ENC-BOOKS-12")
def test_what_is_imported_stays_beside_the_corpus_until_it_is_dropped(tmp_path: Path) -> None:
    made = corpus(tmp_path, AGENTIC)
    graph = indexed(made)
    before = dump(made)
    told = graph.take_in(str(bundle(tmp_path / "extra", concepts=[{"id": "e", "name": "Extra Idea"}])), name="more")
    assert (told["imported"], told["added"]) == ("more", 1)
    KIND.index(made, lambda *_: None, rebuild=True)
    assert {book["id"] for book in graph.list_books()["books"]} == {"concept_graph_agentic", "more"}
    assert graph.match_concepts("extra idea")["matched_concepts"][0]["id"] == "e"
    graph.take_in(str(bundle(tmp_path / "extra2", concepts=[{"id": "f", "name": "Other Idea"}])), name="more")
    assert [row["id"] for row in graph.match_concepts("extra idea")["matched_concepts"]][:1] == ["f"]
    graph.drop("more")
    assert dump(made) == before
    with pytest.raises(ConfigurationError, match="nothing was imported"):
        graph.drop("more")
    with pytest.raises(ConfigurationError, match="holds neither"):
        graph.take_in(str(bundle(tmp_path / "empty")), name="x")
