"""The points of a corpus in Qdrant, and the filters by which they are found.

One collection holds all but the vectors of meanings: a ``kind`` tells what a point is, a passage, a document, a word, a claim,
or what is known of the whole. Vectors have a collection for each kind of vector, as their length is known when they come.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.engines import words as counting
from encyclopedia_adapters.engines.binary import numbers, packed
from encyclopedia_adapters.shared.text_index import questions

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from encyclopedia_adapters.engines.port import Scope
    from encyclopedia_adapters.shared.text_index import Passage

WORDS = "words"
"""The name of the sparse vector: what BM25 gives for each term but its rarity."""

BEGINS = range(2, 13)
"""Lengths of the beginnings by which a word is found."""

_KEYWORD: dict[str, Any] = {"type": "keyword"}
_TEXT: dict[str, Any] = {"type": "text", "tokenizer": "whitespace", "lowercase": False}

INDEXED: dict[str, Any] = {
    "kind": _KEYWORD,
    "document": _KEYWORD,
    "generation": _KEYWORD,
    "tags": _KEYWORD,
    "key": _KEYWORD,
    "encoded": _KEYWORD,
    "begins": _KEYWORD,
    "owner": _KEYWORD,
    "live": _KEYWORD,
    "text": _TEXT | {"phrase_matching": True},
    "title": _TEXT,
}
"""Fields that filters use, each with its index."""

COLLECTION: dict[str, Any] = {"vectors": {}, "sparse_vectors": {WORDS: {}}}

SCOPED = ("document", "generation", "tags", "key")
"""Fields of a vector that filters use."""

LIVE = {"live": "yes"}
"""What counts among the passages: they get it when their document names their generation."""


def meanings(dimension: int) -> dict[str, Any]:
    """A collection of vectors, compared by inner product: as they are, so that they come back bit for bit."""
    return {"vectors": {"size": dimension, "distance": "Dot"}}


def number(kind: str, name: str) -> int:
    """The id of what is no passage: 63 bits with one above them, which no passage has."""
    raw = f"{kind}\0{name}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(raw, digest_size=8).digest(), "big") | 1 << 63


ABOUT = number("about", "")
"""The id of what is known of the whole."""


def document_id(document: str) -> int:
    """The id of a document."""
    return number("document", counting.name(document))


def is_(field: str, value: Any) -> dict[str, Any]:
    """What has a value in a field."""
    return {"key": field, "match": {"value": value}}


def any_of(field: str, values: Collection[Any]) -> dict[str, Any]:
    """What has any of the values."""
    return {"key": field, "match": {"any": list(values)}}


def holding(**fields: Any) -> list[dict[str, Any]]:
    """What has all these values."""
    return [is_(field, value) for field, value in fields.items()]


def within(scope: Scope, among: Sequence[int] | None = None) -> list[dict[str, Any]]:
    """The conditions of a scope."""
    named = (("tags", scope.tags), ("document", scope.documents))
    found = [any_of(field, list(map(counting.name, names))) for field, names in named if names]
    return found if among is None else [*found, {"has_id": list(among)}]


def family(header: Mapping[str, object]) -> str:
    """What names vectors that ``header`` describes; empty without any."""
    raw = "\0".join(f"{name}={header[name]}" for name in sorted(header))
    return blake2b(raw.encode(), digest_size=6).hexdigest() if header else ""


def key_of(passage: Passage) -> str:
    """The key of its text as it is stored."""
    return f"{questions.key(passage.title, passage.body):016x}"


def point(ref: int, passage: Passage, generation: str, terms: counting.Terms, averages: tuple[float, float]) -> dict[str, Any]:
    """A passage that does not count yet."""
    values = counting.values(terms, averages)
    payload = {
        "kind": "passage",
        "generation": generation,
        "document": counting.name(passage.document),
        "tags": sorted(set(map(counting.name, passage.tags))),
        "key": key_of(passage),
        "text": " ".join(terms.text),
        "title": " ".join(terms.heading),
        "stored": packed(questions.stored(passage)),
    }
    sparse = {"indices": list(values), "values": [float(f"{value:.7g}") for value in values.values()]}
    return {"id": ref, "vector": {WORDS: sparse} if values else {}, "payload": payload}


def meaning(ref: int, payload: Mapping[str, Any], row: Any) -> dict[str, Any]:
    """The vector of a passage, with what filters use."""
    return {"id": ref, "vector": numbers(row), "payload": {field: payload[field] for field in SCOPED}}


def word(term: str) -> dict[str, Any]:
    """A word of the vocabulary, found by its beginnings."""
    begins = [term[:length] for length in BEGINS if length <= len(term)]
    return {"id": number("word", term), "vector": {}, "payload": {"kind": "word", "word": term, "begins": begins}}
