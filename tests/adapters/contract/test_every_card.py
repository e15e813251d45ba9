"""No card escapes: each one that goes out on the network has a stand-in, and each key that it reads is kept out of what it says."""

from __future__ import annotations

import tomllib
from base64 import b64encode
from importlib import import_module
from pathlib import Path
from urllib.parse import quote

import pytest

from encyclopedia.model.errors import SourceTrouble
from encyclopedia.model.query import QueryType
from encyclopedia.ports import Card, Key, Option
from encyclopedia.wiring.credentials import secrets_of
from encyclopedia.wiring.redaction import MASK, Redaction
from tests.adapters.contract.stand_ins import REMOTES, built
from tests.upstream import Act, Upstream

ROOT = Path(__file__).parents[3]
LOCAL = {"packages", "manpages", "mcp_git_ingest", "codegraph"}  # of these git alone goes out: tests/adapters/code
OWN_SUITES = {  # whose answers are no JSON over our own HTTP client
    "arxiv": "tests/adapters/web/test_arxiv.py",
    "ddgs": "tests/adapters/web/test_ddgs.py",
}
KEY = "sk-Secret/0123+456"
FORMS = (KEY, quote(KEY, safe=""), quote(KEY), b64encode(KEY.encode()).decode())

each_remote = pytest.mark.parametrize("remote", REMOTES, ids=lambda remote: remote.name)


def registered() -> list[Card]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    targets = [target.partition(":") for target in project["entry-points"]["encyclopedia.sources"].values()]
    return [getattr(import_module(module), name) for module, _, name in targets]


def without_a_stand_in(cards):
    """The names of the cards that no contract speaks for."""
    spoken_for = {remote.card(None).name for remote in REMOTES if remote.name != "json"} | LOCAL | set(OWN_SUITES)
    return {card.name for card in cards} - spoken_for


@pytest.mark.spec("ENC-REMOTE-12")
def test_every_registered_card_is_under_contract():
    assert len(registered()) > len(LOCAL)
    assert without_a_stand_in(registered()) == set()
    assert without_a_stand_in([*registered(), Card("newcomer", {QueryType.GENERAL_SEARCH: 0.1})]) == {"newcomer"}


@pytest.mark.spec("ENC-REMOTE-12")
def test_what_is_said_of_the_others_is_true():
    cards = {card.name: card for card in registered()}
    assert not any(getattr(need, "module", "") == "aiohttp" for name in LOCAL for need in cards[name].requires)
    for name, suite in OWN_SUITES.items():
        assert f"web.{name} import" in (ROOT / suite).read_text(encoding="utf-8")


class Asked(dict[str, str]):
    """Has a key for every name, and notes which were asked for."""

    def __init__(self) -> None:
        super().__init__(any="")
        self.names: set[str] = set()

    def get(self, name: str, _default: object = None) -> str:
        self.names.add(name)
        return KEY


def keys(card):
    return {need.name for need in (*card.requires, *card.accepts) if isinstance(need, Key)}


@pytest.mark.spec("ENC-SECRET-2")
@each_remote
async def test_a_card_names_every_key_that_its_source_reads(remote):
    asked = Asked()
    async with Upstream() as up:
        up.on(remote.path, Act(json=remote.body()))
        card = remote.card(up)
        async with built(card, remote.options(up), asked) as source:
            await source.search(remote.request())
    addresses = {need.env for need in card.requires if isinstance(need, Option) and need.name == "base_url"}
    assert asked.names - addresses <= keys(card)


@pytest.mark.spec("ENC-SECRET-2")
def test_a_key_that_stands_for_a_setting_is_named_as_a_key_too():
    for card in registered():
        needs = (need for need in card.requires if isinstance(need, Option))
        assert {need.env for need in needs if need.name != "base_url"} <= keys(card)


KEYED = [remote for remote in REMOTES if remote.name == "json" or keys(remote.card(None))]


@pytest.mark.spec("ENC-SECRET-2")
def test_those_with_a_key_are_all_keyed_cards():
    names = {remote.card(None).name for remote in KEYED if remote.name != "json"}
    assert names == {card.name for card in registered() if keys(card)} - LOCAL


@pytest.mark.spec("ENC-SECRET-2")
@pytest.mark.parametrize("remote", KEYED, ids=lambda remote: remote.name)
@pytest.mark.parametrize("said", FORMS)
async def test_a_key_that_comes_back_goes_no_further(remote, said):
    async with Upstream() as up:
        card, options = remote.card(up), remote.options(up)
        known = dict.fromkeys(keys(card), KEY)
        redaction = Redaction(secrets_of(card, options, lambda name: known.get(name, "")))
        async with built(card, options, known) as source:
            search = redaction.around(source.search)
            up.on(remote.path, Act(json=remote.body((f"Title {said}", f"https://example.org/{said}", f"Text {said} here"))))
            reply = repr(await search(remote.request()))
            assert MASK in reply
            assert not [form for form in FORMS if form.lower() in reply.lower()]
            for status in (400, 401, 403, 429, 500):
                up.on(remote.path, Act(status, json={"error": said, "message": said}, headers={"Retry-After": "0"}))
                with pytest.raises(SourceTrouble) as caught:
                    await search(remote.request())
                assert not [form for form in FORMS if form.lower() in repr(caught.value).lower()]
