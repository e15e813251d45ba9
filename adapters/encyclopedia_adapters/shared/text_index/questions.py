"""From the words of a question to a query of the engine, and from a passage to what the engine stores."""

from __future__ import annotations

import json
from functools import cache
from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.shared.text_index import analyser
from encyclopedia_adapters.shared.text_index.asked import (
    LONGEST_QUESTION,
    MOST_RUNS,
    MOST_TERMS,
    PHRASE,
    beginnings,
    phrases,
    weighted,
)

if TYPE_CHECKING:
    import hashlib
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tantivy import Document, Query, Schema

    from encyclopedia_adapters.shared.text_index.passage import Passage
    from encyclopedia_adapters.shared.text_index.view import View

TITLE = 0.25
"""What a word in the title counts beside the same word in the text (which holds the title too): the best on scifact and
cranfield of 0, .1, .2, .25, .3, .5; two separate fields of equal weight lose .01 to .02."""

MEANING = 1
"""Raised with every change of what ``meaning`` returns."""

_ENOUGH = 3
_LONGEST_NAME = 30_000


def encode(head: Mapping[str, object], body: str = "") -> bytes:
    """JSON on one line, then the body as it is: a lone surrogate comes back as it went in."""
    return b"%b\n%b" % (_encoder()(head).encode("ascii"), body.encode("utf-8", "surrogatepass"))


@cache
def _encoder() -> Callable[[object], str]:
    return json.JSONEncoder(separators=(",", ":")).encode


def decode(raw: bytes) -> tuple[dict[str, Any], str]:
    """What ``encode`` was given. ``ValueError`` or ``TypeError`` if it is not that."""
    line, _, body = raw.partition(b"\n")
    head = json.loads(line.decode("ascii"))
    if not isinstance(head, dict):
        raise TypeError("a stored passage is not an object")
    return head, body.decode("utf-8", "surrogatepass")


def exact(text: str) -> str:
    """A name as an index term: without lone surrogates, and not longer than the engine takes."""
    raw = text.encode("utf-8", "backslashreplace")
    if len(raw) > _LONGEST_NAME:
        import hashlib

        return hashlib.sha256(raw).hexdigest()
    return raw.decode()


def stored(passage: Passage) -> bytes:
    """What an index keeps of a passage to give it back."""
    names = zip(("id", "document", "title"), (passage.id, passage.document, passage.title), strict=True)
    head = [*(f'"{name}":{encode_basestring_ascii(text)}' for name, text in names), f'"data":{_data(passage.data)}']
    if passage.also:
        head.append(f'"also":{encode_basestring_ascii(passage.also)}')
    return b"{%b}\n%b" % (",".join(head).encode("ascii"), passage.body.encode("utf-8", "surrogatepass"))


def _data(data: Mapping[str, object]) -> str:
    return _encoder()(dict(data)) if data else "{}"


def passage_of(entry: tuple[dict[str, Any], str], tags: Iterable[str]) -> Passage:
    """The passage that is stored so; ``tags`` are kept apart."""
    from encyclopedia_adapters.shared.text_index.passage import Passage as Made

    head, body = entry
    return Made(head["id"], head["document"], head["title"], body, tuple(tags), head["data"], head.get("also", ""))


def terms_of(passage: Passage) -> tuple[str, str]:
    """The index terms of title and body together, which begin with those of the title, and those of the title alone."""
    heading = analyser.terms(analyser.split(f"{passage.title} {passage.also}" if passage.also else passage.title))
    body = analyser.terms(analyser.split(passage.body))
    return (f"{heading} {body}" if heading and body else heading or body), heading


def passage_document(passage: Passage) -> Document:
    """The engine's form of a passage."""
    text, heading = terms_of(passage)
    entry = _entry()(text=text, title=heading, stored=stored(passage))
    entry.add_unsigned("key", key(passage.title, passage.body))
    entry.add_text("document", exact(passage.document))
    for tag in passage.tags:
        entry.add_text("tag", exact(tag))
    return entry


@cache
def _entry() -> type[Document]:
    from tantivy import Document as Entry

    return Entry


def meaning(title: str, body: str) -> str:
    """The text of a passage that is turned into its vector."""
    return f"{title}\n{body}".strip()


def key(title: str, body: str) -> int:
    """64 bits that name the text of a passage, so that a vector can never stand for another text."""
    raw = meaning(title, body).encode("utf-8", "surrogatepass")
    return int.from_bytes(_blake()(raw, digest_size=8).digest(), "little")


@cache
def _blake() -> type[hashlib.blake2b]:
    from hashlib import blake2b

    return blake2b


def any_of(fields: Schema, field: str, values: tuple[str, ...]) -> Query:
    """All passages that have one of the values in a field of names."""
    from tantivy import Query

    return Query.term_set_query(fields, field, [exact(value) for value in values])


def word_query(fields: Schema, word: str, beside: tuple[str, ...] = ()) -> Query:
    """Passages in which the word stands whole, in any case and with any English ending; not those of documents ``beside``."""
    from tantivy import Occur, Query

    found = Query.term_query(fields, "text", analyser.stem(analyser.fold(exact(word))), "basic")
    if not beside:
        return found
    others = Query.term_set_query(fields, "document", [exact(document) for document in beside])
    return Query.boolean_query([(Occur.Must, found), (Occur.MustNot, others)])


def scoped(fields: Schema, found: Query | None, scope: Mapping[str, tuple[str, ...]]) -> Query:
    """What ``found`` finds within ``scope``, scores as they are, or all passages in it.

    A field of ``scope`` with several values takes any of them; several fields must all agree.
    """
    from tantivy import Occur, Query

    clauses = [
        (Occur.Must, Query.const_score_query(Query.term_set_query(fields, field, [exact(value) for value in values]), 0.0))
        for field, values in scope.items()
        if values
    ]
    if found:
        return Query.boolean_query([(Occur.Must, found), *clauses]) if clauses else found
    states = (Occur.MustNot, Query.term_query(fields, "role", "states", "basic"))
    return Query.boolean_query([*(clauses or [(Occur.Must, Query.all_query())]), states])


def with_keys(fields: Schema, found: Query | None, keys: Sequence[int]) -> Query:
    """What ``found`` finds among the passages with these keys, scores as they are; or all of them."""
    from tantivy import Occur, Query

    among = Query.const_score_query(Query.term_set_query(fields, "key", [*keys]), 0.0)
    return Query.boolean_query([(Occur.Must, found), (Occur.Must, among)]) if found else among


def passage_query(view: View, text: str, title: float = TITLE) -> Query | None:
    """Any of the words (BM25, a word counts as often as it is asked); ``None`` if there are no words.

    ``begin*`` stands for any word that begins so, a ``"quoted phrase"`` counts beside its words, and of a run without spaces
    enough must be there.
    """
    from tantivy import Occur, Query

    text = text[:LONGEST_QUESTION]
    words, runs = analyser.asked(text)
    found = (*_words(view.fields, words, title), *_beginnings(view, text), *_phrased(view.fields, text))
    parts = [(Occur.Should, query) for query in (*found, *(_run(view.fields, run, title) for run in runs[:MOST_RUNS]))]
    return Query.boolean_query(parts) if parts else None


def _words(fields: Schema, words: list[str], title: float) -> Iterable[Query]:
    for term, weight in weighted(words).items():
        yield from _term(fields, term, weight, title)


def _term(fields: Schema, term: str, weight: float, title: float) -> Iterable[Query]:
    from tantivy import Query

    once = Query.term_query(fields, "text", term, "freq")
    yield once if weight == 1.0 else Query.boost_query(once, weight)
    yield Query.boost_query(Query.term_query(fields, "title", term, "freq"), title * weight)


def _run(fields: Schema, run: str, title: float) -> Query:
    """Half of the pieces of a run at least, of many three: a single piece that all texts share is no answer.

    The pieces are pairs of ideographs or syllables; of letters, of which many pairs are common, three in a row.
    """
    from tantivy import Occur, Query

    if analyser.alphabetic(run):
        rows = (analyser.terms(analyser.split(piece)).split() for piece in analyser.pieces(run, 3)[:MOST_TERMS])
        found = [_sequence(fields, terms) for terms in rows]
    else:
        pairs = map(analyser.terms, ([piece] for piece in analyser.pieces(run)[:MOST_TERMS]))
        found = [Query.boolean_query([(Occur.Should, each) for each in _term(fields, term, 1.0, title)]) for term in pairs]
    parts = [(Occur.Should, query) for query in found]
    return Query.boolean_query(parts, minimum_number_should_match=min(_ENOUGH, (len(parts) + 1) // 2))


def _beginnings(view: View, text: str) -> Iterable[Query]:
    from tantivy import Query

    for prefix in beginnings(text):
        terms = {*view.beginning(prefix, MOST_TERMS), analyser.stem(prefix)}
        yield Query.disjunction_max_query([Query.term_query(view.fields, "text", term, "freq") for term in sorted(terms)])


def _phrased(fields: Schema, text: str) -> Iterable[Query]:
    from tantivy import Query

    for terms in phrases(text):
        yield Query.boost_query(_sequence(fields, terms), PHRASE)


def _sequence(fields: Schema, terms: list[str]) -> Query:
    from tantivy import Query

    first, *others = terms
    if not others:  # of which the engine makes no phrase
        return Query.term_query(fields, "text", first, "freq")
    return Query.phrase_query(fields, "text", [first, *others])
