"""Daily caps on every store of records."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from encyclopedia.engine.budget import DAY, Budget
from encyclopedia.model.errors import QuotaSpent
from encyclopedia.model.status import Status
from encyclopedia_adapters.storage.memory_records import MemoryRecords


@pytest.fixture
def budget(records, clock):
    return Budget((records, MemoryRecords()), clock)


@pytest.mark.spec("ENC-BUDGET-1")
def test_so_many_calls_go_out_and_no_more(budget):
    for used in range(3):
        assert budget.used("alpha") == used
        budget.take("alpha", 3)
    for _ in range(2):
        with pytest.raises(QuotaSpent, match=r"^daily cap of 3 calls reached$"):
            budget.take("alpha", 3)
    assert budget.used("alpha") == 3


@pytest.mark.spec("ENC-BUDGET-1")
def test_sources_do_not_share_a_count(budget):
    budget.take("alpha", 1)
    budget.take("beta", 1)
    assert (budget.used("alpha"), budget.used("beta"), budget.used("gamma")) == (1, 1, 0)


@pytest.mark.spec("ENC-BUDGET-2")
def test_a_cap_that_is_raised_serves_at_once(budget):
    budget.take("alpha", 1)
    budget.take("alpha", 2)
    with pytest.raises(QuotaSpent, match="cap of 1 calls"):
        budget.take("alpha", 1)


@pytest.mark.spec("ENC-BUDGET-3")
def test_each_day_begins_anew_at_midnight_utc(budget, clock):
    clock.now = 20_000 * DAY + DAY - 1.0
    budget.take("alpha", 1)
    assert budget.used("alpha") == 1
    clock.tick(1)
    assert budget.used("alpha") == 0
    budget.take("alpha", 1)
    with pytest.raises(QuotaSpent):
        budget.take("alpha", 1)


@pytest.mark.spec("ENC-BUDGET-4")
async def test_a_reached_cap_is_an_outcome_that_the_breaker_does_not_count(budget, circuit, make):
    async def work():
        budget.take("alpha", 2)
        return make.reply("a")

    outcomes = [await circuit(make.ask(), work) for _ in range(6)]
    assert [outcome.status for outcome in outcomes] == [Status.OK] * 2 + [Status.QUOTA] * 4
    assert outcomes[-1].reason == "daily cap of 2 calls reached"
    assert circuit.health(["alpha"])["alpha"].admits


@pytest.mark.spec("ENC-BUDGET-5")
def test_a_store_that_fails_is_replaced_by_memory(clock):
    class Broken:
        def peek(self, name):
            raise OSError("no space")

        def step(self, name, change):
            raise OSError("no space")

    budget = Budget((Broken(), MemoryRecords()), clock)
    budget.take("alpha", 1)
    assert budget.used("alpha") == 1
    with pytest.raises(QuotaSpent):
        budget.take("alpha", 1)


@pytest.mark.spec("ENC-BUDGET-5")
@settings(max_examples=50, suppress_health_check=list(HealthCheck))
@given(
    st.dictionaries(
        st.sampled_from(["day", "calls"]), st.one_of(st.none(), st.booleans(), st.integers(), st.text(), st.floats())
    )
)
def test_a_damaged_record_counts_from_nothing(damage):
    store = MemoryRecords()
    store.step("calls of alpha", lambda record: record.update(damage))
    budget = Budget((store, MemoryRecords()), lambda: 20_000.0 * DAY)
    budget.take("alpha", max(budget.used("alpha"), 0) + 1)
    assert budget.used("alpha") >= 1


@pytest.mark.spec("ENC-BUDGET-1")
def test_looking_writes_nothing(budget, records):
    budget.used("alpha")
    assert records.peek("calls of alpha") is None
