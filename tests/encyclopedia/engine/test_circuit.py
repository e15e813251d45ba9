"""The circuit on every store: who is admitted, what is booked, what comes out."""

from __future__ import annotations

import asyncio
import sqlite3
import time

import pytest

from encyclopedia.engine.attempt import attempt, checked, unguarded
from encyclopedia.engine.circuit import Circuit, load_machine
from encyclopedia.model.errors import AuthRefused, Garbled, QuotaSpent, RateLimited, Refused, Unavailable
from encyclopedia.model.outcome import Hit, Reply
from encyclopedia.model.plan import Health
from encyclopedia.model.settings import BreakerSettings
from encyclopedia.model.status import Status
from encyclopedia_adapters.storage.memory_records import MemoryRecords

DOWN = Unavailable("status 503")


async def fail(circuit, make, times=3, source="alpha"):
    return [await circuit(make.ask(source), make.raises(DOWN)) for _ in range(times)]


def forever():
    """Work that never ends, and the event that tells that it has begun."""
    begun = asyncio.Event()

    async def work():
        begun.set()
        await asyncio.Event().wait()

    return begun, work


@pytest.mark.spec("ENC-BREAKER-1")
async def test_three_failures_open_and_the_fourth_does_not_call(circuit, make, told):
    outcomes = await fail(circuit, make)
    assert [o.status for o in outcomes] == [Status.UNAVAILABLE] * 3
    called = []

    async def work():
        called.append(1)

    outcome = await circuit(make.ask(), work)
    assert (outcome.status, called) == (Status.REFUSED, [])
    assert outcome.reason == "left alone after repeated failures, next try in 60 s (status 503)"
    assert outcome.retry_after == pytest.approx(60.0)
    assert told == [("alpha", "closed", "open")]


@pytest.mark.spec("ENC-BREAKER-1")
async def test_only_failures_in_a_row_count(circuit, make):
    for _ in range(4):
        await fail(circuit, make, 2)
        assert (await circuit(make.ask(), make.returns(make.reply("a")))).status == Status.OK
    assert circuit.health(["alpha"])["alpha"].admits


@pytest.mark.spec("ENC-BREAKER-1")
async def test_an_empty_answer_is_a_success(circuit, make):
    await fail(circuit, make, 2)
    assert (await circuit(make.ask(), make.returns(Reply()))).status == Status.EMPTY
    await fail(circuit, make, 2)
    assert circuit.health(["alpha"])["alpha"].admits


async def test_sources_do_not_share_a_record(circuit, make):
    await fail(circuit, make)
    assert (await circuit(make.ask("beta"), make.returns(make.reply("a")))).status == Status.OK


@pytest.mark.spec("ENC-BREAKER-3")
async def test_after_the_cooldown_exactly_one_of_fifty_probes(circuit, make, clock, told):
    await fail(circuit, make)
    clock.tick(60)
    go, called = asyncio.Event(), []

    async def work():
        called.append(1)
        await go.wait()
        return make.reply("a")

    callers = [asyncio.create_task(circuit(make.ask(), work)) for _ in range(50)]
    while sum(task.done() for task in callers) < 49:
        await asyncio.sleep(0)
    assert circuit.health(["alpha"])["alpha"].state == "probing"
    go.set()
    outcomes = await asyncio.gather(*callers)
    assert len(called) == 1
    assert sorted(o.status for o in outcomes) == [Status.OK] + [Status.REFUSED] * 49
    assert "another call is trying it" in next(o.reason for o in outcomes if o.status == Status.REFUSED)
    assert told == [("alpha", "closed", "open"), ("alpha", "half-open", "closed")]
    assert (await circuit(make.ask(), make.returns(make.reply("a")))).status == Status.OK


@pytest.mark.spec("ENC-BREAKER-3")
async def test_a_failed_probe_opens_for_a_whole_cooldown_and_is_no_news(circuit, make, clock, told):
    await fail(circuit, make)
    clock.tick(60)
    assert (await circuit(make.ask(), make.raises(DOWN))).status == Status.UNAVAILABLE
    clock.tick(59)
    assert (await circuit(make.ask(), make.raises(DOWN))).status == Status.REFUSED
    clock.tick(1)
    assert (await circuit(make.ask(), make.returns(make.reply("a")))).status == Status.OK
    assert told == [("alpha", "closed", "open"), ("alpha", "half-open", "closed")]


@pytest.mark.spec("ENC-BREAKER-4")
@pytest.mark.parametrize(
    "error",
    [AuthRefused("401"), QuotaSpent("402"), Refused("404"), ValueError("ours"), ExceptionGroup("g", [ValueError("ours")])],
    ids=lambda error: type(error).__name__,
)
async def test_neutral_outcomes_leave_the_count_alone(circuit, make, error, records):
    await fail(circuit, make, 2)
    before = records.peek("alpha")
    for _ in range(5):
        outcome = await circuit(make.ask(), make.raises(error))
    told = {"error": outcome.reason, "error_at": circuit._clock()}
    assert records.peek("alpha") == before | told
    await fail(circuit, make, 1)
    assert circuit.health(["alpha"])["alpha"].state == "open"


@pytest.mark.spec("ENC-CIRCUIT-5")
@pytest.mark.parametrize("error", [AuthRefused("the key is not accepted"), QuotaSpent("spent"), Refused("404"), DOWN])
async def test_the_reason_of_a_failure_is_shown_until_a_success(circuit, make, clock, error):
    await circuit(make.ask(), make.raises(error))
    health = circuit.health(["alpha"])["alpha"]
    assert (health.state, health.admits, health.last_error) == ("healthy", True, str(error))
    assert (health.failed_at, health.fails) == (clock(), int(error is DOWN))
    clock.tick(5)
    assert (await circuit(make.ask(), make.returns(make.reply("a")))).status == Status.OK
    assert circuit.health(["alpha"])["alpha"] == Health()


@pytest.mark.spec("ENC-CIRCUIT-5")
async def test_a_server_that_believes_in_a_source_remembers_its_refusal_and_its_recovery(circuit, make, clock):
    circuit.max_age = 60.0
    for error, told in ((None, ""), (AuthRefused("no"), "no"), (None, "")):
        await circuit(make.ask(), make.raises(error) if error else make.returns(make.reply("a")))
        assert circuit.health(["alpha"])["alpha"].last_error == told


@pytest.mark.spec("ENC-CIRCUIT-5")
async def test_an_open_circuit_tells_until_when_and_after_how_many_failures(circuit, make, clock):
    await fail(circuit, make)
    health = circuit.health(["alpha"])["alpha"]
    assert (health.state, health.until, health.fails, health.last_error) == ("open", clock() + 60, 3, str(DOWN))


@pytest.mark.spec("ENC-BREAKER-5")
async def test_cancellation_is_no_failure(circuit, make, records):
    for _ in range(5):
        begun, work = forever()
        task = asyncio.create_task(circuit(make.ask(), work))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert records.peek("alpha") is None


@pytest.mark.spec("ENC-BREAKER-5")
async def test_a_cancelled_probe_gives_its_permit_back(circuit, make, clock):
    await fail(circuit, make)
    clock.tick(60)
    begun, work = forever()
    task = asyncio.create_task(circuit(make.ask(), work))
    await begun.wait()
    assert (await circuit(make.ask(), make.returns(make.reply("a")))).status == Status.REFUSED
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await circuit(make.ask(), make.returns(make.reply("a")))).status == Status.OK


@pytest.mark.spec("ENC-BREAKER-5")
async def test_an_outer_timeout_is_no_failure(circuit, make, records):
    for _ in range(4):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await circuit(make.ask(), forever()[1])
    assert records.peek("alpha") is None


@pytest.mark.spec("ENC-BREAKER-5")
async def test_a_source_that_turns_cancellation_into_an_error_is_cancelled_all_the_same(circuit, make, records):
    begun = asyncio.Event()

    async def work():
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise ConnectionResetError("connection closed") from None

    task = asyncio.create_task(circuit(make.ask(), work))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert records.peek("alpha") is None


@pytest.mark.spec("ENC-BREAKER-5")
@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
async def test_what_stops_the_program_goes_through_and_frees_the_probe(circuit, make, clock, error):
    await fail(circuit, make)
    clock.tick(60)
    step = circuit(make.ask(), make.raises(error()))
    with pytest.raises(error):
        await step
    assert (await circuit(make.ask(), make.returns(make.reply("a")))).status == Status.OK


@pytest.mark.spec("ENC-CIRCUIT-3")
async def test_the_sources_own_timeout_counts(circuit, make, told):
    for _ in range(3):
        outcome = await circuit(make.ask(timeout=0.01), forever()[1])
        assert (outcome.status, outcome.reason) == (Status.TIMEOUT, "no answer within 0.01 s")
    assert told == [("alpha", "closed", "open")]


@pytest.mark.spec("ENC-CIRCUIT-3")
async def test_a_timeout_that_woke_too_late_is_our_own_stall(circuit, make, records):
    async def work():
        time.sleep(0.15)  # the loop stands still, as under a heavy computation
        await asyncio.sleep(0.01)
        await asyncio.Event().wait()

    assert (await circuit(make.ask(timeout=0.05), work)).status == Status.TIMEOUT
    assert records.peek("alpha") is None


@pytest.mark.spec("ENC-CIRCUIT-3")
async def test_a_source_that_swallows_its_timeout_has_timed_out(make):
    async def work():
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return make.reply("too late")

    assert (await unguarded(make.ask(timeout=0.01), work)).status == Status.TIMEOUT


@pytest.mark.spec("ENC-BREAKER-6")
async def test_a_rate_limit_gates_and_is_no_failure(circuit, make, clock, records, told):
    await fail(circuit, make, 2)
    outcome = await circuit(make.ask(), make.raises(RateLimited("too many requests", 30)))
    assert (outcome.status, outcome.retry_after) == (Status.RATE_LIMITED, 30)
    assert records.peek("alpha")["fails"] == 2
    assert circuit.health(["alpha"])["alpha"].state == "rate_limited"
    refused = await circuit(make.ask(), make.returns(make.reply("a")))
    assert refused.status == Status.REFUSED
    assert refused.reason == "rate limited, next call in 30 s (too many requests)"
    clock.tick(30)
    assert (await circuit(make.ask(), make.returns(make.reply("a")))).status == Status.OK
    assert told == []


@pytest.mark.spec("ENC-BREAKER-6")
async def test_a_success_does_not_lift_a_gate(circuit, make, clock):
    go = asyncio.Event()

    async def slow():
        await go.wait()
        return make.reply("a")

    task = asyncio.create_task(circuit(make.ask(), slow))
    await asyncio.sleep(0)
    await circuit(make.ask(), make.raises(RateLimited("wait", 30)))
    go.set()
    assert (await task).status == Status.OK
    assert circuit.health(["alpha"])["alpha"].state == "rate_limited"
    clock.tick(30)
    assert circuit.health(["alpha"])["alpha"].admits


@pytest.mark.spec("ENC-BREAKER-6")
@pytest.mark.parametrize(("told_us", "kept"), [(-5, 1), (0, 1), (10, 10), (1e9, 3600), (float("nan"), 1), (float("inf"), 3600)])
async def test_a_gate_has_bounds(circuit, make, clock, told_us, kept):
    await circuit(make.ask(), make.raises(RateLimited("wait", told_us)))
    assert circuit.health(["alpha"])["alpha"].until == clock.now + kept


@pytest.mark.spec("ENC-BREAKER-7")
async def test_an_answer_from_before_the_opening_moves_nothing(circuit, make, clock, records):
    go = asyncio.Event()

    async def slow():
        await go.wait()
        return make.reply("a")

    async def slow_failure():
        await go.wait()
        raise DOWN

    late = [asyncio.create_task(circuit(make.ask(), work)) for work in (slow, slow_failure)]
    await asyncio.sleep(0)
    await fail(circuit, make)
    opened = records.peek("alpha")
    clock.tick(10)
    go.set()
    await asyncio.gather(*late)
    assert records.peek("alpha") == opened


@pytest.mark.spec("ENC-BREAKER-7")
async def test_a_late_success_from_before_a_recovery_moves_nothing(circuit, make, clock, records):
    go = asyncio.Event()

    async def slow():
        await go.wait()
        raise DOWN

    late = asyncio.create_task(circuit(make.ask(), slow))
    await asyncio.sleep(0)
    await fail(circuit, make)
    clock.tick(60)
    await circuit(make.ask(), make.returns(make.reply("a")))
    go.set()
    await late
    assert records.peek("alpha")["fails"] == 0


@pytest.mark.spec("ENC-BREAKER-8")
async def test_a_dead_probe_holds_others_off_for_its_lease_only(circuit, make, clock, records):
    await fail(circuit, make)
    clock.tick(60)
    begun, work = forever()
    dead = asyncio.create_task(circuit(make.ask(timeout=2.0), work))  # stands for a process that dies while probing
    await begun.wait()
    clock.tick(6.9)
    assert (await circuit(make.ask(), make.returns(make.reply("a")))).status == Status.REFUSED
    clock.tick(0.2)
    assert (await circuit(make.ask(), make.raises(DOWN))).status == Status.UNAVAILABLE
    reopened = records.peek("alpha")
    dead.cancel()
    with pytest.raises(asyncio.CancelledError):
        await dead
    assert records.peek("alpha") == reopened


@pytest.mark.spec("ENC-BREAKER-10")
async def test_a_healthy_call_writes_nothing(make, clock):
    class Still(MemoryRecords):
        def step(self, name, change):
            raise AssertionError("written")

    circuit = Circuit((Still(), Still()), BreakerSettings(), machine=load_machine, clock=clock)
    for _ in range(3):
        assert (await circuit(make.ask(), make.returns(make.reply("a")))).status == Status.OK
    assert circuit.problem == ""


@pytest.mark.spec("ENC-BREAKER-10")
async def test_the_last_error_is_kept_until_a_success(circuit, make, clock, records):
    await fail(circuit, make, 1)
    assert circuit.health(["alpha"])["alpha"].last_error == "status 503"
    assert records.peek("alpha")["error_at"] == clock.now
    await circuit(make.ask(), make.returns(make.reply("a")))
    assert circuit.health(["alpha"])["alpha"].last_error == ""


@pytest.mark.spec("ENC-BREAKER-11")
@pytest.mark.parametrize("broken", ["peek", "step", "both"])
async def test_a_broken_store_costs_nothing_but_the_memory_of_others(make, clock, told, broken):
    class Broken(MemoryRecords):
        def peek(self, name):
            if broken != "step":
                raise sqlite3.OperationalError("database is locked")
            return super().peek(name)

        def step(self, name, change):
            raise sqlite3.OperationalError("database is locked")

    circuit = Circuit(
        (Broken(), MemoryRecords()), BreakerSettings(), machine=load_machine, notify=lambda *c: told.append(c), clock=clock
    )
    await fail(circuit, make)
    assert (await circuit(make.ask(), make.returns(make.reply("a")))).status == Status.REFUSED
    assert circuit.health(["alpha"])["alpha"].state == "open"
    assert told == [("alpha", "closed", "open")]
    assert circuit.problem == "breaker records are kept in memory only: database is locked"


@pytest.mark.spec("ENC-BREAKER-11")
async def test_a_store_that_works_again_is_used_again(make, clock):
    class Flaky(MemoryRecords):
        down = True

        def peek(self, name):
            if self.down:
                raise OSError("gone")
            return super().peek(name)

    store = Flaky()
    circuit = Circuit((store, MemoryRecords()), BreakerSettings(), machine=load_machine, clock=clock)
    await circuit(make.ask(), make.returns(make.reply("a")))
    store.down = False
    clock.tick(61)
    await fail(circuit, make, 1)
    assert store.peek("alpha")["fails"] == 1


async def test_a_listener_that_raises_changes_nothing(records, make, clock):
    def notify(*_):
        raise RuntimeError("listener")

    circuit = Circuit((records, MemoryRecords()), BreakerSettings(fail_max=1), machine=load_machine, notify=notify, clock=clock)
    assert (await circuit(make.ask(), make.raises(DOWN))).reason == "status 503"
    assert circuit.health(["alpha"])["alpha"].state == "open"


@pytest.mark.spec("ENC-BREAKER-12")
async def test_without_a_machine_everybody_is_admitted(make, clock):
    class Untouched:
        def peek(self, name):
            raise AssertionError

        step = peek

    circuit = Circuit((Untouched(), Untouched()), BreakerSettings(), clock=clock)
    for _ in range(5):
        assert (await circuit(make.ask(), make.raises(DOWN))).status == Status.UNAVAILABLE
    assert (await circuit(make.ask(timeout=0.01), forever()[1])).status == Status.TIMEOUT
    assert circuit.health(["alpha", "beta"])["beta"].admits


@pytest.mark.spec("ENC-BREAKER-13")
async def test_a_server_may_believe_a_healthy_record_for_a_while(make, clock):
    class Counting(MemoryRecords):
        looks = 0

        def peek(self, name):
            self.looks += 1
            return super().peek(name)

    store = Counting()
    circuit = Circuit((store, MemoryRecords()), BreakerSettings(), machine=load_machine, clock=clock)
    circuit.max_age = 1.0
    for _ in range(10):
        await circuit(make.ask(), make.returns(make.reply("a")))
    assert store.looks == 1
    clock.tick(1.5)
    await circuit(make.ask(), make.returns(make.reply("a")))
    assert store.looks == 2
    await fail(circuit, make)
    assert (await circuit(make.ask(), make.returns(make.reply("a")))).status == Status.REFUSED


async def test_health_only_reads(circuit, make, clock, records):
    await fail(circuit, make)
    before = records.peek("alpha")
    clock.tick(61)
    assert circuit.health(["alpha", "beta"])["alpha"].admits
    assert records.peek("alpha") == before


@pytest.mark.spec("ENC-CIRCUIT-4")
async def test_a_reply_is_cut_to_the_limit(make):
    outcome = await unguarded(
        make.ask(limit=2), make.returns(Reply(make.reply(*"abc").hits, make.reply(*"defg").hits, "r", "n"))
    )
    assert [hit.title for hit in outcome.reply.hits] == ["a", "b"]
    assert [hit.title for hit in outcome.reply.alternatives] == ["d", "e"]
    assert (outcome.reply.reduced, outcome.reply.note) == ("r", "n")


@pytest.mark.spec("ENC-CIRCUIT-4")
@pytest.mark.parametrize(
    "answer", [None, [], {"hits": []}, Reply((None,)), Reply(("text",)), Reply((Hit(None),)), Reply((Hit("a", 5),)), Reply(5)]
)
async def test_what_is_no_reply_is_an_error(make, answer):
    outcome = await unguarded(make.ask(), make.returns(answer))
    assert outcome.status == Status.ERROR
    assert outcome.reply == Reply()


def test_a_good_reply_is_handed_through(make):
    reply = make.reply("a")
    assert checked(reply, 5) is reply
    with pytest.raises(Garbled):
        checked("text", 5)


async def test_an_attempt_tells_how_long_it_took(make):
    async def work():
        await asyncio.sleep(0.02)
        return make.reply("a")

    outcome, verdict = await attempt(make.ask(), work)
    assert outcome.seconds >= 0.02
    assert (outcome.source, verdict.booked) == ("alpha", "ok")


@pytest.mark.spec("ENC-BREAKER-15")
async def test_a_pause_that_an_answer_asks_for_is_a_gate(circuit, make, clock, told):
    paused = Reply(make.reply("a").hits, pause=10.0)
    outcome = await circuit(make.ask(), make.returns(paused))
    assert (outcome.status, outcome.reply.hits) == (Status.OK, paused.hits)
    held = await circuit(make.ask(), make.returns(paused))
    assert (held.status, held.reason) == (Status.REFUSED, "rate limited, next call in 10 s")
    clock.tick(10)
    assert (await circuit(make.ask(), make.returns(make.reply("b")))).status == Status.OK
    assert (told, circuit.health(["alpha"])["alpha"].last_error) == ([], "")


@pytest.mark.spec("ENC-BREAKER-15")
@pytest.mark.parametrize(("pause", "held"), [(0.0, 0), (-5.0, 1), (0.2, 1), (1e9, 3600), (float("nan"), 1)])
async def test_a_pause_is_a_second_to_an_hour(circuit, make, clock, pause, held):
    await circuit(make.ask(), make.returns(Reply(make.reply("a").hits, pause=pause)))
    assert circuit.health(["alpha"])["alpha"].until == (clock.now + held if held else 0.0)


@pytest.mark.spec("ENC-BREAKER-15")
async def test_a_server_forgets_at_once_that_the_source_was_well(circuit, make):
    circuit.max_age = 1.0
    await circuit(make.ask(), make.returns(make.reply("a")))
    await circuit(make.ask(), make.returns(Reply(pause=10.0)))
    assert (await circuit(make.ask(), make.returns(make.reply("a")))).status == Status.REFUSED


@pytest.mark.spec("ENC-CIRCUIT-4")
def test_a_cut_reply_keeps_its_words_and_a_pause_must_be_a_number(make):
    cut = checked(Reply(make.reply("a", "b").hits, reduced="r", note="n", pause=3.0), 1)
    assert (len(cut.hits), cut.reduced, cut.note, cut.pause) == (1, "r", "n", 3.0)
    with pytest.raises(Garbled, match="pause"):
        checked(Reply(pause="soon"), 1)


class Switched:
    """A store that can be broken, or lose what it holds."""

    def __init__(self):
        self.inner, self.broken = MemoryRecords(), False

    def peek(self, name):
        if self.broken:
            raise sqlite3.OperationalError("database is locked")
        return self.inner.peek(name)

    def step(self, name, change):
        if self.broken:
            raise sqlite3.OperationalError("database is locked")
        return self.inner.step(name, change)


def over(store, clock, told):
    settings = BreakerSettings(fail_max=3, cooldown=60.0, max_gate=3600.0)
    return Circuit((store, MemoryRecords()), settings, machine=load_machine, notify=lambda *c: told.append(c), clock=clock)


OPENED, RECOVERED = ("alpha", "closed", "open"), ("alpha", "half-open", "closed")


@pytest.mark.spec("ENC-BREAKER-16")
async def test_a_store_that_breaks_makes_no_second_event_of_one_opening(make, clock, told):
    store = Switched()
    circuit = over(store, clock, told)
    await fail(circuit, make)
    store.broken = True
    await fail(circuit, make)
    assert told == [OPENED]
    clock.tick(61)
    store.broken = False
    assert (await circuit(make.ask(), make.returns(make.reply("a")))).status == Status.OK
    assert told == [OPENED, RECOVERED]


@pytest.mark.spec("ENC-BREAKER-16")
async def test_a_record_that_is_lost_makes_no_second_event(make, clock, told):
    store = Switched()
    circuit = over(store, clock, told)
    await fail(circuit, make)
    store.inner = MemoryRecords()
    await fail(circuit, make)
    assert told == [OPENED]


@pytest.mark.spec("ENC-BREAKER-16")
async def test_what_another_process_told_in_between_is_news_again(make, clock, told):
    store, others = Switched(), []
    circuit, other = over(store, clock, told), over(store, clock, others)
    await fail(circuit, make)
    clock.tick(61)
    assert (await other(make.ask(), make.returns(make.reply("a")))).status == Status.OK
    await fail(circuit, make)
    assert (told, others) == ([OPENED, OPENED], [RECOVERED])


@pytest.mark.spec("ENC-BREAKER-16")
@pytest.mark.parametrize("max_age", [0.0, 5.0])
async def test_a_recovery_is_told_though_the_record_of_the_opening_is_lost(make, clock, told, max_age):
    store = Switched()
    circuit = over(store, clock, told)
    circuit.max_age = max_age
    await fail(circuit, make)
    store.inner = MemoryRecords()
    for _ in range(3):
        assert (await circuit(make.ask(), make.returns(make.reply("a")))).status == Status.OK
    assert told == [OPENED, ("alpha", "open", "closed")]


@pytest.mark.spec("ENC-BREAKER-16")
async def test_a_recovery_that_another_process_has_told_is_not_told_again(make, clock, told):
    store, others = Switched(), []
    circuit, other = over(store, clock, told), over(store, clock, others)
    await fail(circuit, make)
    clock.tick(61)
    for one in (other, circuit, circuit):
        assert (await one(make.ask(), make.returns(make.reply("a")))).status == Status.OK
    assert (told, others) == ([OPENED], [RECOVERED])
    store.inner = MemoryRecords()
    assert (await circuit(make.ask(), make.returns(make.reply("a")))).status == Status.OK
    assert told == [OPENED]
