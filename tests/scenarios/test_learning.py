"""What is learnt from searches, through the whole engine: weights, votes, memories, context for others."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from encyclopedia import ConfigurationError, Encyclopedia, Hit, UsageError
from encyclopedia.engine.profile import COLD
from encyclopedia.faces.feedback import feedback
from encyclopedia.model.label import Label
from encyclopedia.wiring.environment import environment
from encyclopedia.wiring.settings import load
from encyclopedia_adapters.generic.fixed import Fixed

Make = Callable[..., Encyclopedia]
GOOD = [Hit(f"page {n}", f"https://example.org/{n}", "how widgets are made, " * 20) for n in range(10)]


def weights(e: Encyclopedia) -> dict[str, float]:
    plan: Any = e.plan("widgets")["plan"]
    return {row["source"]: row["weight"] for row in plan["sources"]}


async def searched(e: Encyclopedia, times: int) -> Any:
    for _ in range(times):
        report = await e.search("widgets", read_cache=False, verbose=True)
    return report.body


class Near:
    """A near tier that remembers votes."""

    def __init__(self) -> None:
        self.votes: list[tuple[str, str, int]] = []

    def vote(self, text: str, other: str, vote: int) -> None:
        self.votes.append((text, other, vote))


@pytest.mark.spec("ENC-PROFILE-9")
async def test_with_the_switch_experience_moves_weights_which_stay_normalised(make: Make) -> None:
    async with make(Fixed("good", GOOD), Fixed("poor"), profile__adaptive=True) as e:
        before = await searched(e, COLD - 1)
        assert before["verbose"]["profiler"] == {"adaptive_enabled": True, "adjustments": {}}
        assert weights(e) == {"good": 0.5, "poor": 0.5}
        await searched(e, 1)
    async with make(Fixed("good", GOOD), Fixed("poor"), profile__adaptive=True) as e:
        told = weights(e)
        profiler = (await searched(e, 1))["verbose"]["profiler"]
        assert profiler == {"adaptive_enabled": True, "adjustments": {"good": pytest.approx(1.05), "poor": pytest.approx(0.95)}}
        assert sum(told.values()) == pytest.approx(1.0)
        assert told["good"] / told["poor"] == pytest.approx(1.05 / 0.95)
        await e.statistics()
        assert e.engine.stores.profiler
        e.engine.stores.profiler.reset()
        assert weights(e) == {"good": 0.5, "poor": 0.5}


@pytest.mark.spec("ENC-PROFILE-9")
async def test_without_the_switch_weights_stay_and_the_statistics_tell_what_they_would_be(make: Make) -> None:
    async with make(Fixed("good", GOOD), Fixed("poor")) as e:
        body = await searched(e, COLD)
        assert body["verbose"]["profiler"] == {"adaptive_enabled": False, "adjustments": {}}
        told = await e.statistics()
        assert weights(e) == {"good": 0.5, "poor": 0.5}
    assert not told["adaptive_enabled"]
    good, poor = told["sources"]
    assert (good["source"], good["samples"], good["results"], good["rates"]["empty"]) == ("good", COLD, 10.0, 0.0)
    assert (poor["source"], poor["samples"], poor["results"], poor["rates"]["empty"]) == ("poor", COLD, 0.0, 1.0)
    assert (good["weight"], good["adaptive"]) == (0.4, pytest.approx(0.42))
    assert (poor["weight"], poor["adaptive"]) == (0.4, pytest.approx(0.38))
    assert 0 <= good["ms"]["p50"] <= good["ms"]["p95"]


@pytest.mark.spec("ENC-PROFILE-9")
async def test_a_stored_answer_is_no_sample(make: Make) -> None:
    async with make(Fixed("good", GOOD)) as e:
        for _ in range(3):
            await e.search("widgets")
        assert [row["samples"] for row in (await e.statistics())["sources"]] == [1]


@pytest.mark.spec("ENC-PROFILE-9")
def test_the_flag_has_the_name_of_its_own(tmp_path: Path) -> None:
    def loaded(**names: str) -> Any:
        return load(str(tmp_path), environment(str(tmp_path), names, str(tmp_path)), None)

    assert not loaded().settings.profile.adaptive
    told = loaded(ENCYCLOPEDIA_ADAPTIVE_WEIGHTS="1", ENCYCLOPEDIA_CACHE_SYNERGY="0", RHETORIC_ENCYCLOPEDIA_SYNERGY="off")
    assert (told.settings.profile.adaptive, *told.settings.synergy) == (True, False, False)
    assert told.origins["profile.adaptive"] == "environment"
    with pytest.raises(ConfigurationError, match=r"synergy\.context cannot be 'maybe'"):
        loaded(RHETORIC_ENCYCLOPEDIA_SYNERGY="maybe")


@pytest.mark.spec("ENC-FEEDBACK-1")
async def test_a_vote_is_for_those_who_found_the_results(make: Make) -> None:
    same = Fixed("also", GOOD[:1])
    async with make(Fixed("good", GOOD), same, Fixed("poor")) as e:
        await e.search("widgets")
        await e.engine.stores.behind.settle()
        assert e.engine.stores.history
        (record,) = e.engine.stores.history.read()
        whole = await e.feedback("last", "up")
        assert (whole["id"], sorted(whole["sources"]), whole["matched_query"]) == (record["id"], ["also", "good"], None)
        one = await e.feedback(f"{record['id']}:2", "down")
        assert (one["result"], one["sources"], one["vote"]) == (2, ["good"], -1)
        assert (await e.feedback("https://example.org/0", "down"))["sources"] == whole["sources"]
        votes = {row["source"]: row["votes"] for row in (await e.statistics())["sources"]}
    assert votes == {"also": {"up": 1, "down": 1}, "good": {"up": 1, "down": 2}, "poor": {"up": 0, "down": 0}}


@pytest.mark.spec("ENC-FEEDBACK-2")
@pytest.mark.parametrize(("word", "vote", "sources"), [("down", -1, []), ("up", 1, ["good"])])
async def test_a_vote_on_an_answer_to_another_question_is_one_on_the_pair(
    make: Make, word: str, vote: int, sources: list[str]
) -> None:
    async with make(Fixed("good", GOOD)) as e:
        await e.search("install widgets")
        near, stores = Near(), e.engine.stores
        await stores.behind.settle()
        assert stores.history
        found = dict(stores.history.read()[0])
        stores.history.append(found | {"id": "near", "query": "widgets install", "matched_query": "install widgets"})
        told = feedback(e.engine._replace(stores=stores._replace(near=near)), "near", word)  # type: ignore[arg-type]
        assert near.votes == [("widgets install", "install widgets", vote)]
        assert (told["matched_query"], told["sources"]) == ("install widgets", sources)
        assert feedback(e.engine._replace(stores=stores._replace(near=near)), "near:1", word)["sources"] == ["good"]  # type: ignore[arg-type]
        assert len(near.votes) == 1


@pytest.mark.spec("ENC-FEEDBACK-3")
async def test_what_cannot_be_voted_on_is_said(make: Make) -> None:
    async with make(Fixed("good", GOOD)) as e:
        with pytest.raises(ConfigurationError, match="no past search"):
            await e.feedback("last", "up")
        await e.search("widgets", limit=2)
        for target, told in (
            ("abc", "no past search"),
            ("last:3", "has 2 results"),
            ("last:0", "has 2"),
            ("last:x", "no past"),
        ):
            with pytest.raises(ConfigurationError, match=told):
                await e.feedback(target, "up")
        with pytest.raises(UsageError, match="up or down"):
            await e.feedback("last", "sideways")
    async with make(Fixed("good", GOOD), history__enabled=False) as e:
        with pytest.raises(ConfigurationError, match="no record of searches"):
            await e.feedback("last", "up")


def memories(e: Encyclopedia) -> list[dict[str, Any]]:
    file = Path(e.engine.loaded.home, "memories.jsonl")
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


@pytest.mark.spec("ENC-SYNERGY-1")
async def test_a_topic_that_is_asked_often_becomes_a_memory_once(make: Make) -> None:
    async with make(Fixed("good", [*GOOD[:2], Hit("mine", "https://example.org/m", "widgets", label=Label.PERSONAL)])) as e:
        for n in range(6):
            await e.search("how widgets are made")
            await e.search(f"other {n}")
            await e.engine.stores.behind.settle()
            assert len(memories(e)) == (n >= 2)
        (memory,) = memories(e)
        assert Path(e.engine.loaded.home, "memories.jsonl").stat().st_mode & 0o077 == 0
    assert (memory["topic"], memory["query_type"], memory["asked"]) == ("how widgets are made", "library_docs", 3)
    assert {row["source"] for row in memory["results"]} == {"good"}
    assert "mine" not in json.dumps(memory)


@pytest.mark.spec("ENC-SYNERGY-1")
@pytest.mark.parametrize("settings", [{"synergy__memories": False}, {"history__enabled": False}])
async def test_without_the_flag_or_a_history_there_are_no_memories(make: Make, settings: dict[str, bool]) -> None:
    async with make(Fixed("good", GOOD), **settings) as e:
        for _ in range(4):
            await e.search("how widgets are made")
        await e.engine.stores.behind.settle()
        assert memories(e) == []


@pytest.mark.spec("ENC-SYNERGY-2")
@pytest.mark.parametrize("budget", [1, 20, 100, 5000])
async def test_the_context_of_a_topic_keeps_its_budget_and_its_citations(make: Make, budget: int) -> None:
    hits = [*GOOD[:3], Hit("mine", "https://example.org/m", "widgets and a secret", label=Label.PERSONAL)]
    async with make(Fixed("good", hits)) as e:
        told = await e.request_context("widgets", budget)
    assert len(told["context"]) <= 4 * budget
    assert told["tokens"] <= budget
    numbers = [row["number"] for row in told["citations"]]
    assert numbers == list(range(1, {1: 0, 20: 1, 100: 1, 5000: 3}[budget] + 1))
    for row in told["citations"]:
        assert f"[{row['number']}] {row['title']} (good, {row['url']})" in told["context"]
    assert "mine" not in str(told)


@pytest.mark.spec("ENC-SYNERGY-2")
async def test_the_context_can_be_switched_off_and_nothing_found_is_empty(make: Make) -> None:
    async with make(Fixed("good"), synergy__context=True) as e:
        assert (await e.request_context("widgets"))["context"] == ""
        with pytest.raises(UsageError, match="budget"):
            await e.request_context("widgets", 0)
    async with make(Fixed("good", GOOD), synergy__context=False) as e:
        with pytest.raises(ConfigurationError, match="switched off"):
            await e.request_context("widgets")
