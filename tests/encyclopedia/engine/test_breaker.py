"""The state machine alone, against a model of it in ten lines."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia.engine.breaker import Machine, RecordStorage
from encyclopedia.engine.record import BLANK
from encyclopedia.model.settings import BreakerSettings


def machine(fail_max=3, now=1000.0):
    return Machine(BreakerSettings(fail_max=fail_max), lambda: now)


def test_failures_in_a_row_open():
    record = BLANK.copy()
    for count in (1, 2):
        machine().fail(record)
        assert (record["state"], record["fails"]) == ("closed", count)
    machine().fail(record)
    assert (record["state"], record["opened_at"]) == ("open", 1000.0)


def test_a_success_starts_the_count_again():
    record = BLANK.copy()
    machine().fail(record)
    machine().fail(record)
    machine().succeed(record)
    assert (record["state"], record["fails"]) == ("closed", 0)


def test_a_probe_closes_or_opens():
    record = {**BLANK, "state": "open", "opened_at": 1.0, "fails": 3}
    machine().probe(record)
    assert record["state"] == "half-open"
    machine(now=2000.0).fail(record)
    assert (record["state"], record["opened_at"]) == ("open", 2000.0)
    machine().probe(record)
    machine().succeed(record)
    assert (record["state"], record["fails"], record["succ"]) == ("closed", 0, 0)


def test_the_moment_of_opening_is_our_clocks():
    storage = RecordStorage(BLANK.copy(), lambda: 77.0)
    storage.opened_at = storage.opened_at
    assert storage.opened_at.timestamp() == 77.0


@pytest.mark.spec("ENC-BREAKER-1")
@given(st.lists(st.sampled_from(["ok", "fail"]), max_size=40), st.integers(1, 5))
def test_it_does_what_the_model_does(calls, fail_max):
    record, engine = BLANK.copy(), machine(fail_max)
    state, row = "closed", 0
    for call in calls:
        if state == "open":
            engine.probe(record)
            state = "half-open"
        if call == "ok":
            engine.succeed(record)
            state, row = "closed", 0
        else:
            engine.fail(record)
            row += 1
            state = "open" if state == "half-open" or row >= fail_max else "closed"
        assert record["state"] == state
        assert state != "closed" or record["fails"] == row


@pytest.mark.spec("ENC-BREAKER-2")
def test_a_healthy_call_never_loads_pybreaker():
    code = """
import asyncio, sys
from encyclopedia.engine.circuit import Circuit, load_machine
from encyclopedia.model.outcome import Reply
from encyclopedia.model.plan import Ask, Request
from encyclopedia.model.query import QueryType
from encyclopedia.model.settings import BreakerSettings
from encyclopedia_adapters.storage.memory_records import MemoryRecords
assert "asyncio" in sys.modules
async def work(): return Reply()
async def main():
    circuit = Circuit((MemoryRecords(), MemoryRecords()), BreakerSettings(), machine=load_machine)
    ask = Ask("a", Request("q", QueryType.GENERAL_SEARCH, 5, 1.0), 1.0)
    print((await circuit(ask, work)).status, "pybreaker" in sys.modules)
    async def bad(): raise OSError("x")
    print((await circuit(ask, bad)).status, "pybreaker" in sys.modules)
asyncio.run(main())
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": ":".join(sys.path)}
    )
    assert done.stdout.split() == ["empty", "False", "unavailable", "True"]
