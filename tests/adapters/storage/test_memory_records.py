"""Records in memory keep what a store of records promises."""

from __future__ import annotations

import threading

import pytest

from encyclopedia_adapters.storage.memory_records import MemoryRecords


def test_a_record_is_blank_at_first_and_kept_then():
    store = MemoryRecords()
    assert store.peek("a") is None
    assert store.step("a", lambda record: record.setdefault("fails", len(record))) == 0
    assert store.peek("a") == {"fails": 0}


def test_a_peek_is_a_copy():
    store = MemoryRecords()
    store.step("a", lambda record: record.update(fails=1))
    store.peek("a")["fails"] = 9
    assert store.peek("a") == {"fails": 1}


def test_what_was_changed_stays_even_when_it_raises():
    store = MemoryRecords()

    def change(record):
        record["fails"] = 1
        raise ValueError

    with pytest.raises(ValueError):
        store.step("a", change)
    assert store.peek("a") == {"fails": 1}


def test_threads_lose_no_step():
    store = MemoryRecords()

    def count():
        for _ in range(200):
            store.step("a", lambda record: record.update(n=record.get("n", 0) + 1))

    threads = [threading.Thread(target=count) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.peek("a") == {"n": 1600}
