"""A key that a source sends back goes no further."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest

from encyclopedia.engine.verdict import judge
from encyclopedia.model.errors import Refused
from encyclopedia.model.outcome import Hit, Reply
from encyclopedia.model.query import QueryType
from encyclopedia.ports import Card, Key, Package
from encyclopedia.wiring.credentials import secrets_of
from encyclopedia.wiring.redaction import Redaction

KEY = "sk-Secret/0123+456"
SAID = (KEY, KEY.lower(), KEY.upper(), "sk-Secret%2F0123%2B456", "sk-Secret/0123%2B456", b64encode(KEY.encode()).decode())


def card(*names: str) -> Card:
    return Card("x", {QueryType.LIBRARY_DOCS: 0.1}, requires=(Package("json"), *map(Key, names)))


@pytest.mark.spec("ENC-SECRET-1")
@pytest.mark.parametrize("said", SAID)
async def test_every_field_of_a_reply_is_without_the_key(said: str) -> None:
    hit = Hit(*(f"a {said} b",) * 3, published=said, version=said, id=said, page=said)

    async def search(_request: Any) -> Reply:
        return Reply((hit, Hit("clean")), (hit,), f"reduced {said}", f"note {said}")

    reply = await Redaction([KEY]).around(search)(None)
    assert said not in repr(reply)
    assert reply.hits[0].title.startswith("a …")
    assert reply.hits[1] == Hit("clean")
    assert (reply.reduced[:9], reply.note[:6]) == ("reduced …", "note …")


@pytest.mark.spec("ENC-SECRET-1")
async def test_what_it_raises_is_without_the_key() -> None:
    async def search(_request: Any) -> Reply:
        raise ExceptionGroup(f"g {KEY}", [Refused(f"a redirect to {KEY.lower()}.example"), ValueError(KEY, 5)])

    with pytest.raises(ExceptionGroup) as failed:
        await Redaction([KEY]).around(search)(None)
    refused, value = failed.value.exceptions
    assert str(refused) == "a redirect to ….example"
    assert value.args == ("…", 5)


class OfItsOwn(Exception):
    """Says what it has in a way of its own."""

    def __str__(self) -> str:
        return f"at {KEY}"


@pytest.mark.spec("ENC-SECRET-1")
@pytest.mark.parametrize(
    "raised",
    [
        OSError(5, f"bad {KEY}"),
        OSError(5, "bad", f"/home/{KEY}"),
        UnicodeDecodeError("utf-8", b"x", 0, 1, f"odd {KEY}"),
        ValueError(("nested", [KEY])),
        KeyError(KEY),
        OfItsOwn(),
        ExceptionGroup("g", [OSError(5, KEY), OfItsOwn()]),
    ],
    ids=lambda raised: type(raised).__name__,
)
async def test_however_it_says_it_no_outcome_holds_the_key(raised: Exception) -> None:
    async def search(_request: Any) -> Reply:
        raise raised

    with pytest.raises(Exception) as failed:
        await Redaction([KEY]).around(search)(None)
    assert KEY not in judge(failed.value).reason
    assert "…" in judge(failed.value).reason


@pytest.mark.spec("ENC-SECRET-1")
@pytest.mark.parametrize("reply", [None, 5, Reply((5,)), Reply(7), Reply((Hit(5),))])  # nonsense on purpose
async def test_nonsense_is_left_to_those_who_judge_it(reply: Any) -> None:
    async def search(_request: Any) -> Any:
        return reply

    assert await Redaction([KEY]).around(search)(None) == reply


@pytest.mark.spec("ENC-SECRET-1")
def test_what_is_a_secret() -> None:
    environ = {"A_KEY": KEY, "SHORT": "abc", "HOST": "wiki.example.org", "NONE": ""}
    look = lambda name: environ.get(name, "")  # noqa: E731 - a value of the test, as short as what it stands for
    assert secrets_of(card("A_KEY", "SHORT", "NONE"), {}, look) == (KEY,)
    assert secrets_of(card("HOST", "A_KEY"), {"url": "https://${HOST}/q?k=${A_KEY}&q={query}"}, look) == (KEY,)
    headers = {"Authorization": "Bearer written-into-it", "X-Api-Key": "${A_KEY}", "Accept": "application/json"}
    assert secrets_of(card(), {"headers": headers}, look) == ("written-into-it",)
    assert secrets_of(card(), {"headers": "nonsense"}, look) == ()
    url = "https://wiki.example.org/q?api_key=written%2Finto&keywords={query}&n=1234567890&access_token=${A_KEY}"
    assert secrets_of(card(), {"url": url}, look) == ("written/into",)
