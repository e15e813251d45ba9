"""Readers leave no mark, and only what is damaged is set aside."""

from __future__ import annotations

import os
import sqlite3

import pytest

from encyclopedia_adapters.storage.sqlite_file import Reader, connect, damaged, set_aside


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "odd %41?#name" / "data.db")


def fill(path, *values):
    con = connect(path)
    con.execute("CREATE TABLE IF NOT EXISTS t (v)")
    con.executemany("INSERT INTO t VALUES (?)", [(value,) for value in values])
    return con


def test_a_reader_of_nothing_finds_nothing(path):
    assert Reader(path).rows("SELECT v FROM t") == []
    assert not os.path.exists(path)


@pytest.mark.spec("ENC-STORE-2")
def test_a_reader_leaves_no_file_behind(path, tree):
    fill(path, 1, 2).close()
    before = tree(os.path.dirname(path))
    reader = Reader(path)
    assert reader.rows("SELECT v FROM t WHERE v > ?", (1,)) == [(2,)]
    assert tree(os.path.dirname(path)) == before
    reader.close()
    assert tree(os.path.dirname(path)) == before


def test_a_reader_sees_what_others_write(path):
    con, reader = fill(path, 1), Reader(path)
    assert reader.rows("SELECT count(*) FROM t") == [(1,)]
    con.execute("INSERT INTO t VALUES (2)")
    assert reader.rows("SELECT count(*) FROM t") == [(2,)]
    con.close()
    con = fill(path, 3)
    assert reader.rows("SELECT count(*) FROM t") == [(3,)]
    con.close()
    reader.close()


def test_a_reader_follows_a_file_that_was_replaced(path):
    con, reader = fill(path, 1), Reader(path)
    assert reader.rows("SELECT v FROM t") == [(1,)]
    con.close()
    for end in ("", "-wal", "-shm"):
        if os.path.exists(path + end):
            os.unlink(path + end)
    assert reader.rows("SELECT v FROM t") == []
    con = fill(path, 7)
    assert reader.rows("SELECT v FROM t") == [(7,)]
    con.close()
    reader.close()


def test_a_reader_cannot_write(path):
    con, reader = fill(path, 1), Reader(path)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        reader.rows("INSERT INTO t VALUES (2)")
    con.close()
    reader.close()


def test_a_sound_file_is_never_set_aside(path):
    fill(path, 1).close()
    set_aside(path)
    assert Reader(path).rows("SELECT v FROM t") == [(1,)]
    assert not os.path.exists(path + ".damaged")


def test_a_damaged_file_is_set_aside_and_its_log_with_it(path):
    fill(path, 1).close()
    for end in ("", "-wal", "-shm"):
        with open(path + end, "wb") as file:
            file.write(b"no database" * 100)
    set_aside(path)
    assert {name for name in os.listdir(os.path.dirname(path)) if not name.endswith(".lock")} >= {"data.db.damaged"}
    assert not os.path.exists(path)


def test_a_lock_is_no_damage(path):
    con = fill(path, 1)
    con.execute("BEGIN IMMEDIATE")
    other = sqlite3.connect(path, timeout=0)
    with pytest.raises(sqlite3.OperationalError) as caught:
        other.execute("INSERT INTO t VALUES (2)")
    assert not damaged(caught.value)
    assert not damaged(ValueError("x"))
    other.close()
    con.close()


@pytest.mark.spec("ENC-STORE-8")
def test_a_pipe_in_the_place_of_a_database_is_an_error_at_once(path):
    os.mkdir(os.path.dirname(path))
    os.mkfifo(path)
    with pytest.raises(sqlite3.OperationalError, match="not a regular file"):
        Reader(path).rows("SELECT 1")
    with pytest.raises(sqlite3.OperationalError, match="not a regular file"):
        connect(path)
