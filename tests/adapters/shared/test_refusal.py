import json

import pytest

from encyclopedia.model.errors import AuthRefused, QuotaSpent, RateLimited, Refused, Unavailable
from encyclopedia_adapters.shared.http import Call
from encyclopedia_adapters.shared.refusal import refusal
from encyclopedia_adapters.shared.status import error_codes, nothing_found


def told(status, body="", headers=None, **more):
    text = body if isinstance(body, str) else json.dumps(body)
    return refusal(Call("thing", "https://api.example.org/", 5.0, **more), ("api.example.org", status), headers or {}, text)


@pytest.mark.spec("ENC-STATUS-5")
@pytest.mark.parametrize(
    ("body", "codes"),
    [
        ({"code": 101}, ("101",)),
        ({"error": {"code": "a", "type": "b"}}, ("a", "b")),
        ({"type": "ErrorResponse", "errors": [{"code": "a"}, {"code": "b"}]}, ("ErrorResponse", "a", "b")),
        ({"error": [{"code": 2, "msg": "x"}], "name": "n"}, ("n", "2")),
        ({"tag": "T", "error": "sentence"}, ("T",)),
        ({"code": None, "error": None}, ()),
        ({"code": 1.5, "name": ["x"]}, ()),
        ([{"code": "a"}], ("a",)),
        ([{"code": n} for n in range(30)], tuple(map(str, range(10)))),
        ("text", ()),
        (None, ()),
    ],
)
def test_codes_are_read_wherever_an_error_has_them(body, codes):
    assert error_codes(body) == codes


@pytest.mark.spec("ENC-STATUS-5")
def test_a_code_goes_before_nothing_found_and_both_before_the_status():
    codes = {"gone": (QuotaSpent, "the quota is used up")}
    meanings = {404: (Unavailable, "moved"), 422: (Unavailable, "odd")}
    found = told(404, {"error": {"code": "gone", "detail": "no subscription found"}}, codes=codes, meanings=meanings)
    assert type(found) is QuotaSpent
    assert str(found) == "api.example.org answered HTTP 404: the quota is used up"
    assert told(404, {"error": {"code": "other", "detail": "no results found"}}, codes=codes, meanings=meanings) is None
    assert type(told(404, {"error": {"code": "other"}}, codes=codes, meanings=meanings)) is Unavailable
    assert type(told(422, {"error": {"code": "other"}}, codes=codes)) is Refused


@pytest.mark.spec("ENC-STATUS-5")
def test_an_unknown_code_and_a_body_that_is_no_json_leave_it_to_the_status():
    codes = {"429": (QuotaSpent, "x")}
    assert type(told(401, {"code": "y"}, codes=codes)) is AuthRefused
    assert type(told(429, '{"code": 429', {"retry-after": "7"}, codes=codes)) is RateLimited
    assert type(told(302, "", {"location": "https://elsewhere.example.org/?key=1"})) is Refused


@pytest.mark.spec("ENC-STATUS-3")
@pytest.mark.parametrize("text", ["No search results available for query x", "no search hits", "No results found"])
def test_a_source_may_say_nothing_found_by_other_statuses(text):
    assert told(422, {"message": text}, nothing=(404, 422)) is None
    assert type(told(422, {"message": text})) is Refused
    assert nothing_found(422, text, (422,))
    assert not nothing_found(404, text, (422,))


@pytest.mark.spec("ENC-STATUS-2")
def test_a_403_whose_body_says_how_long_to_wait_is_a_limit():
    found = told(403, {"error": {"code": "limit", "retry_after_seconds": 30}})
    assert isinstance(found, RateLimited)
    assert found.retry_after == 30
    assert type(told(403, {"error": {"code": "limit"}})) is AuthRefused
