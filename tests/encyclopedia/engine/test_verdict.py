"""What each exception is taken for."""

from __future__ import annotations

import json
import ssl

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st
from yarl import URL

from encyclopedia.engine.verdict import FAIL, LIMITED, LONGEST, NEUTRAL, judge, sentence
from encyclopedia.model.errors import AuthRefused, Garbled, QuotaSpent, RateLimited, Refused, Unavailable
from encyclopedia.model.status import Status

REQUEST = aiohttp.RequestInfo(URL("https://api.example.org/v1?q=a&key=SECRET"), "GET", None, URL("https://api.example.org/"))

TABLE = [
    (Unavailable("503"), Status.UNAVAILABLE, FAIL),
    (Garbled("not JSON"), Status.ERROR, FAIL),
    (RateLimited("slow down", 7), Status.RATE_LIMITED, LIMITED),
    (AuthRefused("401"), Status.AUTH, NEUTRAL),
    (QuotaSpent("402"), Status.QUOTA, NEUTRAL),
    (Refused("404"), Status.ERROR, NEUTRAL),
    (TimeoutError(), Status.TIMEOUT, FAIL),
    (TimeoutError(), Status.TIMEOUT, FAIL),
    (aiohttp.ServerTimeoutError(), Status.TIMEOUT, FAIL),
    (ConnectionRefusedError(111, "refused"), Status.UNAVAILABLE, FAIL),
    (OSError("no route"), Status.UNAVAILABLE, FAIL),
    (ssl.SSLCertVerificationError("expired"), Status.UNAVAILABLE, FAIL),
    (aiohttp.ServerDisconnectedError(), Status.UNAVAILABLE, FAIL),
    (aiohttp.ClientPayloadError("torn"), Status.UNAVAILABLE, FAIL),
    (aiohttp.ClientResponseError(REQUEST, (), status=500), Status.UNAVAILABLE, FAIL),
    (aiohttp.InvalidURL("http://["), Status.ERROR, NEUTRAL),
    (ValueError("wrong"), Status.ERROR, NEUTRAL),
    (json.JSONDecodeError("bad", "{", 0), Status.ERROR, NEUTRAL),
    (KeyError("results"), Status.ERROR, FAIL),
    (RuntimeError("boom"), Status.ERROR, FAIL),
    (RecursionError("deep"), Status.ERROR, FAIL),
]


@pytest.mark.spec("ENC-CIRCUIT-1")
@pytest.mark.parametrize(("error", "status", "booked"), TABLE, ids=[type(error).__name__ for error, *_ in TABLE])
def test_the_table(error, status, booked):
    found = judge(error)
    assert (found.status, found.booked) == (status, booked)
    assert found.reason


@pytest.mark.spec("ENC-CIRCUIT-1")
def test_a_late_timeout_is_nobodys_fault():
    assert judge(TimeoutError(), late=True).booked == NEUTRAL


@pytest.mark.spec("ENC-CIRCUIT-1")
def test_a_group_stands_for_its_gravest_member():
    group = ExceptionGroup("many", [ValueError("a"), ExceptionGroup("inner", [ConnectionResetError("gone")])])
    assert judge(group).booked == FAIL
    assert judge(group).status == Status.UNAVAILABLE
    assert judge(ExceptionGroup("two", [OSError("x"), RateLimited("wait", 9)])).retry_after == 9
    assert judge(ExceptionGroup("one", [ValueError("a")])).booked == NEUTRAL


def test_a_wait_is_handed_on():
    assert judge(RateLimited("wait", 12.5)).retry_after == 12.5
    assert judge(OSError("x")).retry_after is None


@pytest.mark.spec("ENC-CIRCUIT-2")
@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("plain words", "plain words"),
        ("500, url='https://u:p@api.example.org/v1/search?q=a&key=SECRET#x'", "500, url='https://api.example.org'"),
        ("GET https://api.example.org/SECRET/path failed", "GET https://api.example.org failed"),
        ("redis://:SECRET@cache:6379/0 refused", "redis://cache:6379 refused"),
        ("header Authorization: Bearer SECRET was sent", "header Authorization: Bearer … was sent"),
        ("x-api-key=SECRET, again", "x-api-key=…, again"),
        ('{"api_key": "SECRET"}', '{"api_key": …"}'),
        ("token: SECRET", "token: …"),
        ("\n\n  first line \n second line", "first line"),
        ("esc \x1b[31mred\x1b[0m \u202e bell\x07", "esc [31mred [0m bell"),
        ("", ""),
    ],
)
def test_reasons_are_clean(said, shown):
    assert sentence(RuntimeError(said)) == shown


@pytest.mark.spec("ENC-CIRCUIT-2")
def test_an_aiohttp_error_does_not_give_its_query_away():
    reason = judge(aiohttp.ClientResponseError(REQUEST, (), status=500, message="no")).reason
    assert "SECRET" not in reason
    assert "q=a" not in reason


@given(st.text())
def test_any_text_makes_one_short_printable_line(text):
    line = sentence(RuntimeError(text))
    assert len(line) <= LONGEST
    assert line == " ".join(line.split())
    assert all(c.isprintable() for c in line)


@given(
    st.from_regex(r"[a-z]{3,8}://[a-z]{1,9}\.org/[a-z]{0,5}\?(key|q)=SECRET[a-z0-9]{3,20}", fullmatch=True),
    st.text(max_size=20),
)
def test_no_query_survives(url, before):
    assert "SECRET" not in sentence(RuntimeError(f"{before} {url} is down"))


def test_a_long_text_is_cut():
    assert len(sentence(RuntimeError("x" * 100_000))) == LONGEST
