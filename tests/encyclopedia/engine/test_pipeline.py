from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from encyclopedia.engine.pipeline import Pipeline, Rib, Watch, absent
from encyclopedia.model.errors import ConfigurationError


class Answers:
    """A cache that knows one answer, or none."""

    def __init__(self, known: Any = None) -> None:
        self.known, self.stored = known, []

    def lookup(self, plan: Any) -> Any:
        return self.known

    async def run(self, plan: Any, work: Callable[[Any], Any]) -> Any:
        if self.known is None:
            self.known = await work(plan)
            self.stored.append(self.known)
        return self.known


class Plan(str):
    """A plan that is a text, and its own query."""

    __slots__ = ()

    query = type("Query", (), {"read_cache": True})()


def add(text: str) -> Callable[[str], str]:
    return lambda value: type(value)(f"{value} {text}")


def boom(value: Any) -> Any:
    raise ZeroDivisionError("details")


def needs_library(value: Any) -> Any:
    import a_library_that_is_missing  # noqa: F401 - it is the import that fails


def refuse(value: Any) -> Any:
    raise ConfigurationError("not this")


async def ask(plan: str, *, watch: Watch) -> str:
    return f"{plan} asked"


def pipeline(**changes: Any) -> Pipeline:
    parts: dict[str, Any] = {
        "classify": add("classified"),
        "refine": (Rib("correct", add("corrected")),),
        "route": lambda text: Plan(f"{text} routed"),
        "dispatch": ask,
        "fuse": add("fused"),
        "retreat": add("in order"),
        "polish": (Rib("dedupe", add("deduped")),),
        "finish": (Rib("trim", add("trimmed")),),
    }
    return Pipeline(**(parts | changes))


async def test_a_query_goes_through_every_stage_in_order() -> None:
    one = pipeline()
    trace = await one.carry_out(one.prepare("query"))  # texts stand for values
    assert trace.value == "query classified corrected routed asked fused deduped trimmed"
    assert [step.name for step in trace.steps] == ["classify", "correct", "route", "dispatch", "fuse", "dedupe", "trim"]
    assert [(step.before, step.after) for step in trace.steps[:2]] == [
        ("query", "query classified"), ("query classified", "query classified corrected")
    ]  # fmt: skip
    assert absent(trace) == ()


@pytest.mark.spec("ENC-ABSENT-1")
@pytest.mark.parametrize(
    ("rib", "reason"),
    [
        (Rib("rib", boom), "failed: ZeroDivisionError"),
        (Rib("rib", needs_library), "a_library_that_is_missing is not installed"),
        (Rib("rib", boom, "it is switched off"), "it is switched off"),
    ],
)
async def test_a_rib_that_is_missing_is_skipped_and_said(rib: Rib, reason: str) -> None:
    for place in ("refine", "polish", "finish"):
        one = pipeline(**{place: (rib,)})
        trace = await one.carry_out(one.prepare("query"))
        assert absent(trace) == (("rib", reason),)
        assert trace.value.startswith("query classified")


async def test_without_fusion_the_results_stand_in_order() -> None:
    one = pipeline(fuse=boom)
    trace = await one.carry_out(one.prepare("query"))
    assert "in order" in trace.value
    assert absent(trace) == (("fuse", "failed: ZeroDivisionError"),)


@pytest.mark.parametrize("place", ["classify", "route"])
def test_a_spine_that_breaks_is_an_error(place: str) -> None:
    with pytest.raises(ZeroDivisionError):
        pipeline(**{place: boom}).prepare("query")


async def test_an_error_for_the_user_goes_through_everywhere() -> None:
    for place, rib in (("refine", (Rib("rib", refuse),)), ("classify", refuse), ("route", refuse)):
        with pytest.raises(ConfigurationError):
            pipeline(**{place: rib}).prepare("query")
    for place, rib in (("fuse", refuse), ("polish", (Rib("rib", refuse),))):
        one = pipeline(**{place: rib})
        with pytest.raises(ConfigurationError):
            await one.carry_out(one.prepare("query"))


async def test_a_wrapper_that_is_missing_stands_in_the_trace() -> None:
    one = pipeline(absent=(("circuit", "pybreaker is not installed"),))
    trace = await one.carry_out(one.prepare("query"))
    assert absent(trace) == (("circuit", "pybreaker is not installed"),)


async def test_what_is_stored_is_polished_and_not_yet_finished() -> None:
    answers: Any = Answers()
    one = pipeline(answers=answers)
    trace = await one.carry_out(one.prepare("query"))
    assert answers.stored == ["query classified corrected routed asked fused deduped"]
    assert [step.name for step in trace.steps][-4:] == ["fuse", "dedupe", "cache", "trim"]
    again = one.recall(one.prepare("query"))
    assert again is not None
    assert again.value == trace.value
    assert [step.name for step in again.steps] == ["classify", "correct", "route", "cache", "trim"]


def test_without_a_stored_answer_there_is_nothing_to_recall() -> None:
    one = pipeline(answers=Answers())
    assert one.recall(one.prepare("query")) is None
    assert pipeline().recall(pipeline().prepare("query")) is None
