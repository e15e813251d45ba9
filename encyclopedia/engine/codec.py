"""A ranking as JSON text and back; what does not have exactly the shape that we wrote is refused."""

from __future__ import annotations

import json
from math import isfinite
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from encyclopedia.model.label import Label
from encyclopedia.model.outcome import Hit, Locator, Outcome, Reply
from encyclopedia.model.ranking import Dropped, Fusion, Ranked, Ranking, Share
from encyclopedia.model.status import Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from encyclopedia.model.plan import Plan
    from encyclopedia.model.query import QueryType

T = TypeVar("T")
FORMAT = 3
MOST = 10_000
"""More hits than any source is asked for."""
BLANK = Hit("")
"""Stands for a hit of a stored outcome."""


class CorruptError(ValueError):
    """The text is not a ranking that we wrote."""


def encode(ranking: Ranking) -> str:
    """The text of a ranking.

    Of the plan it keeps type and depth, of each source's reply the notes and the number of hits.
    """
    plan, fusion = ranking.plan, ranking.fusion
    body = {
        "format": FORMAT,
        "type": plan.question.type.value,
        "depth": plan.depth,
        "results": [
            [_hit(r.hit), [[s.source, s.rank, s.weight, s.score, s.expansion, s.weak] for s in r.shares]]
            for r in ranking.results
        ],
        "fusion": [fusion.formula, fusion.k, dict(fusion.weights)],
        "dropped": [[d.source, d.title, d.kept, d.reason] for d in fusion.dropped],
        "outcomes": [_outcome(outcome) for outcome in ranking.outcomes],
        "gap": list(ranking.evidence_gap),
    }
    return json.dumps(body, separators=(",", ":"), allow_nan=False)


def _hit(hit: Hit) -> list[object]:
    at = hit.locator
    where = [at.corpus, at.path, at.section, at.lines, at.page] if at else None
    return [hit.title, hit.url, hit.content, where, hit.published, hit.version, hit.id, hit.page, hit.label.value]


def _outcome(outcome: Outcome) -> list[object]:
    reply = outcome.reply
    seen = [outcome.source, outcome.status.value, outcome.seconds, outcome.reason, outcome.optional, outcome.retry_after]
    return [*seen, len(reply.hits), len(reply.alternatives), reply.reduced, reply.note]


def decode(text: str, plan: Plan) -> Ranking:
    """The ranking of a text, as an answer to ``plan``; raises ``CorruptError`` for any other shape.

    So it does for one of another query type, and for one that was asked for fewer hits than ``plan`` wants. The hits of the
    outcomes are blank; those of the results are whole.
    """
    body = _body(text, plan.question.type)
    if _whole(body.get("depth")) < plan.depth:
        raise CorruptError("not deep enough")
    outcomes, results, fusion, gap = _parts(body)
    return Ranking(plan, outcomes, results, fusion, evidence_gap=gap)


def results_of(text: str, type: QueryType) -> tuple[Ranked, ...]:
    """The results of a text as ``decode`` would give them, whatever depth is asked for; raises ``CorruptError`` as it does."""
    body = _body(text, type)
    _whole(body.get("depth"))
    return _parts(body)[1]


def _body(text: str, type: QueryType) -> dict[str, Any]:
    try:
        body = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise CorruptError("no JSON") from error
    if not isinstance(body, dict) or body.get("format") != FORMAT:
        raise CorruptError("another format")
    if body.get("type") != type.value:
        raise CorruptError("another query type")
    return body


def _parts(body: dict[str, Any]) -> tuple[tuple[Outcome, ...], tuple[Ranked, ...], Fusion, tuple[str, ...]]:
    formula, k, weights = _row(body.get("fusion"), 3)
    fusion = Fusion(
        _text(formula), _number(k), _weights(weights), _all(body.get("dropped"), lambda row: Dropped(*map(_text, _row(row, 4))))
    )
    outcomes, results = _all(body.get("outcomes"), _read_outcome), _all(body.get("results"), _ranked)
    return outcomes, results, fusion, _all(body.get("gap"), _text)


def _refuse(_: object = None) -> NoReturn:
    raise CorruptError("a value of the wrong kind")


def _row(value: object, size: int) -> list[Any]:
    return value if isinstance(value, list) and len(value) == size else _refuse()


def _all(value: object, read: Callable[[Any], T]) -> tuple[T, ...]:
    return tuple([read(item) for item in value]) if isinstance(value, list) else _refuse()


def _text(value: object) -> str:
    return value if isinstance(value, str) else _refuse()


def _flag(value: object) -> bool:
    return value if isinstance(value, bool) else _refuse()


def _whole(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else _refuse()


def _count(value: object) -> int:
    return number if 0 <= (number := _whole(value)) <= MOST else _refuse()


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) else _refuse()


def _weights(value: object) -> dict[str, float]:
    return {name: _number(weight) for name, weight in value.items()} if isinstance(value, dict) else _refuse()


def _ranked(value: object) -> Ranked:
    hit, shares = _row(value, 2)
    return Ranked(_read_hit(hit), _all(shares, _share) or _refuse())


def _share(value: object) -> Share:
    source, rank, weight, score, expansion, weak = _row(value, 6)
    return Share(_text(source), _whole(rank), _number(weight), _number(score), _flag(expansion), _flag(weak))


def _read_hit(value: object) -> Hit:
    title, url, content, where, published, version, name, page, label = _row(value, 9)
    for text in (title, url, content, published, version, name, page):
        if text.__class__ is not str:
            _refuse()
    if label not in Label.__members__.values() or label.__class__ is not int:
        _refuse()
    place = None if where is None else _locator(where)
    return Hit(title, url, content, place, published, version, name, page, label=Label(label))


def _locator(value: object) -> Locator:
    corpus, path, section, lines, page = _row(value, 5)
    span = None if lines is None else tuple(map(_whole, _row(lines, 2)))
    return Locator(
        _text(corpus), _text(path), _text(section), (span[0], span[1]) if span else None, None if page is None else _whole(page)
    )


def _read_outcome(value: object) -> Outcome:
    source, status, seconds, reason, optional, after, hits, others, reduced, note = _row(value, 10)
    if status not in Status.__members__.values():
        _refuse()
    reply = Reply((BLANK,) * _count(hits), (BLANK,) * _count(others), _text(reduced), _text(note))
    retry_after = None if after is None else _number(after)
    return Outcome(_text(source), Status(status), reply, _number(seconds), _text(reason), _flag(optional), retry_after)
