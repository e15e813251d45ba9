"""A bound on searches at the same time, told as it is."""

from __future__ import annotations

import asyncio

import pytest

from encyclopedia import Encyclopedia
from encyclopedia.engine.patience import COLD, LEAST
from encyclopedia.engine.room import Room
from encyclopedia.model.errors import NoSourceAnswered
from encyclopedia.model.outcome import Hit, Reply
from encyclopedia.model.query import QueryType
from encyclopedia.ports import Card
from tests.switches import off


@pytest.mark.spec("ENC-PATIENCE-5")
def test_a_place_is_given_back_whatever_happens():
    room = Room(1)
    with pytest.raises(KeyError), room.place():
        raise KeyError
    with room.place(), pytest.raises(NoSourceAnswered) as refused, room.place():
        pass
    body = refused.value.to_dict()
    assert (body["code"], body["retry_after"], body["degraded"], body["outcomes"]) == (3, 1.0, True, [])
    assert body["hint"] == "try again in 1 s, or raise patience.searches"
    with room.place():
        pass


def engine_of(folder, source, **settings):
    named = {name.replace("__", "."): value for name, value in settings.items()}
    return Encyclopedia(
        home=str(folder / "home"), sources=(source,), settings=named, environ={"PATH": "/usr/bin:/bin", **off()}
    )


class Slow:
    """Answers when it is told to."""

    card = Card("slow", {QueryType.GENERAL_SEARCH: 1.0})

    def __init__(self):
        self.go, self.asked = asyncio.Event(), 0

    async def search(self, request):
        self.asked += 1
        await self.go.wait()
        return Reply((Hit(request.text, "https://example.org/", "text"),))


@pytest.mark.spec("ENC-PATIENCE-5")
async def test_the_engine_refuses_who_is_too_many_and_serves_them_later(tmp_path):
    slow = Slow()
    async with engine_of(tmp_path, slow, patience__searches=2) as engine:
        options = {"type": "general_search", "sources": "slow"}
        under_way = [asyncio.ensure_future(engine.search(text, **options)) for text in ("one", "two")]
        while slow.asked < 2:
            await asyncio.sleep(0)
        with pytest.raises(NoSourceAnswered, match="2 searches are under way"):
            await engine.search("three", **options)
        same = asyncio.ensure_future(engine.search("one", **options))  # needs no place: it joins the first
        await asyncio.sleep(0.01)
        slow.go.set()
        assert [report.code for report in await asyncio.gather(*under_way, same)] == [0, 0, 0]
        assert (await engine.search("three", **options)).code == 0


@pytest.mark.spec("ENC-PATIENCE-1", "ENC-PATIENCE-3")
async def test_what_was_learned_decides_the_next_search_and_verbose_tells_it(tmp_path):
    slow = Slow()
    slow.go.set()
    async with engine_of(tmp_path, slow, patience__soft=4.0) as engine:
        options = {"type": "general_search", "sources": "slow", "read_cache": False}
        for n in range(COLD):
            await engine.search(f"question {n}", **options)
        waiting = (await engine.search("one more", verbose=True, **options)).to_dict()["verbose"]["waiting"]
    told = waiting["sources"]["slow"]
    assert (told["timeout"], told["configured"], told["budget"]) == (LEAST, 5.0, LEAST)
    assert 0 < told["p95"] < LEAST
    assert (waiting["deadline"], waiting["soft_deadline"], waiting["hedged"]) == (10.0, 4.0, [])
