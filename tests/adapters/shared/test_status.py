import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from encyclopedia.model.errors import AuthRefused, Garbled, QuotaSpent, RateLimited, Refused, Unavailable
from encyclopedia_adapters.shared.status import Passing, nothing_found, trouble, wait

NOW = 1_790_000_000.0


def told(status, headers=None, text="", data=None):
    return trouble("api.example.org", status, headers or {}, (text, data))


@pytest.mark.spec("ENC-STATUS-1")
@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, Refused),
        (401, AuthRefused),
        (402, QuotaSpent),
        (403, AuthRefused),
        (404, Refused),
        (405, Refused),
        (408, Unavailable),
        (410, Refused),
        (418, Refused),
        (422, Refused),
        (425, Unavailable),
        (429, RateLimited),
        (432, QuotaSpent),
        (433, QuotaSpent),
        (500, Passing),
        (502, Passing),
        (503, Passing),
        (504, Passing),
        (529, Passing),
    ],
)
def test_each_status_has_its_named_trouble(status, kind):
    found = told(status)
    assert type(found) is kind
    assert str(found).startswith(f"api.example.org answered HTTP {status}")


@pytest.mark.spec("ENC-STATUS-1")
def test_only_the_sources_own_failures_count():
    counted = {status for status in (400, 401, 402, 403, 404, 408, 422, 425, 429, 500, 503) if told(status).counts}
    assert counted == {408, 425, 500, 503}


@pytest.mark.spec("ENC-STATUS-2")
def test_a_403_with_nothing_remaining_is_a_limit():
    found = told(403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "30"})
    assert isinstance(found, RateLimited)
    assert found.retry_after == 30
    assert isinstance(told(403, {"x-ratelimit-remaining": "12"}), AuthRefused)
    assert isinstance(told(403, {"retry-after": "5"}), RateLimited)


@pytest.mark.spec("ENC-STATUS-2")
@pytest.mark.parametrize("status", [400, 401, 403])
@pytest.mark.parametrize(
    "text", ['{"message":"Not enough credits"}', '{"code":"insufficient_quota"}', "Quota exceeded for this month"]
)
def test_a_spent_quota_is_told_by_the_body_whatever_the_status(status, text):
    assert isinstance(told(status, text=text), QuotaSpent)


@pytest.mark.spec("ENC-STATUS-2")
def test_a_server_that_says_when_it_is_back_is_not_asked_again_at_once():
    assert type(told(503, {"retry-after": "10"})) is Unavailable


@pytest.mark.spec("ENC-STATUS-3")
@pytest.mark.parametrize(
    "text",
    [
        '{"error":"no_libraries_found"}',
        '{"error":"no_documentation_found"}',
        '{"message":"No results found"}',
        "nothing found",
        '{"detail":"No matches"}',
        '{"error":"no hits for this query"}',
    ],
)
def test_a_404_that_found_nothing_is_an_answer(text):
    assert nothing_found(404, text)
    assert not nothing_found(400, text)


@pytest.mark.spec("ENC-STATUS-3")
@pytest.mark.parametrize(
    "text", ["", '{"message":"Not Found"}', "<html>No results found</html>", "page not found", '{"error":"unknown path"}']
)
def test_any_other_404_is_an_error(text):
    assert not nothing_found(404, text)


@pytest.mark.spec("ENC-STATUS-4")
@pytest.mark.parametrize(
    ("headers", "data", "seconds"),
    [
        ({"retry-after": "7"}, None, 7),
        ({"retry-after": " 7 "}, None, 7),
        ({"retry-after": "1.5"}, None, 1.5),
        ({"retry-after": "0"}, None, 1),
        ({"retry-after": "-5"}, None, 60),
        ({"retry-after": "soon"}, None, 60),
        ({"retry-after": "99999999"}, None, 3600),
        ({"retry-after": "9" * 400}, None, 60),
        ({"retry-after": "Mon, 21 Sep 2026 14:13:50 GMT"}, None, 30),
        ({"retry-after": "Mon, 21 Sep 2026 14:13:50"}, None, 30),
        ({"retry-after": "Mon, 21 Sep 2020 14:13:50 GMT"}, None, 1),
        ({"retry-after": "Mon, 99 Sep 2026 14:13:50 GMT"}, None, 60),
        ({"retry-after": "٣"}, None, 60),
        ({}, None, 60),
        ({"x-ratelimit-reset": "45"}, None, 45),
        ({"x-ratelimit-reset": str(int(NOW) + 90)}, None, 90),
        ({"x-ratelimit-reset": str((int(NOW) + 90) * 1000)}, None, 90),
        ({"x-ratelimit-reset": str(int(NOW) - 90)}, None, 1),
        ({"x-ratelimit-reset": "1, 1419704", "x-ratelimit-remaining": "1, 0"}, None, 3600),
        ({"x-ratelimit-reset": "5, 1419704", "x-ratelimit-remaining": "0, 1999"}, None, 5),
        ({"x-ratelimit-reset": "5, 1419704"}, None, 5),
        ({"ratelimit-reset": "12"}, None, 12),
        ({"x-rate-limit-reset": "13"}, None, 13),
        ({"ratelimit": '"default";r=0;t=30'}, None, 30),
        ({"x-ratelimit-reset": "never"}, None, 60),
        ({"retry-after": "7", "x-ratelimit-reset": "45"}, {"backoff": 9}, 7),
        ({}, {"backoff": 10}, 10),
        ({}, {"retry_after_seconds": 3600}, 3600),
        ({}, {"error": {"code": "limit", "retry_after_seconds": 20}}, 20),
        ({}, {"backoff": True}, 60),
        ({}, {"backoff": -1}, 60),
        ({}, ["backoff"], 60),
    ],
)
def test_how_long_to_wait_is_read_in_every_form(headers, data, seconds):
    assert wait(headers, data, now=NOW) == pytest.approx(seconds)


@pytest.mark.spec("ENC-STATUS-4")
@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(["retry-after", "ratelimit", "x-ratelimit-reset", "x-ratelimit-remaining"]), st.text()))
def test_no_header_makes_the_wait_negative_or_endless(headers):
    assert 1 <= wait(headers) <= 3600


@pytest.mark.spec("ENC-STATUS-1")
def test_messages_hold_nothing_of_the_body():
    for status in (400, 401, 402, 404, 429, 500):
        assert "orders" not in str(told(status, text="orders to a model", data={"error": "orders to a model"}))
    assert Garbled.counts


@pytest.mark.spec("ENC-STATUS-2")
@pytest.mark.parametrize(("number", "kind"), [(502, RateLimited), (500, Unavailable), (503, Unavailable), (400, Refused)])
def test_a_400_may_stand_for_another_status(number, kind):
    found = told(400, data={"error_id": number, "error_message": "more requests available in 90 seconds"})
    assert type(found) is kind
    assert getattr(found, "retry_after", 90) == 90
    assert type(told(404, data={"error_id": number})) is Refused


@pytest.mark.spec("ENC-STATUS-4")
@pytest.mark.parametrize(
    ("message", "seconds"), [("in 90 seconds", 90), ("in 9999 seconds", 3600), ("within 90 seconds", 60), (90, 60)]
)
def test_the_waiting_time_may_stand_in_a_sentence(message, seconds):
    assert wait({}, {"error_message": message}, now=NOW) == seconds
