"""Questions beside their answers, on disk and on a Redis server: what both do, seen through the index of each process."""

from __future__ import annotations

import os
import pickle
import sqlite3
import stat
import subprocess
import sys

import numpy as np
import pytest

from encyclopedia.model.cached import CacheEntry
from encyclopedia.model.query import QueryType
from encyclopedia_adapters.storage.diskcache_answers import DiskcacheAnswers
from encyclopedia_adapters.storage.near_index import NearIndex, StillReadingError, sound
from encyclopedia_adapters.storage.near_rows import NearRows
from encyclopedia_adapters.storage.redis_answers import RedisAnswers
from encyclopedia_adapters.storage.redis_link import open_link
from encyclopedia_adapters.storage.redis_near import RedisRows
from tests.redis_server import redis_server

D = 8
MARK = "embedder 1"


def unit(number):
    row = np.zeros(D, np.float32)
    row[number % D] = 1.0
    return row


class OnDisk:
    """A folder, and the ways into it; each index is that of another process."""

    def __init__(self, folder, clock):
        self.folder, self.clock, self.open_ones = folder, clock, []
        self.store = self._kept(DiskcacheAnswers(folder, 3600.0, 5, clock))

    def _kept(self, one):
        self.open_ones.append(one)
        return one

    def rows(self):
        return self._kept(NearRows(self.folder))

    def run(self, sql, *parameters):
        con = sqlite3.connect(os.path.join(self.folder, "cache.db"))
        with con:
            found = con.execute(sql, parameters).fetchall()
        con.close()
        return found

    def change(self, key, column, value):
        """Put something else into a column of a row."""
        self.run(
            {"text": "UPDATE Near SET text = ? WHERE key = ?"}.get(column, "UPDATE Near SET vector = ? WHERE key = ?"),
            value,
            key,
        )

    def lose(self, key):
        """Remove an answer as a stranger does."""
        self.run("DELETE FROM Cache WHERE key = ?", key)

    def keys(self):
        return [key for (key,) in self.run("SELECT key FROM Near ORDER BY key")]

    def close(self):
        for one in self.open_ones:
            one.close()


class OnRedis:
    """A server, and the ways into it; each index is that of another replica."""

    def __init__(self, server, clock):
        self.client, self.url, self.clock, self.links = server.client, server.url, clock, []
        self.store = RedisAnswers(self.link(), 3600.0, 5, clock)

    def link(self):
        self.links.append(open_link(self.url))
        return self.links[-1]

    def rows(self):
        return RedisRows(self.link(), self.clock)

    def change(self, key, column, value):
        field = f"vector {MARK}" if column == "vector" else column
        self.client.hset(self.name("question", key), field, value)

    def lose(self, key):
        self.client.delete(self.name("answer", key))
        self.client.zrem(self.name("ends"), key)
        self.client.delete(self.name("question", key))
        self.client.zrem(self.name("last", "g"), key)

    def name(self, *parts):
        return ":".join(("encyclopedia:1:{cache}", *parts))

    def keys(self):
        return sorted(key.decode().rpartition(":")[2] for key in self.client.keys("*:question:*"))

    def close(self):
        for link in self.links:
            link.close()


@pytest.fixture(scope="module")
def server():
    with redis_server() as server:
        yield server


@pytest.fixture(params=["disk", "redis"])
def world(request, tmp_path, clock, server):
    server.client.flushall()
    world = OnDisk(str(tmp_path / "cache"), clock) if request.param == "disk" else OnRedis(server, clock)
    yield world
    world.close()


@pytest.fixture
def shared(server, clock):
    server.client.flushall()
    world = OnRedis(server, clock)
    yield world
    world.close()


@pytest.fixture
def alone(tmp_path, clock):
    world = OnDisk(str(tmp_path / "cache"), clock)
    yield world
    world.close()


@pytest.fixture
def store(world):
    return world.store


@pytest.fixture
def index(world):
    return NearIndex(world.rows())


@pytest.fixture
def keep(world, index, clock):
    return keeper(world, index)


def keeper(world, index):
    def keep(*names, group="g"):
        for name in names:
            world.store.put(CacheEntry(name, QueryType.REPOSITORY, f"query {name}", "{}", world.clock.now))
            index.add(group, name, f"text {name}")

    return keep


def fill(index, group="g", mark=MARK):
    found = index.pending(group, mark, D, 99)
    index.fill(group, mark, found, np.stack([unit(ord(key[0])) for key, _ in found]) if found else np.zeros((0, D)))
    return sorted(key for key, _ in found)


def names(index, vector, group="g", mark=MARK):
    return [near.key for near in index.nearest(group, mark, vector, 9) if near.similarity > 0.5]


@pytest.mark.spec("ENC-NEAR-5")
def test_a_question_waits_for_its_vector_and_is_then_found(index, keep):
    assert not index.holds("g")
    keep("a", "b")
    assert index.holds("g")
    assert not index.holds("other")
    assert names(index, unit(ord("a"))) == []
    assert index.counted() == (2, 0)
    assert fill(index) == ["a", "b"]
    assert fill(index) == []
    assert index.counted() == (2, 2)
    (near,) = [one for one in index.nearest("g", MARK, unit(ord("a")), 9) if one.similarity > 0.5]
    assert near == ("a", "text a", pytest.approx(1.0))


@pytest.mark.spec("ENC-NEAR-6")
def test_another_process_sees_what_is_stored_filled_and_removed_at_the_next_look(world, store, index, keep):
    other = NearIndex(world.rows())
    keep("a")
    assert [key for key, _ in other.pending("g", MARK, D, 9)] == ["a"]
    fill(index)
    assert names(other, unit(ord("a"))) == ["a"]
    assert other.pending("g", MARK, D, 9) == []
    keep("b")
    fill(other)
    assert names(index, unit(ord("b"))) == ["b"]
    store.clear()
    assert not other.holds("g")
    assert names(other, unit(ord("a"))) == names(index, unit(ord("b"))) == []


@pytest.mark.spec("ENC-NEAR-6")
def test_a_question_goes_with_its_answer_however_that_goes(world, index, keep, clock):
    for name in "abcde":
        keep(name)
        clock.tick(1)
    fill(index)
    keep("f")  # a is the sixth
    fill(index)
    assert names(index, unit(ord("a"))) == []
    assert names(index, unit(ord("f"))) == ["f"]
    world.lose("f")
    assert names(index, unit(ord("f"))) == []
    assert world.keys() == ["b", "c", "d", "e"]


@pytest.mark.spec("ENC-NEAR-6")
def test_what_is_removed_and_stored_at_once_is_seen(world, store, index, keep):
    other = NearIndex(world.rows())
    keep("a", "b")
    fill(index)
    assert names(other, unit(ord("a"))) == ["a"]
    store.clear()
    keep("c", "d")  # as many as before
    fill(index)
    assert [names(other, unit(ord(name))) for name in "abcd"] == [[], [], ["c"], ["d"]]


@pytest.mark.spec("ENC-NEAR-6")
def test_a_question_whose_answer_is_gone_already_is_not_kept(index, keep):
    keep("a")
    index.add("g", "never stored", "text")
    fill(index)
    assert index.all().keys() == {"a"}


@pytest.mark.spec("ENC-NEAR-14")
def test_a_question_that_is_stored_in_another_group_leaves_the_first(index, keep):
    keep("a", "b")
    fill(index)
    keep("a", group="other")
    fill(index, "other")
    assert names(index, unit(ord("a"))) == []
    assert names(index, unit(ord("a")), "other") == ["a"]
    assert names(index, unit(ord("b"))) == ["b"]


@pytest.mark.spec("ENC-NEAR-17")
def test_many_questions_are_read_aside_and_nobody_waits_for_them(world, store, index, keep):
    keep("a", "b", "c", "d")
    fill(index)
    world.change("c", "text", "damaged")
    many = NearIndex(world.rows(), at_once=3)
    with pytest.raises(StillReadingError, match="4 stored questions"):
        many.pending("g", MARK, D, 9)
    reading = many._reading.get("g")
    if reading:
        reading.join()
    assert many.pending("g", MARK, D, 9) == []
    assert names(many, unit(ord("a"))) == ["a"]
    assert world.keys() == ["a", "b", "d"]
    keep("e")
    assert many.pending("g", MARK, D, 9) == [("e", "text e")]
    store.clear()
    assert not many.holds("g")
    assert names(many, unit(ord("a"))) == []
    many.close()


@pytest.mark.spec("ENC-NEAR-17")
def test_what_is_read_in_parts_is_all_that_there_is(world, index, keep):
    keep("a", "b", "c", "d", "e")
    fill(index)
    rows = world.rows()
    generation = rows.state("g")[1]
    found = [row for part, _ in rows.parts("g", generation, 2) for row in part if row.vector]
    assert sorted(row.key for row in found) == list("abcde")
    assert rows.since("g", generation) == ([], [])
    assert list(rows.parts("g", 0, 2)) == []


def test_an_index_that_is_closed_while_it_reads_waits_for_nothing_more(world, index, keep):
    keep("a", "b", "c", "d")
    for _ in range(20):
        many = NearIndex(world.rows(), at_once=3)
        with pytest.raises(StillReadingError):
            many.nearest("g", MARK, unit(0), 9)
        many.close()
        assert not many._reading


@pytest.mark.spec("ENC-NEAR-7")
def test_damaged_rows_are_dropped_one_by_one_and_their_answers_stay(world, store, index, keep):
    keep(*"abcde")
    fill(index)
    world.change("a", "vector", bytes(32))
    world.change("b", "text", "another text")
    world.change("c", "vector", "text")
    world.change("d", "text", b"\x00")
    fresh = NearIndex(world.rows())
    assert [names(fresh, unit(ord(name))) for name in "abcde"] == [[], [], [], [], ["e"]]
    assert world.keys() == ["e"]
    assert all(store.get(name) for name in "abcde")


@pytest.mark.spec("ENC-NEAR-7")
def test_vectors_of_another_embedder_are_made_anew(world, index, keep):
    keep("a", "b")
    fill(index, mark="embedder 0")
    other = NearIndex(world.rows())
    assert names(other, unit(ord("a"))) == []
    assert fill(other) == ["a", "b"]
    assert names(other, unit(ord("a"))) == ["a"]
    # the same mark with another length is another embedder too
    assert [key for key, _ in other.pending("g", MARK, D + 1, 9)] == ["a", "b"]


@pytest.mark.spec("ENC-NEAR-10")
@pytest.mark.parametrize(
    "bad", [np.zeros(D), np.full(D, np.nan), np.full(D, np.inf), np.full(D, 3.0)], ids=["zeros", "nan", "inf", "long"]
)
def test_what_is_no_vector_is_neither_kept_nor_looked_for(index, keep, bad):
    bad = bad.astype(np.float32)
    assert not sound(bad)
    keep("a", "b")
    index.fill("g", MARK, index.pending("g", MARK, D, 9), np.stack([bad, unit(ord("b"))]))
    assert index.nearest("g", MARK, bad, 9) == []
    assert index.all().keys() == {"b"}
    assert index.pending("g", MARK, D, 9) == []


@pytest.mark.spec("ENC-CACHE-11")
def test_a_planted_pickle_among_the_vectors_is_never_run(world, index, keep, tmp_path):
    class Bomb:
        def __reduce__(self):
            return (open, (str(tmp_path / "crater"), "w"))

    keep("a", "b")
    fill(index)
    world.change("a", "vector", pickle.dumps(Bomb()))
    fresh = NearIndex(world.rows())
    assert names(fresh, unit(ord("b"))) == ["b"]
    assert not (tmp_path / "crater").exists()


@pytest.mark.spec("ENC-NEAR-6")
def test_what_has_ended_is_gone_at_the_next_look_of_every_replica(shared, clock):
    first, second = NearIndex(shared.rows()), NearIndex(shared.rows())
    keep = keeper(shared, first)
    keep("a")
    clock.tick(1800)
    keep("b")
    fill(first)
    assert names(second, unit(ord("a"))) == ["a"]
    clock.tick(1801)  # and nobody writes anything
    for index in (first, second):
        assert [names(index, unit(ord(name))) for name in "ab"] == [[], ["b"]]
    clock.tick(1800)
    assert not first.holds("g")
    assert first.counted() == second.counted() == (0, 0)


@pytest.mark.spec("ENC-NEAR-19")
def test_two_embedders_keep_their_vectors_side_by_side(shared):
    first, second = NearIndex(shared.rows()), NearIndex(shared.rows())
    keep = keeper(shared, first)
    keep("a", "b")
    assert fill(first) == ["a", "b"]
    assert fill(second, mark="another") == ["a", "b"]
    for index, mark in ((first, MARK), (second, "another")):
        assert index.pending("g", mark, D, 9) == []
        assert names(index, unit(ord("a")), mark=mark) == ["a"]
    keep("c")
    assert fill(first) == ["c"]
    assert [key for key, _ in second.pending("g", "another", D, 9)] == ["c"]


@pytest.mark.spec("ENC-NEAR-19")
def test_of_too_many_embedders_the_newest_keeps_its_vectors(shared):
    index = NearIndex(shared.rows())
    keeper(shared, index)("a")
    for number in range(12):
        assert fill(index, mark=f"embedder {number}") == ["a"]
        assert shared.client.hlen(shared.name("question", "a")) <= 11
    assert names(NearIndex(shared.rows()), unit(ord("a")), mark="embedder 11") == ["a"]


@pytest.mark.spec("ENC-NEAR-6")
def test_a_server_that_has_lost_everything_is_no_trouble(shared):
    index = NearIndex(shared.rows())
    keep = keeper(shared, index)
    keep("a", "b")
    fill(index)
    assert names(index, unit(ord("a"))) == ["a"]
    shared.client.flushall()
    assert names(index, unit(ord("a"))) == []
    keep("c", "d")
    fill(index)
    assert [names(index, unit(ord(name))) for name in "abcd"] == [[], [], ["c"], ["d"]]


@pytest.mark.spec("ENC-NEAR-4")
def test_a_look_into_an_empty_group_makes_no_file_and_loads_nothing(tmp_path):
    folder = str(tmp_path / "cache")
    code = """
import sys
from encyclopedia_adapters.storage.near_index import open_index
print(open_index(sys.argv[1]).holds("g"), "numpy" in sys.modules, "faiss" in sys.modules)
"""
    env = {"PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True, check=True, env=env)
    assert done.stdout.split() == ["False"] * 3
    assert not os.path.exists(folder)


@pytest.mark.spec("ENC-NEAR-6")
def test_a_database_that_was_set_aside_is_forgotten(alone):
    folder, store, index = alone.folder, alone.store, NearIndex(alone.rows())
    keep = keeper(alone, index)
    keep("a")
    fill(index)
    assert names(index, unit(ord("a"))) == ["a"]
    store.close()
    index.close()
    with open(os.path.join(folder, "cache.db"), "wb") as file:
        file.write(b"no database " * 900)
    assert not index.holds("g")
    assert names(index, unit(ord("a"))) == []
    keep("b")
    fill(index)
    assert names(index, unit(ord("b"))) == ["b"]
    assert names(index, unit(ord("a"))) == []


@pytest.mark.spec("ENC-STORE-1")
def test_files_stay_private(alone):
    folder, index = alone.folder, NearIndex(alone.rows())
    old = os.umask(0)
    keeper(alone, index)("a")
    fill(index)
    os.umask(old)
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    assert {stat.S_IMODE(os.stat(os.path.join(folder, name)).st_mode) for name in os.listdir(folder)} == {0o600}
