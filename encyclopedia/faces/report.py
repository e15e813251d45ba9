"""The one reader of a trace: what every face shows of a search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia.faces.degradation import degradation
from encyclopedia.faces.standing import failure, reason_of
from encyclopedia.model.errors import NoSourceAnswered
from encyclopedia.model.label import Label
from encyclopedia.model.status import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from encyclopedia.model.outcome import Hit, Locator, Outcome
    from encyclopedia.model.plan import Plan
    from encyclopedia.model.query import QueryType
    from encyclopedia.model.ranking import Ranked, Ranking, Share
    from encyclopedia.model.trace import Trace

SCHEMA_VERSION = 1
PUBLIC = str(Label.PUBLIC)


class Result(NamedTuple):
    """One result: ``score`` is the sum of the scores in ``fused_from``; ``content`` is untrusted text.

    ``label`` tells how sensitive it is: public, internal, personal or secret.
    """

    rank: int
    title: str
    url: str
    content: str
    source: str
    score: float
    fused_from: tuple[Share, ...]
    locator: Locator | None = None
    published: str = ""
    version: str = ""
    label: str = PUBLIC

    def to_dict(self) -> dict[str, object]:
        """The JSON form; a field that is not known is null. A result that is public has no label."""
        label = {} if self.label == PUBLIC else {"label": self.label}
        return {
            "rank": self.rank,
            "title": self.title,
            "url": self.url or None,
            "content": self.content,
            "source": self.source,
            "score": self.score,
            "fused_from": [_share(share) for share in self.fused_from],
            "locator": locator_row(self.locator),
            "published": self.published or None,
            "version": self.version or None,
            **label,
        }


class Report(NamedTuple):
    """What came of a search. ``code`` is 0, 2 (nothing found) or 3 (no source answered); ``body`` the JSON form."""

    code: int
    query: str
    results: tuple[Result, ...]
    degraded: bool
    cached: bool
    body: dict[str, Any]

    @property
    def status(self) -> str:
        """``success``, or ``error`` where there is no result."""
        return str(self.body["status"])

    @property
    def query_type(self) -> QueryType:
        """What kind of question it was taken for."""
        from encyclopedia.model.query import QueryType

        return QueryType(self.body["query_type"])

    @property
    def outcomes(self) -> list[dict[str, Any]]:
        """What became of each source: ``source``, ``status``, ``results``, ``ms``, ``reason``, ``optional``."""
        return list(self.body["outcomes"])

    @property
    def degradation(self) -> dict[str, list[dict[str, Any]]]:
        """In what the answer is less than it can be: rows under ``missing`` (not asked) and ``errors`` (asked and failed)."""
        return dict(self.body["degradation"])

    @property
    def corrections(self) -> tuple[str, ...]:
        """Misspelt words with what was searched beside them: ``"kuberntes → kubernetes"``."""
        return tuple(self.body["corrections"])

    @property
    def evidence_gap(self) -> tuple[str, ...]:
        """The words of the question that no result mentions."""
        return tuple(self.body["evidence_gap"])

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: ``status``, ``query``, ``results``, ``sources_used``, ``outcomes``, ``degradation`` and more."""
        return dict(self.body)

    def told(self, problem: str = "") -> Report:
        """Itself, with a note of a ``problem``; raises ``NoSourceAnswered`` if it says that no source did."""
        if problem:
            self.body.setdefault("notes", []).append(problem)
        if self.code == NoSourceAnswered.code:
            details = {key: value for key, value in self.body.items() if key not in ("status", "code", "message", "hint")}
            raise NoSourceAnswered(str(self.body["message"]), str(self.body["hint"]), details)
        return self


def report(
    trace: Trace[Ranking],
    verbose: Mapping[str, object] | None = None,
    remedy: Callable[[Outcome], str] | None = None,
) -> Report:
    """Read a finished trace. ``verbose`` is added to the JSON form; ``remedy`` says what to do about a source that failed."""
    ranking = trace.value
    results = _results(ranking)
    reduced = degradation(trace)
    code = 0 if results else 2 if any(outcome.answered for outcome in ranking.outcomes) else 3
    body: dict[str, Any] = {"schema_version": SCHEMA_VERSION, "status": "success"}
    if code:
        body |= {"status": "error", "code": code, **_sentence(code, ranking, remedy)}
    body |= {
        "query": ranking.plan.query.text,
        "query_type": ranking.plan.question.type.value,
        "results": [result.to_dict() for result in results],
        "sources_used": [outcome.source for outcome in ranking.outcomes if outcome.status is Status.OK],
        "outcomes": outcomes(ranking),
        **reduced,
        "cached": ranking.cache.status == "hit",
        "corrections": corrected(ranking),
        "evidence_gap": list(ranking.evidence_gap),
    }
    notes = [*ranking.plan.question.notes, *(f"{o.source}: {o.reply.note}" for o in ranking.outcomes if o.reply.note)]
    if notes:
        body["notes"] = notes
    if ranking.withheld:
        body["withheld"] = ranking.withheld
    if verbose is not None:
        body["verbose"] = dict(verbose)
    return Report(code, ranking.plan.query.text, results, bool(reduced["degraded"]), bool(body["cached"]), body)


def rows(ranking: Ranking) -> list[dict[str, object]]:
    """The results of a ranking in their JSON form."""
    return [result.to_dict() for result in _results(ranking)]


def _results(ranking: Ranking) -> tuple[Result, ...]:
    return tuple(_result(rank, ranked) for rank, ranked in enumerate(ranking.results, 1))


def corrected(ranking: Ranking) -> list[str]:
    """The corrections, as people read them."""
    return [f"{c.original} → {c.replacement}" for c in ranking.plan.question.corrections]


def outcomes(ranking: Ranking) -> list[dict[str, object]]:
    """What became of every source that was planned, those held back by their breaker included."""
    return [outcome(one) for one in ranking.outcomes] + held(ranking.plan)


def held(plan: Plan) -> list[dict[str, object]]:
    """The outcomes of those that their breaker held back."""
    row = {"status": Status.REFUSED.value, "results": 0, "ms": 0}
    return [
        {"source": d.source, **row, "reason": reason_of(plan, d), "optional": d.optional} for d in plan.declined if d.refused
    ]


def outcome(one: Outcome) -> dict[str, object]:
    """The JSON form of one outcome; ``ms`` in whole milliseconds."""
    return {
        "source": one.source,
        "status": one.status.value,
        "results": len(one.reply.hits) + len(one.reply.alternatives),
        "ms": round(one.seconds * 1000),
        "reason": one.reason or one.reply.reduced,
        "optional": one.optional,
    }


def landed(one: Outcome) -> dict[str, object]:
    """The JSON form of an outcome as it lands, with its hits in short."""
    return outcome(one) | {"hits": [_hit(rank, hit) for rank, hit in enumerate(one.reply.hits, 1)]}


def _hit(rank: int, hit: Hit) -> dict[str, object]:
    row: dict[str, object] = {"rank": rank, "title": hit.title, "url": hit.url or None}
    return row | ({"path": hit.locator.path} if hit.locator else {})


def _result(rank: int, ranked: Ranked) -> Result:
    hit = ranked.hit
    return Result(
        rank,
        hit.title,
        hit.url,
        hit.content,
        ranked.source,
        ranked.score,
        ranked.shares,
        hit.locator,
        hit.published,
        hit.version,
        PUBLIC if hit.label is Label.PUBLIC else str(hit.label),
    )


def _share(share: Share) -> dict[str, object]:
    row: dict[str, object] = {"source": share.source, "rank": share.rank, "weight": share.weight, "score": share.score}
    return row | ({"expansion": True} if share.expansion else {}) | ({"weak": True} if share.weak else {})


def locator_row(locator: Locator | None) -> dict[str, object] | None:
    """The JSON form of a place in a local collection."""
    if locator is None:
        return None
    row: dict[str, object] = {"corpus": locator.corpus, "path": locator.path, "section": locator.section or None}
    row["lines"] = list(locator.lines) if locator.lines else None
    return row | ({"page": locator.page} if locator.page is not None else {})


def _sentence(code: int, ranking: Ranking, remedy: Callable[[Outcome], str] | None) -> dict[str, str]:
    if code == 2:  # noqa: PLR2004 - the exit code
        return {
            "message": "nothing found for this query",
            "hint": "use other words, or ask more sources (`encyclopedia sources`)",
        }
    plan = ranking.plan
    named = [*map(failure, ranking.outcomes), *(f"{d.source}: {reason_of(plan, d)}" for d in plan.declined if d.refused)]
    hint = remedy(ranking.outcomes[0]) if remedy and len(named) == len(ranking.outcomes) == 1 else ""
    told = hint or "`encyclopedia doctor` says what to do about each source"
    return {"message": f"no source could answer: {'; '.join(named)}", "hint": told}
