"""How good a source has been for a type of question, and what that makes of its weight: sums over what was measured."""

from __future__ import annotations

from math import isfinite, log2
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Key = tuple[str, str]
    Profile = dict[Key, "Measured"]
    Votes = tuple[tuple[str, int], ...]

WINDOW = 200
"""Samples of one source and type that are looked at, and between two steps of its weight."""
COLD = 50
"""Samples before the first step."""
STEP = 0.05
"""The most by which the factor on a weight changes within a window."""
MOST = 0.20
"""The most by which it ever differs from 1."""
VOTES = 50
"""Votes of one source and type that are kept, the newest."""
PAIRS = 100
"""Pairs of source and type that are kept, those measured last."""
FULL = 10
"""Results that count fully."""
SIGNALS = {"results": 0.30, "latency": 0.15, "rank": 0.25, "timeouts": 0.15, "empties": 0.15}
FEEDBACK = 0.30
"""The share of votes in the whole, where there are any."""
OK, EMPTY, TIMEOUT, FAILED = "ok", "empty", "timeout", "failed"
OUTCOMES = {"ok": OK, "empty": EMPTY, "timeout": TIMEOUT, "unavailable": FAILED, "error": FAILED}
"""What an outcome counts as; those that are not here (no key, a rate limit, a cancellation) tell nothing of quality."""
COUNTED = (OK, EMPTY, TIMEOUT, FAILED)
LONGEST = 3_600_000
"""Milliseconds that are believed."""


class Sample(NamedTuple):
    """One answer of a source: its outcome, results, milliseconds, and the best place of one among the fused (0 for none)."""

    outcome: str
    results: int
    ms: int
    rank: int


class Measured(NamedTuple):
    """What is known of a source for one type.

    ``total`` samples, the newest in ``window``; ``votes`` by what was voted on; ``factor`` on its weight.
    """

    total: int = 0
    factor: float = 1.0
    window: tuple[Sample, ...] = ()
    votes: tuple[tuple[str, int], ...] = ()


BLANK = Measured()


def signals(measured: Measured) -> dict[str, float]:
    """Each signal from 0 (bad) to 1, over the window; a failure earns nothing in any. Nothing without samples.

    The results as a share of ten, 1 / (1 + seconds), 1 / log2(1 + place) as in DCG, the share that was no failure, the share
    that held something.
    """
    window, n = measured.window, len(measured.window)
    if not n:
        return {}
    answered = [sample for sample in window if sample.outcome in (OK, EMPTY)]
    return {
        "results": sum(min(sample.results, FULL) for sample in answered) / FULL / n,
        "latency": sum(1 / (1 + sample.ms / 1000) for sample in answered) / n,
        "rank": sum(1 / log2(1 + sample.rank) for sample in answered if sample.rank) / n,
        "timeouts": len(answered) / n,
        "empties": sum(sample.outcome == OK for sample in window) / n,
    }


def score(measured: Measured) -> float:
    """The weighted signals, from 0 to 1. With votes 30 % of it is the share of good ones, with one more counted each way."""
    found = signals(measured)
    whole = sum(SIGNALS[name] * value for name, value in found.items())
    if not measured.votes:
        return whole
    up = sum(vote > 0 for _, vote in measured.votes)
    return (1 - FEEDBACK) * whole + FEEDBACK * (up + 1) / (len(measured.votes) + 2)


def step(factor: float, score: float) -> float:
    """The factor after a window: up to 0.05 nearer to where the score leads, from 0.8 for 0 to 1.2 for 1."""
    towards = 1 + MOST * (2 * score - 1) - factor
    return _bounded(factor + max(-STEP, min(STEP, towards)))


class _Draft:
    """A source and type that samples are added to: a whole log would copy its window with each of them."""

    __slots__ = ("factor", "samples", "total", "votes")

    def __init__(self, made: Measured) -> None:
        self.total, self.factor, self.votes = made.total, made.factor, made.votes
        self.samples = list(made.window)

    def add(self, sample: Sample) -> None:
        self.total += 1
        self.samples.append(sample)
        if (self.total - COLD) % WINDOW == 0:  # never below 50, as a window is longer than that
            self.samples = self.samples[-WINDOW:]
            self.factor = step(self.factor, score(self.made()))

    def made(self) -> Measured:
        return Measured(self.total, self.factor, tuple(self.samples[-WINDOW:]), self.votes)


def add(measured: Measured, sample: Sample) -> Measured:
    """With one more sample; the factor makes a step at the 50th and then at every 200th, so never two within a window."""
    draft = _Draft(measured)
    draft.add(sample)
    return draft.made()


def voted(votes: Votes, on: str, value: int) -> Votes:
    """The votes with one more, the newest fifty; one on the same takes the place of the earlier."""
    return (*(kept for kept in votes if kept[0] != on), (on, value))[-VOTES:]


def replay(records: Iterable[Mapping[str, Any]], before: Mapping[Key, Measured] | None = None) -> Profile:
    """The profile after these records, in their order; what is no record of ours changes nothing. The newest pair is last."""
    profile = dict(before or {})
    drafts: dict[Key, _Draft] = {}

    def draft(pair: Key) -> _Draft:
        drafts[pair] = found = drafts.pop(pair, None) or _Draft(profile.get(pair, BLANK))  # so that it stands last
        return found

    for record in records:
        kind, rows = record.get("type"), record.get("asked")
        if isinstance(kind, str) and isinstance(rows, list):
            for source, sample in filter(None, map(_sample, rows)):
                draft((source, kind)).add(sample)
        elif isinstance(kind, str) and record.get("vote") in (1, -1) and isinstance(record.get("of"), list):
            for source in filter(lambda name: isinstance(name, str), record["of"]):
                given = draft((source, kind))
                given.votes = voted(given.votes, str(record.get("on")), int(record["vote"]))
        elif isinstance(record.get("sum"), list):
            drafts |= {pair: _Draft(made) for pair, made in filter(None, map(_summed, record["sum"]))}
    for pair, found in drafts.items():
        profile.pop(pair, None)
        profile[pair] = found.made()
    return profile


def summed(profile: Mapping[Key, Measured]) -> dict[str, object]:
    """The record that stands for all before it: replayed, it gives the same profile, but for pairs beyond the newest 100."""
    newest = list(profile.items())[-PAIRS:]
    return {"sum": [[*pair, made.total, made.factor, list(made.window), list(made.votes)] for pair, made in newest]}


def _sample(row: object) -> tuple[str, Sample] | None:
    if not isinstance(row, list) or len(row) != 1 + len(Sample._fields):
        return None
    source, outcome, results, ms, rank = row
    if not isinstance(source, str) or outcome not in COUNTED or not type(results) is type(ms) is type(rank) is int:
        return None
    return (source, Sample(outcome, results, min(ms, LONGEST), rank)) if min(results, ms, rank) >= 0 else None


def _summed(row: object) -> tuple[Key, Measured] | None:
    match row:
        case [str(source), str(kind), int(count), int(factor) | float(factor), list(window), list(votes)] if isfinite(factor):
            samples = [found[1] for found in (_sample(["", *one]) for one in window if isinstance(one, list)) if found]
            given = [(one[0], one[1]) for one in votes if _vote(one)]
            made = Measured(max(count, len(samples)), _bounded(factor), tuple(samples[-WINDOW:]), tuple(given[-VOTES:]))
            return (source, kind), made
    return None


def _vote(one: object) -> bool:
    return isinstance(one, list) and len(one) == 2 and isinstance(one[0], str) and one[1] in (1, -1)  # noqa: PLR2004 - a pair


def _bounded(factor: float) -> float:
    return max(1 - MOST, min(1 + MOST, factor))
