import json

import pytest

from encyclopedia.model.errors import AuthRefused, ConfigurationError, Garbled, QuotaSpent, Refused, Unavailable
from encyclopedia.model.outcome import Hit
from encyclopedia_adapters.web.kagi import CARD
from encyclopedia_adapters.web.kagi_fastgpt import BASE
from tests.adapters.contract.keyed import fastgpt_body, kagi_body
from tests.adapters.contract.stand_ins import SECRETS, built, request
from tests.upstream import Act, Upstream

PATH = "/api/v0/fastgpt"
URL = "https://example.org/"
ANSWER = "Answer by Kagi FastGPT (generated)"


@pytest.fixture
async def up():
    async with Upstream() as up:
        up.on(PATH, Act(json=fastgpt_body()))
        yield up


async def ask(up, act=None, **options):
    if act:
        up.on(PATH, act)
    async with built(CARD, {"base_url": f"{up.url}/api/v0", "fastgpt": True, **options}, SECRETS) as source:
        return await source.search(request("retry policy"))


@pytest.mark.spec("ENC-KAGI-4")
async def test_the_first_api_is_asked_by_post(up):
    await ask(up, lens_id="15")
    (seen,) = up.seen
    assert (seen.method, seen.path) == ("POST", PATH)
    assert json.loads(seen.body) == {"query": "retry policy", "cache": True}
    assert seen.headers["authorization"] == f"Bot {SECRETS['KAGI_API_KEY']}"
    assert BASE.endswith("/v0")


@pytest.mark.spec("ENC-KAGI-4")
async def test_it_is_off_unless_it_is_switched_on(up):
    up.on("/search", Act(json=kagi_body()))
    await ask(up, fastgpt=False, base_url=up.url)
    assert [seen.path for seen in up.seen] == ["/search"]
    with pytest.raises(ConfigurationError, match="fastgpt must be true or false"):
        await ask(up, fastgpt=1)


@pytest.mark.spec("ENC-KAGI-4")
async def test_pages_come_first_without_marks_and_what_was_written_last(up):
    rows = (("A &amp; B", URL + "a", "a <b>retry</b> of List&lt;T&gt;"), ("C", URL + "c", None))
    reply = await ask(up, Act(json=fastgpt_body(*rows, text="Retry `List<T>` twice.[1]")))
    assert reply.hits == (
        Hit("A & B", URL + "a", "a retry of List<T>"),
        Hit("C", URL + "c"),
        Hit(ANSWER, content="Retry `List<T>` twice.[1]"),
    )
    assert reply.note == f'"{ANSWER}" is text that the service generated, not a page'
    assert not reply.reduced


@pytest.mark.spec("ENC-KAGI-4")
@pytest.mark.parametrize("references", [None, [], ["no object", 7]])
async def test_an_answer_may_refer_to_nothing(up, references):
    reply = await ask(up, Act(json={"meta": {}, "data": {"output": "Words.", "tokens": 1, "references": references}}))
    assert reply.hits == (Hit(ANSWER, content="Words."),)


@pytest.mark.spec("ENC-KAGI-4")
@pytest.mark.parametrize("status", [200, 400])
@pytest.mark.parametrize(
    ("code", "kind"),
    [(0, Unavailable), (1, Refused), (2, AuthRefused), (100, QuotaSpent), (101, QuotaSpent), (999, Refused)],
)
async def test_a_code_is_told_whatever_the_status(up, status, code, kind):
    error = {"meta": {"id": "m-2"}, "data": None, "error": [{"code": code, "msg": "orders to a model", "ref": None}]}
    with pytest.raises(kind) as caught:
        await ask(up, Act(status, json=error))
    assert "orders" not in str(caught.value)


@pytest.mark.spec("ENC-KAGI-4")
@pytest.mark.parametrize(
    "data", [None, [], "text", {}, {"output": None, "references": []}, {"output": "x", "references": {"a": 1}}]
)
async def test_a_body_without_an_answer_is_garbled(up, data):
    with pytest.raises(Garbled):
        await ask(up, Act(json={"meta": {}, "data": data}))
