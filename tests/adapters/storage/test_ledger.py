"""Records that are added up: read on from where one stopped, whoever else writes or sums up."""

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

from encyclopedia_adapters.storage.ledger import open_ledger

COUNT = """
import sys
from encyclopedia_adapters.storage.ledger import open_ledger
ledger = open_ledger(sys.argv[1])
for n in range(int(sys.argv[3])):
    if ledger.append([{"who": sys.argv[2], "n": 1}])[1] > 2000:
        def added(records):
            sums = {}
            for record in records:
                sums[record["who"]] = sums.get(record["who"], 0) + record["n"]
            return [{"who": who, "n": n} for who, n in sums.items()]
        ledger.rewrite(added)
"""


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "state" / "ledger.jsonl")


def told(ledger):
    return [record["n"] for record in ledger.read()[0]]


@pytest.mark.spec("ENC-LEDGER-1")
def test_records_come_back_in_order_and_the_size_is_told(path):
    ledger = open_ledger(path)
    assert ledger.read()[0] == []
    assert ledger.append([{"n": 1}, {"n": 2}]) == (0, first := os.path.getsize(path))
    assert ledger.append([{"n": 3}]) == (first, os.path.getsize(path))
    assert told(ledger) == [1, 2, 3]


@pytest.mark.spec("ENC-LEDGER-1")
@given(steps=st.lists(st.sampled_from(["append", "rewrite", "empty", "torn", "look"]), max_size=25))
def test_a_reader_that_goes_on_knows_what_one_knows_that_begins(tmp_path_factory, steps):
    path = str(tmp_path_factory.mktemp("ledger") / "ledger.jsonl")
    ledger, mark, known = open_ledger(path), None, []
    for n, do in enumerate(steps):
        if do == "append":
            ledger.append([{"n": n}])
        elif do == "rewrite":
            ledger.rewrite(lambda records: [{"n": -sum(record["n"] for record in records)}])
        elif do == "empty":
            ledger.rewrite(lambda _: [])
        elif do == "torn" and os.path.exists(path):
            with open(path, "ab") as file:
                file.write(b'{"n": 7')
        records, mark, anew = ledger.read(mark)
        known = [*([] if anew else known), *records]
        assert known == open_ledger(path).read()[0]


@pytest.mark.spec("ENC-LEDGER-1")
def test_another_file_in_its_place_is_read_from_the_beginning(path):
    ledger = open_ledger(path)
    ledger.append([{"n": 1}])
    mark = ledger.read()[1]
    pathlib.Path(path).write_text('{"n": 5}\n{"n": 6}\n')  # the same number of a file, and longer
    records, _, anew = ledger.read(mark)
    assert (anew, [record["n"] for record in records]) == (True, [5, 6])


@pytest.mark.spec("ENC-LEDGER-2")
def test_a_torn_line_costs_no_other(path):
    ledger = open_ledger(path)
    ledger.append([{"n": 1}])
    with open(path, "ab") as file:
        file.write(b'{"n": 9, "te')
    assert told(ledger) == [1]
    ledger.append([{"n": 2}])
    assert told(ledger) == [1, 2]


@pytest.mark.spec("ENC-LEDGER-2")
def test_processes_that_append_and_sum_up_lose_no_count(path, start):
    processes = [start(COUNT, path, f"p{number}", 150) for number in range(6)]
    for process in processes:
        assert process.wait() == 0, process.communicate()
    sums = {}
    for record in open_ledger(path).read()[0]:
        sums[record["who"]] = sums.get(record["who"], 0) + record["n"]
    assert sums == {f"p{number}": 150 for number in range(6)}
    assert os.listdir(os.path.dirname(path)) == ["ledger.jsonl"]


@pytest.mark.spec("ENC-STORE-1")
def test_the_file_is_for_its_owner_only(path):
    old = os.umask(0)
    open_ledger(path).append([{}])
    os.umask(old)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    open_ledger(path).rewrite(lambda records: records)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert json.loads(pathlib.Path(path).read_bytes()) == {}


def test_what_a_killed_process_left_is_written_over(tmp_path):
    path = tmp_path / "state" / "ledger.jsonl"
    ledger = open_ledger(str(path))
    ledger.append([{"n": 1}, {"n": 2}])
    path.with_name("ledger.jsonl.new").write_text('{"half of')
    ledger.rewrite(lambda kept: [{"sum": sum(record["n"] for record in kept)}])
    assert ledger.read()[0] == [{"sum": 3}]
    assert [one.name for one in path.parent.iterdir()] == ["ledger.jsonl"]


@pytest.mark.spec("ENC-STORE-5")
def test_who_holds_it_is_waited_for_a_moment_only(path):
    ledger = open_ledger(path)
    ledger.append([{"n": 1}])
    with open(path, "rb") as theirs:
        fcntl.flock(theirs, fcntl.LOCK_EX)
        assert ledger.append_now([{"n": 2}]) is None
        begun = time.monotonic()
        with pytest.raises(BlockingIOError):
            ledger.append([{"n": 2}])
        assert 0.2 < time.monotonic() - begun < 1.5
    assert ledger.append_now([{"n": 3}])
    assert told(ledger) == [1, 3]
