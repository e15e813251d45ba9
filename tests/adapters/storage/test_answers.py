"""What every store of answers does, on disk and on a Redis server: the contract of both."""

from __future__ import annotations

import os
import sqlite3
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from encyclopedia.model.cached import CacheEntry
from encyclopedia.model.query import QueryType
from encyclopedia_adapters.storage.diskcache_answers import DiskcacheAnswers
from encyclopedia_adapters.storage.redis_answers import RedisAnswers
from encyclopedia_adapters.storage.redis_link import open_link
from tests.adapters.storage.conftest import Clock
from tests.redis_server import redis_server

OPEN = {
    "disk": "from encyclopedia_adapters.storage.diskcache_answers import open_store\n",
    "redis": "from encyclopedia_adapters.storage import redis_answers, redis_link\n"
    "def open_store(place, **limits): return redis_answers.open_store(redis_link.open_link(place), **limits)\n",
}
PUT = """
import sys, time
from encyclopedia.model.cached import CacheEntry
from encyclopedia.model.query import QueryType
store = open_store(sys.argv[1], ttl=3600, entries=1000)
for n in range(int(sys.argv[3])):
    key = f"{sys.argv[2]}{n}"
    for attempt in range(200):
        try:
            store.put(CacheEntry(key, QueryType.REPOSITORY, "q", key * 500, time.time()))
            break
        except Exception:
            time.sleep(0.01)
    if store.get(key).body != key * 500:
        raise SystemExit(3)
"""
FOREVER = """
import itertools, sys, time
from encyclopedia.model.cached import CacheEntry
from encyclopedia.model.query import QueryType
store = open_store(sys.argv[1], ttl=3600, entries=1000)
for n in itertools.count(int(sys.argv[2])):
    store.put(CacheEntry(f"key {n}", QueryType.REPOSITORY, "q", f"{n} " * 3000, time.time()))
    print(n, flush=True)
"""


class OnDisk:
    """A folder, and the ways into it."""

    def __init__(self, place):
        self.place, self.open_stores = place, []

    def open(self, clock, entries=5, stale=0.0):
        store = DiskcacheAnswers(self.place, 3600.0, entries, clock, stale=stale)
        self.open_stores.append(store)
        return store

    def change(self, sql, *parameters):
        con = sqlite3.connect(os.path.join(self.place, "cache.db"))
        with con:
            found = con.execute(sql, parameters).fetchall()
        con.close()
        return found

    def damage(self, key):
        self.change("UPDATE Cache SET value = replace(value, 'body', 'b0dy') WHERE key = ?", key)

    def rename(self, key, other):
        self.change("UPDATE Cache SET key = ? WHERE key = ?", other, key)

    def keys(self):
        return sorted(key for (key,) in self.change("SELECT key FROM Cache"))

    def close(self):
        for store in self.open_stores:
            store.close()


class OnRedis:
    """A server, and the ways into it."""

    def __init__(self, server):
        self.server, self.place, self.links = server, server.url, []
        self.name = b"encyclopedia:1:{cache}:answer:"

    def open(self, clock, entries=5, stale=0.0):
        self.links.append(open_link(self.place))
        return RedisAnswers(self.links[-1], 3600.0, entries, clock, stale=stale)

    def damage(self, key):
        name = self.name + key.encode()
        self.server.client.set(name, self.server.client.get(name).replace(b"body", b"b0dy"), keepttl=True)

    def rename(self, key, other):
        self.server.client.rename(self.name + key.encode(), self.name + other.encode())
        self.server.client.zadd("encyclopedia:1:{cache}:ends", {other: 9e12})

    def keys(self):
        return sorted(key.rpartition(":")[2] for key in map(bytes.decode, self.server.client.keys("*:answer:*")))

    def close(self):
        for link in self.links:
            link.close()


@pytest.fixture(scope="module")
def server():
    with redis_server() as server:
        yield server


@pytest.fixture(params=["disk", "redis"])
def kind(request):
    return request.param


@pytest.fixture
def world(kind, tmp_path, server):
    server.client.flushall()
    world = OnDisk(str(tmp_path / "cache")) if kind == "disk" else OnRedis(server)
    yield world
    world.close()


@pytest.fixture
def store(world, clock):
    return world.open(clock)


def entry(clock, key, type=QueryType.REPOSITORY, body="body"):
    return CacheEntry(key, type, f"query {key}", body, clock.now)


def test_what_is_put_is_got(store, clock):
    assert store.get("a") is None
    kept = entry(clock, "a", body="x" * 200_000 + "\u00fc")
    store.put(kept)
    assert store.get("a") == kept
    assert store.peek("a") == kept
    assert store.get("b") is None
    store.put(entry(clock, "a", body="new"))
    assert store.get("a").body == "new"


def test_another_store_sees_it(store, world, clock):
    other = world.open(clock)
    assert other.get("a") is None
    store.put(entry(clock, "a"))
    assert other.get("a") == entry(clock, "a")
    store.put(entry(clock, "b"))
    assert other.get("b") == entry(clock, "b")
    store.clear()
    assert other.get("a") is None


@pytest.mark.spec("ENC-CACHE-12")
def test_an_entry_ends_with_its_lifetime_however_often_it_is_used(store, clock):
    store.put(entry(clock, "a"))
    for _ in range(3):
        clock.tick(1199)
        assert store.get("a")
    clock.tick(4)
    assert store.get("a") is None
    assert store.peek("a") is None


def test_an_entry_from_a_clock_that_was_set_back_is_not_served(store, clock):
    store.put(entry(clock, "a"))
    clock.tick(-3000)
    assert store.get("a") is None


@pytest.mark.spec("ENC-CACHE-13")
def test_the_least_recently_used_of_a_type_goes_first(store, clock):
    for name in "abcde":
        store.put(entry(clock, name))
        clock.tick(1)
    assert store.get("a")
    store.put(entry(clock, "f"))
    assert [name for name in "abcdef" if store.peek(name)] == ["a", "c", "d", "e", "f"]


@pytest.mark.spec("ENC-CACHE-13")
@pytest.mark.parametrize("ahead", [1800, 90 * 86400])
def test_what_was_stored_or_used_in_the_future_pushes_nothing_out(store, clock, ahead):
    for name in "abcde":
        store.put(entry(clock, name))
    clock.tick(ahead)
    for name in "abcde":
        if store.get(name) is None:
            store.put(entry(clock, name))
    store.put(entry(clock, "a"))
    clock.tick(-ahead)
    for name in "uvwxyz":
        store.put(entry(clock, name))
        clock.tick(1)
    assert [name for name in "uvwxyz" if store.peek(name)] == list("vwxyz")


@pytest.mark.spec("ENC-CACHE-13")
def test_a_use_in_another_process_counts_too(store, world, clock):
    for name in "abcde":
        store.put(entry(clock, name))
        clock.tick(1)
    clock.tick(100)
    once = world.open(clock)
    assert once.get("a")
    once.close()
    store.put(entry(clock, "f"))
    assert store.peek("a")
    assert not store.peek("b")


@pytest.mark.spec("ENC-CACHE-13")
def test_types_do_not_push_each_other_out(store, clock):
    for name in "abc":
        store.put(entry(clock, name, QueryType.LIBRARY_DOCS))
    for n in range(8):
        store.put(entry(clock, f"r{n}"))
    assert store.stats()["entries"] == {"library_docs": 3, "general_search": 0, "code_context": 0, "repository": 5}


@pytest.mark.spec("ENC-CACHE-3")
def test_a_key_is_of_one_type_only_and_that_is_told(store, clock):
    store.put(entry(clock, "a", QueryType.LIBRARY_DOCS))
    store.put(entry(clock, "a"))
    assert store.get("a").type is QueryType.REPOSITORY
    assert store.stats()["entries"] == {"library_docs": 0, "general_search": 0, "code_context": 0, "repository": 1}
    assert store.clear(QueryType.LIBRARY_DOCS) == 0
    assert store.clear(QueryType.REPOSITORY) == 1


def test_stats_and_clear(store, clock):
    assert store.stats() == {"entries": {type.value: 0 for type in QueryType}, "bytes": 0, "oldest": None}
    assert store.clear() == 0
    for name in "abc":
        store.put(entry(clock, name))
        clock.tick(1)
    store.put(entry(clock, "d", QueryType.LIBRARY_DOCS))
    stats = store.stats()
    assert stats["bytes"] > 4 * len("query abody")
    assert stats["oldest"] == 3
    assert store.clear(QueryType.REPOSITORY) == 3
    assert [name for name in "abcd" if store.get(name)] == ["d"]
    assert store.clear() == 1
    assert store.stats()["oldest"] is None


def test_what_is_past_its_lifetime_is_not_counted(store, clock):
    store.put(entry(clock, "a"))
    clock.tick(3601)
    assert store.stats()["entries"]["repository"] == 0
    assert list(store.entries()) == []
    store.put(entry(clock, "b"))
    assert store.stats()["entries"]["repository"] == 1


@pytest.mark.spec("ENC-CACHE-10")
def test_damaged_entries_are_dropped_one_by_one(store, world, clock):
    for name in "abc":
        store.put(entry(clock, name))
    world.damage("b")
    assert store.peek("b") is None
    assert store.problem == ""
    assert store.get("b") is None
    assert "damaged entry" in store.problem
    assert [store.get("a").key, store.get("c").key] == ["a", "c"]
    assert world.keys() == ["a", "c"]


def test_an_entry_moved_to_another_key_is_not_served(store, world, clock):
    store.put(entry(clock, "a"))
    world.rename("a", "b")
    assert store.get("b") is None


@pytest.mark.spec("ENC-CACHE-15")
def test_an_entry_past_its_lifetime_is_for_those_who_ask_for_it_and_not_for_ever(world, clock):
    store = world.open(clock, stale=600.0)
    store.put(entry(clock, "a"))
    clock.tick(3700)
    assert store.get("a") is None
    assert store.get("a", 600.0)
    clock.tick(600)
    assert store.get("a", 600.0) is None


@pytest.mark.spec("ENC-CACHE-16")
def test_an_entry_with_a_lifetime_of_its_own_ends_with_that(store, clock):
    store.put(entry(clock, "a")._replace(lifetime=60.0))
    assert store.get("a").lifetime == 60.0
    clock.tick(61)
    assert store.get("a") is None
    assert store.get("a", 600.0) is None


@pytest.mark.spec("ENC-CACHE-17")
def test_every_good_entry_is_given_the_oldest_first(store, world, clock):
    for name in "bac":
        store.put(entry(clock, name))
        clock.tick(10)
    world.damage("a")
    assert [one.key for one in store.entries()] == ["b", "c"]


@pytest.mark.spec("ENC-CACHE-19")
def test_what_quotes_a_corpus_is_forgotten(store, world, clock):
    for name in "abc":
        place = '["other",' if name == "b" else '["the \\"notes\\" of \\u00fc",'
        store.put(entry(clock, name, body=f'{{"results":[{{"place":{place}"x"]}}]}}'))
    assert store.forget('the "notes" of ü') == 2
    assert [name for name in "abc" if store.get(name)] == ["b"]
    assert world.keys() == ["b"]
    assert store.forget("never there") == 0


def test_threads_at_once(store, clock):
    def work(n):
        store.put(entry(clock, f"k{n % 5}"))
        return store.get(f"k{n % 5}").key

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(40))) == [f"k{n % 5}" for n in range(40)]


@pytest.mark.spec("ENC-STORE-6")
def test_four_processes_at_once(kind, world, clock, start):
    writing = [start(OPEN[kind] + PUT, world.place, who, 15) for who in "abcd"]
    assert [process.wait() for process in writing] == [0] * 4
    clock.now = time.time()
    store = world.open(clock, entries=1000)
    for who in "abcd":
        for n in range(15):
            assert store.get(f"{who}{n}").body == f"{who}{n}" * 500
    assert store.problem == ""


@pytest.mark.spec("ENC-STORE-7")
def test_a_kill_while_writing_leaves_nothing_unreadable(kind, world, clock, start):
    last = 0
    for _ in range(3):
        process = start(OPEN[kind] + FOREVER, world.place, last + 1)
        for _ in range(5):
            last = int(process.stdout.readline())
        process.kill()
        process.communicate()
        clock.now = time.time()
        store = world.open(clock, entries=1000)
        for n in range(1, last + 1):
            assert store.get(f"key {n}").body == f"{n} " * 3000
        assert store.problem == ""


NAMES = st.sampled_from("abcdefgh")
TYPES = st.sampled_from([QueryType.REPOSITORY, QueryType.LIBRARY_DOCS])
STEPS = st.one_of(
    st.tuples(st.just("put"), NAMES, TYPES, st.sampled_from([0.0, 40.0])),
    st.tuples(st.just("get"), NAMES, st.sampled_from([0.0, 600.0])),
    st.tuples(st.just("tick"), st.sampled_from([1.0, 30.0, 1000.0, 3000.0, -500.0])),
    st.tuples(st.just("clear"), st.one_of(st.none(), TYPES)),
    st.tuples(st.just("forget"), NAMES),
    st.tuples(st.just("open")),
)


@pytest.mark.spec("ENC-CACHE-13")
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(STEPS, max_size=40))
def test_both_stores_do_the_same_in_any_order(server, steps):
    server.client.flushall()
    with tempfile.TemporaryDirectory() as folder:
        told = [played(world, steps) for world in (OnDisk(folder), OnRedis(server))]
    assert told[0] == told[1]


def played(world, steps):
    """What a store answered to each step, and what is in it at the end."""
    clock = Clock()
    store, told = world.open(clock, entries=3, stale=600.0), []
    for step, *more in steps:
        clock.tick(1)  # nothing happens at the same time as anything else
        if step == "put":
            name, type, lifetime = more
            told.append(store.put(entry(clock, name, type, f'["{name}",')._replace(lifetime=lifetime)))
        elif step == "tick":
            clock.tick(*more)
        elif step == "open":
            store.close()
            store = world.open(clock, entries=3, stale=600.0)
        else:
            told.append(getattr(store, step)(*more))
    stats = store.stats()
    found = told, [one.key for one in store.entries()], stats["entries"], stats["oldest"]
    world.close()
    return found
