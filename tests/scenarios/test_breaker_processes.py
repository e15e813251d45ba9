"""The breaker across processes that make one call each, as the command line does."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.redis_server import redis_server

CALLS = """
import asyncio, json, sys
from encyclopedia.engine.circuit import Circuit, load_machine
from encyclopedia.engine.distant import DistantCircuit
from encyclopedia.model.errors import Unavailable
from encyclopedia.model.outcome import Hit, Reply
from encyclopedia.model.plan import Ask, Request
from encyclopedia.model.query import QueryType
from encyclopedia.model.settings import BreakerSettings
from encyclopedia_adapters.storage.memory_records import MemoryRecords
from encyclopedia_adapters.storage.redis_link import open_link
from encyclopedia_adapters.storage.redis_records import SharedRecords
from encyclopedia_adapters.storage.sqlite_records import open_store

place, answer, callers, now = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
ask = Ask("alpha", Request("q", QueryType.GENERAL_SEARCH, 5, 5.0), 1.0)
called, told = [], []


async def main():
    gate = asyncio.Event()

    async def work():
        called.append(1)
        if answer == "die":
            sys.stdout.write("probing\\n")
            sys.stdout.flush()
            await asyncio.Event().wait()
        if callers > 1:
            await gate.wait()
        if answer == "fail":
            raise Unavailable("status 503")
        return Reply((Hit("a"),))

    kind, store = Circuit, None
    if place.startswith("redis://"):
        kind, store = DistantCircuit, SharedRecords(open_link(place), "records")
    stores = store or open_store(place), MemoryRecords()
    circuit = kind(stores, BreakerSettings(), machine=load_machine, notify=lambda *c: told.append(c), clock=lambda: now)
    tasks = [asyncio.create_task(circuit(ask, work)) for _ in range(callers)]
    sys.stdin.readline() if answer == "ok" and callers > 1 else None
    while callers > 1 and sum(task.done() for task in tasks) < callers - len(called):
        await asyncio.sleep(0)
    gate.set()
    outcomes = await asyncio.gather(*tasks)
    print(json.dumps({"called": len(called), "statuses": [o.status for o in outcomes], "told": told, "problem": circuit.problem}))


asyncio.run(main())
"""
START = 1_800_000_000.0


@pytest.fixture(scope="module")
def server():
    with redis_server() as running:
        yield running


@pytest.fixture(params=["sqlite", "redis"])
def place(request, tmp_path):
    """Where the records lie: in a folder, or on a server."""
    if request.param == "sqlite":
        return str(tmp_path / "state")
    server = request.getfixturevalue("server")
    server.client.flushall()
    return server.url


@pytest.fixture
def begin(place):
    running = []

    def start(answer, callers=1, at=0.0):
        command = [sys.executable, "-c", CALLS, place, answer, str(callers), str(START + at)]
        environment = {**os.environ, "PYTHONPATH": ":".join(sys.path)}
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.communicate()


def finish(process, line="\n"):
    return json.loads(process.communicate(line)[0])


@pytest.fixture
def call(begin):
    return lambda *how, **when: finish(begin(*how, **when))


@pytest.mark.spec("ENC-BREAKER-14")
def test_what_one_process_learns_the_next_one_knows(call):
    results = [call("fail", at=n) for n in range(3)]
    assert [r["statuses"] for r in results] == [["unavailable"]] * 3
    assert [r["told"] for r in results] == [[], [], [["alpha", "closed", "open"]]]
    fourth = call("ok", at=3)
    assert (fourth["called"], fourth["statuses"]) == (0, ["refused"])
    crowd = call("ok", 20, at=63)
    assert crowd["called"] == 1
    assert sorted(crowd["statuses"]) == ["ok"] + ["refused"] * 19
    assert crowd["told"] == [["alpha", "half-open", "closed"]]
    assert call("ok", at=64)["statuses"] == ["ok"]


@pytest.mark.spec("ENC-BREAKER-14")
def test_of_eight_processes_exactly_one_probes(begin, call):
    for n in range(3):
        call("fail", at=n)
    crowd = [begin("ok", 5, at=63) for _ in range(8)]
    for process in crowd:  # all have asked for admission before any probe may end
        process.stdin.write("\n")
        process.stdin.flush()
    results = [json.loads(process.communicate()[0]) for process in crowd]
    assert [r["problem"] for r in results] == [""] * 8
    assert sum(len(r["told"]) for r in results) == 1
    probed = [r for r in results if r["told"]]
    assert probed[0]["called"] == 1


@pytest.mark.spec("ENC-BREAKER-14")
def test_eight_failing_processes_open_it_once(begin):
    crowd = [begin("fail") for _ in range(8)]
    results = [finish(process) for process in crowd]
    assert sum(len(r["told"]) for r in results) == 1
    assert {status for r in results for status in r["statuses"]} <= {"unavailable", "refused"}
    assert sum(r["called"] for r in results) >= 3


@pytest.mark.spec("ENC-BREAKER-8")
def test_a_killed_probe_holds_others_off_for_its_lease_only(begin, call):
    for n in range(3):
        call("fail", at=n)
    dead = begin("die", at=63)
    assert dead.stdout.readline() == "probing\n"
    dead.kill()
    dead.communicate()
    assert call("ok", at=72)["statuses"] == ["refused"]
    assert call("ok", at=74)["statuses"] == ["ok"]
