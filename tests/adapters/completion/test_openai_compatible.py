import json

import pytest

from encyclopedia.model.errors import AuthRefused, ConfigurationError, Garbled, QuotaSpent, RateLimited, Unavailable
from encyclopedia.ports import Completion, Context
from encyclopedia_adapters.completion.openai_compatible import open_completer
from tests.adapters.contract.stand_ins import AGENT, Resources
from tests.upstream import Act, Upstream

PATH = "/v1/chat/completions"


def message(text: str, **more: object) -> dict[str, object]:
    return {"choices": [{"message": {"role": "assistant", "content": text}}], **more}


def context(resources: Resources, url: str, key: str = "") -> Context:
    secrets = {"ENCYCLOPEDIA_LLM_API_KEY": key}
    options = {"url": url, "model": "tiny"}
    return Context("llm", "/nowhere", AGENT, 5.0, resources, lambda name: secrets.get(name, ""), options)


@pytest.fixture
async def up():
    async with Upstream() as up:
        yield up


@pytest.fixture
async def resources():
    kept = Resources()
    yield kept
    await kept.aclose()


async def complete(up, resources, *, key: str = "", timeout: float = 5.0) -> Completion:
    made = open_completer(context(resources, f"{up.url}/v1/", key))
    return await made.complete("rules", "prompt", max_tokens=50, timeout=timeout)


@pytest.mark.spec("ENC-COMPLETER-1")
async def test_an_endpoint_is_asked_as_openai_is(up, resources):
    up.on(PATH, Act(json=message("text", usage={"prompt_tokens": 12})))
    assert await complete(up, resources, key="s3cret") == Completion("text", 12)
    (seen,) = up.seen
    assert seen.headers["authorization"] == "Bearer s3cret"
    assert json.loads(seen.body) == {
        "model": "tiny",
        "messages": [{"role": "system", "content": "rules"}, {"role": "user", "content": "prompt"}],
        "temperature": 0,
        "max_tokens": 50,
        "stream": False,
        "response_format": {"type": "json_object"},
    }


@pytest.mark.spec("ENC-COMPLETER-1")
async def test_without_a_key_none_is_sent(up, resources):
    up.on(PATH, Act(json=message("text")))
    await complete(up, resources)
    assert "authorization" not in up.seen[0].headers


@pytest.mark.spec("ENC-COMPLETER-2")
async def test_an_endpoint_without_json_mode_is_asked_without_it_from_then_on(up, resources):
    up.on(PATH, Act(400, json={"error": {"message": "response_format is not supported"}}), Act(json=message("text")))
    made = open_completer(context(resources, f"{up.url}/v1"))
    for _ in range(2):
        assert (await made.complete("rules", "prompt", max_tokens=50, timeout=5.0)).text == "text"
    assert ["response_format" in json.loads(seen.body) for seen in up.seen] == [True, False, False]


@pytest.mark.spec("ENC-COMPLETER-2")
async def test_what_a_model_thinks_aloud_is_left_out(up, resources):
    up.on(PATH, Act(json=message("<think>\nhm {}\n</think>\n {} ")))
    assert (await complete(up, resources)).text == "{}"


@pytest.mark.spec("ENC-COMPLETER-3")
@pytest.mark.parametrize(
    ("act", "trouble"),
    [
        (Act(401, json={"error": "no"}), AuthRefused),
        (Act(402, json={"error": "no"}), QuotaSpent),
        (Act(429, json={"error": "slow down"}), RateLimited),
        (Act(500, body="oops"), Unavailable),
        (Act(body="<html>", content_type="text/html"), Garbled),
        (Act(json={"choices": []}), Garbled),
        (Act(json={"choices": [{"message": {"content": None}}]}), Garbled),
        (Act(json=["x"]), Garbled),
        (Act(bomb=20), Garbled),
        (Act(reset=True), Unavailable),
        (Act(hang=True), TimeoutError),
        (Act(drip=0.05, json=message("text")), TimeoutError),
    ],
)
async def test_each_failure_has_its_trouble(up, resources, act, trouble):
    up.on(PATH, act)
    with pytest.raises(trouble):
        await complete(up, resources, timeout=0.3 if trouble is TimeoutError else 5.0)


@pytest.mark.spec("ENC-COMPLETER-3")
@pytest.mark.parametrize("url", ["ftp://example.org", "localhost:11434", "http://"])
async def test_an_address_that_cannot_be_asked_is_named(resources, url):
    with pytest.raises(ConfigurationError, match=r"llm\.url"):
        open_completer(context(resources, url))
