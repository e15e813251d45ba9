"""What lies around a concept: hops, the floor of confidence, the budget of edges, and what is said of the rest."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from encyclopedia_adapters.local.graph.store import Store
from encyclopedia_adapters.local.graph.verbs import Graph
from tests.graph_books import AGENTIC, bundle, corpus, indexed, rows

EDGES = rows(AGENTIC / "relationships.jsonl")
IDS = sorted({row["id"] for row in rows(AGENTIC / "concepts.jsonl")})


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return indexed(corpus(tmp_path_factory.mktemp("agentic"), AGENTIC))


def reachable(seed: str, hops: int, floor: float) -> tuple[dict[str, int], list[dict[str, object]]]:
    """Depths and edges by the plainest walk there is."""
    depth, found = {seed: 0}, dict[int, dict[str, object]]()
    for hop in range(1, hops + 1):
        for name in [name for name, at in depth.items() if at == hop - 1]:
            for edge in EDGES:
                if edge["confidence"] >= floor and name in (edge["from"], edge["to"]):
                    found[edge["id"]] = edge
                    for other in (edge["from"], edge["to"]):
                        depth.setdefault(other, hop)
    return depth, list(found.values())


@pytest.mark.spec("ENC-BOOKS-7")
def test_concepts_without_books_are_a_book_of_their_own(graph: Graph) -> None:
    (book,) = graph.list_books()["books"]
    assert (book["id"], book["concepts"], book["relations"]) == ("concept_graph_agentic", 141, 462)


@pytest.mark.spec("ENC-BOOKS-8")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    seed=st.sampled_from(IDS),
    hops=st.integers(1, 3),
    floor=st.sampled_from([0.0, 0.4, 0.5, 0.7, 0.85, 0.95, 1.0]),
    budget=st.sampled_from([1, 3, 10, 50, 1000]),
)
def test_a_subgraph_is_the_best_of_what_can_be_reached(graph: Graph, seed: str, hops: int, floor: float, budget: int) -> None:
    depth, edges = reachable(seed, hops, floor)
    found = graph.get_subgraph([seed], max_hops=hops, confidence_threshold=floor, max_edges=budget)
    mine = [(row["from"], row["to"], row["type"]) for row in found["edges"]]
    all_of = {(edge["from"], edge["to"], edge["type"]) for edge in edges}
    assert len(mine) == len(set(mine)) == found["edge_count"] == min(budget, len(all_of))
    assert set(mine) <= all_of
    assert found["total_edges_found"] == len(all_of)
    assert found["cut"]["edges"] == len(all_of) - len(mine)
    assert found["truncated"] == (len(all_of) > len(mine))
    scores = [row["confidence"] for row in found["edges"]]
    assert scores == sorted(scores, reverse=True)
    assert all(score >= floor for score in scores)
    assert {row["id"]: row["depth"] for row in found["nodes"]}.items() <= depth.items()
    joined = {seed}
    for _ in mine:
        joined |= {name for start, end, _ in mine if start in joined or end in joined for name in (start, end)}
    assert {row["id"] for row in found["nodes"]} == joined


@pytest.mark.spec("ENC-BOOKS-8")
def test_several_seeds_are_one_subgraph_and_sentences_come_when_they_are_wanted(graph: Graph) -> None:
    seeds = ["agent", "swarm_architecture"]
    found = graph.get_subgraph(seeds, max_hops=1, include_descriptions=True)
    assert found["seed_concept_ids"] == seeds
    assert [row["id"] for row in found["nodes"] if row["is_seed"]] == seeds
    assert all(edge["provenance"][0]["book_id"] == "concept_graph_agentic" for edge in found["edges"])
    assert "description" not in graph.get_subgraph(seeds, max_hops=1)["edges"][0]


@pytest.mark.spec("ENC-BOOKS-9")
def test_in_a_project_the_strongest_edge_survives_with_all_that_state_it(tmp_path: Path) -> None:
    concepts = [
        {"id": f"{book}_{name}", "book_id": book, "name": name}
        for book in ("a", "b")
        for name in ("Broker Cluster", "Dead Letter")
    ]
    said = [
        {
            "from": f"{book}_Broker Cluster",
            "to": f"{book}_Dead Letter",
            "type": "uses",
            "confidence": score,
            "description": text,
        }
        for book, score, text in (("a", 0.6, "A says so."), ("b", 0.9, "B is sure."))
    ]
    said.append(
        {
            "from": "b_Dead Letter",
            "to": "b_Broker Cluster",
            "type": "complements",
            "confidence": 0.7,
            "description": "Both ways.",
        }
    )
    graph = indexed(corpus(tmp_path, bundle(tmp_path / "x", concepts=concepts, relationships=said)))
    graph.start_project("p")
    graph.build_project_kg("p")
    found = graph.get_subgraph(["a_Broker Cluster"], project_id="p", include_descriptions=True)
    uses, both = found["edges"]
    assert (uses["type"], uses["confidence"], uses["book_ids"]) == ("uses", 0.9, ["b", "a"])
    assert uses["description"] == "B is sure."
    assert [row["sentence"] for row in uses["provenance"]] == ["B is sure.", "A says so."]
    assert (both["type"], both["provenance"][0]["sentence"]) == ("complements", "Both ways.")
    assert {row["id"] for row in found["nodes"]} == {"a_Broker Cluster", "a_Dead Letter"}
    apart = graph.get_subgraph(["a_Broker Cluster"])
    assert [edge["confidence"] for edge in apart["edges"]] == [0.6]


@pytest.mark.spec("ENC-BOOKS-8")
def test_a_hub_with_very_many_edges_stays_within_its_bounds(tmp_path: Path) -> None:
    many = 60_000
    made = corpus(tmp_path, bundle(tmp_path / "x", concepts=[{"id": "hub", "name": "Hub"}]))
    graph = indexed(made)
    with Store(made.folder).writer() as con:
        leaves = [(f"c{n}", "x", f"Leaf {n}", "", "", "[]", 0, "", n) for n in range(many)]
        con.executemany("INSERT INTO concept VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)", leaves)
        edges = [("x", "hub", f"c{n}", "uses", 0.5 + n / (2 * many)) for n in range(many)]
        con.executemany('INSERT INTO relation(book, start, "end", type, confidence) VALUES(?, ?, ?, ?, ?)', edges)
    found = graph.get_subgraph(["hub"], max_hops=3, max_edges=10)
    assert found["edge_count"] == 10
    assert found["truncated"]
    assert found["cut"]["stopped_after"] == 50_000
    assert min(edge["confidence"] for edge in found["edges"]) > 0.9  # the surest ones are looked at first
