"""What replicas add up and the record of searches: shared lists, and what happens to them when the server goes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from threading import Barrier
from time import sleep

import pytest

from encyclopedia_adapters.storage.history_age import Age
from encyclopedia_adapters.storage.jsonl_history import open_store as open_history
from encyclopedia_adapters.storage.ledger import open_ledger
from encyclopedia_adapters.storage.redis_history import SharedHistory, ShelteredHistory
from encyclopedia_adapters.storage.redis_lines import Owed, SharedLedger, ShelteredLedger
from encyclopedia_adapters.storage.redis_link import Gone, open_link
from tests.adapters.storage.test_redis_link import until
from tests.redis_server import redis_server

ADD = """
import sys
from encyclopedia_adapters.storage.redis_lines import SharedLedger
from encyclopedia_adapters.storage.redis_link import open_link
ledger = SharedLedger(open_link(sys.argv[1]), "profile", 3600)
def summed(kept):
    return [{"n": sum(record["n"] for record in kept)}]
sys.stdin.readline()
for number in range(40):
    ledger.append([{"n": 1}])
    if number % 10 == 9:
        ledger.rewrite(summed)
"""


@pytest.fixture(scope="module")
def server():
    with redis_server() as running:
        yield running


@pytest.fixture
def link(server):
    """``link()``: the way of another replica to the server."""
    if not server.running:
        server.start()
    server.client.flushall()
    with ExitStack() as links:

        def one():
            found = open_link(server.url)
            links.callback(found.close)
            return found

        yield one


def ledger(link):
    return SharedLedger(link, "profile", 3600)


def history(link, *, entries=100, days=30.0):
    return SharedHistory(link, entries, Age(days))


def search(query, at=None):
    """A record of a search as it is written, begun with its time."""
    return {"id": "x", "at": (at or datetime.now(UTC)).isoformat(timespec="seconds"), "query": query, "results": []}


@pytest.mark.spec("ENC-SHARED-1", "ENC-LEDGER-1")
def test_records_are_read_on_from_where_one_stopped(link):
    one, other = ledger(link()), ledger(link())
    assert one.append([{"n": 1}, {"n": 2}]) == (0, 16)
    found, mark, _ = other.read()
    assert found == [{"n": 1}, {"n": 2}]
    one.append([{"n": 3}])
    assert other.read(mark)[::2] == ([{"n": 3}], False)
    one.rewrite(lambda kept: [{"n": sum(record["n"] for record in kept)}])
    assert other.read(mark)[::2] == ([{"n": 6}], True)
    one.rewrite(lambda _: [])
    assert other.read()[0] == []


@pytest.mark.spec("ENC-SHARED-1", "ENC-LEDGER-2")
def test_replicas_that_append_and_sum_up_lose_no_count(server, link, start):
    processes = [start(ADD, server.url) for _ in range(3)]
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    assert [process.wait(90) for process in processes] == [0, 0, 0]
    assert sum(record["n"] for record in ledger(link()).read()[0]) == 120


@pytest.mark.spec("ENC-SHARED-6")
def test_damaged_lines_and_keys_cost_no_others(server, link):
    one = ledger(link())
    one.append([{"n": 1}])
    key = "encyclopedia:1:{profile}"
    server.client.rpush(key, b"\xff{", b"[1]", b"{" * 5000, b'{"n": 2}')
    assert one.read()[0] == [{"n": 1}, {"n": 2}]
    server.client.delete(key)
    server.client.set(key, "a stranger's")
    assert one.read()[0] == []
    one.append([{"n": 3}])
    assert ledger(link()).read()[0] == [{"n": 3}]
    assert 0 < server.client.ttl(key) <= 3600


@pytest.mark.spec("ENC-SHARED-2")
def test_what_is_added_up_meanwhile_is_handed_over(server, link, tmp_path):
    way = link()
    both = ShelteredLedger(ledger(way), open_ledger(str(tmp_path / "profile.jsonl")))
    way.when_back(both.pay)
    both.append([{"n": 1}])
    mark = both.read()[1]
    server.kill()
    both.append([{"n": 2}])
    with pytest.raises(Gone):  # what was read is better than a part of it
        both.read(mark)
    server.start()
    until(lambda: not way.problem and server.client.exists("encyclopedia:1:{profile}"))
    both.append([{"n": 3}])
    assert [record["n"] for record in ledger(link()).read()[0]] == [2, 3]


@pytest.mark.spec("ENC-SHARED-2")
def test_what_is_owed_is_handed_over_once_however_many_threads_pay():
    owed, paid, threads, rounds = Owed(), [], 4, 200
    together = Barrier(threads)

    def hand_over(records):
        for record in records:  # as slow as a server: others come in between wherever they can
            paid.append(record)
            sleep(0)

    def work(number):
        for turn in range(rounds):
            owed.add([{"thread": number, "turn": turn}])
            together.wait(60)
            owed.pay(hand_over)

    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(work, number) for number in range(threads)]:
            done.result(60)
    assert sorted((record["thread"], record["turn"]) for record in paid) == [
        (number, turn) for number in range(threads) for turn in range(rounds)
    ]


@pytest.mark.spec("ENC-SHARED-1", "ENC-HISTORY-2")
def test_the_history_is_bounded_and_counts_words(link):
    one, other = history(link(), entries=5), history(link(), entries=5)
    for number in range(7):
        one.append(search(f"q{number}"))
    other.append(search("q6"), search("zoë ≠ \U0001f600"))
    assert [record["query"] for record in other.read()] == ["q4", "q5", "q6", "q6", "zoë ≠ \U0001f600"]
    assert [record["query"] for record in other.read(2)] == ["q6", "zoë ≠ \U0001f600"]
    assert other.read(0) == []
    assert one.times("q6", "q4", "q1", "zoë ≠ \U0001f600", "q") == [2, 1, 0, 1, 0]
    assert one.clear() == 5
    assert other.read() == []


@pytest.mark.spec("ENC-SHARED-1", "ENC-HISTORY-4")
def test_what_is_too_old_is_not_shown_and_goes(server, link):
    old = datetime.now(UTC) - timedelta(days=40)
    one = history(link())
    one.append(search("old", old), search("new"))
    assert [record["query"] for record in one.read()] == ["new"]
    one.append(search("newer"))
    assert server.client.llen("encyclopedia:1:{history}") == 2
    assert server.client.ttl("encyclopedia:1:{history}") > 0
    history(link(), days=0.0).append(search("for ever", old))
    assert server.client.ttl("encyclopedia:1:{history}") == -1


@pytest.mark.spec("ENC-SHARED-2")
def test_searches_of_meanwhile_are_in_both_histories(server, link, tmp_path):
    way, local = link(), open_history(str(tmp_path / "sessions"), entries=100, days=30.0)
    both = ShelteredHistory(history(way), local)
    way.when_back(both.pay)
    both.append(search("before"))
    server.kill()
    both.append(search("meanwhile"))
    assert [record["query"] for record in both.read()] == ["meanwhile"]
    assert both.times("meanwhile") == [1]
    with pytest.raises(Gone):  # those of the others would stay
        both.clear()
    server.start()
    until(lambda: not way.problem and server.client.exists("encyclopedia:1:{history}"))
    assert [record["query"] for record in history(link()).read()] == ["meanwhile"]
    both.append(search("after"))
    assert [record["query"] for record in both.read()] == ["meanwhile", "after"]


@pytest.mark.spec("ENC-SHARED-6")
def test_damaged_records_of_searches_are_left_out(server, link):
    one = history(link())
    one.append(search("good"))
    server.client.rpush("encyclopedia:1:{history}", b"\xff", b"[]", b'{"query": "no time"}')
    assert "good" in [record.get("query") for record in one.read()]
    server.client.delete("encyclopedia:1:{history}")
    server.client.set("encyclopedia:1:{history}", "a stranger's")
    assert (one.read(), one.times("good")) == ([], [0])
    one.append(search("again"))
    assert [record["query"] for record in one.read()] == ["again"]
