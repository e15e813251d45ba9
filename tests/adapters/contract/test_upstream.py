"""The fake itself, inside the test's process and in one of its own."""

import json
import ssl
import time
import urllib.error
import urllib.request

import aiohttp
import pytest

from tests.upstream import Act, Upstream, UpstreamProcess, searxng_body, wikipedia_body


@pytest.mark.spec("ENC-FAKE-1")
async def test_acts_come_one_after_another_and_the_last_stays():
    async with Upstream() as up, aiohttp.ClientSession() as session:
        up.on("/x", Act(503, headers={"X-Thing": "1"}), Act(json={"a": 1}))
        async with session.get(up.url + "/x?q=a%26b") as first:
            assert (first.status, first.headers["X-Thing"]) == (503, "1")
        for _ in range(2):
            async with session.post(up.url + "/x", data="body") as later:
                assert await later.json() == {"a": 1}
        async with session.get(up.url + "/never-set") as unset:
            assert unset.status == 404
        assert (up.count("/x"), up.count()) == (3, 4)
        assert up.seen[0].query == {"q": "a&b"}
        assert (up.seen[1].method, up.seen[1].body) == ("POST", "body")
        assert up.in_flight == 0


@pytest.mark.spec("ENC-FAKE-1")
def test_a_process_of_its_own_is_steered_over_loopback():
    with UpstreamProcess() as up:
        up.on("/x", status=200, json={"a": 1})
        up.on("/y", {"status": 500}, {"status": 200, "json": []})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(up.url + "/x?q=1") as answer:
            assert json.load(answer) == {"a": 1}
        with pytest.raises(urllib.error.HTTPError) as caught:
            opener.open(up.url + "/y")
        caught.value.close()
        assert (up.count("/x"), up.count("/y"), up.count()) == (1, 1, 2)
        assert up.state()["seen"][0]["query"] == {"q": "1"}
        up.clear()
        assert up.count() == 0


@pytest.mark.spec("ENC-FAKE-1")
def test_bodies_hold_the_rows():
    row = ("T", "https://example.org/", "c")
    assert searxng_body(row, unresponsive_engines=[["a", "b"]])["results"][0]["title"] == "T"
    assert searxng_body(unresponsive_engines=[["a", "b"]])["unresponsive_engines"] == [["a", "b"]]
    assert wikipedia_body(row)["query"]["search"][0]["snippet"] == "c"


@pytest.mark.spec("ENC-FAKE-1")
async def test_a_front_speaks_tls_when_it_is_told_to():
    async with Upstream() as up, aiohttp.ClientSession() as session:
        front = up.front("/x")
        up.on("/x", Act(json={"a": 1}, handshake=0.2))
        begun = time.monotonic()
        async with session.get(f"{front.url}/x", ssl=ssl.create_default_context(cafile=front.trust)) as answer:
            assert await answer.json() == {"a": 1}
        assert time.monotonic() - begun >= 0.2
        with pytest.raises(aiohttp.ClientConnectorCertificateError):
            await session.get(f"{front.url}/x")
        up.on("/x", Act(handshake=3600.0))
        with pytest.raises(TimeoutError):
            await session.get(f"{front.url}/x", timeout=aiohttp.ClientTimeout(0.2), ssl=False)
        assert (up.front("/x"), up.count("/x")) == (front, 1)
