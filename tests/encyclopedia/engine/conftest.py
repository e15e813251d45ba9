"""What the tests of the engine are made of: plans, asks, a clock that is told the time, and every store of records."""

from __future__ import annotations

from contextlib import closing
from types import SimpleNamespace

import pytest

from encyclopedia.engine.circuit import Circuit, load_machine
from encyclopedia.engine.distant import DistantCircuit
from encyclopedia.model.outcome import Hit, Outcome, Reply
from encyclopedia.model.plan import Ask, Plan, Request
from encyclopedia.model.query import Query, QueryType, Question
from encyclopedia.model.ranking import Fusion, Ranked, Ranking, Share
from encyclopedia.model.settings import BreakerSettings
from encyclopedia.model.status import Status
from encyclopedia_adapters.storage.memory_records import MemoryRecords
from encyclopedia_adapters.storage.redis_link import open_link
from encyclopedia_adapters.storage.redis_records import SharedRecords
from encyclopedia_adapters.storage.sqlite_records import SqliteRecords
from tests.redis_server import redis_server


class Clock:
    """Wall-clock seconds that move when they are told to."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now

    def tick(self, seconds: float) -> None:
        self.now += seconds


def ask(source="alpha", *, timeout=2.0, limit=10, type=QueryType.GENERAL_SEARCH):
    return Ask(source, Request("parse json", type, limit, timeout), 1.0)


def plan(*sources, text="parse json", deadline=5.0, timeout=2.0, type=QueryType.GENERAL_SEARCH, read_cache=True, **more):
    question = Question(Query(text, read_cache=read_cache), text, type, "default")
    asks = tuple(ask(name, timeout=timeout, type=type) for name in sources)
    return Plan(question, asks, deadline=deadline, **more)


def reply(*titles):
    return Reply(tuple(Hit(title, f"https://example.org/{title}", f"about {title}") for title in titles))


def ranking(plan, *titles, **more):
    results = tuple(
        Ranked(hit, (Share("alpha", rank, 1.0, 1 / (10 + rank)),)) for rank, hit in enumerate(reply(*titles).hits, start=1)
    )
    outcomes = (Outcome("alpha", Status.OK if titles else Status.EMPTY, reply(*titles), 0.02),)
    return Ranking(plan, more.pop("outcomes", outcomes), results, Fusion("scaled", 10.0, {"alpha": 1.0}), **more)


def returns(value):
    async def work():
        return value

    return work


def raises(error):
    async def work():
        raise error

    return work


@pytest.fixture
def make():
    """Factories of values."""
    return SimpleNamespace(ask=ask, plan=plan, reply=reply, ranking=ranking, returns=returns, raises=raises)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(scope="module")
def server():
    """A redis-server."""
    with redis_server() as running:
        yield running


@pytest.fixture(params=["memory", "sqlite", "redis"])
def records(request, tmp_path):
    """Every store of records that there is."""
    if request.param == "redis":
        server = request.getfixturevalue("server")
        server.client.flushall()
        with closing(open_link(server.url)) as link:
            yield SharedRecords(link, "records")
        return
    store = MemoryRecords() if request.param == "memory" else SqliteRecords(str(tmp_path / "state" / "breakers.db"))
    yield store
    if isinstance(store, SqliteRecords):
        store.close()


@pytest.fixture
def told():
    """What was notified."""
    return []


@pytest.fixture
def circuit(records, clock, told):
    """A circuit over the store, with the usual settings."""
    settings = BreakerSettings(fail_max=3, cooldown=60.0, max_gate=3600.0)
    kind = DistantCircuit if getattr(records, "distant", False) else Circuit
    return kind(
        (records, MemoryRecords()), settings, machine=load_machine, notify=lambda *change: told.append(change), clock=clock
    )
