"""Daily caps across processes: the command, and many that call at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.encyclopedia.faces.cli.command import Command
from tests.upstream import UpstreamProcess

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TABLE = """
[sources.mine]
kind = "json"
serves = {{ general_search = 0.3 }}
url = "{url}/find?q={{query}}"
results = "results"
fields = {{ title = "title", url = "url" }}
daily_calls = {cap}
"""
CALLS = """
import sys
from encyclopedia.engine.budget import Budget
from encyclopedia.model.errors import QuotaSpent
from encyclopedia_adapters.storage.memory_records import MemoryRecords
from encyclopedia_adapters.storage.sqlite_records import open_store

budget = Budget((open_store(sys.argv[1]), MemoryRecords()), lambda: 1_800_000_000.0)
sys.stdin.readline()
taken = 0
for _ in range(5):
    try:
        budget.take("alpha", 12)
        taken += 1
    except QuotaSpent:
        pass
print(taken)
"""


@pytest.fixture
def up() -> Iterator[UpstreamProcess]:
    with UpstreamProcess() as up:
        up.on("/find", json={"results": [{"title": "One", "url": "https://example.org/1"}]})
        yield up


@pytest.mark.spec("ENC-BUDGET-6")
def test_each_process_counts_what_the_others_called(up: UpstreamProcess, tmp_path: Path) -> None:
    command = Command(tmp_path)
    command.settings(TABLE.format(url=up.url, cap=2))
    for question in ("one", "two"):
        command.json("search", question, "--sources", "mine")
    told = command.json("search", "three", "--sources", "mine", code=3)
    assert [(o["status"], o["reason"]) for o in told["outcomes"]] == [("quota", "daily cap of 2 calls reached")]
    assert told["degraded"] is True
    assert up.count("/find") == 2
    row = next(row for row in command.json("sources") if row["source"] == "mine")
    assert (row["daily_calls"], row["calls_today"], row["breaker"]) == (2, 2, "healthy")
    assert "on, 2 of 2 calls today" in command("sources", "--text").stdout
    assert command.json("search", "one", "--sources", "mine")["cached"] is True
    command.settings(TABLE.format(url=up.url, cap=3))
    command.json("search", "four", "--sources", "mine")
    command.settings(TABLE.format(url=up.url, cap="false"))
    command.json("search", "five", "--sources", "mine")
    assert up.count("/find") == 4


@pytest.mark.spec("ENC-BUDGET-6")
def test_a_cap_that_is_no_number_is_refused(tmp_path: Path) -> None:
    command = Command(tmp_path)
    for cap in ("0", "-1", "true", "1.5", '"many"'):
        command.settings(TABLE.format(url="https://example.org", cap=cap))
        told = command.json("search", "x", code=1)
        assert told["message"].startswith("sources.mine.daily_calls cannot be")
        assert "false for no cap" in told["hint"]


@pytest.mark.spec("ENC-BUDGET-6")
def test_many_processes_at_once_keep_one_count(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    crowd = [
        subprocess.Popen(
            [sys.executable, "-c", CALLS, str(tmp_path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for _ in range(3)
    ]
    for process in crowd:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    taken = [json.loads(process.communicate()[0]) for process in crowd]
    assert sum(taken) == 12
