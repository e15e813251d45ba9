"""Three replicas behind a balancer over one redis-server: what they do as one, and what is left of it when parts die."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, suppress
from typing import Any, NamedTuple, Self

import aiohttp
import pytest
from aiohttp import web

from tests.encyclopedia.faces.cli.command import Command
from tests.redis_server import RedisServer, free_port, redis_server
from tests.serving import Served, serving

REPLICAS = 3
NOBODY = 502
"""The status of a search that no source has answered."""
CAP = 7
ROOM = 3.0
"""How many times as long as promised something may take on a machine that is busy with other things."""
LONG = 60.0
"""Seconds after which a test gives up."""
SETTINGS = """
limit = 3
[breaker]
fail_max = 3
cooldown = 5.0
"""
SOURCE = """
[sources.{name}]
kind = "json"
serves = {{ general_search = 0.3, library_docs = 0.3, code_context = 0.3, repository = 0.3 }}
url = "http://127.0.0.1:{port}/{name}?q={{query}}"
results = "results"
fields = {{ title = "title", url = "url" }}
timeout = 30.0
{more}
"""


class Fleet(NamedTuple):
    """The replicas, the server that they share, and the port on which their sources are."""

    replicas: tuple[Served, ...]
    redis: RedisServer
    port: int


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Fleet]]:
    """``start()``: another fleet, each replica with a data folder of its own."""
    with ExitStack() as ending:

        def one() -> Fleet:
            redis, port = ending.enter_context(redis_server()), free_port()
            caps = {"capped": f"daily_calls = {CAP}"}
            text = SETTINGS + "".join(
                SOURCE.format(name=n, port=port, more=caps.get(n, "")) for n in ("shaky", "steady", "capped")
            )
            replicas = []
            for number in range(REPLICAS):
                command = Command(tmp_path_factory.mktemp(f"replica{number}"))
                command.settings(text)
                served = serving(command, ENCYCLOPEDIA_STATE_URL=redis.url, ENCYCLOPEDIA_DEADLINE="40")
                replicas.append(ending.enter_context(served))
            return Fleet(tuple(replicas), redis, port)

        yield one


@pytest.fixture(scope="module")
def fleet(start: Callable[[], Fleet]) -> Fleet:
    return start()


class World:
    """The sources of a fleet, a balancer before it, and a client; all on the event loop of the test."""

    def __init__(self, fleet: Fleet) -> None:
        self.fleet = fleet
        self.calls = Counter[str]()
        self.failing: set[str] = set()
        self.open = asyncio.Event()  # while it is not set, no source answers
        self.open.set()
        self.url = ""

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_get("/{name}", self._source)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.fleet.port, reuse_address=True).start()
        self._turn = itertools.count()
        self._balancer = await asyncio.start_server(self._balance, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._balancer.sockets[0].getsockname()[1]}"
        connector = aiohttp.TCPConnector(limit=0, force_close=True)
        self.client = aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(LONG))
        return self

    async def __aexit__(self, *_: object) -> None:
        self.open.set()
        await self.client.close()
        self._balancer.close()
        await self._balancer.wait_closed()
        await self._runner.cleanup()

    async def _source(self, request: web.Request) -> web.Response:
        name, asked = request.match_info["name"], request.query["q"]
        self.calls[name] += 1
        await self.open.wait()
        if name in self.failing:
            return web.Response(status=503)
        return web.json_response({"results": [{"title": f"about {asked}", "url": f"https://example.org/{name}"}]})

    async def _balance(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request to the replica whose turn it is; one that refuses it, or dies before it answers, leaves it to the next."""
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            asked = await reader.readuntil(b"\r\n\r\n")
            for _ in self.fleet.replicas:
                replica = self.fleet.replicas[next(self._turn) % REPLICAS]
                answer = b""
                with suppress(ConnectionError):
                    answer = await _passed_on(replica, asked)
                if answer:
                    writer.write(answer)
                    await writer.drain()
                    break
        writer.close()

    async def search(self, query: str, source: str = "steady", at: Served | None = None) -> tuple[int, dict[str, Any]]:
        """Status and body of a search, through the balancer or at one replica."""
        params = {"query": query, "sources": source}
        async with self.client.get(f"{at.url if at else self.url}/v1/search", params=params) as response:
            return response.status, await response.json()

    async def told(self, path: str, at: Served) -> Any:
        """The JSON of an address of one replica."""
        async with self.client.get(f"{at.url}{path}") as response:
            return await response.json()

    async def breaker(self, name: str, at: Served) -> str:
        """How a replica says that the breaker of a source stands."""
        rows = await self.told("/v1/sources", at)
        return str(next(row["breaker"] for row in rows if row["source"] == name))


async def _passed_on(replica: Served, asked: bytes) -> bytes:
    host, port = replica.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        writer.write(asked)
        await writer.drain()
        return await reader.read()
    finally:
        writer.close()


async def until(true: Callable[[], Awaitable[bool]]) -> float:
    """Wait until it is true; the seconds that it took."""
    clock = asyncio.get_running_loop().time
    begun = clock()
    async with asyncio.timeout(LONG):
        while not await true():
            await asyncio.sleep(0.02)
    return clock() - begun


def without_shared_state(body: dict[str, Any]) -> str:
    """What an answer says of the shared state, if that is missing."""
    rows = {row["source"]: row["reason"] for row in body["degradation"]["missing"]}
    return str(rows.get("shared state", ""))


def outcome(body: dict[str, Any]) -> tuple[str, str]:
    (row,) = body["outcomes"]
    return row["status"], row["reason"]


@pytest.mark.spec("ENC-REPLICA-1")
async def test_one_breaker_opens_for_all_within_a_second_and_one_call_of_all_probes(fleet: Fleet) -> None:
    first, *others = fleet.replicas
    async with World(fleet) as world:
        world.failing.add("shaky")
        for number in range(3):
            status, _ = await world.search(f"failure {number}", "shaky", first)
            assert status == NOBODY

        async def open_for_all() -> bool:
            return all([(await world.breaker("shaky", at)) == "open" for at in others])

        took = await until(open_for_all)
        assert took <= 1.0 * ROOM
        assert world.calls["shaky"] == 3
        print(f"open for all after {took:.2f} s")

        async def cooled_down() -> bool:
            return all([(await world.breaker("shaky", at)) != "open" for at in fleet.replicas])

        await until(cooled_down)
        world.failing.clear()
        world.open.clear()
        asked = [asyncio.create_task(world.search(f"probe {number}", "shaky")) for number in range(12)]
        async with asyncio.timeout(LONG):
            while sum(task.done() for task in asked) < len(asked) - 1:
                await asyncio.sleep(0.02)
        assert world.calls["shaky"] == 4
        world.open.set()
        told = await asyncio.gather(*asked)
        assert sorted(status for status, _ in told) == [200] + [NOBODY] * 11

        async def closed_for_all() -> bool:
            return all([(await world.breaker("shaky", at)) == "healthy" for at in fleet.replicas])

        await until(closed_for_all)
        assert [(await world.search(f"again {n}", "shaky", at))[0] for n, at in enumerate(fleet.replicas)] == [200] * 3


@pytest.mark.spec("ENC-REPLICA-2")
async def test_equal_questions_are_asked_once_and_answer_every_replica(fleet: Fleet) -> None:
    first, *others = fleet.replicas
    async with World(fleet) as world:
        world.open.clear()
        asked = [asyncio.create_task(world.search("the very words", at=first)) for _ in range(12)]
        async with asyncio.timeout(LONG):
            while not world.calls["steady"]:
                await asyncio.sleep(0.01)
        world.open.set()
        told = await asyncio.gather(*asked)
        assert {status for status, _ in told} == {200}
        assert world.calls["steady"] == 1
        assert len({json.dumps(body["results"]) for _, body in told}) == 1

        async def stored_for_all() -> bool:
            return all([(await world.search("the very words", at=at))[1]["cached"] for at in others])

        await until(stored_for_all)
        answers = [await world.search("the very words") for _ in range(6)]
        assert all(body["cached"] for _, body in answers)
        at_once = await asyncio.gather(*(world.search("other words") for _ in range(12)))
        assert {status for status, _ in at_once} == {200}
        assert world.calls["steady"] <= 1 + len(others) + REPLICAS


@pytest.mark.spec("ENC-REPLICA-3")
async def test_a_daily_cap_is_one_for_all_replicas(fleet: Fleet) -> None:
    async with World(fleet) as world:
        told = await asyncio.gather(*(world.search(f"question {number}", "capped") for number in range(30)))
        assert world.calls["capped"] == CAP
        assert Counter(outcome(body)[0] for _, body in told) == {"ok": CAP, "quota": 30 - CAP}
        for at in fleet.replicas:
            status, body = await world.search("one more", "capped", at)
            assert (status, outcome(body)) == (NOBODY, ("quota", f"daily cap of {CAP} calls reached"))
        assert world.calls["capped"] == CAP


class Load:
    """Searches without a pause, some of them asked before; every answer is kept."""

    def __init__(self, world: World) -> None:
        self._world, self._number, self._stop = world, itertools.count(), False
        self.answers: list[tuple[int, dict[str, Any]]] = []

    async def _worker(self) -> None:
        while not self._stop:
            number = next(self._number)
            self.answers.append(await self._world.search(f"load {number // 2}"))

    async def more(self, answers: int) -> None:
        """Wait for so many more answers."""
        wanted = len(self.answers) + answers
        async with asyncio.timeout(LONG):
            while len(self.answers) < wanted:
                await asyncio.sleep(0.01)

    @asynccontextmanager
    async def running(self, workers: int = 6) -> AsyncIterator[None]:
        """The load while something else happens."""
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(self._worker())
            try:
                yield
            finally:
                self._stop = True


@pytest.mark.spec("ENC-REPLICA-4")
async def test_a_replica_and_then_the_server_die_under_load_and_every_request_is_answered(start: Callable[[], Fleet]) -> None:
    fleet = start()
    *left, doomed = fleet.replicas
    async with World(fleet) as world:
        load = Load(world)

        async def says(state: str) -> bool:
            return all([(await world.told("/readyz", at)) == {"status": "ready", "shared_state": state} for at in left])

        async with load.running():
            await load.more(20)
            assert await says("ok")
            doomed.process.kill()
            await load.more(20)
            assert not any(without_shared_state(body) for _, body in load.answers)
            fleet.redis.kill()
            await until(lambda: says("lost"))
            direct = [await world.search(f"alone {number}", at=at) for number in range(2) for at in left]
            await load.more(20)
            fleet.redis.start()
            back = await until(lambda: says("ok"))
            await load.more(20)
        print(f"{len(load.answers)} answers; back after {back:.2f} s")
        assert {status for status, _ in load.answers} == {200}
        assert all(body["results"] for _, body in load.answers)
        for status, body in direct:
            assert (status, body["degraded"]) == (200, True)
            assert without_shared_state(body).endswith("cannot be reached; this machine goes on with what it knows itself")
        assert any(without_shared_state(body) for _, body in load.answers)

        status, asked = await world.search("shared again", at=left[0])
        assert (status, asked["cached"], without_shared_state(asked)) == (200, False, "")

        async def stored() -> bool:
            return bool((await world.search("shared again", at=left[1]))[1]["cached"])

        before = world.calls["steady"]
        await until(stored)
        assert world.calls["steady"] <= before + 1
