"""Answers on disk: bounded, private, shared, and safe from whatever is planted."""

from __future__ import annotations

import os
import pathlib
import pickle
import sqlite3
import stat
import subprocess
import sys
import time

import diskcache
import pytest

from encyclopedia.model.cached import CacheEntry
from encyclopedia.model.query import QueryType
from encyclopedia_adapters.storage.diskcache_answers import DiskcacheAnswers
from encyclopedia_adapters.storage.json_disk import JsonDisk


@pytest.fixture
def folder(tmp_path):
    return str(tmp_path / "cache")


@pytest.fixture
def store(folder, clock):
    store = DiskcacheAnswers(folder, 3600.0, 5, clock)
    yield store
    store.close()


def entry(clock, key, type=QueryType.REPOSITORY, body="body"):
    return CacheEntry(key, type, f"query {key}", body, clock.now)


def database(folder):
    return os.path.join(folder, "cache.db")


def run(folder, sql, *parameters):
    con = sqlite3.connect(database(folder))
    with con:
        found = con.execute(sql, parameters).fetchall()
    con.close()
    return found


@pytest.mark.spec("ENC-STORE-1")
def test_files_are_for_their_owner_only(store, folder, clock):
    old = os.umask(0)
    store.put(entry(clock, "a"))
    store.get("a")
    os.umask(old)
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    assert {stat.S_IMODE(os.stat(os.path.join(folder, name)).st_mode) for name in os.listdir(folder)} == {0o600}


@pytest.mark.spec("ENC-STORE-2")
def test_a_peek_leaves_everything_as_it_was(store, folder, clock, tree):
    assert store.peek("a") is None
    assert store.get("a") is None
    assert store.stats()["bytes"] == 0
    assert not os.path.exists(folder)
    store.put(entry(clock, "a"))
    store.close()
    before = tree(folder)
    assert os.listdir(folder) == ["cache.db"]
    clock.tick(1000)
    looking = DiskcacheAnswers(folder, 3600.0, 5, clock)
    assert looking.peek("a")
    assert looking.peek("b") is None
    assert looking.stats()["entries"]["repository"] == 1
    looking.close()
    assert tree(folder) == before


def test_a_hit_does_not_load_diskcache(store, folder, clock):
    store.put(entry(clock, "a"))
    code = """
import sys
from encyclopedia_adapters.storage.diskcache_answers import DiskcacheAnswers
store = DiskcacheAnswers(sys.argv[1], 3600.0, 5, lambda: float(sys.argv[2]))
print(store.get("a").body, "diskcache" in sys.modules, "pickle" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, folder, str(clock.now + 100)],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    assert done.stdout.split() == ["body", "False", "False"]


@pytest.mark.spec("ENC-CACHE-18")
def test_an_answer_is_stored_in_a_made_database_without_diskcache(store, folder, clock):
    store.put(entry(clock, "a"))
    code = """
import sys
from encyclopedia.model.cached import CacheEntry
from encyclopedia.model.query import QueryType
from encyclopedia_adapters.storage.diskcache_answers import DiskcacheAnswers
now = float(sys.argv[2])
store = DiskcacheAnswers(sys.argv[1], 3600.0, 5, lambda: now)
store.put(CacheEntry("b", QueryType.REPOSITORY, "query b", "body", now))
store.close()
print("diskcache" in sys.modules, "pickle" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, folder, str(clock.now)],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    assert done.stdout.split() == ["False", "False"]
    assert store.get("b") == entry(clock, "b")


@pytest.mark.spec("ENC-CACHE-18")
def test_diskcache_reads_what_we_wrote_and_its_counters_are_right(store, folder, clock):
    clock.now = time.time()  # diskcache has no clock but this one
    for name in "abcdefg":
        store.put(entry(clock, name))
    store.put(entry(clock, "c", body="new"))
    with diskcache.Cache(folder, disk=JsonDisk) as cache:
        assert cache["c"] == entry(clock, "c", body="new")
        assert {key: cache[key].body for key in cache} == {name: "new" if name == "c" else "body" for name in "cdefg"}
        assert len(cache) == 5
        assert cache.get("g", expire_time=True, tag=True)[1:] == (clock.now + 3600, "repository")
        assert cache.check() == []
        cache.set("theirs", entry(clock, "theirs"), expire=60, tag="repository")
    assert store.get("theirs") == entry(clock, "theirs")
    assert store.clear(QueryType.LIBRARY_DOCS) == 0
    assert store.clear(QueryType.REPOSITORY) == 6
    with diskcache.Cache(folder, disk=JsonDisk) as cache:
        assert len(cache) == 0


@pytest.mark.spec("ENC-CACHE-18")
def test_a_database_that_is_only_half_made_is_made_whole(folder, clock):
    half = DiskcacheAnswers(folder, 3600.0, 5, clock)
    half.put(entry(clock, "a"))
    half.close()
    run(folder, "DROP TRIGGER Settings_size_delete")
    run(folder, "DROP INDEX Cache_key_raw")
    whole = DiskcacheAnswers(folder, 3600.0, 5, clock)
    whole.put(entry(clock, "a", body="new"))
    assert whole.get("a").body == "new"
    assert run(folder, "SELECT count(*) FROM Cache") == [(1,)]
    whole.close()


def test_many_are_cleared_little_by_little(folder, clock):
    store = DiskcacheAnswers(folder, 3600.0, 5000, clock)
    store.put(entry(clock, "a"))
    run(
        folder,
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2499)"
        " INSERT INTO Cache (key, raw, tag, mode) SELECT 'k' || i, 1, 'repository', 1 FROM n",
    )
    assert store.clear() == 2500
    assert run(folder, "SELECT count(*) FROM Cache") == [(0,)]
    assert run(folder, "SELECT value FROM Settings WHERE key = 'count'") == [(0,)]
    store.close()


class Bomb:
    """Makes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (self.path, "w"))


@pytest.mark.spec("ENC-CACHE-11")
def test_planted_pickles_are_never_run(store, folder, clock, tmp_path):
    crater = str(tmp_path / "crater")
    bomb = pickle.dumps(Bomb(crater))
    store.put(entry(clock, "mine"))
    (tmp_path / "cache" / "x.val").write_bytes(bomb)
    (tmp_path / "precious").write_text("x")
    row = "INSERT INTO Cache(key, raw, store_time, expire_time, access_time, tag, mode, filename, value) VALUES (?, ?, 0, ?, 0, 'repository', ?, ?, ?)"
    for key, raw, mode, filename, value in [
        ("pickled value", 1, 4, None, bomb),
        ("pickled file", 1, 4, "x.val", None),
        ("outside", 1, 2, "../precious", None),
        (bomb, 0, 1, None, "text"),
        ("bytes", 1, 1, None, bomb),
    ]:
        run(folder, row, key, raw, clock.now + 9e9, mode, filename, value)
    for key in ("pickled value", "pickled file", "outside", "bytes"):
        assert store.peek(key) is None
        assert store.get(key) is None
        assert run(folder, "SELECT count(*) FROM Cache WHERE key = ?", key) == [(0,)]
    for n in range(9):
        store.put(entry(clock, f"k{n}"))
    store.stats()
    store.clear()
    assert not os.path.exists(crater)
    assert (tmp_path / "precious").exists()
    pickle.loads(bomb).close()  # noqa: S301 - the bomb is ours
    assert os.path.exists(crater)


@pytest.mark.spec("ENC-STORE-3")
@pytest.mark.parametrize("rubbish", [b"this is no database at all" * 100, b"SQLite format 3\x00" + b"\xff" * 4000])
def test_a_damaged_file_is_set_aside_and_started_anew(folder, clock, rubbish):
    os.makedirs(folder)
    path = pathlib.Path(database(folder))
    path.write_bytes(rubbish)
    store = DiskcacheAnswers(folder, 3600.0, 5, clock)
    assert (store.get("a"), store.peek("a"), store.stats()["oldest"]) == (None, None, None)
    assert "is damaged" in store.problem
    assert path.read_bytes() == rubbish
    store.put(entry(clock, "a"))
    assert "set aside" in store.problem
    assert store.get("a")
    assert pathlib.Path(database(folder) + ".damaged").read_bytes() == rubbish
    store.close()


@pytest.mark.spec("ENC-STORE-3")
def test_a_file_damaged_while_it_is_open_is_set_aside(store, folder, clock):
    for name in "abcde":
        store.put(entry(clock, name, body="x" * 50_000))
    store.close()
    with open(database(folder), "r+b") as file:
        file.seek(4096)
        file.write(os.urandom(os.path.getsize(database(folder)) - 4096))
    assert store.get("a") is None
    store.put(entry(clock, "new"))
    assert store.get("new")


def test_a_folder_that_was_removed_is_made_again(store, folder, clock):
    import shutil

    store.put(entry(clock, "a"))
    assert store.get("a")
    shutil.rmtree(folder)
    assert store.get("a") is None
    store.put(entry(clock, "b"))
    assert store.get("b")


@pytest.mark.spec("ENC-STORE-5")
@pytest.mark.parametrize("before", [True, False])
def test_a_lock_is_waited_for_only_so_long(store, folder, clock, before):
    store.put(entry(clock, "a"))
    fresh = store if before else DiskcacheAnswers(folder, 3600.0, 5, clock)
    holder = sqlite3.connect(database(folder), isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(Exception, match=r"locked|^$"):
        fresh.put(entry(clock, "b"))
    clock.tick(100)
    assert fresh.get("a")
    holder.execute("ROLLBACK")
    holder.close()
    fresh.put(entry(clock, "b"))
    assert fresh.get("b")
    fresh.close()


@pytest.mark.spec("ENC-CACHE-13")
def test_a_look_writes_nothing_and_the_uses_are_written_down_at_the_end(store, folder, clock, tree):
    for name in "abcde":
        store.put(entry(clock, name))
        clock.tick(1)
    store.close()
    before = tree(folder)
    clock.tick(1000)
    looking = DiskcacheAnswers(folder, 3600.0, 5, clock)
    assert looking.get("a")
    assert looking.get("nothing") is None
    assert tree(folder) == before
    looking.close()
    assert run(folder, "SELECT access_time FROM Cache WHERE key = 'a'") == [(clock.now,)]
