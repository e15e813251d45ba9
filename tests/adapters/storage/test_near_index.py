"""Questions beside their answers: shared at once, gone with the answer, and safe from damage."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys

import numpy as np
import pytest

from encyclopedia.model.cached import CacheEntry
from encyclopedia.model.query import QueryType
from encyclopedia_adapters.storage.diskcache_answers import DiskcacheAnswers
from encyclopedia_adapters.storage.near_index import NearIndex, StillReadingError, open_index, sound
from encyclopedia_adapters.storage.near_rows import NearRows

D = 8
MARK = "embedder 1"


def unit(number):
    row = np.zeros(D, np.float32)
    row[number % D] = 1.0
    return row


@pytest.fixture
def folder(tmp_path):
    return str(tmp_path / "cache")


@pytest.fixture
def store(folder, clock):
    store = DiskcacheAnswers(folder, 3600.0, 5, clock)
    yield store
    store.close()


@pytest.fixture
def index(folder):
    index = open_index(folder)
    yield index
    index.close()


@pytest.fixture
def keep(store, index, clock):
    def keep(*names, group="g"):
        for name in names:
            store.put(CacheEntry(name, QueryType.REPOSITORY, f"query {name}", "{}", clock.now))
            index.add(group, name, f"text {name}")

    return keep


def fill(index, group="g", mark=MARK):
    found = index.pending(group, mark, D, 99)
    index.fill(group, mark, found, np.stack([unit(ord(key[0])) for key, _ in found]) if found else np.zeros((0, D)))
    return [key for key, _ in found]


def names(index, vector, group="g", mark=MARK):
    return [near.key for near in index.nearest(group, mark, vector, 9) if near.similarity > 0.5]


def run(folder, sql, *parameters):
    con = sqlite3.connect(os.path.join(folder, "cache.db"))
    with con:
        found = con.execute(sql, parameters).fetchall()
    con.close()
    return found


@pytest.mark.spec("ENC-NEAR-4")
def test_a_look_into_an_empty_group_makes_no_file_and_loads_nothing(folder):
    code = """
import sys
from encyclopedia_adapters.storage.near_index import open_index
print(open_index(sys.argv[1]).holds("g"), "numpy" in sys.modules, "faiss" in sys.modules)
"""
    env = {"PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True, check=True, env=env)
    assert done.stdout.split() == ["False"] * 3
    assert not os.path.exists(folder)


@pytest.mark.spec("ENC-NEAR-5")
def test_a_question_waits_for_its_vector_and_is_then_found(index, keep):
    keep("a", "b")
    assert index.holds("g")
    assert not index.holds("other")
    assert names(index, unit(ord("a"))) == []
    assert fill(index) == ["a", "b"]
    assert fill(index) == []
    (near,) = [one for one in index.nearest("g", MARK, unit(ord("a")), 9) if one.similarity > 0.5]
    assert near == ("a", "text a", pytest.approx(1.0))


@pytest.mark.spec("ENC-NEAR-6")
def test_another_process_sees_what_is_stored_filled_and_removed_at_the_next_look(folder, store, index, keep):
    other = NearIndex(NearRows(folder))
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
    other.close()


@pytest.mark.spec("ENC-NEAR-6")
def test_a_question_goes_with_its_answer_however_that_goes(folder, store, index, keep, clock):
    for name in "abcde":
        keep(name)
        clock.tick(1)
    fill(index)
    keep("f")  # a is the sixth
    fill(index)
    assert names(index, unit(ord("a"))) == []
    assert names(index, unit(ord("f"))) == ["f"]
    run(folder, "DELETE FROM Cache WHERE key = 'f'")
    assert names(index, unit(ord("f"))) == []
    assert run(folder, "SELECT key FROM Near ORDER BY key") == [(name,) for name in "bcde"]


@pytest.mark.spec("ENC-NEAR-6")
def test_a_question_whose_answer_is_gone_already_is_not_kept(index, keep):
    keep("a")
    index.add("g", "never stored", "text")
    fill(index)
    assert index.all().keys() == {"a"}


@pytest.mark.spec("ENC-NEAR-17")
def test_many_questions_are_read_aside_and_nobody_waits_for_them(folder, store, index, keep):
    keep("a", "b", "c", "d")
    fill(index)
    run(folder, "UPDATE Near SET text = 'damaged' WHERE key = 'c'")
    many = NearIndex(NearRows(folder), at_once=3)
    with pytest.raises(StillReadingError, match="4 stored questions"):
        many.pending("g", MARK, D, 9)
    reading = many._reading.get("g")
    if reading:
        reading.join()
    assert many.pending("g", MARK, D, 9) == []
    assert names(many, unit(ord("a"))) == ["a"]
    assert run(folder, "SELECT key FROM Near ORDER BY key") == [("a",), ("b",), ("d",)]
    keep("e")
    assert many.pending("g", MARK, D, 9) == [("e", "text e")]
    store.clear()
    assert not many.holds("g")
    assert names(many, unit(ord("a"))) == []
    many.close()


@pytest.mark.spec("ENC-NEAR-17")
def test_what_is_read_in_parts_is_all_that_there_is(folder, index, keep):
    keep("a", "b", "c", "d", "e")
    fill(index)
    rows = NearRows(folder)
    generation = rows.state("g")[1]
    assert sorted(row.key for part, _ in rows.parts("g", generation, 2) for row in part) == list("abcde")
    assert rows.since("g", generation) == ([], [])
    assert list(rows.parts("g", 0, 2)) == []
    rows.close()


def test_an_index_that_is_closed_while_it_reads_waits_for_nothing_more(folder, index, keep):
    keep("a", "b", "c", "d")
    for _ in range(20):
        many = NearIndex(NearRows(folder), at_once=3)
        with pytest.raises(StillReadingError):
            many.nearest("g", MARK, unit(0), 9)
        many.close()
        assert not many._reading


@pytest.mark.spec("ENC-NEAR-7")
def test_damaged_rows_are_dropped_one_by_one_and_their_answers_stay(folder, store, index, keep):
    keep(*"abcde")
    fill(index)
    run(folder, "UPDATE Near SET vector = zeroblob(32) WHERE key = 'a'")
    run(folder, "UPDATE Near SET text = 'another text' WHERE key = 'b'")
    run(folder, "UPDATE Near SET vector = 'text' WHERE key = 'c'")
    run(folder, "UPDATE Near SET text = x'00' WHERE key = 'd'")
    fresh = NearIndex(NearRows(folder))
    assert [names(fresh, unit(ord(name))) for name in "abcde"] == [[], [], [], [], ["e"]]
    assert run(folder, "SELECT key FROM Near") == [("e",)]
    assert all(store.get(name) for name in "abcde")
    fresh.close()


@pytest.mark.spec("ENC-NEAR-7")
def test_vectors_of_another_embedder_are_made_anew(folder, index, keep):
    keep("a", "b")
    fill(index, mark="embedder 0")
    other = NearIndex(NearRows(folder))
    assert names(other, unit(ord("a"))) == []
    assert fill(other) == ["a", "b"]
    assert names(other, unit(ord("a"))) == ["a"]
    # the same mark with another length is another embedder too
    assert [key for key, _ in other.pending("g", MARK, D + 1, 9)] == ["a", "b"]
    other.close()


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


@pytest.mark.spec("ENC-NEAR-6")
def test_a_database_that_was_set_aside_is_forgotten(folder, store, index, keep):
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
def test_files_stay_private(folder, index, keep):
    old = os.umask(0)
    keep("a")
    fill(index)
    os.umask(old)
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    assert {stat.S_IMODE(os.stat(os.path.join(folder, name)).st_mode) for name in os.listdir(folder)} == {0o600}


@pytest.mark.spec("ENC-CACHE-11")
def test_a_planted_pickle_among_the_vectors_is_never_run(folder, index, keep, tmp_path):
    import pickle

    class Bomb:
        def __reduce__(self):
            return (open, (str(tmp_path / "crater"), "w"))

    keep("a", "b")
    fill(index)
    run(folder, "UPDATE Near SET vector = ? WHERE key = 'a'", pickle.dumps(Bomb()))
    fresh = NearIndex(NearRows(folder))
    assert names(fresh, unit(ord("b"))) == ["b"]
    assert not (tmp_path / "crater").exists()
    fresh.close()
