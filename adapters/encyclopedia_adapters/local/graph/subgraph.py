"""What lies around some concepts: the best edges within a number of hops, and what was cut off."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia_adapters.local.graph.layer import Layer, described
from encyclopedia_adapters.local.graph.store import several
from encyclopedia_adapters.local.graph.values import MUTUAL

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

MOST_HOPS = 3
MOST_EDGES = 1000
MOST_SEEN = 50_000
"""Edges that are looked at; around a hub of a large graph there may be more, and the answer says so."""

_SOURCES = 20


class Edge(NamedTuple):
    """Two concepts and the kind of relation between them."""

    start: str
    end: str
    type: str


class Around(NamedTuple):
    """What a walk found: the hops to each node, the confidence of each edge, and whether it stopped before the end."""

    depth: dict[str, int]
    edges: dict[Edge, float]
    stopped: bool


class Want(NamedTuple):
    """What is asked of a subgraph."""

    hops: int = 2
    floor: float = 0.5
    budget: int = 50
    descriptions: bool = False


def subgraph(con: sqlite3.Connection, concepts: Iterable[str], layer: Layer, want: Want) -> dict[str, Any]:
    """Nodes and edges around ``concepts``; edges best first, at most ``want.budget``, all joined to the seeds."""
    seeds = tuple(dict.fromkeys(map(layer.head, concepts)))
    found = _walk(con, seeds, layer, want)
    kept = sorted(_grow(seeds, found, want.budget), key=lambda edge: (-found.edges[edge], edge))
    nodes = dict.fromkeys((*seeds, *(name for edge in kept for name in (edge.start, edge.end))))
    known = described(con, nodes)
    rows = [_edge(edge, found.edges[edge]) for edge in kept]
    _attribute(con, rows, layer, descriptions=want.descriptions)
    cut = {"edges": len(found.edges) - len(kept), "nodes": len(found.depth) - len(nodes)}
    return {
        "seed_concept_ids": list(seeds),
        "max_hops": want.hops,
        "confidence_threshold": want.floor,
        "max_edges": want.budget,
        "node_count": len(nodes),
        "edge_count": len(kept),
        "total_edges_found": len(found.edges),
        "truncated": bool(cut["edges"]) or found.stopped,
        "cut": cut | ({"stopped_after": MOST_SEEN} if found.stopped else {}),
        "nodes": [_node(known[name], found.depth[name], name in seeds, layer, want) for name in nodes if name in known],
        "edges": rows,
    }


def _walk(con: sqlite3.Connection, seeds: tuple[str, ...], layer: Layer, want: Want) -> Around:
    """Hop by hop, so that each node has its least number of hops."""
    depth = dict.fromkeys(seeds, 0)
    edges: dict[Edge, float] = {}
    frontier = list(seeds)
    for hop in range(1, want.hops + 1):
        reached: dict[str, None] = {}
        for start, end, kind, confidence in touching(con, layer.all_of(frontier), layer, want.floor):
            one, other = layer.head(start), layer.head(end)
            if one == other:
                continue
            edge = Edge(min(one, other), max(one, other), kind) if kind in MUTUAL and layer.project else Edge(one, other, kind)
            edges[edge] = max(edges.get(edge, 0.0), confidence)
            for name in (one, other):
                if name not in depth:
                    depth[name] = hop
                    reached[name] = None
            if len(edges) >= MOST_SEEN:
                return Around(depth, edges, stopped=True)
        frontier = list(reached)
    return Around(depth, edges, stopped=False)


def touching(
    con: sqlite3.Connection, concepts: Iterable[str], layer: Layer, floor: float
) -> Iterable[tuple[str, str, str, float]]:
    """The relations of these concepts that are sure enough, of the books in scope."""
    names, books = list(concepts), set(layer.books)
    for column in ("start", '"end"'):
        sql = f"""SELECT start, "end", type, confidence, book FROM relation WHERE confidence >= ? AND {column} IN (…)
        ORDER BY confidence DESC"""  # noqa: S608 - names of ours
        for one, other, kind, confidence, book in several(con, sql, names, floor):
            if book in books:
                yield one, other, kind, confidence


def _grow(seeds: tuple[str, ...], found: Around, budget: int) -> set[Edge]:
    """The best edges that hang together with the seeds."""
    at: dict[str, list[Edge]] = {}
    for edge in found.edges:
        at.setdefault(edge.start, []).append(edge)
        at.setdefault(edge.end, []).append(edge)
    heap: list[tuple[float, int, Edge]] = []
    reached: set[str] = set()

    def reach(name: str) -> None:
        reached.add(name)
        for edge in at.get(name, ()):
            heapq.heappush(heap, (-found.edges[edge], min(found.depth[edge.start], found.depth[edge.end]), edge))

    kept: set[Edge] = set()
    for seed in seeds:
        reach(seed)
    while heap and len(kept) < budget:
        edge = heapq.heappop(heap)[2]
        kept.add(edge)
        for name in {edge.start, edge.end} - reached:
            reach(name)
    return kept


def _edge(edge: Edge, confidence: float) -> dict[str, Any]:
    return {"from": edge.start, "to": edge.end, "type": edge.type, "confidence": confidence}


def _attribute(con: sqlite3.Connection, rows: list[dict[str, Any]], layer: Layer, *, descriptions: bool) -> None:
    """Say of each edge which books state it, and where; the surest statement first."""
    sql = (
        "SELECT book, section, sentence, path, first, last, confidence FROM relation "
        'WHERE start = ? AND "end" = ? AND type = ? ORDER BY confidence DESC, rank LIMIT ?'
    )
    for row in rows:
        ends = [(one, other) for one in layer.all_of([row["from"]]) for other in layer.all_of([row["to"]])]
        ends += [(other, one) for one, other in ends] if row["type"] in MUTUAL and layer.project else []
        found = [said for one, other in ends for said in con.execute(sql, (one, other, row["type"], _SOURCES))]
        found.sort(key=lambda said: -said[6])
        row["book_ids"] = list(dict.fromkeys(said[0] for said in found))
        if descriptions:
            row["description"] = found[0][2] if found else ""
            row["provenance"] = [
                {"book_id": book, "section_id": section or None, "sentence": sentence, "path": path, "lines": [first, last]}
                | {"confidence": confidence}
                for book, section, sentence, path, first, last, confidence in found
            ]


def _node(one: dict[str, Any], depth: int, seed: bool, layer: Layer, want: Want) -> dict[str, Any]:
    row = {name: one[name] for name in ("id", "name", "category", "book_id")} | {"depth": depth, "is_seed": seed}
    if layer.project:
        row["members"] = list(layer.members.get(one["id"], (one["id"],)))
    if want.descriptions:
        row["definition"] = one["definition"]
    return row
