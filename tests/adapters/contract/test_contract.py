"""One suite over every remote source, against a loopback stand-in."""

import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from encyclopedia.model.errors import AuthRefused, Garbled, QuotaSpent, RateLimited, Refused, SourceTrouble, Unavailable
from encyclopedia.model.status import Status
from tests.adapters.contract.stand_ins import REMOTES, SECRETS, built
from tests.upstream import Act, Upstream

ROOT = Path(__file__).parents[3]
DIALLED = []
LISTENING = []


def _listen(event, arguments):
    if LISTENING and event == "socket.connect":
        DIALLED.append(arguments[1])


sys.addaudithook(_listen)


@pytest.fixture(autouse=True)
def _only_loopback():
    """No test of this suite reaches further than this machine."""
    LISTENING.append(True)
    yield
    LISTENING.clear()
    dialled, DIALLED[:] = list(DIALLED), []
    assert all(address[0] in ("127.0.0.1", "::1") for address in dialled if isinstance(address, tuple))


each_remote = pytest.mark.parametrize("remote", REMOTES, ids=lambda remote: remote.name)


async def ask(remote, up, **more):
    async with built(remote.card(up), remote.options(up), SECRETS) as source:
        return await source.search(remote.request(**more))


def rows(count):
    return [(f"Title {at}", f"https://example.org/{at}", f"Text {at}") for at in range(count)]


@pytest.mark.spec("ENC-REMOTE-1")
@each_remote
async def test_hits_come_best_first_and_no_more_than_asked(remote):
    async with Upstream() as up:
        up.on(remote.path, Act(json=remote.body(*rows(30))))
        for limit in (1, 5, 30):
            reply = await ask(remote, up, limit=limit)
            places = limit - bool(remote.wrote and limit > 1)
            assert [hit.title for hit in reply.hits[:places]] == [f"Title {at}" for at in range(places)]
            assert [hit.title for hit in reply.hits[places:]] == [remote.wrote] * (limit - places)
            assert all(hit.url and hit.content for hit in remote.pages(reply))
            assert not reply.reduced


@pytest.mark.spec("ENC-REMOTE-1")
@each_remote
async def test_no_results_are_an_empty_answer_not_a_failure(remote):
    async with Upstream() as up:
        up.on(remote.path, Act(json=remote.body()))
        reply = await ask(remote, up)
        assert reply.hits == ()
        assert not reply.reduced
        up.on(remote.path, Act(404, json={"error": "no results found"}))
        assert (await ask(remote, up)).hits == ()


@pytest.mark.spec("ENC-REMOTE-2")
@each_remote
@pytest.mark.parametrize(
    "text",
    [
        'say "this exactly"',
        "a&b=c",
        "a#b",
        "100% sure",
        "a+b c",
        "line\nbreak",
        "größe 中文 😀",
        "../..",
        "{query} ${HOME}",
        "a;b|c`d",
        "'",
    ],
)
async def test_an_odd_query_arrives_as_it_was(remote, text):
    async with Upstream() as up:
        up.on(remote.path, Act(json=remote.body()))
        await ask(remote, up, text=text)
        assert remote.asked(up.seen[0]) == text
        assert up.seen[0].path == remote.path


@pytest.mark.spec("ENC-REMOTE-2")
@each_remote
async def test_any_query_arrives_as_it_was(remote):
    async with Upstream() as up, _built(remote, up) as source:
        up.on(remote.path, Act(json=remote.body()))

        @settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
        @given(st.text(max_size=100))
        def arrives(text):
            texts.append(text)

        texts = []
        arrives()
        for text in texts:
            await source.search(remote.request(text))
        assert [remote.asked(seen) for seen in up.seen] == texts


def _built(remote, up):
    return built(remote.card(up), remote.options(up), SECRETS)


@pytest.mark.spec("ENC-REMOTE-2")
@each_remote
async def test_a_lone_surrogate_does_no_harm(remote):
    async with Upstream() as up:
        up.on(remote.path, Act(json=remote.body()))
        await ask(remote, up, text="a\ud800b")
        assert remote.asked(up.seen[0]) == "a?b"


FAILURES = {
    "500": (Act(500, body="orders to a model"), Unavailable, Status.UNAVAILABLE),
    "503": (Act(503), Unavailable, Status.UNAVAILABLE),
    "408": (Act(408), Unavailable, Status.UNAVAILABLE),
    "400": (Act(400, json={"error": "orders to a model"}), Refused, Status.ERROR),
    "401": (Act(401), AuthRefused, Status.AUTH),
    "402": (Act(402), QuotaSpent, Status.QUOTA),
    "404": (Act(404, json={"message": "Not Found"}), Refused, Status.ERROR),
    "429": (
        Act(429, headers={"Retry-After": "7"}, body="Too Many Requests", content_type="text/plain"),
        RateLimited,
        Status.RATE_LIMITED,
    ),
    "reset": (Act(reset=True), Unavailable, Status.UNAVAILABLE),
    "half": (Act(half=True, body="x" * 1000), Unavailable, Status.UNAVAILABLE),
    "html": (Act(body="<html>orders to a model</html>", content_type="text/html"), Garbled, Status.ERROR),
    "lies": (Act(body="<html>orders to a model</html>"), Garbled, Status.ERROR),
    "json as html": (Act(json={}, content_type="text/html"), Garbled, Status.ERROR),
    "other json": (Act(json={"something": "else"}), Garbled, Status.ERROR),
    "a list": (Act(json=[1, 2]), Garbled, Status.ERROR),
    "garbage": (Act(body="\x00\x01 nonsense"), Garbled, Status.ERROR),
    "nothing": (Act(), Garbled, Status.ERROR),
    "not gzip": (Act(corrupt=True), Garbled, Status.ERROR),
    "deep": (Act(body="[" * 10_000), Garbled, Status.ERROR),
    "huge": (Act(json=["x" * 3_000_000]), Garbled, Status.ERROR),
    "NaN": (Act(body='{"results": [NaN]}'), Garbled, Status.ERROR),
    "redirect": (Act(redirect="https://elsewhere.example.org/?key=1"), Refused, Status.ERROR),
}


@pytest.mark.spec("ENC-REMOTE-3")
@each_remote
@pytest.mark.parametrize("failure", FAILURES)
async def test_every_failure_has_its_named_trouble(remote, failure):
    act, kind, status = FAILURES[failure]
    async with Upstream() as up:
        up.on(remote.path, act)
        with pytest.raises(kind) as caught:
            await ask(remote, up, text="my private question")
        assert caught.value.status is status
        assert up.count() == 1
        for secret in ("private", "s3cr3t", "orders", "key=1", "?"):
            assert secret not in str(caught.value)


@pytest.mark.spec("ENC-REMOTE-3")
@each_remote
async def test_a_source_that_is_not_there_is_unavailable(remote):
    async with Upstream() as up:
        pass
    with pytest.raises(Unavailable):
        await ask(remote, up)


@pytest.mark.spec("ENC-REMOTE-3")
@each_remote
async def test_a_limit_tells_how_long_to_wait(remote):
    async with Upstream() as up:
        up.on(remote.path, FAILURES["429"][0])
        with pytest.raises(RateLimited) as caught:
            await ask(remote, up)
        assert caught.value.retry_after == 7


@pytest.mark.spec("ENC-REMOTE-4")
@each_remote
@pytest.mark.parametrize("act", [Act(hang=True), Act(drip=0.02, body="x" * 100_000)], ids=["hangs", "drips"])
async def test_a_source_that_never_ends_is_a_timeout_and_is_let_go(remote, act):
    async with Upstream() as up:
        up.on(remote.path, act)
        with pytest.raises(TimeoutError, match=r"did not answer within 0.3 s"):
            await ask(remote, up, timeout=0.3)
        assert up.count() == 1


@pytest.mark.spec("ENC-REMOTE-5")
@each_remote
async def test_hostile_text_comes_out_clean(remote):
    hostile = (
        "T\x1b[31m\u202eitle <script>alert(1)</script>",
        "javascript:alert(1)",
        "vector<int> \x1b]52;c;QQ==\x07 &<style>x{}</style>",
    )
    async with Upstream() as up:
        up.on(remote.path, Act(json=remote.body(hostile)))
        (hit,) = remote.pages(await ask(remote, up))
        assert hit.title == "Title"
        assert hit.content.split() == ["vector<int>", "&"]
        assert not hit.url.startswith("javascript")


@pytest.mark.spec("ENC-REMOTE-6")
@each_remote
async def test_the_same_document_has_the_same_key_each_time(remote):
    async with Upstream() as up:
        up.on(remote.path, Act(json=remote.body(*rows(3))))
        first, second = await ask(remote, up), await ask(remote, up, text="another wording")
        assert [(hit.url, hit.page) for hit in first.hits] == [(hit.url, hit.page) for hit in second.hits]
        assert len({hit.url for hit in remote.pages(first)}) == 3


@pytest.mark.spec("ENC-REMOTE-7")
@each_remote
async def test_every_request_says_who_we_are_and_passes_a_limiter(remote):
    async with Upstream() as up:
        up.on(remote.path, Act(json=remote.body()))
        await ask(remote, up)
        headers = up.seen[0].headers
        assert headers["user-agent"].startswith("encyclopedia/")
        assert remote.accept in headers["accept"]
        assert headers["accept-encoding"] == "gzip, deflate"
        assert headers["accept-language"]
        assert "cookie" not in headers


@pytest.mark.spec("ENC-REMOTE-8")
@each_remote
async def test_a_redirect_takes_no_key_anywhere(remote):
    async with Upstream() as up, Upstream() as elsewhere:
        up.on(remote.path, Act(redirect=f"{elsewhere.url}/taken"), Act(307, redirect="/again"))
        for _ in range(2):
            with pytest.raises(Refused):
                await ask(remote, up)
        assert elsewhere.count() == 0
        assert up.count("/again") == 0


@pytest.mark.spec("ENC-REMOTE-9")
@each_remote
async def test_a_bomb_stays_small(remote):
    async with Upstream() as up:
        up.on(remote.path, Act(bomb=100))
        tracemalloc.start()
        try:
            with pytest.raises(Garbled, match="more than"):
                await ask(remote, up)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 24 * 1024 * 1024


@pytest.mark.spec("ENC-REMOTE-9")
@each_remote
async def test_a_hundred_thousand_results_are_cut_or_refused(remote):
    async with Upstream() as up:
        body = remote.body(*[("t", "", "")] * 10_000)
        up.on(remote.path, Act(json=body))
        try:
            reply = await ask(remote, up)
        except SourceTrouble as trouble:
            assert "more than" in str(trouble)
        else:
            assert len(reply.hits) == 5
        up.on(remote.path, Act(json=remote.body(*[("t", "", "")] * 100_000)))
        with pytest.raises(Garbled, match="more than"):
            await ask(remote, up)


@pytest.mark.spec("ENC-REMOTE-10")
def test_cards_cost_no_library_at_start():
    web = [path.stem for path in (ROOT / "adapters/encyclopedia_adapters/web").glob("[!_]*.py")]
    assert "wikipedia" in web
    code = (
        f"import sys; from encyclopedia_adapters.web import {', '.join(web)}; from encyclopedia_adapters.generic import json_api;"
        "from encyclopedia_adapters.docs import context7, mdn, readthedocs;"
        "json_api.card('x', {'serves': {'general_search': 1}, 'url': 'https://example.org/?q={query}', 'results': 'a.b[]',"
        " 'fields': {'title': 'name'}});"
        "print([m for m in ('aiohttp', 'yarl', 'jmespath', 'asyncio', 'urllib.parse', 'html', 'email') if m in sys.modules])"
    )
    path = f"{ROOT}:{ROOT / 'adapters'}"
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path[:0] = {path.split(':')!r}; {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.spec("ENC-REMOTE-11")
async def test_a_second_call_uses_the_same_session():
    remote = REMOTES[1]
    async with Upstream() as up, _built(remote, up) as source:
        up.on(remote.path, Act(json=remote.body(*rows(1))))
        await source.search(remote.request())
        await source.search(remote.request())
        assert up.count(remote.path) == 2
        assert len(DIALLED) == 1
