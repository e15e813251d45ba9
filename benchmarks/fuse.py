"""The CPU of fusing 10 sources x 100 hits: with dedupe, and alone against a plain dictionary and ranx' RRF."""

from __future__ import annotations

import random
import time
from itertools import repeat
from statistics import median
from typing import TYPE_CHECKING

from benchmarks import _peers
from benchmarks._rows import Found, Row, least, most
from encyclopedia.model.outcome import Hit, Outcome, Outcomes, Reply
from encyclopedia.model.plan import Ask, Plan, Request
from encyclopedia.model.query import Query, QueryType, Question
from encyclopedia.model.settings import FusionSettings
from encyclopedia.model.status import Status
from encyclopedia.stages.canonical import canonical_url, page_key
from encyclopedia.stages.dedupe import dedupe
from encyclopedia.stages.fuse import fuse
from encyclopedia.stages.reciprocal import Formula, order, vote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SOURCES, DEPTH, PAGES, SEED, RUNS, TURNS = 10, 100, 400, 7, 60, 4
WORDS = ("async", "event", "loop", "task", "cancel", "scope", "deadline", "result", "page", "docs", "guide", "install")


def lists() -> dict[str, tuple[Hit, ...]]:
    """Ten lists drawn from 400 pages; every third address is one of the forms that engines give for a page."""
    rng = random.Random(SEED)
    sources = {}
    for number in range(SOURCES):
        pages = rng.sample(range(PAGES), DEPTH)
        sources[f"source{number}"] = tuple(_hit(rng, page) for page in pages)
    return sources


def _hit(rng: random.Random, page: int) -> Hit:
    path = f"docs.example{page % 37}.org/guide/page-{page}"
    form = rng.choice((f"https://{path}", f"https://{path}", f"http://www.{path}/?utm_source=x#part"))
    text = " ".join(rng.choices(WORDS, k=40))
    return Hit(title=f"Page {page}", url=form, content=text)


def outcomes(sources: dict[str, tuple[Hit, ...]]) -> Outcomes:
    rng = random.Random(SEED)
    raw = {name: rng.choice((0.1, 0.2, 0.3, 0.4)) for name in sources}
    request = Request("words", QueryType.GENERAL_SEARCH, DEPTH, 5.0)
    asks = tuple(Ask(name, request, weight / sum(raw.values())) for name, weight in raw.items())
    question = Question(Query("words"), "words", QueryType.GENERAL_SEARCH, "default")
    return Outcomes(Plan(question, asks), tuple(Outcome(name, Status.OK, Reply(hits)) for name, hits in sources.items()))


def plain(given: Outcomes) -> list[tuple[str, float]]:
    """The least that anybody would write: addresses as they are, a dictionary of sums, sorted."""
    weights = {ask.source: ask.weight for ask in given.plan.asks}
    scores: dict[str, float] = {}
    for outcome in given.outcomes:
        for rank, hit in enumerate(outcome.reply.hits, 1):
            scores[hit.url] = scores.get(hit.url, 0.0) + weights[outcome.source] / (60 + rank)
    return sorted(scores.items(), key=lambda item: -item[1])


def alone(given: Outcomes, keys: dict[str, list[str]]) -> list[str]:
    """The fusion itself, as ranx does it: from lists of keys to keys in order, every vote kept."""
    formula = Formula(FusionSettings(), {ask.source: ask.weight for ask in given.plan.asks})
    votes: dict[str, list[tuple[float, str, int, str, Hit]]] = {}
    for outcome in given.outcomes:
        source, hits = outcome.source, outcome.reply.hits
        ranks = range(1, len(hits) + 1)
        vote(votes, source, zip(formula.scores(source, ranks), ranks, keys[source], hits, repeat(""), strict=False))
    return order(votes, lambda _hit: 0.0, DEPTH)


def quartile(spent: list[float]) -> float:
    """The lower quartile, of ours as of theirs: what the work takes when nothing else disturbs it."""
    return sorted(spent)[len(spent) // 4]


def cpu(work: Callable[[], object], *, cold: bool = False) -> float:
    """Milliseconds of CPU."""
    times = []
    for _ in range(RUNS):
        if cold:
            canonical_url.cache_clear()
        started = time.process_time()
        work()
        times.append((time.process_time() - started) * 1000)
    return quartile(times)


def rows() -> Iterator[Found]:
    """Ours with its bars and ranx over the same lists, in turns."""
    sources = lists()
    given, settings = outcomes(sources), FusionSettings()
    keys = {name: [page_key(hit, name) for hit in hits] for name, hits in sources.items()}
    ranked = {name: {canonical_url(hit.url): 1.0 / rank for rank, hit in enumerate(hits, 1)} for name, hits in sources.items()}
    works: dict[str, Callable[[], object]] = {
        "fuse, addresses known": lambda: fuse(given, settings=settings),
        "the fusion alone, from keys to their order": lambda: alone(given, keys),
        "plain dictionary RRF, no identity, no shares": lambda: plain(given),
    }
    turns = []
    for _ in range(TURNS):
        turn = {"whole": cpu(lambda: dedupe(fuse(given, settings=settings)), cold=True)}
        turn |= {name: cpu(work) for name, work in works.items()}
        if spent := _peers.ask("ranx_rrf", {"lists": ranked, "runs": RUNS}):
            turn["ranx"] = quartile(spent)
        turns.append(turn)
    here = {name: min(turn[name] for turn in turns) for name in turns[0]}
    _, bare, simplest = works
    yield most("fuse + dedupe, 10 x 100, addresses never seen", here["whole"], "ms", 5)
    yield from (Row(name, here[name], "ms") for name in works)
    yield Row("fuse + dedupe over plain dictionary", here["whole"] / here[simplest], "x")
    yield Row("the fusion alone over plain dictionary", here[bare] / here[simplest], "x")
    if "ranx" not in here:
        yield _peers.absent("ranx_rrf")
        return
    yield Row("ranx RRF, warm, runs made beforehand", here["ranx"], "ms")
    yield least("ranx over the fusion alone", median(turn["ranx"] / turn[bare] for turn in turns), "x", 10)
