"""Books of plain markdown: headings, terms, other names, links and sentences become a graph with its places."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from encyclopedia_adapters.local.graph import KIND
from encyclopedia_adapters.local.graph.headings import concept_name
from encyclopedia_adapters.local.graph.markdown_book import read
from encyclopedia_adapters.local.graph.shelf import Unit
from encyclopedia_adapters.local.graph.values import Book, Concept, Record, Relation, Section
from tests.graph_books import PRIMER, corpus, indexed


def book(folder: Path, **files: str) -> list[Record]:
    """The records of a book with these files (``__`` stands for a slash)."""
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    paths = {path.relative_to(folder).as_posix(): (1, 1) for path in folder.rglob("*.md")}
    single = next(iter(paths)) if len(paths) == 1 else "book"
    return list(read(Unit(single, str(folder), False, paths)))


def concepts(records: list[Record]) -> dict[str, Concept]:
    return {record.name: record for record in records if isinstance(record, Concept)}


@pytest.mark.spec("ENC-BOOKS-13")
def test_headings_glossary_and_definition_lists_name_concepts(tmp_path: Path) -> None:
    records = book(tmp_path, primer=PRIMER)
    assert records[0] == Book("primer", "Resilience Primer")
    found = concepts(records)
    assert list(found) == ["Timeout", "Bulkhead", "Idempotency Key", "Circuit Breaker", "Retry", "Fail Fast", "Singleton"]
    assert found["Timeout"].definition == "The longest time that a caller waits for an answer."
    assert found["Idempotency Key"].definition.startswith("A token by which")
    assert found["Circuit Breaker"].definition == "A circuit breaker stops calling a service that keeps failing."
    assert found["Circuit Breaker"].aliases == ("fuse",)
    assert (found["Retry"].category, found["Singleton"].category) == ("stability", "creational")
    assert found["Retry"].chapter < found["Singleton"].chapter


@pytest.mark.spec("ENC-BOOKS-13")
def test_sections_are_lines_of_the_file_and_know_their_concept(tmp_path: Path) -> None:
    records = book(tmp_path, primer=PRIMER)
    lines = PRIMER.split("\n")
    sections = [record for record in records if isinstance(record, Section)]
    for section in sections:
        assert section.content == "\n".join(lines[section.place.first - 1 : section.place.last])
    by_title = {section.title: section for section in sections}
    when = by_title["Stability Patterns > Circuit Breaker > When to use"]
    assert when.concepts == ("primer__circuit_breaker",)
    assert set(by_title["Glossary"].concepts) == {"primer__timeout", "primer__bulkhead", "primer__idempotency_key"}
    assert len({section.id for section in sections}) == len(sections)


@pytest.mark.spec("ENC-BOOKS-13")
def test_relations_carry_the_sentence_and_its_lines_and_denied_ones_are_none(tmp_path: Path) -> None:
    records = book(tmp_path, primer=PRIMER)
    said = {(r.start[8:], r.type, r.end[8:]): r for r in records if isinstance(r, Relation)}
    assert set(said) == {
        ("circuit_breaker", "requires", "timeout"),
        ("retry", "uses", "idempotency_key"),
        ("retry", "conflicts_with", "fail_fast"),
        ("fail_fast", "alternative_to", "retry"),
        ("retry", "related", "circuit_breaker"),
    }
    lines = PRIMER.split("\n")
    for relation in said.values():
        assert relation.sentence in " ".join(lines[relation.place.first - 1 : relation.place.last])
        assert 0.4 <= relation.confidence <= 0.7
    assert said["retry", "related", "circuit_breaker"].confidence == 0.4


@pytest.mark.spec("ENC-BOOKS-14")
def test_a_folder_is_one_book_in_the_order_of_its_files(tmp_path: Path) -> None:
    records = book(
        tmp_path,
        README="# The Messaging Book\n\nHello.",
        **{"2-queues": "# Message Queue\n\nA message queue holds messages. See [the hub](10-hub.md) and [[1-broker]]."},
        **{"10-hub": "# Hub (HB)\n\n## Also known as\n\n- Switchboard\n- Exchange\n\n## Intent\n\nConnects many to many."},
        **{
            "1-broker": "---\naliases: [Middleman]\n---\n# What is a Message Broker?\n\n**Dead Letter** is a message that nobody took."
        },
        SUMMARY="# Summary\n\n- [Ghost](ghost.md)",
    )
    assert records[0] == Book("book", "The Messaging Book")
    found = concepts(records)
    assert list(found) == ["Message Broker", "Dead Letter", "Message Queue", "Hub"]
    assert set(found["Hub"].aliases) == {"HB", "Switchboard", "Exchange"}
    assert found["Hub"].definition == "Connects many to many."
    assert found["Message Broker"].aliases == ("Middleman",)
    assert found["Dead Letter"].definition == "**Dead Letter** is a message that nobody took."
    links = {(r.start, r.end) for r in records if isinstance(r, Relation)}
    assert links == {("book__message_queue", "book__hub"), ("book__message_queue", "book__message_broker")}
    assert [found[name].chapter for name in ("Message Broker", "Message Queue", "Hub")] == [2, 3, 4]


@pytest.mark.spec("ENC-BOOKS-14")
@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("3.2 Circuit Breaker Pattern", "Circuit Breaker"),
        ("Chapter 4: Event Sourcing", "Event Sourcing"),
        ("`Saga`", "Saga"),
        ("[Outbox](outbox.md)", "Outbox"),
        ("🔒 Mutual Exclusion", "Mutual Exclusion"),
        ("What is a Bulkhead?", "Bulkhead"),
        ("Command Query Responsibility Segregation (CQRS)", "Command Query Responsibility Segregation"),
        *(
            (generic, "")
            for generic in ("Introduction", "Examples", "Benefits and Trade-offs of Saga", "When to use it", "See also")
        ),
        *((generic, "") for generic in ("Observer Pattern Java Tutorials", "Main.java", "Running the tests", "Step 2: Go")),
        *((generic, "") for generic in ("How does it work?", "Why this matters to every one of us now", "1.", "", "Summary:")),
    ],
)
def test_a_heading_names_a_concept_or_says_what_a_section_is_for(heading: str, name: str) -> None:
    assert concept_name(heading)[0] == name


@pytest.mark.spec("ENC-BOOKS-14")
def test_books_are_folders_and_files_and_what_is_about_them_is_none(tmp_path: Path) -> None:
    shelf = tmp_path / "shelf"
    for path in ("one/1.md", "one/2.md", "two.md", "README.md", "LICENSE.md", ".hidden/x.md", "notes.txt"):
        (shelf / path).parent.mkdir(parents=True, exist_ok=True)
        (shelf / path).write_text("# Some Idea\n\nText.")
    (shelf / "two.md").write_bytes(b"\xff\x00\x00binary")
    made = corpus(tmp_path, shelf)
    graph = indexed(made)
    assert [book["id"] for book in graph.list_books()["books"]] == ["one"]
    assert KIND.report(made).problems == ("two.md: not text",)
    (shelf / "one" / "SUMMARY.md").write_text("# Contents")
    assert {book["id"] for book in indexed(made).list_books()["books"]} == {"one"}


@pytest.mark.spec("ENC-BOOKS-14")
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.sampled_from([*PRIMER.split("\n"), "```", "[[", "](", "****: x y z", "# ", "| a | b |", "---", ": x", "\x00", "é"])
        | st.text(max_size=20),
        max_size=30,
    ).map("\n".join)
)
def test_no_text_crashes_the_reading(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.md").write_text(text.encode("utf-8", "replace").decode(), encoding="utf-8", newline="")
    records = list(read(Unit("x.md", str(tmp_path), False, {"x.md": (1, 1)})))
    ids = [record.id for record in records if isinstance(record, Concept)]
    assert len(ids) == len(set(ids))
    for record in records:
        if isinstance(record, Relation):
            assert {record.start, record.end} <= set(ids)
        if isinstance(record, Section):
            assert set(record.concepts) <= set(ids)
