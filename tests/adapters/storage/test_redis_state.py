"""All that is shared over one link: where its keys lie, how long they live, and what stands in for it."""

from __future__ import annotations

import asyncio
import re
from contextlib import closing

import pytest

from encyclopedia.keeping import Kept
from encyclopedia.model.cached import CacheEntry
from encyclopedia.model.query import QueryType
from encyclopedia_adapters.storage.diskcache_answers import open_store
from encyclopedia_adapters.storage.jsonl_history import open_store as open_history
from encyclopedia_adapters.storage.ledger import open_ledger
from encyclopedia_adapters.storage.memory_records import MemoryRecords
from encyclopedia_adapters.storage.near_index import open_index
from encyclopedia_adapters.storage.process_lease import open_lease
from encyclopedia_adapters.storage.redis_link import Gone
from encyclopedia_adapters.storage.redis_state import open_state
from tests.adapters.storage.test_redis_link import until
from tests.redis_server import free_port, redis_server

CORPUS = "notes"


class Everything:
    """Every store of a replica over the shared state, each with what this machine has in its place."""

    def __init__(self, url, folder):
        self.state = open_state(url)
        kept = {"ttl": 3600.0, "entries": 50, "stale": 0.0}
        self.answers = self.state.answers(open_store(str(folder / "cache"), **kept), **kept)
        self.near = self.state.near(open_index(str(folder / "cache")))
        self.lease = self.state.lease(open_lease(str(folder / "state")))
        self.records = self.state.records(MemoryRecords())
        self.votes = self.state.votes(MemoryRecords())
        self.ledgers = [self.state.ledger(name, open_ledger(str(folder / name))) for name in ("profile", "memories")]
        local = open_history(str(folder / "sessions"), entries=50, days=30.0)
        self.history = self.state.history(local, entries=50, days=30.0)

    def close(self):
        for store in (self.near, self.answers, self.records, self.state):
            store.close()

    async def use(self):
        """Write into each, and read it back."""
        self.answers.put(entry("a"))
        assert self.answers.get("a").query == "asked a"
        self.near.add("group", "a", "asked a")
        assert self.near.holds("group")
        assert self.near.pending("group", "mark", 4, 9) == [("a", "asked a")]
        self.near.fill("group", "mark", [("a", "asked a")], vectors())
        assert [near.key for near in self.near.nearest("group", "mark", vectors()[0], 3)] == ["a"]
        for records in (self.records, self.votes):
            records.step("alpha", lambda record: record.update(n=1))
            assert records.peek("alpha") == {"n": 1}
        for ledger in self.ledgers:
            ledger.append([{"n": 1}])
            ledger.rewrite(lambda kept: [*kept, {"n": 2}])
            assert [record["n"] for record in ledger.read()[0]] == [1, 2]
        self.history.append({"id": "1", "at": "2999-01-01T00:00:00+00:00", "query": "asked a", "results": []})
        assert self.history.times("asked a") == [1]
        async with self.lease.hold("a", 1.0) as another:
            assert another is False


def entry(key, stored_at=None):
    import time

    body = {"results": [], "place": [CORPUS, "a.md"]}
    return CacheEntry(key, QueryType.GENERAL_SEARCH, f"asked {key}", body, stored_at or time.time(), 0.0)


def vectors():
    import numpy as np

    return np.array([[1.0, 0.0, 0.0, 0.0]], dtype=np.float32)


@pytest.fixture(scope="module")
def server():
    with redis_server() as running:
        yield running


@pytest.fixture
def replica(server, tmp_path):
    if not server.running:
        server.start()
    server.client.flushall()
    with closing(Everything(server.url, tmp_path)) as everything:
        yield everything


@pytest.mark.spec("ENC-SHARED-1", "ENC-SHARED-6")
async def test_every_key_has_its_tag_and_its_end(server, replica):
    assert replica.state.look() == f"Redis {server.client.info('server')['redis_version']} at 127.0.0.1:{server.port}/0"
    async with replica.lease.hold("another", 1.0):
        await replica.use()
        keys = server.keys()
        tags = {re.fullmatch(r"encyclopedia:1:\{([^{}]+)\}(:.+)?", key)[1] for key in keys}
        assert {"cache", "history", "memories", "profile", "records", "votes"} <= tags
        assert {key: server.client.pttl(key) for key in keys if server.client.pttl(key) <= 0} == {}


@pytest.mark.spec("ENC-SHARED-6")
async def test_every_store_works_on_a_cluster(tmp_path):
    bus = str(free_port())  # by itself it takes its port and ten thousand more, which may be none
    with redis_server("--cluster-enabled", "yes", "--cluster-port", bus) as node:
        node.client.execute_command("CLUSTER", "ADDSLOTSRANGE", "0", "16383")
        until(lambda: "cluster_state:ok" in str(node.client.execute_command("CLUSTER", "INFO")).replace("': '", ":"))
        with closing(Everything(node.url, tmp_path)) as everything:
            await everything.use()
            assert everything.answers.stats()["entries"]["general_search"] == 1
            assert everything.near.counted() == (1, 1)
            assert everything.answers.clear() == 1
            assert not everything.state.problem


@pytest.mark.spec("ENC-SHARED-2")
async def test_every_store_works_without_the_server(server, replica):
    server.kill()
    await replica.use()
    assert replica.state.problem.endswith("cannot be reached")
    assert replica.answers.problem.endswith("cannot be reached")
    assert [found.key for found in replica.answers.entries()] == ["a"]
    assert replica.answers.peek("a").key == "a"
    assert replica.answers.stats()["entries"]["general_search"] == 1
    assert replica.near.counted() == (1, 1)
    assert replica.near.all()["a"] == Kept("group", "asked a", "mark", vectors()[0].tobytes())
    with pytest.raises(OSError, match="cannot be reached"):
        replica.state.look()
    for what in (replica.answers.clear, lambda: replica.answers.forget(CORPUS)):
        with pytest.raises(Gone):  # what others hold would stay
            what()
    assert replica.answers.get("a") is None  # and what is here is gone


@pytest.mark.spec("ENC-SHARED-2")
async def test_without_the_server_the_processes_of_a_machine_wait_for_one_another(server, replica, start, tmp_path):
    server.kill()
    assert replica.answers.get("a") is None
    assert replica.state.problem
    code = (
        "import asyncio, sys\n"
        "from encyclopedia_adapters.storage.process_lease import open_lease\n"
        "async def main():\n"
        "    async with open_lease(sys.argv[1]).hold('a', 1.0):\n"
        "        print('held', flush=True); sys.stdin.readline()\n"
        "asyncio.run(main())"
    )
    other = start(code, tmp_path / "state")
    assert await asyncio.to_thread(other.stdout.readline) == "held\n"
    async with replica.lease.hold("a", 0.1) as another:
        assert another is True


@pytest.mark.spec("ENC-SHARED-1")
async def test_what_one_replica_clears_or_forgets_is_gone_for_all(server, replica, tmp_path):
    with closing(Everything(server.url, tmp_path / "other")) as other:
        replica.answers.put(entry("a"), entry("b"))
        assert other.answers.get("a").key == "a"
        assert [found.key for found in other.answers.entries()] == ["a", "b"]
        assert other.answers.clear() == 2
        assert replica.answers.get("a") is None
