"""A line for each search, whole or not at all."""

from __future__ import annotations

import fcntl
import json
import os
import pathlib
import stat
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia_adapters.storage.jsonl_history import JsonlHistory, open_store

APPEND = """
import sys
from encyclopedia_adapters.storage.jsonl_history import open_store
history = open_store(sys.argv[1], entries=int(sys.argv[4]))
for n in range(int(sys.argv[3])):
    history.append({"who": sys.argv[2], "n": n, "filler": "x" * 300})
"""
NOW = """
import sys
from encyclopedia_adapters.storage.jsonl_history import open_store
history, refused = open_store(sys.argv[1], entries=int(sys.argv[4])), 0
for n in range(int(sys.argv[3])):
    while not history.append_now({"who": sys.argv[2], "n": n, "filler": "x" * 300}):
        refused += 1
    if n % 50 == 0:
        history.bound()
"""
FOREVER = """
import itertools, sys
from encyclopedia_adapters.storage.jsonl_history import open_store
history = open_store(sys.argv[1], entries=20)
for n in itertools.count():
    history.append({"n": n, "filler": "x" * 5000})
    print(n, flush=True)
"""


@pytest.fixture
def folder(tmp_path):
    return str(tmp_path / "state")


@pytest.fixture
def history(folder):
    return open_store(folder, entries=100)


def path(folder):
    return os.path.join(folder, "history.jsonl")


def test_records_come_back_in_order(history):
    assert history.read() == []
    for n in range(5):
        history.append({"n": n, "query": f"frage {n} \u00fc \ud800"})
    assert [record["n"] for record in history.read()] == [0, 1, 2, 3, 4]
    assert [record["n"] for record in history.read(2)] == [3, 4]
    assert history.read(0) == []
    assert len(history.read(99)) == 5
    assert history.read()[1]["query"] == "frage 1 \u00fc \ud800"


@pytest.mark.spec("ENC-STORE-5")
def test_a_lock_that_somebody_keeps_is_waited_for_only_so_long(history, folder):
    history.append({"n": 1})
    with open(path(folder), "rb") as theirs:
        fcntl.flock(theirs, fcntl.LOCK_EX)
        with pytest.raises(BlockingIOError, match="another process holds its lock"):
            history.append({"n": 2})
        with pytest.raises(OSError, match="another process"):
            history.clear()
        assert [record["n"] for record in history.read()] == [1]
    history.append({"n": 3})
    assert [record["n"] for record in history.read()] == [1, 3]


@pytest.mark.spec("ENC-HISTORY-5")
def test_a_record_is_added_at_once_or_not_at_all_where_somebody_would_have_to_be_waited_for(history, folder):
    assert history.append_now({"n": 1})
    with open(path(folder), "rb") as theirs:
        fcntl.flock(theirs, fcntl.LOCK_EX)
        assert not history.append_now({"n": 2})
        fcntl.flock(theirs, fcntl.LOCK_SH)  # others who add at the same moment are nobody to wait for
        assert history.append_now({"n": 3}, {"n": 4})
    assert [record["n"] for record in history.read()] == [1, 3, 4]
    with pytest.raises(TypeError):
        history.append_now({"n": object()})
    assert len(history.read()) == 3


@pytest.mark.spec("ENC-HISTORY-5")
def test_processes_that_add_at_once_and_bound_now_and_then_keep_the_newest(folder, start):
    writing = [start(NOW, folder, who, 300, 40) for who in "abcd"]
    assert [process.wait() for process in writing] == [0, 0, 0, 0]
    history = open_store(folder, entries=40)
    history.bound()
    records = history.read()
    assert 40 <= len(records) <= 48
    for who in "abcd":
        numbers = [record["n"] for record in records if record["who"] == who]
        assert numbers == list(range(300 - len(numbers), 300))
    assert os.listdir(folder) == ["history.jsonl"]


@pytest.mark.spec("ENC-HISTORY-5")
def test_bounding_nothing_makes_no_file(history, folder):
    history.bound()
    assert not os.path.exists(folder)


@given(record=st.dictionaries(st.text(), st.none() | st.integers() | st.text() | st.lists(st.text()), max_size=4))
def test_any_record_is_one_line(tmp_path_factory, record):
    folder = str(tmp_path_factory.mktemp("history"))
    history = open_store(folder, entries=10)
    history.append(record)
    assert history.read() == [record]
    assert pathlib.Path(path(folder)).read_bytes().count(b"\n") == 1


@pytest.mark.spec("ENC-STORE-1")
def test_the_file_is_for_its_owner_only(history, folder):
    old = os.umask(0)
    history.append({})
    os.umask(old)
    assert stat.S_IMODE(os.stat(path(folder)).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700


@pytest.mark.spec("ENC-STORE-2")
def test_reading_and_clearing_nothing_make_no_file(history, folder):
    assert history.read() == []
    assert history.clear() == 0
    assert not os.path.exists(folder)


@pytest.mark.spec("ENC-HISTORY-1")
@pytest.mark.parametrize("torn", [b'{"n": 1, "que', b'{"n": 1}', b"\x00\xff\xfe", b"[1, 2]", b'"text"', b"[" * 100_000])
def test_a_torn_last_line_costs_no_other(history, folder, torn):
    history.append({"n": 0})
    with open(path(folder), "ab") as file:
        file.write(torn)
    whole = [{"n": 1}] if torn == b'{"n": 1}' else []
    assert history.read() == [{"n": 0}, *whole]
    history.append({"n": 2})
    assert history.read() == [{"n": 0}, *whole, {"n": 2}]


@pytest.mark.spec("ENC-HISTORY-2")
def test_the_newest_are_kept(folder):
    history = open_store(folder, entries=10)
    for n in range(13):
        history.append({"n": n})
        assert len(history.read()) <= 12
    assert [record["n"] for record in history.read()] == list(range(3, 13))
    assert os.listdir(folder) == ["history.jsonl"]


@pytest.mark.spec("ENC-HISTORY-2")
def test_another_process_bounds_it_too(folder):
    for n in range(30):
        open_store(folder, entries=10).append({"n": n})
    numbers = [record["n"] for record in open_store(folder, entries=10).read()]
    assert 10 <= len(numbers) <= 12
    assert numbers == list(range(30 - len(numbers), 30))


@pytest.mark.spec("ENC-HISTORY-4")
def test_what_is_too_old_is_not_shown_and_goes_within_a_day(folder):
    now = 1_800_000_000.0
    history = JsonlHistory(path(folder), 100, 10.0, clock=lambda: now)
    for n in range(30):
        history.append({"n": n, "at": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(now))})
        now += 86_400
    assert [record["n"] for record in history.read()] == list(range(20, 30))
    lines = pathlib.Path(path(folder)).read_bytes().count(b"\n")
    assert 10 <= lines <= 13
    keeper = JsonlHistory(path(folder), 100, 0.0, clock=lambda: now + 1e9)
    assert len(keeper.read()) == lines
    keeper.append({"n": 30, "at": "2026-01-01T00:00:00+00:00"})
    assert len(keeper.read()) == lines + 1


@pytest.mark.spec("ENC-HISTORY-4")
@given(queries=st.lists(st.sampled_from(["a", "a b", "A", '"', "\\", "\u00fc", "a\n"]), max_size=12))
def test_it_tells_how_often_the_very_words_were_asked(tmp_path_factory, queries):
    history = open_store(str(tmp_path_factory.mktemp("history")), entries=100)
    for query in queries:
        history.append({"id": "a", "query": query, "code": 0})
    assert history.times(*queries) == [queries.count(query) for query in queries]
    assert history.times("never") == [0]


@pytest.mark.spec("ENC-HISTORY-4")
def test_only_the_newest_are_counted(history):
    for _ in range(3):
        history.append({"query": "often", "code": 0})
    assert history.times("often") == [3]
    history.append({"query": "other", "filler": "x" * (1 << 18)})
    assert history.times("often") == [0]


def test_none_kept_means_an_empty_file(folder):
    history = open_store(folder, entries=0)
    history.append({"n": 1})
    assert history.read() == []


def test_clearing_tells_the_number(history, folder):
    for n in range(3):
        history.append({"n": n})
    with open(path(folder), "ab") as file:
        file.write(b"rubbish\n")
    assert history.clear() == 3
    assert history.read() == []
    history.append({"n": 9})
    assert history.read() == [{"n": 9}]


def test_what_is_no_json_is_not_written(history):
    with pytest.raises(TypeError):
        history.append({"n": object()})
    assert history.read() == []


@pytest.mark.spec("ENC-HISTORY-3")
def test_processes_at_once_lose_nothing(folder, start):
    writing = [start(APPEND, folder, who, 60, 1000) for who in "abc"]
    assert [process.wait() for process in writing] == [0, 0, 0]
    records = open_store(folder, entries=1000).read()
    for who in "abc":
        assert [record["n"] for record in records if record["who"] == who] == list(range(60))


@pytest.mark.spec("ENC-HISTORY-3")
def test_processes_that_shorten_it_at_once_keep_the_newest(folder, start):
    writing = [start(APPEND, folder, who, 60, 20) for who in "ab"]
    assert [process.wait() for process in writing] == [0, 0]
    records = open_store(folder, entries=20).read()
    assert 20 <= len(records) <= 24
    for who in "ab":
        numbers = [record["n"] for record in records if record["who"] == who]
        assert numbers == list(range(60 - len(numbers), 60))
    assert os.listdir(folder) == ["history.jsonl"]


@pytest.mark.spec("ENC-STORE-7")
def test_a_kill_while_writing_loses_no_record_that_was_told(folder, start):
    for _ in range(4):
        process = start(FOREVER, folder)
        for _ in range(40):
            last = int(process.stdout.readline())
        process.kill()
        process.communicate()
        history = open_store(folder, entries=20)
        assert history.read()[-1]["n"] >= last
        for line in pathlib.Path(path(folder)).read_bytes().splitlines()[:-1]:
            json.loads(line)
        history.append({"n": "after"})
        assert history.read()[-1] == {"n": "after"}
