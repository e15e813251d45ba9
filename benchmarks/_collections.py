"""Public collections with judged questions, where their folder is told, and how good an answer to them is.

``BENCH_COLLECTIONS`` names a folder with ``scifact`` and ``cranfield`` in BEIR layout (``corpus.jsonl`` or ``.gz``,
``queries.jsonl``, ``qrels.tsv``). They are no part of this project.
"""

from __future__ import annotations

import gzip
import json
import os
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import _peers
from benchmarks._rows import Absent
from benchmarks._size import quick
from encyclopedia.stages.measure import mean, measure

if TYPE_CHECKING:
    from collections.abc import Callable

NAMES, SOME = ("scifact", "cranfield"), 10
WITHOUT = Absent("public collections (scifact, cranfield)", "--collections FOLDER, in BEIR layout")
Document = tuple[str, str, str]
"""Identifier, title, text."""
Judged = dict[str, dict[str, int]]
"""For each question the grades of the documents that answer it."""


class Collection:
    """Documents, questions and judgements of one collection."""

    def __init__(self, folder: Path) -> None:
        packed = folder / "corpus.jsonl.gz"
        corpus = _member(gzip.decompress(packed.read_bytes())) if packed.exists() else (folder / "corpus.jsonl").read_bytes()
        self.documents: list[Document] = [(d["_id"], d.get("title", ""), d["text"]) for d in _objects(corpus)]
        self.judged: Judged = {}
        for line in (folder / "qrels.tsv").read_text().splitlines()[1:]:
            question, document, grade = line.split("\t")
            self.judged.setdefault(question, {})[document] = int(grade)
        questions = _objects((folder / "queries.jsonl").read_bytes())
        self.questions = {q["_id"]: q["text"] for q in questions if q["_id"] in self.judged}

    def cut(self, number: int) -> None:
        """Keep only the first so many questions and the documents that were judged for them."""
        self.questions = dict(islice(self.questions.items(), number))
        wanted = {name for key in self.questions for name in self.judged[key]}
        self.documents = [document for document in self.documents if document[0] in wanted]


def collections() -> dict[str, Collection]:
    """Those that are there; none without the folder."""
    place = os.environ.get("BENCH_COLLECTIONS", "")
    found = {name: Collection(Path(place, name)) for name in NAMES if place and Path(place, name).is_dir()}
    if quick():
        for each in found.values():
            each.cut(SOME)
    return found


def scores(questions: dict[str, str], judged: Judged, answer: Callable[[str, int], list[str]]) -> dict[str, float]:
    """nDCG@10 and MRR@10 of the first ten and Recall@100 of the first hundred that ``answer`` gives for a text and a number.

    By ir-measures where it is installed, else by our own measures, which a test compares with it.
    """
    ten, hundred = ({key: answer(text, depth)[:depth] for key, text in questions.items()} for depth in (10, 100))
    asked = {key: judged[key] for key in questions}
    runs = ({"run": ten, "of": ["nDCG@10", "RR@10"]}, {"run": hundred, "of": ["R@100"]})
    told = _peers.ask("ir_measures_run", {"judged": asked, "runs": runs})
    if told is not None:
        return {"nDCG@10": told["nDCG@10"], "MRR@10": told["RR@10"], "Recall@100": told["R@100"]}
    first = mean([measure(ten[key], asked[key], [10]) for key in asked])
    whole = mean([measure(hundred[key], asked[key], [100]) for key in asked])
    return {"nDCG@10": first["ndcg@10"], "MRR@10": first["mrr"], "Recall@100": whole["recall@100"]}


def _member(raw: bytes) -> bytes:
    """The first file, if the bytes are a tar archive."""
    if raw[257:262] != b"ustar":
        return raw
    size = int(raw[124:135], 8)
    return raw[512 : 512 + size]


def _objects(raw: bytes) -> list[dict[str, str]]:
    return [json.loads(line) for line in raw.splitlines() if line.strip()]
