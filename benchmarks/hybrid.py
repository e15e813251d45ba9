"""How good search is by words, by meaning and by both: on public collections, and on functions of installed packages.

The public ones are left out where they are not there. The functions are a known-item set made here: their first sentence of
documentation, which is cut out, must find them, and so must their name. ``BENCH_VECTORS=FOLDER`` keeps the vectors between
runs, which take many minutes to make.
"""

from __future__ import annotations

import ast
import importlib
import os
import random
import re
import sys
import tempfile
import textwrap
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks._collections import WITHOUT, Document, Judged, collections, scores
from benchmarks._rows import Found, Row, least
from benchmarks._size import sized
from encyclopedia.model.settings import EmbedderSettings
from encyclopedia.wiring.requirements import installed
from encyclopedia_adapters.embedding import minilm, transformers
from encyclopedia_adapters.shared.text_index import Passage, TextIndex, questions
from encyclopedia_adapters.shared.text_index.vectors import OpenVectors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from encyclopedia.ports import Embedder

BARS = {"scifact": 0.735, "cranfield": 0.435}
PACKAGES = (
    "aiohttp",
    "argcomplete",
    "diskcache",
    "hypothesis",
    "rich",
    "pytest",
    "_pytest",
    "mypy",
    "jmespath",
    "docutils",
    "pip",
)
FUNCTIONS, ASKED = sized((2000, 300), (40, 20))
LONGEST = 2000


class Set(NamedTuple):
    """Documents (name, title, text), and questions with the grades of what answers them."""

    documents: list[Document]
    questions: dict[str, str]
    judged: Judged


def functions() -> Iterator[tuple[str, str, str]]:
    """Name, first sentence of the documentation, and code without it, of the functions of installed packages."""
    for package in PACKAGES:
        if not installed(package):
            continue
        for path in sorted(Path(importlib.import_module(package).__file__ or "").parent.rglob("*.py")):
            if "/tests/" in str(path):
                continue
            source = path.read_text(encoding="utf-8", errors="replace")
            for node in ast.walk(ast.parse(source)):
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and (
                    found := _function(node, source.splitlines())
                ):
                    yield found


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef, lines: list[str]) -> tuple[str, str, str] | None:
    told = (ast.get_docstring(node) or "").strip()
    sentence = re.split(r"(?<=[.])\s|\n\n", told)[0].replace("\n", " ")
    if node.name.startswith("__") or not 5 <= len(sentence.split()) <= 30 or ":" in sentence or len(node.body) < 3:
        return None
    first = node.body[0]
    code = [*lines[node.lineno - 1 : first.lineno - 1], *lines[first.end_lineno or 0 : node.end_lineno]]
    return node.name, sentence, textwrap.dedent("\n".join(code))[:LONGEST]


def known_items() -> dict[str, Set]:
    """Functions by what they are said to do, and by their name."""
    found = {sentence.lower(): (name, sentence, code) for name, sentence, code in functions()}
    chosen = random.Random(5).sample(sorted(found.values()), min(FUNCTIONS, len(found)))
    documents = [(str(at), "", code) for at, (_, _, code) in enumerate(chosen)]
    often = Counter(name for name, _, _ in chosen)
    told = {str(at): sentence for at, (_, sentence, _) in enumerate(chosen[:ASKED])}
    named = {str(at): name for at, (name, _, _) in enumerate(chosen) if often[name] == 1 and "_" in name.strip("_")}
    named = dict(list(named.items())[:ASKED])
    return {
        f"functions by {what}": Set(documents, asked, {key: {key: 1} for key in asked})
        for what, asked in (("description", told), ("name", named))
    }


def public() -> dict[str, Set]:
    """The collections, where they are there."""
    return {name: Set(each.documents, each.questions, each.judged) for name, each in collections().items()}


def quality(name: str, given: Set, embedder: Embedder, keep: str) -> Iterator[Row]:
    """By words, by meaning (the nearest of all vectors), and by both."""
    index = TextIndex(os.path.join(keep, re.sub(r"\W.*", "", name)))
    with index.update() as writer:
        writer.clear()
        for document, title, text in given.documents:
            writer.put(document, [Passage(document, document, title, text)])
    index.fill(embedder, lambda _, done, total: print(f"\r{name}: {done} of {total}", end="", file=sys.stderr))
    names = {questions.key(title, text): document for document, title, text in given.documents}

    def nearest(text: str, limit: int) -> list[str]:
        vectors = OpenVectors(index.folder).of(embedder)
        near = next(vectors.nearest(embedder.embed([text])[0])) if vectors else ()
        return [names[key] for key in near if key in names][:limit]

    ways: dict[str, Callable[[str, int], list[str]]] = {
        "words": lambda text, limit: [match.id for match in index.search(text, limit=limit)],
        "meaning": nearest,
        "both": lambda text, limit: [match.id for match in index.search(text, limit=limit, embedder=embedder)],
    }
    found = {way: scores(given.questions, given.judged, answer) for way, answer in ways.items()}
    bar = BARS.get(name, max(found[way]["nDCG@10"] for way in ("words", "meaning")))
    for way, measures in found.items():
        for measure, value in measures.items():
            what = f"{name}, {way}: {measure}"
            yield least(what, value, "", round(bar, 4)) if (way, measure) == ("both", "nDCG@10") else Row(what, value)


def embedder_for_many(home: str) -> Embedder:
    """The faster of those that are installed; both give the same vectors."""
    kind = transformers.KIND if installed("sentence_transformers") else minilm.KIND
    return kind.open(EmbedderSettings(), home, bulk=True)


def rows() -> Iterator[Found]:
    """Every set, by each way, with every measure."""
    if not (there := public()):
        yield WITHOUT
    with tempfile.TemporaryDirectory() as folder:
        keep = os.environ.get("BENCH_VECTORS", folder)
        embedder = embedder_for_many(folder)
        for name, given in (there | known_items()).items():
            yield from quality(name, given, embedder, keep)
