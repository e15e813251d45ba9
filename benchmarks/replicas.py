"""What a replica costs the machine it runs on, the Redis that it shares, and the balancer before it.

``python -m benchmarks.replicas``. The figures of docs/scaling.md: milliseconds of CPU for a question that is asked anew, asked
again in the same words, and asked again in other words; what each of them is to Redis; memory. Five fake engines answer on
loopback, as in ``benchmarks.service``. CPU is that of whole processes.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import aiohttp

from benchmarks import service
from benchmarks.service import ENGINES, SERVE, SOURCE, WORDS, cpu, process, resident

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.redis_server import RedisServer

NUMBER = 400
"""Questions of each kind."""
DEPLOY = Path(__file__).parents[1] / "deploy"


class Cost(NamedTuple):
    """Of one question: milliseconds of CPU of the replica and of Redis, commands, and KiB to and from Redis."""

    replica: float
    redis: float
    commands: float
    traffic: float


def questions(number: int) -> list[str]:
    """So many that nobody has asked."""
    return [f"how do I {' '.join(random.sample(WORDS, 3))} {os.urandom(4).hex()}" for _ in range(number)]


def put_otherwise(text: str) -> str:
    """The same question in other words."""
    return text.replace("how do I", "how can I")


async def ask(url: str, texts: Sequence[str], at_once: int = 8) -> list[dict[str, Any]]:
    """The answers to all questions, so many at a time."""
    left, found = iter(texts), []
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def worker() -> None:
            for text in left:
                async with session.get(f"{url}/v1/search", params={"query": text, "limit": "10"}) as response:
                    assert response.status == 200, await response.text()
                    found.append(await response.json())

        await asyncio.gather(*(worker() for _ in range(at_once)))
    return found


def told(server: RedisServer | None) -> tuple[float, float, float]:
    """What the server has done so far: seconds of CPU, commands, bytes."""
    if server is None:
        return 0.0, 0.0, 0.0
    info: Any = server.client.info()
    computed = info["used_cpu_user"] + info["used_cpu_sys"]
    commands = sum(row["calls"] for row in server.client.info("commandstats").values())  # scripts' own calls too
    return computed, commands, info["total_net_input_bytes"] + info["total_net_output_bytes"]


def cost(pid: int, url: str, server: RedisServer | None, texts: Sequence[str], cached: bool) -> Cost:
    """What one of these questions costs on average, all of which are answered from the cache, or none."""
    before = (cpu(pid), *told(server))
    answers = asyncio.run(ask(url, texts))
    time.sleep(1)  # what is written behind the answers
    after = (cpu(pid), *told(server))
    served = sum(bool(answer["cached"]) for answer in answers)
    assert served >= 0.95 * len(texts) if cached else not served, f"{served} of {len(texts)} came from the cache"
    replica, redis, commands, traffic = ((new - old) / len(texts) for new, old in zip(after, before, strict=True))
    return Cost(replica * 1000, redis * 1000, commands, traffic / 1024)


@contextmanager
def replica(upstream: str, **env: str) -> Iterator[tuple[int, str]]:
    """Process id and address of a replica in a data folder of its own, with the five engines as its only sources."""
    from tests.switches import off

    with tempfile.TemporaryDirectory() as home:
        os.chmod(home, 0o700)
        sources = "".join(SOURCE.format(name=name, url=upstream) for name in ENGINES)
        Path(home, "config.toml").write_text((DEPLOY / "config.toml").read_text() + sources)
        with process(*SERVE, **{"ENCYCLOPEDIA_HOME": home, **off(), **env}) as (running, url):
            yield running.pid, url


@contextmanager
def balancer(port: int) -> Iterator[tuple[int, str]]:
    """Process id and address of the balancer that ships, before a replica on loopback."""
    from tests.deploy.names import name_server
    from tests.redis_server import free_port

    with name_server(["127.0.0.1"]) as dns:
        own, figures = free_port(), free_port()
        env = {"PORT": str(own), "FIGURES": str(figures), "DNS": dns, "REPLICAS": f"encyclopedia:{port}"}
        running = subprocess.Popen(
            ["haproxy", "-db", "-f", str(DEPLOY / "haproxy.cfg")],
            env=os.environ | env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            yield running.pid, f"http://127.0.0.1:{own}"
        finally:
            running.kill()
            running.wait()


async def standing(url: str) -> None:
    """Wait until the balancer has found its replica."""
    async with aiohttp.ClientSession() as session:
        for _ in range(600):
            try:
                async with session.get(f"{url}/readyz") as response:
                    if response.status == 200:
                        return
            except aiohttp.ClientError:
                pass
            await asyncio.sleep(0.05)
    raise TimeoutError("the balancer found no replica")


def by_meaning(pid: int, url: str, server: RedisServer) -> tuple[Cost, Cost]:
    """New questions, and the same in other words, where vectors are made of them."""
    asyncio.run(ask(url, questions(8)))  # the model is read with the first
    texts = questions(NUMBER // 4)
    new = cost(pid, url, server, texts, cached=False)
    return new, cost(pid, url, server, [put_otherwise(text) for text in texts], cached=True)


def rows() -> Iterator[tuple[str, float, str, str | None, bool]]:
    """Name, value, unit, bar, whether it is kept."""
    from tests.redis_server import redis_server

    def row(what: str, value: float, unit: str) -> tuple[str, float, str, str | None, bool]:
        return what, value, unit, None, True

    plain = {"ENCYCLOPEDIA_EMBEDDER_USE": "off"}
    with process(service.__file__, "engines") as (_, upstream):
        with replica(upstream, **plain) as (pid, url):
            asyncio.run(ask(url, questions(50)))
            texts = questions(NUMBER)
            for name, cached in (("new", False), ("again", True)):
                yield row(f"alone: CPU of a question, {name}", cost(pid, url, None, texts, cached).replica, "ms")
            with balancer(int(url.rpartition(":")[2])) as (its, through):
                asyncio.run(standing(through))
                before = cpu(its)
                asyncio.run(ask(through, texts * 3))
                yield row("balancer: CPU of a question", (cpu(its) - before) / len(texts) / 3 * 1000, "ms")
        with redis_server() as server, replica(upstream, ENCYCLOPEDIA_STATE_URL=server.url, **plain) as (pid, url):
            asyncio.run(ask(url, questions(50)))
            time.sleep(1)
            texts, held = questions(NUMBER), server.client.info("memory")["used_memory"]
            for name, cached in (("new", False), ("again", True)):
                found = cost(pid, url, server, texts, cached)
                yield row(f"shared: CPU of a question, {name}", found.replica, "ms")
                yield row(f"shared: CPU of Redis for it, {name}", found.redis, "ms")
                yield row(f"shared: commands of Redis for it, {name}", found.commands, "")
                yield row(f"shared: traffic with Redis for it, {name}", found.traffic, "KiB")
            grown = server.client.info("memory")["used_memory"] - held
            yield row("shared: memory of Redis for an answer", grown / NUMBER / 1024, "KiB")
            yield row("memory of a replica without a model", resident(pid), "MiB")
        with redis_server() as server, replica(upstream, ENCYCLOPEDIA_STATE_URL=server.url) as (pid, url):
            begun = server.client.info("memory")["used_memory"]
            new, other = by_meaning(pid, url, server)
            yield row("by meaning: CPU of a question, new", new.replica, "ms")
            yield row("by meaning: CPU of a question, in other words", other.replica, "ms")
            grown = server.client.info("memory")["used_memory"] - begun
            yield row("by meaning: memory of Redis for an answer", grown / (NUMBER // 4) / 1024, "KiB")
            yield row("memory of a replica with the model", resident(pid), "MiB")


if __name__ == "__main__":
    print(json.dumps({"load": os.getloadavg()}))
    for name, value, unit, *_ in rows():
        print(f"{name:52} {value:8.3g} {unit}", flush=True)
