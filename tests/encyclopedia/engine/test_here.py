"""The way of one source without an event loop: the same outcomes, the same book-keeping, and nothing of asyncio."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading

import pytest

from encyclopedia.engine.attempt import attempt
from encyclopedia.engine.here import Stop, at_once, dispatch_here
from encyclopedia.engine.pipeline import Watch
from encyclopedia.model.errors import RateLimited, Unavailable
from encyclopedia.model.outcome import Reply
from encyclopedia.model.status import Status


def given(value):
    """A source that gives or raises ``value``."""

    def answer(_request, _cancelled):
        if isinstance(value, BaseException):
            raise value
        return value

    return answer


def hangs(release):
    def answer(_request, cancelled):
        cancelled.wait()
        release.set()
        return Reply()

    return answer


@pytest.fixture
def asked(make, circuit):
    """The outcome of the only ask of a plan."""

    def ask(answer, *, stop=None, seen=None, **more):
        work = dispatch_here(make.plan("alpha", **more), answer=answer, guard=circuit, watch=Watch(seen), stop=stop or Stop())
        (outcome,) = at_once(work).outcomes
        return outcome

    return ask


VALUES = {
    "hits": Reply(),
    "pause": Reply(pause=7.0),
    "no reply": "text",
    "unavailable": Unavailable("gone"),
    "limited": RateLimited("slowly", 9.0),
    "bug": KeyError("x"),
    "group": ExceptionGroup("two", [Unavailable("gone"), ValueError("wrong")]),
    "wrong": ValueError("wrong"),
}


@pytest.mark.spec("ENC-HERE-1")
@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_every_answer_has_the_outcome_that_it_has_in_an_event_loop(asked, make, value):
    async def work():
        return given(value)(None, None)

    expected, _ = asyncio.run(attempt(make.ask(), work))
    outcome = asked(given(value))
    assert (outcome.status, outcome.reason, outcome.reply, outcome.retry_after) == (
        expected.status,
        expected.reason,
        expected.reply,
        expected.retry_after,
    )


@pytest.mark.spec("ENC-HERE-1")
def test_hits_are_cut_and_told(asked, make):
    seen = []
    outcome = asked(given(make.reply(*map(str, range(30)))), seen=seen.append)
    assert (outcome.status, len(outcome.reply.hits)) == (Status.OK, 10)
    assert seen == [outcome]


@pytest.mark.spec("ENC-HERE-1")
def test_what_is_no_exception_does_not_end_the_process(asked):
    outcome = asked(given(SystemExit(3)))
    assert (outcome.status, outcome.reason) == (Status.ERROR, "RuntimeError: SystemExit: 3")


@pytest.mark.spec("ENC-HERE-2")
def test_failures_are_booked_as_ever(asked, circuit, told):
    for _ in range(3):
        assert asked(given(Unavailable("gone"))).status is Status.UNAVAILABLE
    assert told == [("alpha", "closed", "open")]
    assert circuit.health(["alpha"])["alpha"].state == "open"
    called = []
    outcome = asked(lambda request, cancelled: called.append(request))
    assert (outcome.status, called) == (Status.REFUSED, [])


@pytest.mark.spec("ENC-HERE-2")
def test_one_that_hangs_is_a_timeout_and_is_told_to_end(asked, circuit):
    release = threading.Event()
    outcome = asked(hangs(release), timeout=0.05)
    assert (outcome.status, outcome.reason) == (Status.TIMEOUT, "no answer within 0.05 s")
    assert release.wait(30)
    assert circuit.health(["alpha"])["alpha"].fails in (0, 1)  # a machine that stood still is not the source's fault


@pytest.mark.spec("ENC-HERE-2")
def test_the_deadline_of_the_query_blames_nobody(asked, circuit):
    release = threading.Event()
    outcome = asked(hangs(release), deadline=0.05)
    assert (outcome.status, outcome.reason) == (Status.TIMEOUT, "query deadline")
    assert release.wait(30)
    assert circuit.health(["alpha"])["alpha"].fails == 0


@pytest.mark.spec("ENC-HERE-3")
def test_who_does_not_want_to_wait_gets_what_there_is(asked, circuit):
    stop, release = Stop(), threading.Event()
    waiting = hangs(release)

    def answer(request, cancelled):
        stop.set()
        return waiting(request, cancelled)

    outcome = asked(answer, stop=stop)
    assert (outcome.status, outcome.reason) == (Status.CANCELLED, "stopped before it had answered")
    assert stop.is_set()
    assert release.wait(30)
    assert circuit.health(["alpha"])["alpha"].fails == 0


@pytest.mark.spec("ENC-HERE-3")
def test_the_first_signal_stops_and_the_second_ends_at_once():
    script = (
        "import threading, time\n"
        "from encyclopedia.engine.here import Stop\n"
        "from encyclopedia.faces.cli.interrupts import Interrupts\n"
        "stop = Stop()\n"
        "with Interrupts(None, stop) as interrupts:\n"
        "    print('ready', flush=True)\n"
        "    try:\n"
        "        stop.arrived.get(timeout=60)()\n"
        "    except BaseException as end:\n"
        "        print(interrupts.code, end, flush=True)\n"
        "    time.sleep(60)\n"
    )
    running = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    assert running.stdout.readline() == "ready\n"
    running.send_signal(signal.SIGINT)
    assert running.stdout.readline() == "130 stopped before it had answered\n"
    running.send_signal(signal.SIGINT)
    assert running.wait(timeout=30) == 130
    running.stdout.close()


@pytest.mark.spec("ENC-HERE-1")
def test_what_wants_an_event_loop_is_a_defect():
    class Wants:
        def __await__(self):
            yield

    async def waits():
        await Wants()

    with pytest.raises(RuntimeError, match="event loop"):
        at_once(waits())
