"""The two pattern books as a graph: whole, aligned, and right for questions that people ask."""

from __future__ import annotations

from pathlib import Path

import pytest

from encyclopedia.model.errors import ConfigurationError, UsageError
from encyclopedia_adapters.local.graph import KIND
from encyclopedia_adapters.local.graph.verbs import Graph
from tests.graph_books import PATTERNS, PRIMER, copied, corpus, dump, indexed, rows

QUESTIONS = {
    "how do I undo and redo, saving the earlier state of an object and restoring it": "memento",
    "notify many subscribers when something changes": "observer",
    "build a complex object step by step instead of a constructor with many parameters": "builder",
    "wrap an object with an incompatible interface so that others can use it": "adapter",
    "add behaviour to an object at run time without inheritance": "decorator",
    "a simple front for a complicated subsystem": "facade",
    "share objects to save memory when there are very many of them": "flyweight",
    "swap algorithms depending on the situation": "strategy",
    "a request passes along handlers until one deals with it": "chain_of_responsibility",
    "create new objects by cloning an existing one": "prototype",
    "separate reads from writes in two models": "command_query_responsibility_segregation",
    "distributed transaction over several microservices with compensation": "saga",
    "slow consumer cannot keep up with a fast producer of a stream": "backpressure",
    "avoid null checks with an object that does nothing": "null_object",
    "split a database horizontally over several servers": "sharding",
    "walk over the elements of a collection without exposing how it is stored": "iterator",
    "treat single objects and trees of them in the same way": "composite",
    "pass a function a partial list of arguments and get another function": "currying",
    "replace a legacy system little by little with a new one": "strangler",
    "choose one of many nodes to coordinate the others": "leader_election",
}
SHARED = [
    "abstract_factory",
    "adapter",
    "bridge",
    "builder",
    "chain_of_responsibility",
    "command",
    "composite",
    "decorator",
    "facade",
    "factory_method",
    "flyweight",
    "iterator",
    "mediator",
    "memento",
    "observer",
    "prototype",
    "proxy",
    "singleton",
    "state",
    "strategy",
    "template_method",
    "visitor",
]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    made = indexed(corpus(tmp_path_factory.mktemp("patterns"), PATTERNS))
    made.start_project("Both books", project_id="both")
    made.build_project_kg("both")
    return made


@pytest.mark.spec("ENC-BOOKS-1")
def test_both_books_are_there_whole(graph: Graph) -> None:
    books = {book["id"]: book for book in graph.list_books()["books"]}
    assert [book["id"] for book in graph.list_books()["books"]] == ["java_patterns", "dp_humans"]
    assert books["java_patterns"]["is_oracle"]
    assert sum(book["sections"] for book in books.values()) == 1217
    assert sum(book["concepts"] for book in books.values()) == 210
    assert sum(book["relations"] for book in books.values()) == 437


@pytest.mark.spec("ENC-BOOKS-2")
@pytest.mark.parametrize("project", ["", "both"])
def test_twenty_questions_have_the_right_concept_among_the_first_three(graph: Graph, project: str) -> None:
    first = 0
    for question, wanted in QUESTIONS.items():
        found = graph.match_concepts(question, project_id=project)["matched_concepts"]
        names = list(dict.fromkeys(row["id"].partition("__")[2] for row in found))
        assert wanted in names[:3], (question, names[:5])
        first += names[0] == wanted
    assert first >= 15


@pytest.mark.spec("ENC-BOOKS-2")
@pytest.mark.parametrize("asked", ["What is the Observer pattern?", "observer", "BFF", "when should I use CQRS", "wrapper"])
def test_a_name_or_another_name_is_enough(graph: Graph, asked: str) -> None:
    wanted = {"BFF": "backends_for_frontends", "wrapper": "adapter"}.get(asked, "observer")
    wanted = "command_query_responsibility_segregation" if "CQRS" in asked else wanted
    found = graph.match_concepts(asked, project_id="both")["matched_concepts"]
    assert wanted in [row["id"].partition("__")[2] for row in found[:3]]
    assert all(0 < row["score"] <= 1 for row in found)
    assert [row["score"] for row in found] == sorted((row["score"] for row in found), reverse=True)


@pytest.mark.spec("ENC-BOOKS-2")
def test_a_consultation_stands_for_its_project_and_is_the_same_for_the_same_question(graph: Graph) -> None:
    one = graph.match_concepts("undo the  last change", project_id="both")
    assert one["consultation_id"] == graph.match_concepts("Undo the last change", project_id="both")["consultation_id"]
    around = graph.get_subgraph(["java_patterns__observer"], consultation_id=one["consultation_id"])
    assert around["consultation_id"] == one["consultation_id"]
    assert around["nodes"][0]["members"] == ["dp_humans__observer", "java_patterns__observer"]
    assert graph.match_concepts("xyzzy plugh")["matched_concepts"] == []


@pytest.mark.spec("ENC-BOOKS-3")
def test_the_shared_concepts_are_joined_and_no_others(graph: Graph) -> None:
    merged = {row["id"]: {member["id"] for member in row["members"]} for row in graph.merges("both")["merged"]}
    expected = {f"java_patterns__{name}": {f"java_patterns__{name}", f"dp_humans__{name}"} for name in SHARED}
    # what one book calls Simple Factory is what the other one calls Factory: its example is a static method that makes coins
    expected["java_patterns__factory"] = {"java_patterns__factory", "dp_humans__simple_factory"}
    assert merged == expected
    assert len(merged) == 23
    row = graph.match_concepts("Memento", project_id="both")["matched_concepts"][0]
    assert (row["id"], row["book_id"]) == ("java_patterns__memento", "java_patterns")
    assert row["book_ids"] == ["dp_humans", "java_patterns"]


@pytest.mark.spec("ENC-BOOKS-4")
def test_a_third_book_costs_only_its_own_pairs_and_leaves_no_trace_when_it_goes(tmp_path: Path) -> None:
    shelf = copied(tmp_path)
    made = corpus(tmp_path, shelf)
    graph = indexed(made)
    graph.start_project("All", project_id="all", triaged_book_ids=["java_patterns", "dp_humans"])
    first = graph.build_project_kg("all")
    assert first["pairs"]["adjudicated"] > 0
    assert first["pairs"]["reused"] == 0
    assert graph.build_project_kg("all")["skipped"]
    before = dump(made)

    (shelf / "resilience-primer.md").write_text(PRIMER, encoding="utf-8")
    KIND.index(made, lambda *_: None)
    assert graph.build_project_kg("all")["skipped"]  # the new book is not in the project yet
    books = [book["id"] for book in graph.list_books()["books"]]
    graph.start_project("All", project_id="all", triaged_book_ids=books)
    second = graph.build_project_kg("all")
    assert second["pairs"]["reused"] == first["pairs"]["adjudicated"]
    verdicts = {tuple(row[:2]) for row in dump(made)["verdict"]} - {tuple(row[:2]) for row in before["verdict"]}
    primer = {row[7] for row in dump(made)["concept"] if row[1] == "resilience_primer"}
    assert 0 < len(verdicts) == second["pairs"]["adjudicated"]
    assert all(set(pair) & primer for pair in verdicts)
    joined = {row["id"] for row in graph.merges("all")["merged"] if any("primer" in one["id"] for one in row["members"])}
    assert joined == {"java_patterns__circuit_breaker", "java_patterns__retry", "java_patterns__singleton"}

    (shelf / "resilience-primer.md").unlink()
    KIND.index(made, lambda *_: None)
    after = dump(made)
    assert after["project"] == before["project"]
    assert after == before
    with pytest.raises(ConfigurationError, match="unknown book"):
        graph.ask_book("retry", book_id="resilience_primer")
    for path in Path(made.folder).rglob("*"):
        assert not path.is_file() or b"Idempotency Key" not in path.read_bytes(), path


@pytest.mark.spec("ENC-BOOKS-4")
def test_a_project_of_all_books_takes_a_new_one_in_with_the_next_build(tmp_path: Path) -> None:
    shelf = copied(tmp_path)
    graph = indexed(made := corpus(tmp_path, shelf))
    graph.start_project("all")
    first = graph.build_project_kg("all")
    (shelf / "resilience-primer.md").write_text(PRIMER, encoding="utf-8")
    KIND.index(made, lambda *_: None)
    second = graph.build_project_kg("all")
    assert not second["skipped"]
    assert second["pairs"]["reused"] == first["pairs"]["adjudicated"]
    assert graph.start_project("all")["built"] is False
    assert graph.build_project_kg("all")["pairs"]["adjudicated"] == 0
    assert graph.build_project_kg("all", force=True)["skipped"] is False


@pytest.mark.spec("ENC-BOOKS-5")
def test_what_is_not_there_is_said_with_the_nearest(graph: Graph) -> None:
    with pytest.raises(ConfigurationError, match="project 'bth' not found") as found:
        graph.build_project_kg("bth")
    assert "both" in found.value.hint
    with pytest.raises(ConfigurationError, match="unknown concept 'Obsever'") as found:
        graph.get_subgraph(["Obsever"])
    assert "Observer" in found.value.hint
    with pytest.raises(ConfigurationError, match="unknown book"):
        graph.start_project("x", triaged_book_ids=["java_pattern"])
    graph.start_project("unbuilt")
    with pytest.raises(ConfigurationError, match="not built"):
        graph.match_concepts("undo", project_id="unbuilt")
    for wrong in ({"max_hops": 4}, {"max_hops": 0}, {"max_edges": 0}, {"confidence_threshold": 2}):
        with pytest.raises(UsageError):
            graph.get_subgraph(["Observer"], **wrong)
    with pytest.raises(UsageError):
        graph.match_concepts("  ")
    with pytest.raises(UsageError):
        graph.get_subgraph([])


@pytest.mark.spec("ENC-BOOKS-6")
def test_passages_are_verbatim_with_book_chapter_and_place(graph: Graph) -> None:
    bodies = {row["id"]: row for row in rows(PATTERNS / "sections.jsonl")}
    found = graph.ask_book("when should I use a facade", project_id="both", max_passages=5)
    assert found["passage_count"] == 5
    for row in found["passages"]:
        source = bodies[row["section_id"]]
        assert row["content"].strip(" …") in source["content"]
        assert (row["book_id"], row["chapter"], row["title"]) == (source["book_id"], source["chapter_number"], source["title"])
        assert row["path"] == "sections.jsonl"
    assert {"java_patterns", "dp_humans"} >= {row["book_id"] for row in found["passages"]}
    assert "facade" in found["passages"][0]["section_id"]
    assert found["suggested_questions"]
    assert len(found["suggested_questions"]) <= 5


@pytest.mark.spec("ENC-BOOKS-6")
def test_a_scope_is_kept(graph: Graph) -> None:
    human = graph.ask_book("create an object", book_id="dp_humans", max_passages=20)["passages"]
    assert {row["book_id"] for row in human} == {"dp_humans"}
    about = graph.ask_book("zzz", concept_ids=["Proxy"], project_id="both", max_passages=20)["passages"]
    assert {row["book_id"] for row in about} == {"dp_humans", "java_patterns"}
    assert all("java_patterns__proxy" in row["concept_ids"] for row in about)
    assert all(row["score"] == 0 for row in about)
    lists = [row["title"] for row in graph.ask_book("when is a facade better", concept_ids=["Facade"])["passages"]]
    assert not any("Tutorials" in title for title in lists[:1])
