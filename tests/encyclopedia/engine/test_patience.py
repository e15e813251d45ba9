"""How long a source is waited for follows its own answers, and never passes what is configured."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from encyclopedia.engine.patience import COLD, LEAST, WINDOW, Patience, measured
from encyclopedia.engine.profile import Measured, Sample
from encyclopedia.model.outcome import Outcome, Outcomes, Reply
from encyclopedia.model.plan import Health
from encyclopedia.model.settings import PatienceSettings
from encyclopedia.model.status import Status


def anybody(_source):
    return True


def nobody(_source):
    return False


def fed(plan, seconds, status=Status.OK, count=COLD, settings=None):
    patience = Patience(settings or PatienceSettings())
    for _ in range(count):
        patience.learn(Outcomes(plan, (Outcome("alpha", status, Reply(), seconds),)))
    return patience


@pytest.mark.spec("ENC-PATIENCE-1")
def test_a_quick_source_is_given_four_times_its_p95_and_at_least_a_second(make):
    plan = make.plan("alpha", timeout=5.0)
    fitted = fed(plan, 0.5).fit(plan, anybody)
    assert fitted.asks[0].request.timeout == 2.0
    assert fitted.waiting["alpha"]._asdict() == {"configured": 5.0, "p95": 0.5, "budget": 2.0, "hedge_after": 0.0}
    assert fed(plan, 0.01).fit(plan, anybody).asks[0].request.timeout == LEAST


@pytest.mark.spec("ENC-PATIENCE-1")
def test_nothing_is_concluded_from_few_answers_or_where_it_is_switched_off(make):
    plan = make.plan("alpha", "beta", timeout=5.0)
    assert fed(plan, 0.1, count=COLD - 1).fit(plan, anybody) is plan
    assert fed(plan, 0.1, settings=PatienceSettings(budget=0.0)).fit(plan, anybody) is plan
    assert fed(plan, 0.1).fit(plan, anybody).asks[1] == plan.asks[1]


@pytest.mark.spec("ENC-PATIENCE-1")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])  # factories of values, the same for all
@given(st.lists(st.one_of(st.just(inf), st.floats(0, 100)), max_size=300), st.floats(0.01, 60), st.floats(0, 50))
def test_no_experience_makes_it_longer_than_configured(make, seconds, timeout, factor):
    plan = make.plan("alpha", timeout=timeout)
    fitted = Patience(PatienceSettings(budget=factor, hedge=0.05), lambda _: seconds).fit(plan, anybody)
    assert 0 < fitted.asks[0].request.timeout <= timeout
    for waiting in fitted.waiting.values():
        assert waiting.hedge_after < waiting.budget


@pytest.mark.spec("ENC-PATIENCE-2")
def test_one_that_is_late_too_often_has_its_whole_time_again(make):
    plan = make.plan("alpha", timeout=5.0)
    patience = fed(plan, 0.1)
    for _ in range(5):
        patience.learn(Outcomes(plan, (Outcome("alpha", Status.TIMEOUT),)))
    assert patience.fit(plan, anybody).asks[0].request.timeout == 5.0


@pytest.mark.spec("ENC-PATIENCE-2")
def test_the_first_call_after_a_failure_has_its_whole_time(make):
    plan = make.plan("alpha", timeout=5.0, health={"alpha": Health(last_error="no answer within 1 s", fails=1)})
    assert fed(plan, 0.1).fit(plan, anybody).asks[0].request.timeout == 5.0


@pytest.mark.spec("ENC-PATIENCE-2")
def test_what_tells_nothing_of_speed_is_not_learned_from(make):
    plan = make.plan("alpha", timeout=5.0)
    for status in (Status.UNAVAILABLE, Status.REFUSED, Status.CANCELLED, Status.RATE_LIMITED, Status.AUTH):
        assert fed(plan, 0.01, status).fit(plan, anybody) is plan


@pytest.mark.spec("ENC-PATIENCE-3")
def test_a_second_request_is_planned_only_where_it_is_free_and_wanted(make):
    plan = make.plan("alpha", timeout=5.0)
    wanted = PatienceSettings(hedge=0.05)
    assert fed(plan, 0.5, settings=wanted).fit(plan, anybody).waiting["alpha"].hedge_after == 0.5
    assert fed(plan, 0.5, settings=wanted).fit(plan, nobody).waiting["alpha"].hedge_after == 0.0
    assert fed(plan, 0.5).fit(plan, anybody).waiting["alpha"].hedge_after == 0.0


@pytest.mark.spec("ENC-PATIENCE-1")
def test_a_profile_tells_the_seconds_of_all_types():
    samples = (Sample("ok", 3, 250, 1), Sample("timeout", 0, 5000, 0), Sample("failed", 0, 1, 0), Sample("empty", 0, 500, 0))
    profile = {("alpha", "library_docs"): Measured(4, 1.0, samples), ("beta", "library_docs"): Measured(4, 1.0, samples)}
    assert measured(profile, "alpha") == [0.25, inf, 0.5]


@pytest.mark.spec("ENC-PATIENCE-4")
def test_the_soft_deadline_stands_in_the_plan(make):
    plan = make.plan("alpha")
    assert Patience(PatienceSettings(soft=0.5)).fit(plan, nobody).soft_deadline == 0.5


@pytest.mark.spec("ENC-PATIENCE-1")
@given(seconds=st.lists(st.sampled_from([0.1, 0.2, 0.3, 0.9, 1.5]) | st.floats(0, 9), min_size=COLD, max_size=3 * WINDOW))
def test_what_is_remembered_of_a_percentile_is_what_would_be_worked_out(seconds: list[float]) -> None:
    patience = Patience(PatienceSettings())
    for number, value in enumerate(seconds, 1):
        patience._note("a", value)
        if number >= COLD and number % 3 == 0:
            window = sorted(seconds[max(0, number - WINDOW) : number])
            assert patience._p95("a") == window[int(len(window) * 0.95)]
