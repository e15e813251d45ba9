from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import encyclopedia
from encyclopedia import (
    Card,
    ConfigurationError,
    Encyclopedia,
    Hit,
    Locator,
    NoSourceAnswered,
    QueryType,
    Reply,
    Request,
    UsageError,
)
from encyclopedia.faces.options import CallOptions, Options
from encyclopedia.faces.requests import OPTIONS
from encyclopedia.model.errors import AuthRefused, RateLimited, Unavailable
from encyclopedia.ports import Context
from encyclopedia.wiring.agent import VERSION
from encyclopedia_adapters.generic.fixed import Fixed

Make = Callable[..., Encyclopedia]
HITS = [
    Hit("one", "https://example.org/1", "first", published="2026-01-02", version="2.1"),
    Hit("two", content="second", locator=Locator("notes", "a.md", "A > B", (3, 9))),
]
NAMES = ["rank", "title", "url", "content", "source", "score", "fused_from", "locator", "published", "version"]
TOP = [
    "schema_version", "status", "query", "query_type", "results", "sources_used", "outcomes", "degraded", "degradation",
    "cached", "corrections", "evidence_gap",
]  # fmt: skip


@pytest.mark.spec("ENC-PYTHON-1")
async def test_a_report_has_objects_and_the_json_form(make: Make) -> None:
    async with make(Fixed("one", HITS)) as e:
        report = await e.search("widgets first second")
    body = report.to_dict()
    assert list(body) == TOP
    assert list(body["results"][0]) == NAMES
    first, second = report.results
    assert (first.rank, first.title, first.url) == (1, "one", "https://example.org/1")
    assert (first.published, first.version) == ("2026-01-02", "2.1")
    assert second.to_dict()["locator"] == {"corpus": "notes", "path": "a.md", "section": "A > B", "lines": [3, 9]}
    assert second.to_dict()["url"] is None
    assert body["outcomes"] == [
        {"source": "one", "status": "ok", "results": 2, "ms": body["outcomes"][0]["ms"], "reason": "", "optional": False}
    ]
    assert json.loads(json.dumps(body)) == body


@pytest.mark.spec("ENC-PYTHON-1")
async def test_nothing_found_is_a_report_and_nobody_answering_an_error(make: Make) -> None:
    async with make(Fixed("one")) as e:
        report = await e.search("widgets")
        assert (report.code, report.status, report.results) == (2, "error", ())
        assert report.to_dict()["hint"]
    async with make(Fixed("one", raises=Unavailable("gone"))) as e:
        with pytest.raises(NoSourceAnswered) as failed:
            await e.search("widgets")
    body = failed.value.to_dict()
    assert (body["status"], body["code"], body["degraded"]) == ("error", 3, True)
    assert [o["status"] for o in body["outcomes"]] == ["unavailable"]


@pytest.mark.spec("ENC-PYTHON-1")
async def test_where_everybody_is_held_back_the_error_says_who_and_why(make: Make) -> None:
    async with make(Fixed("one", raises=Unavailable("gone")), breaker__fail_max=1) as e:
        with pytest.raises(NoSourceAnswered):
            await e.search("widgets")
        with pytest.raises(NoSourceAnswered, match="no source could be asked") as failed:
            await e.search("widgets")
    body = failed.value.to_dict()
    (held,) = body["outcomes"]
    assert (held["source"], held["status"]) == ("one", "refused")
    assert (body["query_type"], body["degraded"]) == ("library_docs", True)
    missing = {row["source"]: row for row in body["degradation"]["missing"]}
    assert "gone" in "{reason} {hint}".format_map({"hint": "", **missing["one"]})


@pytest.mark.spec("ENC-CACHE-14")
async def test_what_is_being_stored_is_there_when_the_engine_is_closed(make: Make) -> None:
    async with make(Fixed("one", HITS)) as e:
        assert not (await e.search("widgets")).cached
    async with make(Fixed("one", HITS)) as e:
        assert (await e.search("widgets")).cached


@pytest.mark.spec("ENC-PYTHON-1")
@pytest.mark.parametrize(
    ("options", "error", "hint"),
    [
        ({"sources": "onee"}, ConfigurationError, "one"),
        ({"corpora": "notes"}, ConfigurationError, "no corpus"),
        ({"type": "library_doc"}, ConfigurationError, "library_docs"),
        ({"limt": 3}, UsageError, "did you mean limit?"),
        ({"corpus": "notes"}, UsageError, "did you mean corpora?"),
        ({"tag": "infra"}, UsageError, "did you mean tags?"),
        ({"limit": "3"}, UsageError, ""),
        ({"timeout": True}, UsageError, ""),
        ({"limit": 0}, UsageError, ""),
        ({"timeout": -1.0}, UsageError, ""),
        ({"max_tokens": 0}, UsageError, ""),
    ],
)
async def test_what_does_not_fit_is_refused_with_the_remedy(
    make: Make, options: dict[str, object], error: type[Exception], hint: str
) -> None:
    async with make(Fixed("one", HITS)) as e:
        with pytest.raises(error) as failed:
            await e.search("widgets", **options)
    assert hint in failed.value.hint  # ours have one


@pytest.mark.parametrize("query", ["", "   ", "\x00", None, 3])
async def test_no_query_is_wrong_usage(make: Make, query: object) -> None:
    async with make(Fixed("one", HITS)) as e:
        with pytest.raises(UsageError):
            await e.search(query)  # on purpose


async def test_the_configured_limit_is_the_default(make: Make) -> None:
    async with make(Fixed("one", HITS), limit=1) as e:
        assert len((await e.search("widgets")).results) == 1
        assert len((await e.search("widgets", limit=2)).results) == 2


async def test_a_plan_asks_nobody_and_writes_nothing(make: Make, tmp_path: Path) -> None:
    source = Fixed("one", HITS)
    async with make(source) as e:
        plan = e.plan("kuberntes pod limts")
    assert (plan["status"], plan["cache_status"], plan["target_sources"]) == ("dry_run", "miss", ["one"])
    assert plan["query_analysis"]["corrections"] == ["kuberntes → kubernetes", "limts → limits"]
    assert source.requests == []
    assert list(tmp_path.iterdir()) == []


async def test_what_is_wrong_inside_is_told_without_details(make: Make) -> None:
    async with make(Fixed("one", HITS)) as e:
        trace = e.prepare(e.query("widgets", {})[0])

        class Broken:
            def __getattr__(self, name: str) -> object:
                raise ZeroDivisionError("secret")

        with pytest.raises(encyclopedia.EncyclopediaError) as failed:
            await e.answer(trace, watch=Broken())  # on purpose
    assert failed.value.code == 4
    assert "secret" not in failed.value.message


@pytest.mark.spec("ENC-PYTHON-2")
def test_the_function_works_without_a_loop(tmp_path: Path) -> None:
    report = encyclopedia.search("widgets", home=str(tmp_path), sources=["one", Fixed("one", HITS)], environ={}, limit=1)
    assert [result.title for result in report.results] == ["one"]


@pytest.mark.spec("ENC-PYTHON-2")
async def test_the_function_works_inside_a_running_loop(tmp_path: Path) -> None:
    report = encyclopedia.search("widgets", home=str(tmp_path), sources=["one", Fixed("one", HITS)], environ={})
    assert len(report.results) == 2
    with pytest.raises(ConfigurationError):
        encyclopedia.search("widgets", home=str(tmp_path), sources="nobody", environ={})


class Changelog:
    card = Card("changelog", serves={QueryType.LIBRARY_DOCS: 0.2})

    def __init__(self, context: Context) -> None:
        self.closed: list[str] = []
        self.name = context.name

    async def search(self, request: Request) -> Reply:
        return Reply((Hit(f"{self.name}: {request.text}", "https://example.org/changes"),))


@pytest.mark.spec("ENC-BADDAY-8")
async def test_one_that_hangs_costs_the_first_searches_its_time_and_then_nothing(make: Make) -> None:
    slow = Fixed("slow", HITS[:1], delay=60.0)
    async with make(Fixed("one", HITS[:1]), slow, deadline=0.2) as e:
        said = [(await e.search(f"widgets {n}")).to_dict()["outcomes"][1]["status"] for n in range(5)]
        assert (said, len(slow.requests)) == (["timeout"] * 3 + ["refused"] * 2, 3)
        hurried = Fixed("hurried", HITS[:1], delay=60.0)
    async with make(Fixed("one", HITS[:1]), hurried) as e:
        for n in range(4):
            await e.search(f"gadgets {n}", timeout=0.05)
        assert len(hurried.requests) == 4


@pytest.mark.spec("ENC-PYTHON-3")
async def test_sources_are_objects_classes_or_cards(make: Make) -> None:
    fixed = Fixed("two", HITS)
    card = Card("three", serves={QueryType.LIBRARY_DOCS: 0.2}, make=lambda _: fixed)
    async with make(Changelog, Fixed("one", HITS[:1]), card) as e:
        report = await e.search("widgets", limit=10)
    assert sorted(report.to_dict()["sources_used"]) == ["changelog", "one", "three"]
    with pytest.raises(ConfigurationError, match="int is not a source"):
        make(3)


@pytest.mark.spec("ENC-PYTHON-3")
async def test_a_source_is_closed_with_the_engine(make: Make) -> None:
    closed = []

    class Closing(Fixed):
        async def aclose(self) -> None:
            closed.append(self.card.name)

    async with make(Closing("one", HITS), Closing("never used", HITS)) as e:
        await e.search("widgets", sources="one")
    assert closed == ["one"]


def test_everything_that_is_exported_exists_and_nothing_else() -> None:
    for name in encyclopedia.__all__:
        assert getattr(encyclopedia, name) is not None
    with pytest.raises(AttributeError):
        _ = encyclopedia.nothing_of_this_name
    assert {*encyclopedia.__all__, "__version__"} <= set(dir(encyclopedia))
    assert encyclopedia.__version__ == VERSION


@pytest.mark.spec("ENC-PYTHON-4")
def test_the_options_that_editors_complete_are_those_that_are_taken() -> None:
    assert set(Options.__annotations__) == set(OPTIONS)
    assert set(CallOptions.__annotations__) == {*OPTIONS, "home", "settings", "environ"} - {"sources"}


@pytest.mark.spec("ENC-PYTHON-6")
@pytest.mark.parametrize("option", ["sources", "corpora", "tags"])
@pytest.mark.parametrize("nothing", [[], [""], (" ", ""), " , "])
async def test_a_list_that_names_nothing_is_not_everything(make: Make, option: str, nothing: object) -> None:
    async with make(Fixed("one", HITS)) as e:
        with pytest.raises(UsageError, match=f"{option} names none"):
            await e.search("kubernetes second", **{option: nothing})
        if option != "sources":
            with pytest.raises(UsageError, match=f"{option} names none"):
                await e.ask("what is kubernetes?", **{option: nothing})
        assert (await e.search("kubernetes second", **{option: None})).results


@pytest.mark.spec("ENC-PYTHON-4")
async def test_a_report_says_what_became_of_the_question(make: Make) -> None:
    async with make(Fixed("one", HITS), Fixed("two", raises=Unavailable("gone"))) as e:
        report = await e.search("kuberntes second")
    body = report.to_dict()
    assert report.query_type is QueryType.LIBRARY_DOCS
    assert [row["status"] for row in report.outcomes] == ["ok", "unavailable"]
    assert (report.outcomes, report.degradation) == (body["outcomes"], body["degradation"])
    assert report.degradation["errors"][0]["message"] == "gone"
    assert report.corrections == ("kuberntes → kubernetes",)
    assert report.evidence_gap == ("kubernetes",)


@pytest.mark.spec("ENC-LAW-3")
@pytest.mark.parametrize(
    ("raised", "sentence"),
    [
        (Unavailable("no route"), "one: unavailable — no route"),
        (AuthRefused("the key is not accepted"), "one: auth — the key is not accepted"),
        (RateLimited("asked to wait", 30.0), "one: rate limited — asked to wait"),
        (ZeroDivisionError("by zero"), "one: error — ZeroDivisionError: by zero"),
        (KeyError("nam"), "one: error — KeyError: 'nam'"),
    ],
)
async def test_an_error_says_why_each_source_failed(make: Make, raised: Exception, sentence: str) -> None:
    async with make(Fixed("one", raises=raised)) as e:
        with pytest.raises(NoSourceAnswered) as failed:
            await e.search("widgets")
    assert sentence in str(failed.value)
    assert failed.value.hint


class Held:
    """A history that another process holds until somebody else in this one has had a turn."""

    def __init__(self) -> None:
        self.begun, self.ended = threading.Event(), threading.Event()
        self.waited: list[bool] = []

    def append_now(self, *records: Mapping[str, object]) -> bool:
        return False

    def append(self, *records: Mapping[str, object]) -> None:
        self.begun.set()
        self.waited.append(self.ended.wait(30))


@pytest.mark.spec("ENC-PYTHON-5")
async def test_a_history_that_another_process_holds_holds_up_no_answer_for_long(make: Make) -> None:
    history = Held()
    async with make(Fixed("one", HITS)) as e:
        e.engine = e.engine._replace(stores=e.engine.stores._replace(history=history))
        reports = [await e.search("widgets first")]
        while not history.begun.is_set():
            await asyncio.sleep(0.001)
        reports.append(await e.search("widgets second"))
        assert history.waited == []  # it is held still, and two answers have come
        history.ended.set()
    assert history.waited == [True, True]
    assert all("notes" not in report.body for report in reports)


@pytest.mark.spec("ENC-PYTHON-5")
async def test_searches_at_once_are_all_in_the_history(make: Make) -> None:
    async with make(Fixed("one", HITS)) as e:
        await asyncio.gather(*(e.search(f"widgets {number}", read_cache=False) for number in range(20)))
        assert e.engine.stores.history is not None
        await e.engine.stores.behind.settle()
        assert {row["query"] for row in e.engine.stores.history.read()} == {f"widgets {number}" for number in range(20)}
