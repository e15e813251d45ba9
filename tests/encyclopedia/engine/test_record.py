"""What a record means, however damaged it is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encyclopedia.engine.record import BLANK, calm, health_of, sound
from encyclopedia.model.settings import BreakerSettings

NOW = 1_800_000_000.0
SETTINGS = BreakerSettings(fail_max=3, cooldown=60.0, max_gate=3600.0)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda v: st.lists(v) | st.dictionaries(st.text(), v),
)


def record(**fields):
    return {**BLANK, **fields}


@pytest.mark.spec("ENC-BREAKER-9")
@given(st.dictionaries(st.sampled_from([*BLANK, "foreign"]), json_values))
def test_anything_becomes_a_record(raw):
    made = sound(raw)
    assert made is raw
    for name, blank in BLANK.items():
        assert isinstance(made[name], float | int if isinstance(blank, float) else type(blank))
    assert made["state"] in ("closed", "open", "half-open")
    health_of(made, NOW, SETTINGS)
    json.dumps({name: made[name] for name in BLANK}, allow_nan=False)


def test_what_is_right_is_kept():
    kept = record(state="open", fails=3, opened_at=NOW, epoch=4, error="down", error_at=NOW)
    assert sound(dict(kept)) == kept


@pytest.mark.parametrize(
    "fields", [{"fails": True}, {"fails": -1}, {"fails": 1.5}, {"gate_until": float("nan")}, {"state": "ajar"}]
)
def test_what_is_wrong_is_blank(fields):
    assert sound(dict(fields)) == BLANK


@pytest.mark.parametrize(
    ("fields", "state", "until"),
    [
        ({}, "healthy", 0.0),
        ({"fails": 2, "error": "x"}, "healthy", 0.0),
        ({"gate_until": NOW + 5}, "rate_limited", NOW + 5),
        ({"gate_until": NOW - 5}, "healthy", 0.0),
        ({"state": "open", "opened_at": NOW - 20}, "open", NOW + 40),
        ({"state": "open", "opened_at": NOW - 60}, "healthy", 0.0),
        ({"state": "open", "opened_at": NOW - 20, "gate_until": NOW + 90}, "rate_limited", NOW + 90),
        ({"state": "half-open"}, "healthy", 0.0),
        ({"state": "half-open", "probe": "a", "probe_until": NOW + 3}, "probing", NOW + 3),
        ({"state": "half-open", "probe": "a", "probe_until": NOW - 3}, "healthy", 0.0),
    ],
)
def test_health(fields, state, until):
    health = health_of(record(**fields), NOW, SETTINGS)
    assert (health.state, health.until) == (state, until)
    assert health.admits == (state == "healthy")


@pytest.mark.spec("ENC-BREAKER-9")
@pytest.mark.parametrize(
    "fields",
    [
        {"gate_until": NOW + 90_000},
        {"state": "open", "opened_at": NOW + 90_000},
        {"state": "half-open", "probe": "a", "probe_until": NOW + 90_000},
    ],
)
def test_a_time_from_a_clock_that_was_set_back_binds_nobody(fields):
    assert health_of(record(**fields), NOW, SETTINGS).admits


def test_the_last_error_is_told():
    assert health_of(record(error="it was down"), NOW, SETTINGS).last_error == "it was down"


def test_calm_means_nothing_to_remember():
    assert calm(record())
    for fields in ({"fails": 1}, {"state": "open"}, {"gate_until": 1.0}, {"error": "x"}):
        assert not calm(record(**fields))
