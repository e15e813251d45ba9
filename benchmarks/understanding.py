"""How well a question is understood: its type and its misspelt words, on sets labelled by hand, beside a plain nearest word.

``labelled/`` holds what was typed and what was meant. Questions in which every word is meant count besides: those of the
cache's pairs and, where they are there, those of the public collections. Whatever is corrected there is wrong. The plain way
takes the word of the same vocabulary that difflib finds nearest to one that it does not hold.
"""

from __future__ import annotations

import difflib
import json
import re
import tempfile
import time
from collections import Counter
from functools import cache
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from benchmarks._collections import collections
from benchmarks._rows import Found, Row, most
from benchmarks._size import sized
from benchmarks.cache import PAIRS
from encyclopedia import Encyclopedia
from encyclopedia.wiring.vocabulary import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from encyclopedia.model.plan import Plan

ROOT = Path(__file__).parents[1]
ALL = sized(100_000, 60)
"""As many questions without a misspelling are asked at most."""
Changes = frozenset[tuple[str, str]]
"""Words and what stands for each."""


def table(name: str) -> list[tuple[str, str]]:
    """What was typed and its label."""
    lines = Path(__file__).with_name("labelled").joinpath(name).read_text(encoding="utf-8").splitlines()
    halves = (line.split("|") for line in lines if line and not line.startswith("#"))
    return [(text.strip(), label.strip()) for text, label in halves]


def changes(label: str) -> Changes:
    """``a → b, c → d`` as pairs."""
    return frozenset((wrong, right) for each in label.split(", ") if each for wrong, right in [each.split(" → ")])


def meant() -> list[str]:
    """Questions in which every word is meant."""
    rows = [json.loads(line) for path in sorted(PAIRS.glob("*.jsonl")) for line in path.read_text().splitlines()]
    asked = [row[side] for row in rows for side in "ab"]
    asked += [text for each in collections().values() for text in each.questions.values()]
    return list(dict.fromkeys(asked))[:ALL]


def types(decide: Callable[[str], Plan]) -> Iterator[Row]:
    """How often the type is the one that was meant, and how often its sources are asked at all."""
    right: Counter[str] = Counter()
    reached: Counter[str] = Counter()
    whole: Counter[str] = Counter()
    for text, label in table("types.txt"):
        plan = decide(text)
        hit = plan.question.type == label
        whole[label] += 1
        right[label] += hit
        reached[label] += hit or (label == "general_search" and plan.widened)
    for label, number in whole.items():
        yield Row(f"{label}, {number} questions: type as meant", 100 * right[label] / number, "%")
    general = "general_search"
    yield Row(f"{general}: as meant, or asked besides", 100 * reached[general] / whole[general], "%")
    yield Row(f"all {whole.total()} questions: type as meant", 100 * right.total() / whole.total(), "%")


def words(name: str, change: Callable[[str], Changes], innocent: Iterable[str]) -> Iterator[Row]:
    """What becomes of misspelt words and of those that are meant."""
    labelled = [(text, changes(label)) for text, label in table("words.txt")]
    made = [(change(text), wanted) for text, wanted in labelled]
    found, misspelt = sum(len(got & wanted) for got, wanted in made), sum(len(wanted) for _, wanted in made)
    touched = [bool(got) for got, wanted in made if not wanted]
    yield Row(f"{name}, {misspelt} misspelt words: corrected as meant", 100 * found / misspelt, "%")
    yield Row(f"{name}, corrections that are right", 100 * found / (sum(len(got) for got, _ in made) or 1), "%")
    yield Row(f"{name}, {len(touched)} questions of names and jargon: changed", 100 * sum(touched) / len(touched), "%")
    other = [bool(change(text)) for text in innocent]
    yield Row(f"{name}, {len(other):,} other questions: changed", 100 * sum(other) / len(other), "%")


def nearest() -> Callable[[str], Changes]:
    """The plain way: whatever word is not in the vocabulary becomes the one that difflib finds nearest, if it is near."""
    vocabulary = load(str(ROOT / "config"))
    terms = sorted(vocabulary.terms)
    known = vocabulary.terms | vocabulary.english

    @cache
    def one(word: str) -> list[str]:
        return [] if word in known else difflib.get_close_matches(word, terms, 1, 0.8)

    return lambda text: frozenset((word, near) for word in re.findall(r"[a-z]{5,}", text) for near in one(word))


def rows() -> Iterator[Found]:
    """Types, then words in both ways, and what it takes."""
    with tempfile.TemporaryDirectory() as home:
        e, spent = Encyclopedia(home=home, environ={}), []

        def decide(text: str) -> Plan:
            begun = time.process_time()
            plan = e.engine.pipeline.prepare(e.query(text, {})[0]).value
            spent.append((time.process_time() - begun) * 1000)
            return plan

        def corrected(text: str) -> Changes:
            return frozenset((each.original, each.replacement) for each in decide(text).question.corrections)

        innocent = meant()
        yield from types(decide)
        yield from words("ours", corrected, innocent)
        yield most("from text to plan as it is installed, CPU, median", median(spent), "ms", 2)
    yield from words("nearest word", nearest(), innocent)
