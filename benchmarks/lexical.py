"""The text index on public collections: nDCG@10, and its time against bare tantivy that is fed the same terms.

``python -m benchmarks.lexical [FOLDER]``, or ``ENCYCLOPEDIA_BENCH_IR=FOLDER``: a folder with ``scifact`` and ``cranfield`` in
BEIR layout (``corpus.jsonl`` or ``.gz``, ``queries.jsonl``, ``qrels.tsv``). They are no part of this project; without them
the times are taken on made-up text and the nDCG rows are left out.
"""

from __future__ import annotations

import gzip
import importlib
import json
import math
import os
import random
import sys
import tempfile
import time
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tantivy

from encyclopedia_adapters.shared.text_index import Passage, TextIndex, analyser

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

BARS = {"scifact": 0.695, "cranfield": 0.385}
RATIO = 1.3
TURNS = 5

Row = tuple[str, float, str, str, bool]
Document = tuple[str, str, str]
"""Identifier, title, text."""


class Collection:
    """Documents, questions and judgements of one collection."""

    def __init__(self, folder: Path) -> None:
        packed = folder / "corpus.jsonl.gz"
        corpus = _member(gzip.decompress(packed.read_bytes())) if packed.exists() else (folder / "corpus.jsonl").read_bytes()
        self.documents = [(d["_id"], d.get("title", ""), d["text"]) for d in _objects(corpus)]
        self.judged: dict[str, dict[str, int]] = {}
        for line in (folder / "qrels.tsv").read_text().splitlines()[1:]:
            question, document, grade = line.split("\t")
            self.judged.setdefault(question, {})[document] = int(grade)
        questions = _objects((folder / "queries.jsonl").read_bytes())
        self.questions = {q["_id"]: q["text"] for q in questions if q["_id"] in self.judged}

    def ndcg(self, answer: Callable[[str], list[str]]) -> float:
        """nDCG@10 over the judged questions."""
        return mean_ndcg(self.questions, self.judged, answer)


def mean_ndcg(questions: dict[str, str], judged: dict[str, dict[str, int]], answer: Callable[[str], list[str]]) -> float:
    """nDCG@10 with linear gains (Järvelin and Kekäläinen 2002, as trec_eval), by ``ir-measures`` where it is installed."""
    answers = {question: answer(text)[:10] for question, text in questions.items()}
    if find_spec("ir_measures"):
        measures: Any = importlib.import_module("ir_measures")
        run = {
            question: {document: 1.0 / rank for rank, document in enumerate(found, 1)} for question, found in answers.items()
        }
        return float(measures.calc_aggregate([measures.nDCG @ 10], judged, run)[measures.nDCG @ 10])
    total = 0.0
    for question, found in answers.items():
        grades = judged[question]
        best = _gain(sorted(grades.values(), reverse=True)[:10])
        total += _gain([grades.get(document, 0) for document in found]) / best if best else 0.0
    return total / len(questions)


def _member(raw: bytes) -> bytes:
    """The first file, if the bytes are a tar archive."""
    if raw[257:262] != b"ustar":
        return raw
    size = int(raw[124:135], 8)
    return raw[512 : 512 + size]


def _objects(raw: bytes) -> list[dict[str, str]]:
    return [json.loads(line) for line in raw.splitlines() if line.strip()]


def _gain(grades: list[int]) -> float:
    return sum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades, 1))


def made_up() -> tuple[list[Document], list[str]]:
    """3,000 documents of 200 words with the frequencies of a language (Zipf), and questions of six words."""
    rng = random.Random(7)
    words = [f"{rng.choice('bcdfgklmnprst')}{rng.choice('aeiou')}word{at}" for at in range(20_000)]
    weights = [1 / (rank + 10) for rank in range(len(words))]
    texts = [" ".join(rng.choices(words, weights, k=200)) for _ in range(3000)]
    documents = [(str(at), " ".join(text.split()[:8]), text) for at, text in enumerate(texts)]
    return documents, [" ".join(rng.choices(words, weights, k=6)) for _ in range(300)]


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


def _ids(index: TextIndex, text: str) -> list[str]:
    return [match.id for match in index.search(text, limit=10)]


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


def timings(documents: list[Document], questions: list[str]) -> list[Row]:
    """Ours and the bare one in turns, the best of each; both analyse the same texts with the same analyser."""
    turns = [_turn(documents, questions) for _ in range(TURNS)]
    ours, bare, ask, bare_ask, opening = (min(column) for column in zip(*turns, strict=True))
    words = [analyser.split(f"{title} {text}") for _, title, text in documents]
    terms = _seconds(lambda: [analyser.terms(each) for each in words])
    build, query = ours / bare, ask / bare_ask
    return [
        (f"lexical: build of {len(documents)} passages", ours, "s", "-", True),
        ("lexical: build over bare tantivy, same terms", build, "x", f"<= {RATIO}", build <= RATIO),
        ("lexical: query, 10 passages with their text", ask / len(questions) * 1000, "ms", "-", True),
        ("lexical: query over bare tantivy, same terms", query, "x", f"<= {RATIO}", query <= RATIO),
        ("lexical: opening and one known word", opening * 1000, "ms", "-", True),
        ("lexical: terms of all documents from their words", terms, "s", "-", True),
    ]


def quality(collection: Collection, name: str) -> Row:
    """nDCG@10 of the index as it is shipped."""
    with tempfile.TemporaryDirectory() as folder:
        index = TextIndex(os.path.join(folder, "index"))
        _build(index, collection.documents)
        value = collection.ndcg(lambda text: _ids(index, text))
    return (f"lexical: nDCG@10 on {name}", value, "", f">= {BARS[name]}", value >= BARS[name])


def rows(folder: str = "") -> list[Row]:
    """Name, value, unit, bar, whether it is kept."""
    place = folder or os.environ.get("ENCYCLOPEDIA_BENCH_IR", "")
    if not place:
        return timings(*made_up())
    collections = {name: Collection(Path(place, name)) for name in BARS}
    largest = collections["scifact"]
    table = [quality(collection, name) for name, collection in collections.items()]
    return table + timings(largest.documents, list(largest.questions.values()))


def main() -> None:
    for name, value, unit, bar, kept in rows(*sys.argv[1:2]):
        print(f"{name:<52} {value:9.3f} {unit:<3} bar {bar:<8} {'ok' if kept else 'MISSED'}")


if __name__ == "__main__":
    main()
