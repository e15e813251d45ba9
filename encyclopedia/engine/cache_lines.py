"""A stored answer as one line of JSON, to be taken elsewhere, and back.

A line is an object with ``query``, ``query_type``, ``timestamp`` (seconds since 1970), ``results`` (title and address of each),
``embedding`` (a list of numbers, or null) with ``embedder`` (its fingerprint), and what it takes to serve it again: ``key``,
``scope`` and ``question`` (under which and for which words it is stored), ``lifetime``, and ``answer``, the whole of it.
"""

from __future__ import annotations

import json
import re
from array import array
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia.engine.codec import CorruptError, results_of
from encyclopedia.model.cached import CacheEntry
from encyclopedia.model.label import Label
from encyclopedia.model.query import QueryType

if TYPE_CHECKING:
    from encyclopedia.keeping import Kept

FORMAT = 1
LONGEST = 16 * 2**20
"""Characters of a line that is read."""
LATEST = 1e12
"""Seconds that no time is from 1970."""
DIGEST = re.compile(r"[0-9a-f]{64}\Z")


class Line(NamedTuple):
    """What a line holds; ``scope`` and ``question`` are empty where the answer is for the very words only."""

    entry: CacheEntry
    scope: str = ""
    question: str = ""


class LineError(ValueError):
    """The line is none of these; the message says what is missing."""


def written(entry: CacheEntry, kept: Kept | None) -> str:
    """The line of an entry, without its end; raises ``LineError`` for one that is none of this program's."""
    try:
        results = results_of(entry.body, entry.type)
    except CorruptError as error:
        raise LineError("its answer is none of this program's") from error
    line: dict[str, Any] = {
        "format": FORMAT,
        "query": entry.query,
        "query_type": entry.type.value,
        "timestamp": entry.stored_at,
        "results": [{"title": ranked.hit.title, "url": ranked.hit.url or None} for ranked in results],
        "embedding": list(array("f", kept.vector)) if kept and kept.vector else None,
        "embedder": kept.mark if kept and kept.vector else None,
        "key": entry.key,
        "scope": kept.group if kept else None,
        "question": kept.text if kept else None,
        "lifetime": entry.lifetime or None,
        "answer": json.loads(entry.body),
    }
    return json.dumps(line, separators=(",", ":"))


def read(line: str, now: float, ttl: float) -> Line | None:
    """What a line holds; ``None`` if its lifetime is over. Raises ``LineError`` for a line that cannot be served again.

    Whatever the line says, its answer is good for no longer than ``ttl`` seconds, and one with anything secret is refused.
    """
    if len(line) > LONGEST:
        raise LineError("it is too long")
    try:
        body = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise LineError("it is no JSON") from error
    if not isinstance(body, dict) or body.get("format") != FORMAT:
        raise LineError("it is no stored answer of this program")
    key, answer = body.get("key"), body.get("answer")
    if not (isinstance(key, str) and DIGEST.match(key) and isinstance(answer, dict)):
        raise LineError("it does not tell for which sources and settings it is an answer")
    at: Any = body.get("timestamp")
    lifetime: Any = body.get("lifetime") or 0.0
    numbers = all(isinstance(value, int | float) and abs(value) < LATEST and value is not True for value in (at, lifetime))
    if not numbers or lifetime < 0 or not isinstance(body.get("query"), str) or body.get("query_type") not in list(QueryType):
        raise LineError("its query, query_type or timestamp is missing")
    lifetime = min(float(lifetime), ttl)
    if not -60 < now - float(at) < (lifetime or ttl):  # noqa: PLR2004 - clocks differ by a minute
        return None
    kind = QueryType(body["query_type"])
    entry = CacheEntry(key, kind, body["query"], _answer(answer, kind, empty=bool(lifetime)), float(at), lifetime)
    scope, question = body.get("scope"), body.get("question")
    if isinstance(scope, str) and DIGEST.match(scope) and isinstance(question, str):
        return Line(entry, scope, question)
    return Line(entry)


def _answer(answer: dict[str, Any], type: QueryType, *, empty: bool) -> str:
    """The text of an answer that could be served; an empty one only where it has a lifetime of its own."""
    try:
        text = json.dumps(answer, separators=(",", ":"))
        results = results_of(text, type)
    except (CorruptError, RecursionError) as error:
        raise LineError("its answer is none of this program's") from error
    if not results and not empty:
        raise LineError("its answer is empty")
    if any(result.hit.label is Label.SECRET for result in results):
        raise LineError("its answer holds what is secret")
    return text
