"""What the sources that need a key have in common: off without it, and the key in one header and nowhere else."""

import json

import pytest

from encyclopedia.model.errors import AuthRefused, ConfigurationError, QuotaSpent, RateLimited
from encyclopedia.model.query import Form, QueryType
from encyclopedia.wiring.requirements import unmet
from tests.adapters.contract.stand_ins import REMOTES, built
from tests.upstream import Act, Upstream

NAMES = ("exa", "perplexity", "perplexity answers", "kagi", "kagi v0", "kagi fastgpt", "tavily", "brave", "jina")
KEYED = [remote for remote in REMOTES if remote.name in NAMES]
COUNTED = [remote for remote in KEYED if not remote.wrote]  # who writes an answer is not told how many pages to use
HEADERS = {
    "exa": ("x-api-key", "k3y"),
    "perplexity": ("authorization", "Bearer k3y"),
    "perplexity answers": ("authorization", "Bearer k3y"),
    "kagi": ("authorization", "Bearer k3y"),
    "kagi v0": ("authorization", "Bot k3y"),
    "kagi fastgpt": ("authorization", "Bot k3y"),
    "tavily": ("authorization", "Bearer k3y"),
    "brave": ("x-subscription-token", "k3y"),
    "jina": ("authorization", "Bearer k3y"),
}
GENERAL, DOCS, CODE, REPOSITORY = (
    QueryType.GENERAL_SEARCH,
    QueryType.LIBRARY_DOCS,
    QueryType.CODE_CONTEXT,
    QueryType.REPOSITORY,
)
SERVES = {
    "exa": {GENERAL: 0.35, DOCS: 0.30, CODE: 0.20, REPOSITORY: 0.20},
    "perplexity": {GENERAL: 0.35, DOCS: 0.20, CODE: 0.15},
    "kagi": {GENERAL: 0.20, DOCS: 0.10},
    "tavily": {GENERAL: 0.20},
    "brave": {GENERAL: 0.20},
    "jina": {GENERAL: 0.10},
}

each = pytest.mark.parametrize("remote", KEYED, ids=lambda remote: remote.name)


def secrets(remote):
    return {f"{remote.card(None).name.upper()}_API_KEY": "k3y"}


@pytest.fixture
async def up():
    async with Upstream() as up:
        yield up


async def ask(remote, up, act=None, **more):
    up.on(remote.path, act or Act(json=remote.body(("Title", "https://example.org/a", "Text"))))
    async with built(remote.card(up), remote.options(up), secrets(remote)) as source:
        return await source.search(remote.request(**more))


@pytest.mark.spec("ENC-KEYED-1")
def test_all_of_them_are_here():
    assert sorted(remote.name for remote in KEYED) == sorted(NAMES)


@pytest.mark.spec("ENC-KEYED-1")
@each
def test_a_card_tells_weights_and_wording_and_wants_its_key(remote):
    card = remote.card(None)
    assert card.serves == SERVES[card.name]
    assert card.form is (Form.QUESTION if card.name == "perplexity" else Form.KEYWORD)
    assert not card.keyless
    assert card.default is (card.name != "kagi")
    (name,) = secrets(remote)
    missing = unmet(card, {}, lambda _: "")
    assert name in missing.reason
    assert missing.expected
    assert unmet(card, {}, lambda asked: "k3y" if asked == name else "") is None


@pytest.mark.spec("ENC-KEYED-2")
@each
async def test_the_key_is_in_one_header_and_nowhere_else(remote, up):
    await ask(remote, up)
    (seen,) = up.seen
    name, value = HEADERS[remote.name]
    assert seen.headers[name] == value
    assert [header for header, held in seen.headers.items() if "k3y" in held] == [name]
    assert "k3y" not in seen.raw_path + seen.body


@pytest.mark.spec("ENC-KEYED-2")
@each
@pytest.mark.parametrize("key", ["k3y\r\nX-Other: 1", "k3y\x00"])
async def test_a_key_that_would_break_out_of_its_header_is_not_sent(remote, up, key):
    up.on(remote.path, Act(json=remote.body()))
    (name,) = secrets(remote)
    with pytest.raises(Exception, match="could not be built") as caught:
        async with built(remote.card(up), remote.options(up), {name: key}) as source:
            await source.search(remote.request())
    assert "k3y" not in str(caught.value)
    assert up.count() == 0


@pytest.mark.spec("ENC-KEYED-3")
@each
async def test_a_date_of_the_page_is_kept(remote, up):
    (hit,) = remote.pages(await ask(remote, up))
    assert (hit.title, hit.url, hit.content) == ("Title", "https://example.org/a", "Text")
    assert hit.published.startswith("2026-01-02") or remote.name in ("tavily", "jina", "kagi fastgpt")


@pytest.mark.spec("ENC-KEYED-4")
@each
async def test_repository_and_version_are_part_of_the_words(remote, up):
    await ask(remote, up, text="retry policy", repository="Owner/name", version="4.2")
    await ask(remote, up, text="owner/name in 4.2", repository="Owner/name", version="4.2")
    assert [remote.asked(seen) for seen in up.seen] == ["Owner/name retry policy 4.2", "owner/name in 4.2"]


@pytest.mark.spec("ENC-KEYED-4")
@pytest.mark.parametrize("remote", COUNTED, ids=lambda remote: remote.name)
@pytest.mark.parametrize("limit", [0, 1, 7, 1000])
async def test_no_more_is_asked_for_than_the_service_gives(remote, up, limit):
    await ask(remote, up, limit=limit)
    seen = up.seen[0]
    fields = seen.query or json.loads(seen.body)
    named = {"numResults", "max_results", "limit", "count", "num"} & set(fields)
    (count,) = (int(fields[name]) for name in named)
    most = 100 if remote.card(None).name in ("exa", "kagi") else 20
    assert count == min(max(limit, 1), most)


@pytest.mark.spec("ENC-KEYED-5")
@each
async def test_a_spent_account_and_a_limit_are_told_apart(remote, up):
    with pytest.raises(QuotaSpent):
        await ask(remote, up, Act(402, json={"error": "no credits"}))
    with pytest.raises(AuthRefused):
        await ask(remote, up, Act(401, json={"error": "unknown key k3y"}))
    with pytest.raises(RateLimited) as caught:
        await ask(remote, up, Act(429, json={"error": {"message": "slow down", "code": 429}}, headers={"Retry-After": "9"}))
    assert caught.value.retry_after == 9


@pytest.mark.spec("ENC-KEYED-6")
@each
@pytest.mark.parametrize("url", ["ftp://example.org", "https://user:k3y@example.org", "api.example.org"])
async def test_a_wrong_address_is_named(remote, url):
    with pytest.raises(ConfigurationError, match="base_url") as caught:
        async with built(remote.card(None), {"base_url": url}, secrets(remote)):
            pass
    assert "k3y" not in str(caught.value)


@pytest.mark.spec("ENC-KEYED-6")
@each
async def test_the_address_is_the_vendors_unless_another_is_set(remote):
    async with built(remote.card(None), {}, secrets(remote)) as source:
        assert source._service.base.startswith("https://")


@pytest.mark.spec("ENC-KEYED-6")
@pytest.mark.parametrize(
    ("name", "options", "sent"),
    [
        ("perplexity", {"country": "DE"}, {"country": "DE"}),
        ("kagi", {"lens_id": 15}, {"lens_id": "15"}),
        ("tavily", {"search_depth": "advanced", "topic": "news", "country": "germany"}, None),
        ("brave", {"country": "DE", "search_lang": "de", "safesearch": "off"}, None),
        ("brave", {"country": "", "search_lang": "de"}, {"search_lang": "de"}),
    ],
)
async def test_options_go_with_every_request(up, name, options, sent):
    (remote,) = (remote for remote in KEYED if remote.name == name)
    assert set(options) <= set(remote.card(up).options)
    up.on(remote.path, Act(json=remote.body()))
    async with built(remote.card(up), remote.options(up) | options, secrets(remote)) as source:
        await source.search(remote.request())
    seen = up.seen[0]
    fields = seen.query or json.loads(seen.body)
    assert {field: fields[field] for field in options if field in fields} == (sent or options)
