"""What the HTTP service costs: CPU of a cache miss beside the smallest fan-out, of a hit, memory, slow clients, the end.

Five fake engines answer on loopback; the service asks them as sources of kind json. The floor
asks the same five with the same library, adds up reciprocal ranks and does nothing else. Every query is new. CPU is that of the
whole process, so a busy machine moves both alike.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from statistics import median
from typing import TYPE_CHECKING, Any

import aiohttp
from aiohttp import web

from benchmarks._rows import Row, least, most
from benchmarks._size import sized

if TYPE_CHECKING:
    from collections.abc import Iterator

ENGINES = "abcde"
TICK = os.sysconf("SC_CLK_TCK")
WORDS = "async router cache vector index token graph parse stream retry schema query docker kernel socket thread".split()  # noqa: SIM905
WAITS = {"slowly": 0.3, "patiently": 0.1}
"""Words in a query that make the engines wait; seconds."""
SERVE = ("-m", "encyclopedia", "serve", "--port", "0", "--json")
PLAY = ("-m", "benchmarks.service")
SEARXNG = 4 / 0.1
"""Queries a second that SearXNG can answer at most with engines of 100 ms, anywhere: its four threads wait for them. Where
it was measured, it answered 20.5, and the smallest fan-out 91."""
NUMBER, CLIENTS, THROUGH = sized((250, 32, 640), (30, 8, 40))
SOURCE = """
[sources.{name}]
kind = "json"
serves = {{ library_docs = 0.3, general_search = 0.3 }}
url = "{url}/e/{name}/search?q={{query}}&format=json"
results = "results[]"
fields = {{ title = "title", url = "url", content = "content" }}
timeout = 3.0
"""


async def engines(request: web.Request) -> web.Response:
    """Ten results; four of ten are pages that every engine has. The query may say how long to wait."""
    name, text = request.match_info["name"], request.query["q"]
    counts = request.app["counts"]
    counts["flying"] += 1
    try:
        await asyncio.sleep(next((seconds for mark, seconds in WAITS.items() if mark in text), 0.0))
        rows = []
        for n in range(10):
            site = "shared" if n < 4 else name
            words = " ".join(random.Random(f"{text} {site} {n}").choices(WORDS, k=25))
            rows.append(
                {"title": f"{text} {site} {n}", "url": f"https://{site}.test/{abs(hash(text)) % 10**8}/{n}", "content": words}
            )
        return web.json_response({"results": rows})
    finally:
        counts["flying"] -= 1


async def floor(request: web.Request) -> web.Response:
    """The smallest fan-out: ask all, add up reciprocal ranks by address, answer."""
    session, base, text = request.app["session"], request.app["base"], request.query["q"]

    async def ask(name: str) -> list[dict[str, str]]:
        async with session.get(f"{base}/e/{name}/search", params={"q": text}) as response:
            return json.loads(await response.read())["results"]

    pages: dict[str, dict[str, Any]] = {}
    for name, rows in zip(ENGINES, await asyncio.gather(*map(ask, ENGINES)), strict=True):
        for rank, row in enumerate(rows, 1):
            page = pages.setdefault(row["url"], row | {"engines": [], "score": 0.0})
            page["engines"].append(name)
            page["score"] += 1 / (60 + rank)
    ranked = sorted(pages.values(), key=lambda page: -page["score"])
    return web.Response(body=json.dumps({"query": text, "results": ranked}).encode(), content_type="application/json")


async def play(role: str, base: str) -> None:
    """Serve one of the two roles on a free port, which is printed."""
    app = web.Application()
    app["counts"] = {"flying": 0}
    if role == "floor":
        app["base"], app["session"] = base, aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))
        app.router.add_get("/search", floor)
    else:
        app.router.add_get("/e/{name}/search", engines)
        app.router.add_get("/flying", lambda request: web.json_response(request.app["counts"]["flying"]))
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(json.dumps({"url": f"http://127.0.0.1:{runner.addresses[0][1]}"}), flush=True)
    await asyncio.Event().wait()


@contextmanager
def process(*command: str, **env: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A process that prints its address, and the address."""
    running = subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, text=True, env={**os.environ, **env})
    try:
        assert running.stdout
        yield running, json.loads(running.stdout.readline())["url"]
    finally:
        running.terminate()
        running.communicate()


def cpu(pid: int) -> float:
    """Seconds that the process has computed."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def resident(pid: int) -> float:
    """MiB of memory."""
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


async def load(url: str, number: int, at_once: int, mark: str = "", *, new: bool = True) -> list[float]:
    """Seconds of each of so many queries, so many at a time; the same one again and again unless they are ``new``."""
    left = iter(range(number))
    taken: list[float] = []
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def worker() -> None:
            for _ in left:
                text = (
                    f"{' '.join(random.sample(WORDS, 3))} {os.urandom(5).hex()} {mark}".strip() if new else "async router cache"
                )
                begun = time.perf_counter()
                async with session.get(f"{url}/search", params={"q": text, "format": "json"}) as response:
                    body = json.loads(await response.read())
                assert response.status == 200
                assert len(body["results"]) >= 20
                taken.append(time.perf_counter() - begun)

        await asyncio.gather(*(worker() for _ in range(at_once)))
    return taken


def costs(pid: int, url: str, number: int = NUMBER, *, new: bool = True) -> float:
    """Milliseconds of CPU of one query."""
    before = cpu(pid)
    asyncio.run(load(url, number, 8, new=new))
    return (cpu(pid) - before) / number * 1000


def throughput(url: str) -> float:
    """Queries a second of many clients, each of which waits for its answer, while every engine takes 100 ms."""
    begun = time.perf_counter()
    asyncio.run(load(url, THROUGH, CLIENTS, "patiently"))
    return THROUGH / (time.perf_counter() - begun)


async def beside_slow_clients(url: str, number: int) -> float:
    """The median seconds of a query while so many clients have sent half of theirs."""
    host, port = url.removeprefix("http://").split(":")
    slow = [await asyncio.open_connection(host, int(port)) for _ in range(number)]
    for _, writer in slow:
        writer.write(b"GET /sea")
    try:
        return median(await load(url, 40, 1))
    finally:
        for _, writer in slow:
            writer.close()


async def lost_at_the_end(url: str, running: subprocess.Popen[str]) -> int:
    """How many of the searches under way at SIGTERM are not answered."""
    tasks = [asyncio.create_task(load(url, 1, 1, "slowly")) for _ in range(24)]
    await asyncio.sleep(0.15)
    running.send_signal(signal.SIGTERM)
    ended = await asyncio.gather(*tasks, return_exceptions=True)
    return sum(isinstance(one, BaseException) for one in ended)


def rows() -> Iterator[Row]:
    """Everything that one service shows, the floor asked in turns with it."""
    from tests.switches import off

    with tempfile.TemporaryDirectory() as home, process(*PLAY, "engines") as (_, upstream):
        os.chmod(home, 0o700)
        with open(f"{home}/config.toml", "w") as file:
            file.write("".join(SOURCE.format(name=name, url=upstream) for name in ENGINES))
        env = {"ENCYCLOPEDIA_HOME": home, "ENCYCLOPEDIA_EMBEDDER_USE": "off", **off()}
        with process(*PLAY, "floor", upstream) as (yardstick, its), process(*SERVE, **env) as (ours, url):
            yield most("HTTP: memory at rest, without a model", resident(ours.pid), "MiB", 55)
            for address in (url, its):
                asyncio.run(load(address, 30, 4))
            yield from misses((ours.pid, url), (yardstick.pid, its))
            yield from throughputs(url, its)
            asyncio.run(load(url, 1, 1, new=False))
            yield Row("HTTP: CPU of a cache hit", median(costs(ours.pid, url, new=False) for _ in range(3)), "ms")
            alone = median(asyncio.run(load(url, 40, 1)))
            yield most(
                "HTTP: a query beside 500 slow clients / alone", asyncio.run(beside_slow_clients(url, 500)) / alone, "x", 3
            )
            yield Row("HTTP: memory after all those searches", resident(ours.pid), "MiB")
            yield most("HTTP: searches lost at SIGTERM", asyncio.run(lost_at_the_end(url, ours)), "", 0)
            time.sleep(0.5)
            yield most("HTTP: requests left in flight", asyncio.run(_flying(upstream)), "", 0)


def misses(ours: tuple[int, str], floor: tuple[int, str]) -> Iterator[Row]:
    """CPU of queries that nobody has asked before; each side is a process and its address."""
    pairs = [(costs(*ours), costs(*floor)) for _ in range(3)]
    ratio = median(one / other for one, other in pairs)
    yield Row("HTTP: CPU of a cache miss, 5 sources", median(pair[0] for pair in pairs), "ms")
    yield Row("HTTP: CPU of the smallest fan-out", median(pair[1] for pair in pairs), "ms")
    yield most("HTTP: CPU of a cache miss / the smallest fan-out", ratio, "x", 2)


def throughputs(url: str, its: str) -> Iterator[Row]:
    """Queries a second at the point where SearXNG was measured."""
    pairs = [(throughput(url), throughput(its)) for _ in range(3)]
    ratio, ours = median(one / other for one, other in pairs), median(pair[0] for pair in pairs)
    what = f"HTTP: {CLIENTS} clients, engines of 100 ms"
    yield Row(f"{what}: queries a second", ours, "/s")
    yield least(f"{what}: queries a second / the most that SearXNG can answer", ours / SEARXNG, "x", 4)
    yield Row(f"{what}: queries a second of the smallest fan-out", median(pair[1] for pair in pairs), "/s")
    yield Row(f"{what}: throughput / the smallest fan-out", ratio, "x")


async def _flying(url: str) -> int:
    async with aiohttp.ClientSession() as session, session.get(f"{url}/flying") as response:
        return int(await response.json())


if __name__ == "__main__":
    asyncio.run(play(sys.argv[1], (*sys.argv, "")[2]))
