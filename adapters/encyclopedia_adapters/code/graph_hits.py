"""From definitions of a code graph to hits: signature, documentation, callers and callees as text."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from encyclopedia.model.outcome import Hit, Relation
    from encyclopedia_adapters.code.codegraph import Tree
    from encyclopedia_adapters.code.graph import CodeGraph
    from encyclopedia_adapters.code.graph_values import Call, Symbol

LISTED = 12
"""Callers, callees and others that are named."""
_HOW = {"name": "by name", "several": "perhaps"}


def hits(graph: CodeGraph, tree: Tree, text: str, limit: int, passages: int = 1) -> list[tuple[Hit, float]]:
    """The best ``passages`` definitions of each file with their scores; the file's other ones are named in them."""
    found: dict[str, list[tuple[Symbol, float]]] = {}
    for symbol, score in graph.search(text, limit * 4):
        same = found.setdefault(symbol.path, [])
        if all(other.qualified != symbol.qualified for other, _ in same):  # overloads, a property and its setter
            same.append((symbol, score))
    listed: list[tuple[Hit, float]] = []
    for symbols in list(found.values())[:limit]:
        for symbol, score in symbols[:passages]:
            if hit := _hit(graph, tree, symbol, [other for other, _ in symbols if other is not symbol]):
                listed.append((hit, score))
    return listed


def _hit(graph: CodeGraph, tree: Tree, symbol: Symbol, others: list[Symbol]) -> Hit | None:
    from encyclopedia.model.outcome import Hit, Locator
    from encyclopedia_adapters.code.place import blob
    from encyclopedia_adapters.shared.hits import clean_hit

    lines = (symbol.first, symbol.last)
    url = blob(tree.place, tree.commit, quote(symbol.path), lines) if tree.place else ""
    parts = [
        symbol.signature,
        symbol.doc,
        _listed("Called by", (_caller(call) for call in graph.callers(symbol))),
        _listed("Calls", (_callee(call) for call in graph.callees(symbol))),
        _listed("Subclasses", (_place(sub) for sub in _subclasses(graph, symbol))),
        _listed("Also in this file", (f"{other.qualified} (line {other.first})" for other in others if other.kind != "module")),
    ]
    return clean_hit(
        Hit(
            title=f"{symbol.path} > {symbol.qualified}",
            url=url,
            content="\n".join(filter(None, parts)),
            locator=Locator(tree.name, symbol.path, symbol.qualified, lines),
            version=tree.commit[:12],
            page="" if url else f"{tree.folder} {symbol.path}",
            relations=tuple(_relations(graph, symbol)),
        )
    )


def _relations(graph: CodeGraph, symbol: Symbol) -> Iterator[Relation]:
    """Callers, callees that are known, importers and subclasses, ``LISTED`` of each."""
    from encyclopedia.model.outcome import Relation
    from encyclopedia_adapters.shared.sanitize import clean_line

    calls = [("caller", call.caller, call.line, _HOW.get(call.how, "")) for call in graph.callers(symbol)]
    called = [
        ("callee", call.callee, call.callee.first, _HOW.get(call.how, "")) for call in graph.callees(symbol) if call.callee
    ]
    below = [("subclass", sub, sub.first, "") for sub in _subclasses(graph, symbol)]
    taken = [("importer", user, line, "") for user, line in graph.importers(symbol)]
    for group in (calls, called, taken, below):
        distinct = dict.fromkeys((kind, other.qualified, other.path, line, how) for kind, other, line, how in group)
        for kind, name, path, line, how in list(distinct)[:LISTED]:
            yield Relation(kind, clean_line(name), clean_line(path), line, how)


def _subclasses(graph: CodeGraph, symbol: Symbol) -> list[Symbol]:
    return graph.subclasses(symbol.name) if symbol.kind in ("class", "interface") else []


def _listed(head: str, entries: Iterable[str]) -> str:
    named = list(dict.fromkeys(entries))
    more = f", and {len(named) - LISTED} more" if len(named) > LISTED else ""
    return f"{head}: {', '.join(named[:LISTED])}{more}" if named else ""


def _place(symbol: Symbol) -> str:
    return f"{symbol.qualified} ({symbol.path}:{symbol.first})"


def _caller(call: Call) -> str:
    told = f", {_HOW[call.how]}" if call.how in _HOW else ""
    return f"{call.caller.qualified} ({call.caller.path}:{call.line}{told})"


def _callee(call: Call) -> str:
    return f"{call.callee.qualified} ({call.callee.path}:{call.callee.first})" if call.callee else call.name
