"""Eight processes on one data folder, half of them killed: nothing is torn, and no search that was answered is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from encyclopedia.engine.budget import Budget
from encyclopedia.engine.profile import replay
from encyclopedia_adapters.storage.ledger import open_ledger
from encyclopedia_adapters.storage.sqlite_records import SqliteRecords
from tests.switches import off

WORK = """
import asyncio, itertools, sys
from encyclopedia import Encyclopedia, Hit
from encyclopedia.model.errors import Unavailable
from encyclopedia_adapters.generic.fixed import Fixed

async def main(home, who, times):
    good = Fixed("good", [Hit("page", "https://example.org/1", "widgets " * 200)])
    capped = Fixed("capped", [Hit("other", "https://example.org/2", "widgets")])
    capped.card = capped.card._replace(daily_calls=100_000)
    sources = (good, capped, Fixed(f"bad{who}", raises=Unavailable("gone")))
    settings = {"history.entries": 100_000, "profile.adaptive": who % 2 == 0}
    async with Encyclopedia(home=home, sources=sources, settings=settings) as e:
        for n in itertools.count() if times == 0 else range(times):
            report = await e.search(f"widgets {who} {n}" if n % 2 else f"widgets {n}", read_cache=n % 3 > 0)
            assert report.results
            print(n + 1, sum(row["source"] == "good" for row in report.outcomes) * (not report.cached), flush=True)

asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
"""
STEADY, TIMES, LEAST = 4, 400, 100


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[list[subprocess.Popen[str]]]:
    """Eight of them: the first four work to their end, the others for ever."""
    names = {name: os.environ[name] for name in ("PATH",)} | off() | {"PYTHONPATH": ":".join(sys.path), "HOME": str(tmp_path)}
    running = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", WORK, str(tmp_path / "home"), str(who), str(TIMES if who < STEADY else 0)],
            cwd=tmp_path, env=names, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for who in range(2 * STEADY)
    ]  # fmt: skip
    yield running
    for process in running:
        process.kill()
        process.communicate()


@pytest.mark.spec("ENC-PROFILE-10")
def test_eight_processes_lose_no_count_though_half_of_them_are_killed(
    processes: list[subprocess.Popen[str]], tmp_path: Path
) -> None:
    told: list[list[str]] = [[] for _ in processes]
    for who, process in enumerate(processes[STEADY:], STEADY):
        assert process.stdout
        told[who] += [process.stdout.readline() for _ in range(LEAST)]
        process.kill()
        told[who] += process.stdout.read().splitlines()  # what it had answered by then
    for who, process in enumerate(processes[:STEADY]):
        out, err = process.communicate()
        assert (process.returncode, err) == (0, "")
        told[who] += out.splitlines()
    answered = [[tuple(map(int, line.split())) for line in lines if len(line.split()) == 2] for lines in told]
    all_of, steady = sum(map(len, answered)), STEADY * TIMES
    home, killed = tmp_path / "home", len(processes) - STEADY
    lines = (home / "sessions" / "history.jsonl").read_bytes().splitlines()
    records = [json.loads(line) for line in lines if line]
    assert len({record["id"] for record in records}) == len(records)
    assert steady + STEADY * LEAST <= all_of <= len(records) <= all_of + killed  # one may be killed before it tells
    own = [[int(row["query"].split()[2]) for row in records if row["query"].startswith(f"widgets {who} ")] for who in range(8)]
    for who, numbers in enumerate(own):
        assert numbers == list(range(1, 2 * len(numbers), 2))  # in their order, without a hole
        assert len(numbers) - len(answered[who]) // 2 in ({0} if who < STEADY else {0, 1})
    asked = [sum(good for _, good in rows) for rows in answered]
    measured = replay(open_ledger(str(home / "state" / "profile.jsonl")).read()[0])
    assert sum(asked) <= measured["good", "library_docs"].total <= sum(asked) + killed
    store = SqliteRecords(str(home / "state" / "breakers.db"))
    assert store.peek("bad0")
    assert store.problem == ""
    calls = Budget((store, None)).used("capped")
    assert sum(asked) <= calls <= sum(asked) + killed
    store.close()
    topics = [json.loads(line)["topic"] for line in (home / "memories.jsonl").read_text().splitlines()]
    assert len(topics) == len(set(topics)) > 0
    left = {path.name for path in home.rglob("*") if path.name.endswith((".new", ".damaged"))}
    assert left <= {"profile.jsonl.new"}  # of one that was killed while it summed up; the next writes over it
