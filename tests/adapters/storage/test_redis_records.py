"""Records of breakers and counts that replicas share: each sees what the others did, and nothing is lost with the server."""

from __future__ import annotations

import threading
from contextlib import ExitStack

import pytest

from encyclopedia_adapters.storage.memory_records import MemoryRecords
from encyclopedia_adapters.storage.redis_link import Gone, open_link
from encyclopedia_adapters.storage.redis_records import SharedRecords, ShelteredRecords
from tests.adapters.storage.test_redis_link import until
from tests.redis_server import redis_server

ADD = """
import sys
from encyclopedia_adapters.storage.redis_link import open_link
from encyclopedia_adapters.storage.redis_records import SharedRecords
records = SharedRecords(open_link(sys.argv[1]), "records")
sys.stdin.readline()
for _ in range(50):
    records.step("alpha", lambda record: record.update({"calls": record.get("calls", 0) + 1}))
"""


@pytest.fixture(scope="module")
def server():
    with redis_server() as running:
        yield running


@pytest.fixture
def replica(server):
    """``replica()``: the records of another replica, which looks each time or, with ``mirror``, in a thread."""
    if not server.running:
        server.start()
    server.client.flushall()
    with ExitStack() as links:

        def one(*, mirror=False):
            link = open_link(server.url)
            links.callback(link.close)
            records = SharedRecords(link, "records")
            if mirror:
                records.mirror()
            return records

        yield one


def fail(record):
    record["fails"] = record.get("fails", 0) + 1


@pytest.mark.spec("ENC-SHARED-1")
def test_a_change_is_seen_by_another_within_a_second(replica, clock):
    one, other = replica(), replica()
    other._clock = clock
    assert other.peek("alpha") is None
    one.step("alpha", fail)
    assert other.peek("alpha") is None
    clock.tick(1.01)
    assert other.peek("alpha") == {"fails": 1}
    assert one.peek("alpha") == {"fails": 1}


@pytest.mark.spec("ENC-SHARED-3")
def test_a_mirror_asks_nobody_when_it_is_looked_at(replica, monkeypatch):
    one, other = replica(), replica(mirror=True)
    here, asked = threading.get_ident(), []
    script = other._link.script
    monkeypatch.setattr(other._link, "script", lambda *a: asked.append(threading.get_ident()) or script(*a))
    one.step("alpha", fail)
    until(lambda: other.peek("alpha") == {"fails": 1})
    assert asked
    assert here not in asked


@pytest.mark.spec("ENC-SHARED-3")
def test_nor_before_it_has_ever_found_the_server(server, replica):
    server.kill()
    early = replica(mirror=True)
    with pytest.raises(Gone):
        early.peek("alpha")
    early._link.problem = ""  # the server is back, and nobody has read yet
    with pytest.raises(Gone, match="not read yet"):
        early.peek("alpha")


@pytest.mark.spec("ENC-SHARED-1")
def test_two_that_change_at_once_lose_nothing(server, replica, start):
    processes = [start(ADD, server.url) for _ in range(3)]
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    assert [process.wait(60) for process in processes] == [0, 0, 0]
    assert replica().peek("alpha") == {"calls": 150}


@pytest.mark.spec("ENC-SHARED-1")
def test_a_change_that_raises_is_kept_and_what_is_unchanged_is_not_written(server, replica):
    records = replica()

    def refuse(record):
        fail(record)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        records.step("alpha", refuse)
    assert replica().peek("alpha") == {"fails": 1}
    before = server.client.info("commandstats").get("cmdstat_hset", {}).get("calls")
    records.step("alpha", lambda record: None)
    assert server.client.info("commandstats").get("cmdstat_hset", {}).get("calls") == before


@pytest.mark.spec("ENC-SHARED-6")
@pytest.mark.parametrize("planted", [b"[1]", b"no json", b"\xff\xfe", b"[" * 100_000, b'{"fails": "x"}' + b" " * 70_000])
def test_a_damaged_record_is_none(server, replica, planted):
    server.client.hset("encyclopedia:1:{records}", mapping={"alpha": planted, "": "mark"})
    records = replica()
    assert records.peek("alpha") is None
    records.step("alpha", fail)
    assert replica().peek("alpha") == {"fails": 1}


@pytest.mark.spec("ENC-SHARED-6")
def test_a_key_of_another_kind_is_put_right(server, replica):
    server.client.rpush("encyclopedia:1:{records}", "a stranger's")
    records = replica()
    assert records.peek("alpha") is None
    records.step("alpha", fail)
    assert replica().peek("alpha") == {"fails": 1}
    assert 0 < server.client.ttl("encyclopedia:1:{records}") <= 7 * 86_400


@pytest.mark.spec("ENC-SHARED-2")
@pytest.mark.parametrize("remembers", [True, False], ids=["cut", "emptied"])
def test_what_is_known_goes_on_here_and_is_handed_over_afterwards(server, replica, remembers):
    shared, local = replica(mirror=True), MemoryRecords()
    sheltered = ShelteredRecords(shared, local)
    shared._link.when_back(sheltered.give_back)
    sheltered.step("alpha", fail)
    sheltered.step("beta", fail)
    if remembers:
        shared._link._lost("cannot be reached")  # as when only the way to it is cut
    else:
        server.kill()
        with pytest.raises(Gone):
            shared.step("gamma", fail)
    if shared._link.problem:  # the way may be open again already
        assert sheltered.peek("alpha") == {"fails": 1}
    sheltered.step("alpha", fail)
    if not remembers:
        server.start()
    other = replica()
    until(lambda: not shared._link.problem and other.peek("alpha") == {"fails": 2})
    assert sheltered.peek("alpha") == {"fails": 2}


@pytest.mark.spec("ENC-SHARED-2")
def test_what_others_changed_meanwhile_stands(server, replica):
    shared, local = replica(mirror=True), MemoryRecords()
    sheltered = ShelteredRecords(shared, local)
    sheltered.step("alpha", fail)
    shared._link.problem = "cut"
    sheltered.step("alpha", fail)
    replica().step("alpha", lambda record: record.update({"fails": 9}))
    shared._link.problem = ""
    shared.refresh()
    sheltered.give_back()
    assert replica().peek("alpha") == {"fails": 9}
