from __future__ import annotations

import pytest

from encyclopedia.faces.diagnostics import dry_run, explain, verbose
from encyclopedia.faces.report import report
from encyclopedia.model.outcome import Hit, Locator, Outcome, Reply
from encyclopedia.model.plan import Ask, Declined, Health, Plan, Request
from encyclopedia.model.query import Correction, Expansion, Query, QueryType, Question
from encyclopedia.model.ranking import CacheUse, Dropped, Fusion, Ranked, Ranking, Share
from encyclopedia.model.status import Status
from encyclopedia.model.trace import Trace

QUESTION = Question(
    Query("kuberntes pod"), "kuberntes pod", QueryType.LIBRARY_DOCS, "default", library="kubernetes",
    corrections=(Correction("kuberntes", "kubernetes"),), expansions=(Expansion("kubernetes", ("k8s",)),), notes=("cut",),
)  # fmt: skip
REQUEST = Request("kuberntes kubernetes pod", QueryType.LIBRARY_DOCS, 10, 5.0)
PLAN = Plan(QUESTION, (Ask("one", REQUEST, 0.75), Ask("two", REQUEST, 0.25)), health={"one": Health(), "two": Health("open")})
HIT = Hit("a", "https://example.org/a", "text", Locator("notes", "a.md", "A", (1, 2)))
GOOD = Outcome("one", Status.OK, Reply((HIT,), (HIT,), note="worth knowing"), 0.0124)
RANKED = Ranked(HIT, (Share("one", 1, 0.75, 1 / 11), Share("two", 3, 0.25, 1 / 22, expansion=True)))


def trace(plan: Plan = PLAN, *outcomes: Outcome, results: tuple[Ranked, ...] = (RANKED,), **more: object) -> Trace[Ranking]:
    ranking = Ranking(plan, outcomes or (GOOD,), results, Fusion("scaled", 10.0, {"one": 0.75, "two": 0.25}), **more)
    return Trace(QUESTION).then("route", plan, 0.001).then("fuse", ranking, 0.002)


def test_a_report_reads_the_trace() -> None:
    body = report(trace(evidence_gap=("pod",), cache=CacheUse("hit", "kuberntes pod", 1.0, 3.0))).to_dict()
    assert (body["status"], body["cached"], body["evidence_gap"]) == ("success", True, ["pod"])
    assert body["corrections"] == ["kuberntes → kubernetes"]
    assert body["notes"] == ["cut", "one: worth knowing"]
    assert body["outcomes"] == [{"source": "one", "status": "ok", "results": 2, "ms": 12, "reason": "", "optional": False}]
    (result,) = body["results"]
    assert result["score"] == 1 / 11 + 1 / 22
    assert result["fused_from"] == [
        {"source": "one", "rank": 1, "weight": 0.75, "score": 1 / 11},
        {"source": "two", "rank": 3, "weight": 0.25, "score": 1 / 22, "expansion": True},
    ]
    assert (body["degraded"], body["degradation"]) == (False, {"missing": [], "errors": []})


@pytest.mark.spec("ENC-LAW-3")
@pytest.mark.parametrize(
    ("changed", "outcomes", "row"),
    [
        (PLAN, (GOOD, Outcome("two", Status.TIMEOUT, reason="slow")), {"source": "two", "message": "slow", "optional": False}),
        (PLAN, (GOOD, Outcome("two", Status.AUTH)), {"source": "two", "message": "auth", "optional": False}),
        (
            PLAN,
            (Outcome("one", Status.OK, Reply((HIT,), reduced="stale")),),
            {"source": "one", "message": "stale", "optional": False},
        ),
    ],
)
def test_what_failed_or_gave_less_is_an_error_row(changed: Plan, outcomes: tuple[Outcome, ...], row: dict[str, object]) -> None:
    body = report(trace(changed, *outcomes)).to_dict()
    assert body["degraded"]
    assert body["degradation"]["errors"] == [row]


@pytest.mark.spec("ENC-LAW-3")
@pytest.mark.parametrize(
    ("change", "source", "reason", "degraded"),
    [
        ({"declined": (Declined("exa", "EXA_API_KEY not found", "set it"),)}, "exa", "EXA_API_KEY not found", False),
        ({"declined": (Declined("two", "circuit open", optional=False, refused=True),)}, "two", "circuit open", True),
        ({"primaries": False}, "library_docs", "no primary source of library_docs is configured", True),
        ({"fallback_used": True}, "library_docs", "fallback sources replace the primary ones", True),
    ],
)
def test_what_was_not_asked_is_a_missing_row(change: dict[str, object], source: str, reason: str, degraded: bool) -> None:

    body = report(trace(PLAN._replace(**change))).to_dict()
    (row,) = body["degradation"]["missing"]
    assert (row["source"], row["reason"], body["degraded"]) == (source, reason, degraded)
    assert [o["status"] for o in body["outcomes"]] == (["ok", "refused"] if source == "two" else ["ok"])


@pytest.mark.spec("ENC-LAW-3")
def test_an_absent_stage_degrades() -> None:
    body = report(trace().then("dedupe", trace().value, 0.0, "failed: ValueError")).to_dict()
    assert body["degradation"]["missing"] == [
        {"source": "dedupe", "reason": "stage absent: failed: ValueError", "optional": False}
    ]


def test_codes_follow_from_results_and_outcomes() -> None:
    empty, down = Outcome("one", Status.EMPTY), Outcome("two", Status.UNAVAILABLE, reason="gone")
    assert report(trace(PLAN, empty, down, results=())).code == 2
    told = report(trace(PLAN, down, results=())).to_dict()
    assert (told["code"], told["message"]) == (3, "no source could answer: two: unavailable — gone")


def test_verbose_tells_analysis_routing_fusion_cache_and_stages() -> None:
    ranking = trace(cache=CacheUse("miss", refused_by="numbers"))
    told = verbose(ranking)
    assert list(told) == ["query_analysis", "source_routing", "fusion", "cache", "profiler", "waiting", "stages"]
    assert told["query_analysis"]["adapted"] == {"one": REQUEST.text, "two": REQUEST.text}
    assert told["query_analysis"]["expansions"] == [["kubernetes", "k8s"]]
    assert told["cache"]["refused_by"] == "numbers"
    assert told["stages"] == [{"name": "route", "ms": 1.0, "absent": None}, {"name": "fuse", "ms": 2.0, "absent": None}]


def test_dropped_duplicates_and_per_source_numbers_are_told() -> None:
    fusion = Fusion("scaled", 10.0, {}, (Dropped("two", "a", "https://example.org/a", "same address"),))
    told = verbose(Trace(Ranking(PLAN, (GOOD,), (RANKED,), fusion)))["fusion"]
    assert told["per_source_results"] == {"one": 2}
    assert told["dropped_duplicates"] == [
        {"source": "two", "title": "a", "kept": "https://example.org/a", "reason": "same address"}
    ]


def test_explain_has_before_and_after_of_each_step() -> None:
    route, fuse = explain(trace())
    assert (route["name"], fuse["name"]) == ("route", "fuse")
    assert route["before"]["corrections"] == ["kuberntes → kubernetes"]
    assert route["after"]["asks"] == {"one": REQUEST.text, "two": REQUEST.text}
    assert fuse["after"]["results"] == [f"{1 / 11 + 1 / 22:.6f} a"]


def test_a_dry_run_shows_the_plan() -> None:
    told = dry_run(Trace(QUESTION).then("route", PLAN, 0.0), "miss")
    assert (told["status"], told["cache_status"], told["target_sources"]) == ("dry_run", "miss", ["one", "two"])
    assert told["source_health"] == {"one": "healthy", "two": "open"}
