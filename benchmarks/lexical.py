"""The text index on public collections, and its time against bare tantivy that is fed the same terms.

Without the collections the times are taken on made-up text and the rows about quality are left out.
"""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING

import tantivy

from benchmarks._collections import WITHOUT, Collection, Document, collections, scores
from benchmarks._rows import Found, Row, least, most
from benchmarks._size import sized
from encyclopedia_adapters.shared.text_index import Passage, TextIndex, analyser

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

BARS = {"scifact": 0.695, "cranfield": 0.385}
RATIO = 1.3
TURNS = sized(5, 1)


def made_up() -> tuple[list[Document], list[str]]:
    """3,000 documents of 200 words with the frequencies of a language (Zipf), and questions of six words."""
    rng = random.Random(7)
    words = [f"{rng.choice('bcdfgklmnprst')}{rng.choice('aeiou')}word{at}" for at in range(20_000)]
    often = list(accumulate(1 / (rank + 10) for rank in range(len(words))))
    texts = [" ".join(rng.choices(words, cum_weights=often, k=200)) for _ in range(3000)]
    documents = [(str(at), " ".join(text.split()[:8]), text) for at, text in enumerate(texts)]
    return documents, [" ".join(rng.choices(words, cum_weights=often, k=6)) for _ in range(300)]


class Bare:
    """The least that anybody would write on tantivy with our terms: two fields, the text kept, one query of all terms."""

    def __init__(self, folder: str) -> None:
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("id", stored=True, tokenizer_name="raw")
        builder.add_text_field("text", tokenizer_name="spaced")
        builder.add_text_field("title", tokenizer_name="spaced", index_option="freq")
        builder.add_bytes_field("stored", stored=True, indexed=False)
        self.fields = builder.build()
        self.index = tantivy.Index(self.fields, folder)
        self.index.register_tokenizer("spaced", tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())

    def build(self, documents: Iterable[Document], batch: int = 10**9) -> None:
        """Index all documents, with a commit after each ``batch``."""
        writer = self.index.writer(32_000_000, 1)
        for count, (name, title, text) in enumerate(documents, 1):
            heading = analyser.terms(analyser.split(title))
            terms = f"{heading} {analyser.terms(analyser.split(text))}"
            writer.add_document(tantivy.Document(id=name, title=heading, text=terms, stored=f"{title}\n{text}".encode()))
            if not count % batch:
                writer.commit()
        writer.commit()
        writer.wait_merging_threads()
        self.index.reload()

    def search(self, text: str) -> list[str]:
        """Identifiers of the best ten, their entries fetched."""
        query, should = tantivy.Query, tantivy.Occur.Should
        parts = []
        for term, count in Counter(analyser.terms(analyser.split(text)).split()).items():
            parts.append((should, query.boost_query(query.term_query(self.fields, "text", term, "freq"), float(count))))
            parts.append((should, query.boost_query(query.term_query(self.fields, "title", term, "freq"), 0.25 * count)))
        searcher = self.index.searcher()
        hits = searcher.search(query.boolean_query(parts), limit=10, count=False).hits
        return [searcher.doc(address).to_dict()["id"][0] for _, address in hits]


def _build(index: TextIndex, documents: list[Document]) -> None:
    with index.update() as writer:
        for name, title, text in documents:
            writer.put(name, [Passage(name, name, title, text)])


def _ids(index: TextIndex, text: str, limit: int = 10) -> list[str]:
    return [match.id for match in index.search(text, limit=limit)]


def _seconds(work: Callable[[], object]) -> float:
    """CPU seconds of this process, which neighbours disturb least."""
    started = time.process_time()
    work()
    return time.process_time() - started


def _turn(documents: list[Document], questions: list[str]) -> tuple[float, ...]:
    with tempfile.TemporaryDirectory() as folder:
        index, plain = TextIndex(os.path.join(folder, "ours")), Bare(tempfile.mkdtemp(dir=folder))
        build = _seconds(lambda: _build(index, documents)), _seconds(lambda: plain.build(documents))
        index.count()
        ask = (
            _seconds(lambda: [_ids(index, text) for text in questions]),
            _seconds(lambda: [plain.search(text) for text in questions]),
        )
        return *build, *ask, _seconds(lambda: TextIndex(index.folder).knows("word"))


def timings(documents: list[Document], questions: list[str]) -> Iterator[Row]:
    """Ours and the bare one in turns, the best of each; both analyse the same texts with the same analyser."""
    turns = [_turn(documents, questions) for _ in range(TURNS)]
    ours, bare, ask, bare_ask, opening = (min(column) for column in zip(*turns, strict=True))
    words = [analyser.split(f"{title} {text}") for _, title, text in documents]
    yield Row(f"lexical: build of {len(documents)} passages, CPU", ours, "s")
    yield most("lexical: build over bare tantivy, same terms", ours / bare, "x", RATIO)
    yield Row("lexical: query, 10 passages with their text, CPU", ask / len(questions) * 1000, "ms")
    yield most("lexical: query over bare tantivy, same terms", ask / bare_ask, "x", RATIO)
    yield Row("lexical: opening and one known word, CPU", opening * 1000, "ms")
    terms = _seconds(lambda: [analyser.terms(each) for each in words])
    yield Row("lexical: terms of all documents from their words, CPU", terms, "s")


def quality(collection: Collection, name: str) -> Iterator[Row]:
    """How good the index is as it is shipped."""
    with tempfile.TemporaryDirectory() as folder:
        index = TextIndex(os.path.join(folder, "index"))
        _build(index, collection.documents)
        found = scores(collection.questions, collection.judged, lambda text, limit: _ids(index, text, limit))
    for measure, value in found.items():
        what = f"lexical: {measure} on {name}"
        yield least(what, value, "", BARS[name]) if measure == "nDCG@10" else Row(what, value)


def rows() -> Iterator[Found]:
    """Quality where there are collections, then times."""
    there = collections()
    for name, collection in there.items():
        yield from quality(collection, name)
    if "scifact" not in there:
        yield WITHOUT
    largest = there.get("scifact")
    yield from timings(largest.documents, list(largest.questions.values())) if largest else timings(*made_up())
