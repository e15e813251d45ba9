import json

import pytest

from encyclopedia.model.errors import AuthRefused, ConfigurationError, Garbled, QuotaSpent, RateLimited, Refused, Unavailable
from encyclopedia.model.outcome import Hit
from encyclopedia_adapters.web.perplexity import CARD
from tests.adapters.contract.keyed import agent_body
from tests.adapters.contract.stand_ins import SECRETS, built, request
from tests.upstream import Act, Upstream

PATH = "/v1/responses"
URL = "https://example.org/"
ANSWER = "Answer by Perplexity (generated)"


@pytest.fixture
async def up():
    async with Upstream() as up:
        up.on(PATH, Act(json=agent_body()))
        yield up


async def ask(up, act=None, limit=5, **options):
    if act:
        up.on(PATH, act)
    async with built(CARD, {"base_url": up.url, "answers": True, **options}, SECRETS) as source:
        return await source.search(request("What is known about retries?", limit=limit))


@pytest.mark.spec("ENC-PERPLEXITY-4")
async def test_it_is_asked_for_a_short_answer_from_the_web(up):
    await ask(up)
    await ask(up, model="acme/large", country="NO")
    tool = {"type": "web_search", "max_tokens_per_page": 512}
    common = {"input": "What is known about retries?", "max_output_tokens": 512}
    assert [json.loads(seen.body) for seen in up.seen] == [
        common | {"preset": "fast", "tools": [tool]},
        common | {"model": "acme/large", "tools": [tool | {"user_location": {"country": "NO"}}]},
    ]
    assert {(seen.method, seen.path) for seen in up.seen} == {("POST", PATH)}


@pytest.mark.spec("ENC-PERPLEXITY-4")
async def test_it_is_off_unless_it_is_switched_on(up):
    up.on("/search", Act(json={"id": "1", "results": []}))
    await ask(up, answers=False, model="acme/large")
    assert [seen.path for seen in up.seen] == ["/search"]
    with pytest.raises(ConfigurationError, match="answers must be true or false"):
        await ask(up, answers="yes")


@pytest.mark.spec("ENC-PERPLEXITY-4")
async def test_pages_come_first_and_what_was_written_last(up):
    reply = await ask(up, Act(json=agent_body(("A", URL + "a", "text of a"), ("B", URL + "b", ""), text="Retry twice [1].")))
    assert reply.hits == (
        Hit("A", URL + "a", "text of a", published="2026-01-02"),
        Hit("B", URL + "b", published="2026-01-02"),
        Hit(ANSWER, content="Retry twice [1]."),
    )
    assert reply.note == f'"{ANSWER}" is text that the service generated, not a page'
    assert not reply.reduced


@pytest.mark.spec("ENC-PERPLEXITY-4")
async def test_pages_of_all_searches_and_citations_stand_once_and_other_things_are_left_out(up):
    def found(*pages):
        return {"type": "search_results", "results": [{"title": title, "url": URL + title, "snippet": "x"} for title in pages]}

    cited = [{"title": "c", "url": URL + "c"}, {"title": "a", "url": URL + "a"}, None]
    content = [
        {"type": "output_text", "text": "One. ", "annotations": cited},
        {"type": "reasoning", "text": "hidden"},
        {"type": "output_text", "text": "Two."},
        {"type": "output_text", "text": None, "annotations": None},
    ]
    output = [
        found("a", "b"),
        {"type": "mcp_call", "output": "hidden"},
        {"type": "search_results", "results": None},
        found("b", "d"),
        {"type": "message", "content": content},
        {"type": "message"},
        "no object",
    ]
    reply = await ask(up, Act(json=agent_body() | {"output": output}), limit=20)
    assert [(hit.title, hit.content) for hit in reply.hits] == [
        ("a", "x"),
        ("b", "x"),
        ("d", "x"),
        ("c", ""),
        (ANSWER, "One. Two."),
    ]


@pytest.mark.spec("ENC-PERPLEXITY-4")
@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        ("failed", {"message": "orders to a model", "code": "insufficient_quota"}, QuotaSpent),
        ("failed", {"message": "orders to a model", "code": 402}, QuotaSpent),
        ("failed", {"message": "orders to a model", "code": "429", "type": "rate_limit"}, RateLimited),
        ("failed", {"message": "orders to a model", "code": "401"}, AuthRefused),
        ("failed", {"message": "orders to a model", "code": "400"}, Refused),
        ("failed", {"message": "orders to a model", "code": "some"}, Unavailable),
        ("failed", None, Unavailable),
        ("cancelled", None, Unavailable),
        ("in_progress", None, Garbled),
        ("requires_action", None, Garbled),
    ],
)
async def test_a_failure_inside_a_good_status_is_one(up, status, error, kind):
    with pytest.raises(kind) as caught:
        await ask(up, Act(json=agent_body(("A", URL, "x")) | {"status": status, "error": error}))
    assert "orders" not in str(caught.value)


@pytest.mark.spec("ENC-PERPLEXITY-4")
@pytest.mark.parametrize("status", [401, 429])
async def test_a_spent_credit_is_known_by_its_code(up, status):
    with pytest.raises(QuotaSpent, match="credit is used up"):
        await ask(up, Act(status, json={"error": {"message": "x", "code": "insufficient_quota"}}))


@pytest.mark.spec("ENC-PERPLEXITY-4")
@pytest.mark.parametrize("body", [{}, [], {"status": "completed"}, {"output": []}, {"status": ["failed"], "output": []}])
async def test_a_body_without_an_answer_is_garbled(up, body):
    with pytest.raises(Garbled):
        await ask(up, Act(json=body))
