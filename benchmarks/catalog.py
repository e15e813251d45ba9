"""How well and how fast a catalog answers: the default ranking beside the additive scores, on the patterns and on many pages.

``python -m benchmarks.catalog [ENTITIES]`` makes a catalog of that many made-up pages besides (20,000 if not given).
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks._size import sized
from encyclopedia.model.corpus import Corpus
from encyclopedia.model.topic import TopicLoad
from encyclopedia_adapters.local.catalog import KIND

if TYPE_CHECKING:
    from collections.abc import Sequence

PATTERNS = Path(__file__).parent.parent / "tests" / "fixtures" / "kg-java-patterns"
MANY, TURNS = sized((20_000, 9), (300, 2))
BARS = {"default": (0.985, 0.96), "classic": (None, None)}

Row = tuple[str, float, str, str | None, bool]


def quiet(_label: str, _done: int, _total: int) -> None:
    """Progress that nobody watches."""


def load(corpus: Corpus, topic: str, scoring: str) -> list[str]:
    found = KIND.load(corpus, TopicLoad(topic, scoring=scoring, bodies=False), quiet)["matches"]
    return [row["id"] for row in found]


def quality(corpus: Corpus, gold: Sequence[dict], scoring: str) -> tuple[float, float]:
    """Recall among the first five and mean reciprocal rank among the first ten."""
    ranks = []
    for case in gold:
        found = load(corpus, case["query"], scoring)
        ranks.append(next((rank for rank, id in enumerate(found, 1) if id in case["expected"]), 0))
    return sum(0 < rank <= 5 for rank in ranks) / len(ranks), sum(1 / rank for rank in ranks if rank) / len(ranks)


def made(folder: Path, count: int) -> None:
    """Pages with words, tags and links as real ones have them."""
    dice = random.Random(4)
    words = [f"w{dice.randrange(count)}{letter}" for letter in "abcdefgh" for _ in range(2000)]
    for number in range(count):
        page = folder / "research" / "entities" / f"t{number % 40}" / f"page-{number}.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        links = " ".join(f"[[page-{dice.randrange(count)}]]" for _ in range(3))
        claim, tags = " ".join(dice.choices(words, k=15)), ", ".join(dice.choices(words, k=4))
        page.write_text(f"---\ntags: [{tags}]\ncore_claim: {claim}\n---\n{' '.join(dice.choices(words, k=120))}\n{links}\n")


def seconds(corpus: Corpus, topic: str, scoring: str) -> float:
    """The shortest of some loads."""
    times = []
    for _ in range(TURNS):
        start = time.perf_counter()
        load(corpus, topic, scoring)
        times.append(time.perf_counter() - start)
    return min(times)


def rows(count: int = MANY) -> list[Row]:
    """Quality on the gold set of the patterns, then times."""
    found: list[Row] = []
    gold = [json.loads(line) for line in (PATTERNS / "gold_dev.jsonl").read_text().splitlines()]
    with tempfile.TemporaryDirectory() as home:
        patterns = Corpus("patterns", str(PATTERNS), "catalog", f"{home}/patterns", {})
        for scoring, bars in BARS.items():
            for name, value, bar in zip(("R@5", "MRR@10"), quality(patterns, gold, scoring), bars, strict=True):
                found.append((f"patterns, {scoring}: {name}", value, "", bar and f">= {bar}", bar is None or value >= bar))
            found.append((f"patterns, {scoring}: one load", seconds(patterns, "object pool", scoring) * 1000, "ms", None, True))
        made(Path(home) / "many", count)
        many = Corpus("many", f"{home}/many", "catalog", f"{home}/index", {})
        for what in ("from nothing", "nothing new"):
            start = time.perf_counter()
            KIND.index(many, quiet)
            found.append((f"{count} pages: index and catalog, {what}", time.perf_counter() - start, "s", None, True))
        found += [
            (f"{count} pages, {scoring}: one load", seconds(many, "page 77", scoring) * 1000, "ms", None, True)
            for scoring in BARS
        ]
    return found


if __name__ == "__main__":
    for name, value, unit, bar, kept in rows(int(sys.argv[1]) if len(sys.argv) > 1 else MANY):
        print(f"{name:<58} {value:9.4g} {unit} {f'bar {bar}' if bar else ''} {'' if kept else 'MISSED'}")
