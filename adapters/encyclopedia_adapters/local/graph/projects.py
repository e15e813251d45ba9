"""Projects: books that are read together, and the layer in which a concept that several of them have is one."""

from __future__ import annotations

import json
import time
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.nearest import nearest
from encyclopedia_adapters.local.graph.adjudicate import NAMED, Judge, Rules, Verdict
from encyclopedia_adapters.local.graph.align import candidates
from encyclopedia_adapters.local.graph.rows import concepts_of, known_books, one_book
from encyclopedia_adapters.local.graph.vectors import vectors_of

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence

    from encyclopedia.ports import Embedder
    from encyclopedia_adapters.local.graph.values import Concept

_TIE = 0.05


class Counts(NamedTuple):
    """Pairs that were adjudicated now, and those whose verdict was kept from before."""

    adjudicated: int = 0
    reused: int = 0


class Claim(NamedTuple):
    """A verdict that two concepts are the same."""

    one: Concept
    other: Concept
    verdict: Verdict


def start(con: sqlite3.Connection, project: str, name: str, description: str, books: Sequence[str]) -> dict[str, Any]:
    """Make the project or begin it anew: its layer is gone until it is built. No ``books`` means all that there are."""
    listed = [one_book(con, book) for book in dict.fromkeys(books)]
    values = (project, name, description, json.dumps(listed))
    con.execute("INSERT OR REPLACE INTO project VALUES(?, ?, ?, ?, NULL, '{}')", values)
    _forget_layer(con, project)
    return {"project_id": project, "name": name, "triaged_book_ids": listed or list(known_books(con)), "built": False}


def build(con: sqlite3.Connection, project: str, embedder: Embedder | None, *, force: bool) -> dict[str, Any]:
    """Align every pair of the project's books and join what is the same; nothing to do where it is built already."""
    row = con.execute("SELECT books, built_of FROM project WHERE id = ?", (project,)).fetchone()
    if row is None:
        there = [name for (name,) in con.execute("SELECT id FROM project")]
        hint = f"`encyclopedia graph project start NAME --project {project}` makes it"
        raise ConfigurationError(f"project {project!r} not found", nearest(project, there) if there else hint)
    known = known_books(con)
    books = [book for book in json.loads(row[0]) or known if book in known]
    if not force and json.loads(row[1]) == {book: known[book] for book in books}:
        return {"project_id": project, "skipped": True, "books": books, **standing(con, project)}
    counts = layer(con, project, books, embedder)
    pairs = {"adjudicated": counts.adjudicated, "reused": counts.reused}
    return {"project_id": project, "skipped": False, "books": books, "pairs": pairs, **standing(con, project)}


def standing(con: sqlite3.Connection, project: str) -> dict[str, int]:
    """How many concepts the layer has, of how many, and how many stand for several."""
    sql = "SELECT count(*), count(DISTINCT canonical) FROM member WHERE project = ?"
    concepts, canonical = con.execute(sql, (project,)).fetchone()
    grouped = "SELECT count(*) FROM (SELECT 1 FROM member WHERE project = ? GROUP BY canonical HAVING count(*) > 1)"
    return {"concepts": concepts, "canonical_concepts": canonical, "merged": con.execute(grouped, (project,)).fetchone()[0]}


def layer(
    con: sqlite3.Connection, project: str, books: Sequence[str], embedder: Embedder | None, judge: Judge | None = None
) -> Counts:
    """Make the layer of a project over these books; verdicts that are known are not asked for again."""
    judge = judge or Rules()
    concepts = {book: concepts_of(con, book) for book in books}
    marks = dict(con.execute("SELECT id, digest FROM concept"))
    kept = _kept(con, judge.fingerprint)
    claims: list[Claim] = []
    adjudicated = reused = 0
    for left, right in combinations(books, 2):
        vectors = vectors_of(con, (*concepts[left], *concepts[right]), embedder)
        for one, other in candidates(concepts[left], concepts[right], vectors).values():
            pair = (marks[one.id], marks[other.id])
            verdict = kept.get(min(pair, pair[::-1]))
            reused += verdict is not None
            if verdict is None:
                verdict = judge.judge(one, other)
                adjudicated += 1
                con.execute(
                    "INSERT OR REPLACE INTO verdict VALUES(?, ?, ?, ?, ?, ?)", (*sorted(pair), judge.fingerprint, *verdict)
                )
            if verdict.same:
                claims.append(Claim(one, other, verdict))
    _write(con, project, books, concepts, claims)
    return Counts(adjudicated, reused)


def _kept(con: sqlite3.Connection, judge: str) -> dict[tuple[str, str], Verdict]:
    rows = con.execute("SELECT one, other, same, confidence, reason FROM verdict WHERE judge = ?", (judge,))
    return {(one, other): Verdict(bool(same), confidence, reason) for one, other, same, confidence, reason in rows}


def _write(
    con: sqlite3.Connection,
    project: str,
    books: Sequence[str],
    concepts: Mapping[str, Sequence[Concept]],
    claims: Sequence[Claim],
) -> None:
    declined = _ambiguous(claims)
    every = [concept for book in books for concept in concepts[book]]
    groups = joined(every, [claim for claim in claims if claim not in declined], declined)
    oracles = {row[0] for row in con.execute("SELECT id FROM book WHERE is_oracle")}
    rank = {book: (book not in oracles, at) for at, book in enumerate(books)}
    _forget_layer(con, project)
    for group in groups:
        head = min(group, key=lambda concept: rank[concept.book])
        con.executemany("INSERT INTO member VALUES(?, ?, ?)", [(project, concept.id, head.id) for concept in group])
    rows = [(project, claim.one.id, claim.other.id, reason) for claim, reason in declined.items()]
    con.executemany("INSERT INTO declined VALUES(?, ?, ?, ?)", rows)
    known = known_books(con)
    built_of = json.dumps({book: known[book] for book in books})
    con.execute("UPDATE project SET built_at = ?, built_of = ? WHERE id = ?", (time.time(), built_of, project))


def _ambiguous(claims: Sequence[Claim]) -> dict[Claim, str]:
    """Claims by less than a name where another concept of the same book fits as well: then none of them is believed."""
    rivals: dict[tuple[str, str], list[Claim]] = {}
    for claim in claims:
        rivals.setdefault((claim.one.id, claim.other.book), []).append(claim)
        rivals.setdefault((claim.other.id, claim.one.book), []).append(claim)
    found: dict[Claim, str] = {}
    for together in rivals.values():
        best = max(claim.verdict.confidence for claim in together)
        near = [claim for claim in together if claim.verdict.confidence > best - _TIE]
        if best < NAMED and len(near) > 1:
            found |= dict.fromkeys(near, "several fit equally well")
    return found


def joined(concepts: Sequence[Concept], claims: Sequence[Claim], declined: dict[Claim, str]) -> list[list[Concept]]:
    """Groups of concepts that are the same (union-find), the surest claims first; no group holds two of one book."""
    parent = {concept.id: concept.id for concept in concepts}
    books = {concept.id: {concept.book} for concept in concepts}

    def root(name: str) -> str:
        while parent[name] != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    for claim in sorted(claims, key=lambda claim: (-claim.verdict.confidence, claim.one.id, claim.other.id)):
        one, other = root(claim.one.id), root(claim.other.id)
        if one == other:
            continue
        if books[one] & books[other]:
            declined[claim] = "it would join two concepts of one book"
            continue
        parent[other] = one
        books[one] |= books.pop(other)
    groups: dict[str, list[Concept]] = {}
    for concept in concepts:
        groups.setdefault(root(concept.id), []).append(concept)
    return list(groups.values())


def _forget_layer(con: sqlite3.Connection, project: str) -> None:
    con.execute("DELETE FROM member WHERE project = ?", (project,))
    con.execute("DELETE FROM declined WHERE project = ?", (project,))
