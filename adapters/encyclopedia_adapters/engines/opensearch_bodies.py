"""The two indices of a corpus in OpenSearch, and what is asked of them."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.engines import words as counting
from encyclopedia_adapters.engines.opensearch_wire import PAGE
from encyclopedia_adapters.shared.text_index.asked import PHRASE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from encyclopedia_adapters.engines.port import Scope, Words

META = {"encyclopedia": 1}
"""What the mapping of an index says that we have made."""

VALUES = 65_536
"""Values of one ``terms`` query at most."""

CLAUSES = 1_000
"""Clauses of one question; 1,024 are the most that a server takes unless it is told otherwise."""

_NAME: dict[str, Any] = {"type": "keyword"}
_KEPT: dict[str, Any] = {"type": "keyword", "index": False, "doc_values": False}
_WORDS: dict[str, Any] = {"type": "text", "analyzer": "whitespace"}

_SIMILARITY = {"default": {"type": "BM25", "k1": counting.K1, "b": counting.B}}

DOCUMENTS: dict[str, Any] = {
    "settings": {"index": {}},
    "mappings": {
        "dynamic": "strict",
        "_meta": META,
        "properties": {
            "kind": _NAME,
            "name": _NAME,
            "stored": {"type": "binary"},
            "generation": _KEPT,
            "passages": {"type": "long"},
            "nonce": {"type": "long"},
            "changed": {"type": "double"},
            "owner": _KEPT,
            "until": {"type": "double", "index": False},
            "made_by": {"type": "object", "enabled": False},
            "vectors": {"type": "object", "enabled": False},
            "born": {"type": "long"},
        },
    },
}
"""One for each document: which generation of its passages is the one that counts, how many they are, and who is at it. A
``kind`` is document, gone (claimed or removed), or about: what is known of the whole."""

PASSAGES: dict[str, Any] = {
    "settings": {"index": {"knn": True, "similarity": _SIMILARITY}},
    "mappings": {
        "dynamic": "strict",
        "_meta": META,
        "properties": {
            "ref": {"type": "long"},
            "document": _NAME,
            "generation": _NAME,
            "tags": _NAME,
            "key": _NAME,
            "text": _WORDS | {"position_increment_gap": 0, "fields": {"words": {"type": "keyword", "index": False}}},
            "title": _WORDS | {"index_options": "freqs"},
            "stored": {"type": "binary"},
            "encoded": _NAME,
        },
    },
}
"""Terms come one by one, as a list: so ``text`` has their order, and ``text.words`` knows each. ``encoded`` names the field of
its vector: one for each kind of vector, as a field never changes its length."""

FOUND = {"_source": False, "docvalue_fields": ["document", "generation"]}
"""Of a hit its id, and what tells whether it counts."""


def vector_field(header: Mapping[str, object]) -> str:
    """The field of vectors that ``header`` describes; empty without any."""
    raw = "\0".join(f"{name}={header[name]}" for name in sorted(header))
    return f"meaning_{blake2b(raw.encode(), digest_size=6).hexdigest()}" if header else ""


def vectors(field: str, dimension: int) -> dict[str, Any]:
    """A mapping with one more field; a filter narrows the search in its graph, which compares with all where few are left."""
    method = {"name": "hnsw", "engine": "lucene", "space_type": "innerproduct"}
    return {"properties": {field: {"type": "knn_vector", "dimension": dimension, "method": method}}}


def identity(document: str) -> str:
    """The id of what is kept of a document: no longer than ids may be."""
    return blake2b(counting.name(document).encode(), digest_size=16).hexdigest()


def any_of(field: str, values: Collection[Any]) -> dict[str, Any]:
    """What has one of the values."""
    held = list(values)
    lots = [{"terms": {field: held[at : at + VALUES]}} for at in range(0, len(held), VALUES)]
    return lots[0] if len(lots) == 1 else {"bool": {"should": lots}} if lots else {"match_none": {}}


def within(scope: Scope, among: Sequence[int] | None = None) -> list[dict[str, Any]]:
    """The conditions of a scope."""
    named = [(field, list(map(counting.name, names))) for field, names in (("tags", scope.tags), ("document", scope.documents))]
    found = [any_of(field, names) for field, names in named if names]
    return found if among is None else [*found, any_of("ref", among)]


def without(field: str, values: Iterable[Any]) -> dict[str, Any]:
    """A ``bool`` that leaves out what has one of the values."""
    held = list(values)
    return {"must_not": [any_of(field, held)]} if held else {}


def asked(words: Words) -> list[dict[str, Any]]:
    """What scores a passage: each term by BM25, in a title once more; of too many those that tell most."""
    told = [term for term in words.weights if any(words.counts.get(term, (0, 0)))]
    worth = {term: words.weights[term] * counting.rarity(words.size, words.counts[term][0]) for term in told}
    found: list[dict[str, Any]] = []
    room = CLAUSES
    for phrase in words.phrases:
        if len(phrase) < room // 2:
            found.append({"match_phrase": {"text": {"query": " ".join(phrase), "boost": PHRASE}}})
            room -= len(phrase)
    for term in sorted(told, key=lambda term: (-worth[term], term)):
        for field, factor, count in zip(("text", "title"), (1.0, words.title), words.counts[term], strict=True):
            if factor and count and room:
                found.append({"term": {field: {"value": term, "boost": words.weights[term] * factor}}})
                room -= 1
    return found


def best(query: Mapping[str, Any], limit: int) -> dict[str, Any]:
    """The best of what a query finds; equal ones in the order of their refs."""
    order = [{"_score": "desc"}, {"ref": "asc"}]
    return {**FOUND, "query": query, "size": min(limit, PAGE), "sort": order, "track_scores": True, "track_total_hits": False}


def beginning(prefix: str, most: int) -> dict[str, Any]:
    """The frequent terms that begin so."""
    pattern = re.sub(r"([^\w])", r"\\\1", prefix) + ".*"
    terms = {"field": "text.words", "include": pattern, "size": most, "execution_hint": "map"}
    return {"size": 0, "query": {"prefix": {"text": {"value": prefix}}}, "aggs": {"terms": {"terms": terms}}}
