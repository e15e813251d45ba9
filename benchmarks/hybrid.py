"""nDCG@10 by words, by meaning and by both: on public collections, and on functions of installed packages.

``python -m benchmarks.hybrid``. The public ones are those of ``benchmarks.lexical`` and are left out without its folder. The
functions are a known-item set made here: their first sentence of documentation, which is cut out, must find them, and so must
their name. ``ENCYCLOPEDIA_BENCH_KEEP=FOLDER`` keeps the vectors between runs, which take an hour to make; ``ir-measures`` is
asked for the figures where it is installed.
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

from benchmarks.lexical import Collection, mean_ndcg
from encyclopedia.model.settings import EmbedderSettings
from encyclopedia.wiring.requirements import installed
from encyclopedia_adapters.embedding import minilm, transformers
from encyclopedia_adapters.shared.text_index import Passage, TextIndex, questions
from encyclopedia_adapters.shared.text_index.vectors import OpenVectors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from encyclopedia.ports import Embedder

Row = tuple[str, float, str, str, bool]
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
FUNCTIONS, ASKED, LONGEST = 2000, 300, 2000


class Set(NamedTuple):
    """Documents (name, title, text), and questions with the grades of what answers them."""

    documents: list[tuple[str, str, str]]
    questions: dict[str, str]
    judged: dict[str, dict[str, int]]


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
    """The collections, if their folder is told."""
    place = os.environ.get("ENCYCLOPEDIA_BENCH_IR", "")
    sets = {}
    for name in BARS if place else ():
        collection = Collection(Path(place, name))
        sets[name] = Set(collection.documents, collection.questions, collection.judged)
    return sets


def quality(name: str, given: Set, embedder: Embedder, keep: str) -> list[Row]:
    """By words, by meaning (the nearest of all vectors), and by both."""
    index = TextIndex(os.path.join(keep, re.sub(r"\W.*", "", name)))
    with index.update() as writer:
        writer.clear()
        for document, title, text in given.documents:
            writer.put(document, [Passage(document, document, title, text)])
    index.fill(embedder, lambda _, done, total: print(f"\r{name}: {done} of {total}", end="", file=sys.stderr))
    names = {questions.key(title, text): document for document, title, text in given.documents}

    def nearest(text: str) -> list[str]:
        vectors = OpenVectors(index.folder).of(embedder)
        return [names[key] for key in next(vectors.nearest(embedder.embed([text])[0])) if key in names][:10] if vectors else []

    ways: dict[str, Callable[[str], list[str]]] = {
        "words": lambda text: [match.id for match in index.search(text, limit=10)],
        "meaning": nearest,
        "both": lambda text: [match.id for match in index.search(text, limit=10, embedder=embedder)],
    }
    found = {way: mean_ndcg(given.questions, given.judged, answer) for way, answer in ways.items()}
    bar = BARS.get(name, max(found["words"], found["meaning"]))
    rows = [(f"hybrid: nDCG@10 on {name}, {way}", value, "", "-", True) for way, value in found.items() if way != "both"]
    return [*rows, (f"hybrid: nDCG@10 on {name}, both", found["both"], "", f">= {bar:.3f}", found["both"] >= bar)]


def embedder_for_many(home: str) -> Embedder:
    """The faster of those that are installed; both give the same vectors."""
    kind = transformers.KIND if installed("sentence_transformers") else minilm.KIND
    return kind.open(EmbedderSettings(), home, bulk=True)


def rows() -> list[Row]:
    """Name, value, unit, bar, whether it is kept."""
    with tempfile.TemporaryDirectory() as folder:
        keep = os.environ.get("ENCYCLOPEDIA_BENCH_KEEP", folder)
        embedder = embedder_for_many(folder)
        return [row for name, given in (public() | known_items()).items() for row in quality(name, given, embedder, keep)]


def main() -> None:
    for name, value, unit, bar, kept in rows():
        print(f"{name:<58} {value:9.4f} {unit:<3} bar {bar:<8} {'ok' if kept else 'MISSED'}")


if __name__ == "__main__":
    main()
