"""The seven laws of constitution.md, kept by the whole engine."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from encyclopedia import Encyclopedia, Hit, NoSourceAnswered, QueryType, Reply
from encyclopedia.model.errors import AuthRefused, Garbled, QuotaSpent, RateLimited, Unavailable
from encyclopedia_adapters.generic.fixed import Fixed

Make = Callable[..., Encyclopedia]
PAGES = [Hit(f"page {n}", f"https://example.org/{n}", f"text number {n} about widgets") for n in range(6)]


@pytest.mark.spec("ENC-LAW-1")
async def test_every_result_came_from_a_source(make: Make) -> None:
    async with make(Fixed("one", PAGES[:4]), Fixed("two", PAGES[2:])) as e:
        report = await e.search("widgets", limit=50)
        given = {(hit.title, hit.url, hit.content) for hit in PAGES}
        assert {(r.title, r.url, r.content) for r in report.results} == given
        for result in report.results:
            assert result.score == sum(share.score for share in result.fused_from)
        again = await e.search("widgets", limit=50)
        assert again.cached
        assert again.results == report.results
    async with make(Fixed("one"), Fixed("two")) as e:
        nothing = await e.search("gadgets")
        assert (nothing.code, nothing.results, nothing.degraded) == (2, (), False)


@pytest.mark.spec("ENC-LAW-2")
async def test_contradicting_pages_are_both_shown(make: Make) -> None:
    yes = Hit("Is it thread-safe?", "https://example.org/a", "The client is thread-safe since version 2.1 of the library.")
    no = Hit("Is it thread-safe?", "https://example.org/b", "The client is not thread-safe since version 2.1 of the library.")
    old = Hit("Is it thread-safe?", "https://example.org/c", "The client is thread-safe since version 3.1 of the library.")
    async with make(Fixed("one", [yes, old]), Fixed("two", [no])) as e:
        report = await e.search("client thread-safe", verbose=True)
    assert {r.url for r in report.results} == {yes.url, no.url, old.url}
    assert report.body["verbose"]["fusion"]["dropped_duplicates"] == []


@pytest.mark.spec("ENC-LAW-3")
@pytest.mark.parametrize(
    ("trouble", "status"),
    [
        (Unavailable("the host is down"), "unavailable"),
        (Garbled("not JSON"), "error"),
        (RateLimited("too many calls", 30), "rate_limited"),
        (AuthRefused("the key is not accepted"), "auth"),
        (QuotaSpent("no calls left"), "quota"),
        (ConnectionResetError("gone"), "unavailable"),
        (RuntimeError("a bug of a stranger"), "error"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else value,
)
async def test_every_failure_is_named(make: Make, trouble: Exception, status: str) -> None:
    async with make(Fixed("good", PAGES), Fixed("bad", raises=trouble)) as e:
        report = await e.search("widgets")
        assert report.degraded
        (error,) = report.body["degradation"]["errors"]
        assert (error["source"], error["optional"]) == ("bad", False)
        assert error["message"]
        (outcome,) = [o for o in report.body["outcomes"] if o["source"] == "bad"]
        assert outcome["status"] == status
        assert not (await e.search("widgets")).cached


@pytest.mark.spec("ENC-LAW-3")
async def test_a_source_that_gives_less_than_it_can_degrades_the_answer(make: Make) -> None:
    async with make(Fixed("stale", reply=Reply(tuple(PAGES), reduced="3 files changed since"))) as e:
        report = await e.search("widgets")
    assert report.degraded
    assert report.body["degradation"]["errors"] == [{"source": "stale", "message": "3 files changed since", "optional": False}]


@pytest.mark.spec("ENC-LAW-4")
async def test_an_answer_is_never_served_to_another_type(make: Make) -> None:
    source = Fixed("one", PAGES)
    async with make(source) as e:
        for kind in QueryType:
            report = await e.search("widgets", type=kind)
            assert not report.cached, kind
        for kind in QueryType:
            report = await e.search("widgets", type=kind)
            assert report.cached
            assert report.body["query_type"] == kind
    assert len(source.requests) == len(QueryType)


@pytest.mark.spec("ENC-LAW-5")
async def test_every_result_names_all_who_found_it(make: Make) -> None:
    copies = [Hit("page", "http://www.example.org/x/?utm_source=a", "t"), Hit("page", "https://example.org/x", "a longer text")]
    async with make(Fixed("one", [copies[0]]), Fixed("two", [copies[1]]), Fixed("three", PAGES)) as e:
        report = await e.search("widgets", limit=20)
    for result in report.results:
        assert result.fused_from
        assert result.source == result.fused_from[0].source
    (merged,) = [r for r in report.results if r.title == "page"]
    assert sorted(share.source for share in merged.fused_from) == ["one", "two"]
    assert merged.content == "a longer text"
    assert merged.url == "https://www.example.org/x/"


@pytest.mark.spec("ENC-LAW-6")
async def test_one_good_source_is_enough(make: Make) -> None:
    bad = [Fixed(f"bad{n}", raises=trouble) for n, trouble in enumerate((Unavailable("x"), RuntimeError("y"), OSError("z")))]
    async with make(*bad, Fixed("good", PAGES), Fixed("slow", PAGES, delay=60)) as e:
        report = await e.search("widgets", timeout=0.3)
        assert [r.url for r in report.results] == [hit.url for hit in PAGES[:5]]
        assert {o["status"] for o in report.body["outcomes"]} == {"ok", "unavailable", "error", "timeout"}
    async with make(*bad) as e:
        with pytest.raises(NoSourceAnswered) as failed:
            await e.search("widgets")
        assert len(failed.value.details["outcomes"]) == 3


@pytest.mark.spec("ENC-LAW-7")
async def test_expansion_only_adds(make: Make) -> None:
    own = tuple(PAGES[:3])
    other = (Hit("by another name", "https://example.org/other", "kubernetes"),)
    source = Fixed("one", reply=Reply(own, alternatives=(*other, own[0])))
    async with make(source, Fixed("two", PAGES[3:5], serves={QueryType.LIBRARY_DOCS: 0.01})) as e:
        report = await e.search("k8s ingress", limit=50)
        plain = await e.search("k8s ingress", limit=50, expand=False)
    (asked, unexpanded) = source.requests
    assert "k8s" in asked.text.split()
    assert "kubernetes" in asked.expanded
    assert "k8s" in asked.expanded
    assert unexpanded.expanded == ""
    assert [r.url for r in report.results][-1] == "https://example.org/other"
    assert report.results[-1].fused_from[0].expansion
    assert plain.body["query_type"] == report.body["query_type"]
