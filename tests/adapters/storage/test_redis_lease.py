"""One replica at a time on a question, and nobody waits for the dead."""

from __future__ import annotations

import asyncio

import pytest

from encyclopedia_adapters.storage.redis_lease import open_lease
from encyclopedia_adapters.storage.redis_link import open_link
from tests.redis_server import redis_server

HOLD = """
import asyncio, sys
from encyclopedia_adapters.storage.redis_lease import open_lease
from encyclopedia_adapters.storage.redis_link import open_link
async def main():
    async with open_lease(open_link(sys.argv[1])).hold(sys.argv[2], 5.0) as another:
        print(another, flush=True)
        await asyncio.to_thread(sys.stdin.readline)
asyncio.run(main())
"""


@pytest.fixture(scope="module")
def server():
    with redis_server() as server:
        yield server


@pytest.fixture
def replica(server):
    """``replica()``: the leases of another replica."""
    server.client.flushall()
    links = []

    def open_one(url=server.url):
        links.append(open_link(url))
        return open_lease(links[-1])

    yield open_one
    for link in links:
        link.close()


def kept(server):
    names = server.keys()
    return [key for key in names if "{lease:" in key]


async def test_a_free_key_is_held_at_once_and_given_back(server, replica):
    async with replica().hold("a", 0.0) as another:
        assert another is False
        (key,) = kept(server)
        assert 0 < server.client.pttl(key) <= 1000
    assert kept(server) == []


@pytest.mark.spec("ENC-FLIGHT-6")
async def test_another_replica_is_waited_for(server, replica):
    held, done = replica().hold("a", 5.0), asyncio.Event()
    assert await held.__aenter__() is False
    async with replica().hold("b", 5.0) as another:
        assert another is False  # another question is another matter

    async def ask():
        async with replica().hold("a", 60.0) as another:
            done.set()
            return another

    asking = asyncio.create_task(ask())
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(done.wait(), 0.1)
    await held.__aexit__(None, None, None)
    assert await asking is True
    assert kept(server) == []


@pytest.mark.spec("ENC-FLIGHT-6")
async def test_a_dead_replica_holds_nothing_once_its_lease_has_ended(server, replica, start):
    holder = start(HOLD, server.url, "a")
    assert holder.stdout.readline() == "False\n"
    (key,) = kept(server)
    assert 0 < server.client.pttl(key) <= 25_000
    holder.kill()
    holder.wait()
    async with replica().hold("a", 0.0) as another:
        assert another is True
    server.client.pexpire(key, 50)  # as time does
    async with replica().hold("a", 60.0) as another:
        assert another is True  # it was at it
    async with replica().hold("a", 0.0) as another:
        assert another is False


@pytest.mark.spec("ENC-FLIGHT-6")
async def test_patience_ends_and_who_goes_on_without_it_releases_nothing(server, replica):
    async with replica().hold("a", 5.0):
        for patience in (0.0, 0.05):
            async with replica().hold("a", patience) as another:
                assert another is True
        assert len(kept(server)) == 1
    assert kept(server) == []


@pytest.mark.spec("ENC-FLIGHT-6")
async def test_a_lease_that_has_ended_is_not_taken_from_the_next(server, replica):
    late = replica().hold("a", 0.0)
    await late.__aenter__()
    server.client.delete(*kept(server))
    async with replica().hold("a", 0.0) as another:
        assert another is False
        await late.__aexit__(None, None, None)
        assert len(kept(server)) == 1


async def test_two_callers_of_one_replica_do_not_hinder_each_other(server, replica):
    leases = replica()
    async with leases.hold("a", 60.0) as first:
        async with leases.hold("a", 60.0) as second:
            assert (first, second) == (False, False)
        assert len(kept(server)) == 1


async def test_waiting_can_be_cancelled(server, replica):
    async with replica().hold("a", 60.0):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05), replica().hold("a", 60.0):
                pass
        assert len(kept(server)) == 1
    async with replica().hold("a", 0.0) as another:
        assert another is False


async def test_who_is_cancelled_while_taking_it_keeps_nothing(server, replica):
    leases = replica()
    for _ in range(20):
        taking = asyncio.create_task(leases.hold("a", 60.0).__aenter__())
        await asyncio.sleep(0)
        taking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await taking
    async with replica().hold("a", 60.0):
        pass
    async with replica().hold("a", 0.0) as another:
        assert another is False


async def test_what_was_done_raises_and_releases(server, replica):
    with pytest.raises(RuntimeError):
        async with replica().hold("a", 1.0):
            raise RuntimeError
    assert kept(server) == []


@pytest.mark.spec("ENC-FLIGHT-6")
async def test_a_server_that_is_gone_is_no_hindrance(replica):
    with redis_server() as gone:
        leases = replica(gone.url)
        async with leases.hold("a", 60.0) as another:
            assert another is False
            gone.kill()
        async with leases.hold("a", 60.0) as another:
            assert another is False


async def test_a_lease_without_an_end_is_given_one(server, replica):
    server.client.set("encyclopedia:1:{lease:a}", "planted")
    async with replica().hold("a", 0.0) as another:
        assert another is True
    assert 0 < server.client.pttl("encyclopedia:1:{lease:a}") <= 1000


async def test_a_key_of_another_kind_is_no_hindrance(server, replica):
    server.client.hset("encyclopedia:1:{lease:a}", "x", "y")
    async with replica().hold("a", 60.0) as another:
        assert another is False


@pytest.mark.spec("ENC-FLIGHT-6")
async def test_of_many_replicas_one_works_at_a_time(server, replica):
    inside, most = 0, 0

    async def ask():
        nonlocal inside, most
        async with replica().hold("a", 60.0) as another:
            inside += 1
            most = max(most, inside)
            await asyncio.to_thread(server.client.ping)
            inside -= 1
            return another

    async with replica().hold("a", 60.0):
        asking, looked = [asyncio.create_task(ask()) for _ in range(8)], looks(server)
        while looks(server) < looked + 16:
            await asyncio.to_thread(server.client.ping)
    assert await asyncio.gather(*asking) == [True] * 8
    assert most == 1


def looks(server):
    return server.client.info("commandstats")["cmdstat_evalsha"]["calls"]
