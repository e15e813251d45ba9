"""Events of searches to those who registered for them: once each, in order, and never in the way."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from encyclopedia import Encyclopedia, Hit, NoSourceAnswered
from encyclopedia.model.errors import Unavailable
from encyclopedia.model.event import Event
from encyclopedia.wiring.postbox import ROOM, Postbox
from encyclopedia_adapters.generic.fixed import Fixed

Make = Callable[..., Encyclopedia]
HITS = [Hit("a page", "https://example.org/1", "about widgets")]


class Sink:
    """Keeps what it is told; ``gate`` holds it up while it is closed."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.gate = threading.Event()
        self.gate.set()

    def emit(self, event: Event) -> None:
        self.gate.wait()
        self.events.append(event)

    def names(self) -> list[str]:
        return [event.name.removeprefix("encyclopedia.") for event in self.events]


class Failing:
    """Raises whatever it is told."""

    def emit(self, event: Event) -> None:
        raise RuntimeError(event.name)


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A module of a stranger's distribution that is registered for events, with a good sink and some that are not."""
    info = tmp_path / "site" / "watcher-1.0.dist-info"
    info.mkdir(parents=True)
    names = ("failing", "sink", "missing", "odd")
    text = "".join(f"{name} = watcher_of_events:{name.upper()}\n" for name in names)
    (info / "entry_points.txt").write_text(f"[encyclopedia.events]\n{text}gone = no_such_module_anywhere:SINK\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    module: Any = ModuleType("watcher_of_events")
    module.SINK, module.FAILING, module.ODD = Sink(), Failing, 7
    sys.modules["watcher_of_events"] = module
    yield module
    module.SINK.gate.set()
    del sys.modules["watcher_of_events"]


@pytest.mark.spec("ENC-EVENT-1")
async def test_each_search_tells_its_beginning_its_cache_and_its_end_once(make: Make, plugin: ModuleType) -> None:
    async with make(Fixed("one", HITS)) as e:
        await e.search("widgets")
        await e.search("widgets")
        await e.search("widgets", read_cache=False)
    assert plugin.SINK.names() == [
        "search.started", "cache.miss", "search.completed",
        "search.started", "cache.hit", "search.completed",
        "search.started", "search.completed",
    ]  # fmt: skip
    events = plugin.SINK.events
    searches = [[event.correlation for event in events[a:b]] for a, b in ((0, 3), (3, 6), (6, 8))]
    assert [len(set(one)) for one in searches] == [1, 1, 1]
    assert len({one[0] for one in searches}) == 3
    assert len({event.id for event in events}) == len(events)
    assert [event.at for event in events] == sorted(event.at for event in events)
    assert events[0].data == {"query": "widgets", "query_type": "library_docs", "sources": ["one"]}
    done = events[2].data
    assert (done["code"], done["results"], done["degraded"], done["cached"]) == (0, 1, False, False)
    assert e.engine.stores.history
    assert [row["id"] for row in e.engine.stores.history.read()] == [one[0] for one in searches]
    assert str(events[0].to_dict()["at"]).endswith("+00:00")


@pytest.mark.spec("ENC-EVENT-1")
async def test_what_happens_between_searches_belongs_to_none(make: Make, plugin: ModuleType) -> None:
    async with make(Fixed("one", HITS)) as e:
        await e.search("widgets")
        e.engine.stores.events.breaker("one", "half-open", "closed")
    *search, last = plugin.SINK.events
    assert last.name == "encyclopedia.source.restored"
    assert last.correlation not in {event.correlation for event in search}


@pytest.mark.spec("ENC-EVENT-1")
async def test_a_search_that_fails_is_completed_too(make: Make, plugin: ModuleType) -> None:
    async with make(Fixed("bad", raises=Unavailable("gone"))) as e:
        with pytest.raises(NoSourceAnswered):
            await e.search("widgets")
    assert plugin.SINK.names() == ["search.started", "cache.miss", "search.completed"]
    assert (plugin.SINK.events[-1].data["code"], plugin.SINK.events[-1].data["error"]) == (3, "NoSourceAnswered")


@pytest.mark.spec("ENC-EVENT-1")
async def test_a_dry_run_tells_nothing_and_lookup_is_a_search(make: Make, plugin: ModuleType) -> None:
    async with make(Fixed("one", HITS)) as e:
        e.plan("widgets")
        await e.lookup("widgets")
    assert plugin.SINK.names() == ["search.started", "search.completed"]


@pytest.mark.spec("ENC-EVENT-2")
async def test_a_source_that_is_left_alone_and_its_return_are_told_once_each(make: Make, plugin: ModuleType) -> None:
    bad = Fixed("bad", raises=Unavailable("gone"))
    async with make(bad, Fixed("good", HITS), breaker__fail_max=2, breaker__cooldown=0.0) as e:
        for _ in range(4):
            await e.search("widgets", read_cache=False)
        bad._raises = None
        for _ in range(3):
            await e.search("widgets", read_cache=False)
    told = [event for event in plugin.SINK.events if "source." in event.name]
    assert [event.name for event in told] == ["encyclopedia.source.degraded", "encyclopedia.source.restored"]
    assert [event.data["event"] for event in told] == ["ENCYCLOPEDIA_SOURCE_DEGRADED", "ENCYCLOPEDIA_SOURCE_RESTORED"]
    assert {event.data["source"] for event in told} == {"bad"}
    started = [event.correlation for event in plugin.SINK.events if event.name.endswith("started")]
    assert [event.correlation for event in told] == [started[1], started[4]]


@pytest.mark.spec("ENC-EVENT-3")
async def test_a_sink_that_hangs_holds_up_no_search_and_no_end(make: Make, plugin: ModuleType) -> None:
    plugin.SINK.gate.clear()
    async with make(Fixed("one", HITS)) as e:
        for _ in range(3):
            assert (await e.search("widgets")).results
        assert plugin.SINK.names() == []
    plugin.SINK.gate.set()


@pytest.mark.spec("ENC-EVENT-3")
def test_more_than_can_wait_is_left_out(plugin: ModuleType) -> None:
    plugin.SINK.gate.clear()
    box = Postbox("watcher_of_events:SINK")
    for n in range(ROOM + 50):
        box.put(Event(str(n), 0.0, ""))
    plugin.SINK.gate.set()
    box.close()
    assert ROOM <= len(plugin.SINK.events) <= ROOM + 2
    assert plugin.SINK.names()[:3] == ["0", "1", "2"]


@pytest.mark.spec("ENC-EVENT-3")
async def test_where_nobody_registered_there_is_no_thread(make: Make) -> None:
    async with make(Fixed("one", HITS)) as e:
        await e.search("widgets")
        assert not [thread for thread in threading.enumerate() if thread.name.startswith("events")]
