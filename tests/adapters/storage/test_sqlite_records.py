"""Records in SQLite: one transaction a step, no trace of a look, and no crash over a broken file."""

from __future__ import annotations

import os
import pathlib
import sqlite3
import stat

import pytest

from encyclopedia_adapters.storage.sqlite_records import open_store

COUNT = """
import sys
from encyclopedia_adapters.storage.sqlite_records import open_store
store = open_store(sys.argv[1])
for _ in range(int(sys.argv[2])):
    store.step("a", lambda record: record.update(n=record.get("n", 0) + 1))
print(store.peek("a")["n"])
"""
FOREVER = """
import sys
from encyclopedia_adapters.storage.sqlite_records import open_store
store = open_store(sys.argv[1])
n = 0
while True:
    n += 1
    store.step("a", lambda record: record.update(n=n, filler="x" * (n % 3000)))
    print(n, flush=True)
"""


@pytest.fixture
def folder(tmp_path):
    return str(tmp_path / "state")


@pytest.fixture
def store(folder):
    store = open_store(folder)
    yield store
    store.close()


def bump(record):
    record["n"] = record.get("n", 0) + 1
    return record["n"]


def files(folder):
    return sorted(os.listdir(folder))


def test_a_record_is_blank_at_first_and_kept_then(store):
    assert store.peek("a") is None
    assert [store.step("a", bump) for _ in range(3)] == [1, 2, 3]
    assert store.peek("a") == {"n": 3}
    assert store.peek("b") is None


def test_another_store_sees_it_at_once(store, folder):
    other = open_store(folder)
    assert other.peek("a") is None
    for expected in (1, 2, 3):
        store.step("a", bump)
        assert other.peek("a") == {"n": expected}
    other.step("a", bump)
    assert store.peek("a") == {"n": 4}
    other.close()


def test_a_peek_is_a_copy(store, folder):
    store.step("a", bump)
    store.peek("a")["n"] = 9
    assert store.peek("a") == {"n": 1}
    store.close()
    again = open_store(folder)
    again.peek("a")["n"] = 9
    assert again.peek("a") == {"n": 1}


def test_what_was_changed_stays_even_when_it_raises(store):
    def change(record):
        record["n"] = 1
        raise ValueError

    with pytest.raises(ValueError):
        store.step("a", change)
    assert store.peek("a") == {"n": 1}
    assert store.step("a", bump) == 2


def test_what_is_no_json_is_not_kept_and_holds_no_lock(store, folder):
    with pytest.raises(TypeError):
        store.step("a", lambda record: record.update(n=object()))
    other = open_store(folder)
    assert other.step("a", bump) == 1
    other.close()


@pytest.mark.spec("ENC-STORE-2")
def test_a_look_makes_no_file(store, folder):
    assert store.peek("a") is None
    assert not os.path.exists(folder)


@pytest.mark.spec("ENC-STORE-2")
def test_a_look_leaves_everything_as_it_was(store, folder, tree):
    store.step("a", bump)
    store.close()
    before = tree(folder)
    assert files(folder) == ["breakers.db"]
    looking = open_store(folder)
    assert looking.peek("a") == {"n": 1}
    assert looking.peek("b") is None
    looking.close()
    assert tree(folder) == before


@pytest.mark.spec("ENC-STORE-2")
def test_a_look_works_in_a_folder_that_cannot_be_written(store, folder):
    store.step("a", bump)
    store.close()
    os.chmod(folder, 0o500)
    looking = open_store(folder)
    assert looking.peek("a") == {"n": 1}
    os.chmod(folder, 0o700)


@pytest.mark.spec("ENC-STORE-1")
def test_files_are_for_their_owner_only(store, folder):
    old = os.umask(0)
    store.step("a", bump)
    os.umask(old)
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    assert {stat.S_IMODE(os.stat(os.path.join(folder, name)).st_mode) for name in files(folder)} == {0o600}


@pytest.mark.spec("ENC-STORE-3")
@pytest.mark.parametrize(
    "rubbish", [b"this is no database, and long enough to be one" * 50, b"SQLite format 3\x00" + b"\xff" * 4000]
)
def test_a_damaged_file_is_set_aside_and_started_anew(folder, rubbish):
    os.makedirs(folder)
    path = os.path.join(folder, "breakers.db")
    with open(path, "wb") as file:
        file.write(rubbish)
    store = open_store(folder)
    assert store.peek("a") is None
    assert "is damaged" in store.problem
    assert pathlib.Path(path).read_bytes() == rubbish
    assert store.step("a", bump) == 1
    assert "set aside" in store.problem
    assert store.peek("a") == {"n": 1}
    assert pathlib.Path(path + ".damaged").read_bytes() == rubbish
    store.close()


@pytest.mark.spec("ENC-STORE-3")
def test_a_file_damaged_while_it_is_open_is_set_aside(store, folder):
    for n in range(200):
        store.step(f"name {n}", lambda record: record.update(filler="x" * 500))
    store.close()
    path = os.path.join(folder, "breakers.db")
    with open(path, "r+b") as file:
        file.seek(4096)
        file.write(os.urandom(os.path.getsize(path) - 4096))
    again = open_store(folder)
    assert again.step("a", bump) == 1
    assert again.peek("a") == {"n": 1}
    again.close()


def test_a_damaged_row_counts_as_blank(store, folder):
    store.step("a", bump)
    store.close()
    for body in ("{", "[]", "7", b"\x80\x04K\x01.", "[" * 100_000):
        with sqlite3.connect(os.path.join(folder, "breakers.db")) as con:
            con.execute("UPDATE records SET body = ?", (body,))
        con.close()
        again = open_store(folder)
        assert again.peek("a") is None
        assert again.step("a", bump) == 1
        again.close()


@pytest.mark.spec("ENC-STORE-4")
def test_a_file_of_a_newer_version_is_not_touched(store, folder, tree):
    store.step("a", bump)
    store.close()
    con = sqlite3.connect(os.path.join(folder, "breakers.db"))
    con.execute("PRAGMA user_version=99")
    con.close()
    before = tree(folder)
    for first in ("peek", "step"):
        again = open_store(folder)
        if first == "peek":
            assert again.peek("a") is None
        assert [again.step("a", bump), again.step("a", bump)] == [1, 2]
        assert again.peek("a") == {"n": 2}
        assert "newer version" in again.problem
        again.close()
    assert tree(folder) == before


@pytest.mark.spec("ENC-STORE-5")
def test_a_lock_is_waited_for_only_so_long(store, folder):
    store.step("a", bump)
    holder = sqlite3.connect(os.path.join(folder, "breakers.db"), isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        store.step("a", bump)
    assert store.peek("a") == {"n": 1}
    holder.execute("ROLLBACK")
    holder.close()
    assert store.step("a", bump) == 2


def test_a_folder_that_was_removed_is_made_again(store, folder):
    import shutil

    store.step("a", bump)
    assert store.peek("a") == {"n": 1}
    shutil.rmtree(folder)
    assert store.peek("a") is None
    assert store.step("a", bump) == 1
    assert store.peek("a") == {"n": 1}


def test_an_empty_file_is_an_empty_store(folder):
    os.makedirs(folder)
    open(os.path.join(folder, "breakers.db"), "w").close()
    store = open_store(folder)
    assert store.peek("a") is None
    assert store.step("a", bump) == 1
    store.close()


@pytest.mark.spec("ENC-STORE-6")
def test_eight_processes_lose_no_step(folder, start):
    counting = [start(COUNT, folder, 25) for _ in range(8)]
    ends = [int(process.communicate()[0]) for process in counting]
    assert max(ends) == 200
    store = open_store(folder)
    assert store.peek("a") == {"n": 200}
    assert store.problem == ""


@pytest.mark.spec("ENC-STORE-7")
def test_a_kill_while_writing_leaves_nothing_unreadable(folder, start):
    for _ in range(4):
        process = start(FOREVER, folder)
        for _ in range(20):
            last = int(process.stdout.readline())
        process.kill()
        last = max([last, *map(int, process.communicate()[0].split())])
        store = open_store(folder)
        assert store.peek("a")["n"] >= last
        assert store.step("a", lambda record: record["n"]) >= last
        assert store.problem == ""
        store.close()
