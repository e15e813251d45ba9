from __future__ import annotations

import base64
from collections.abc import Callable

import pytest

from encyclopedia import ConfigurationError, Encyclopedia
from encyclopedia.faces.http.guards import Access, access
from encyclopedia_adapters.generic.fixed import Fixed
from tests.encyclopedia.faces.http.site import HITS, site, told

Make = Callable[..., Encyclopedia]
TOKEN = "correct horse battery staple"
SEARCH = "/v1/search?query=signing+keys"


@pytest.mark.spec("ENC-SERVE-5")
@pytest.mark.parametrize("name", ["evil.example.org", "127.0.0.1.evil.org", "[::2]", "localhost:80:80", ""])
async def test_only_its_own_name_is_answered_to(make: Make, name: str) -> None:
    async with site(make(Fixed("one", HITS))) as client:
        body = await told(await client.get(SEARCH, headers={"Host": name}), 421)
    assert (body["code"], body["message"]) == (64, "the service is not called by this name")


@pytest.mark.spec("ENC-SERVE-5")
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "https://evil.example.org"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}, 403),
        ({"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, 200),
        ({"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"}, 200),
    ],
)
async def test_pages_of_other_sites_may_not_ask_but_may_link(make: Make, headers: dict[str, str], status: int) -> None:
    async with site(make(Fixed("one", HITS))) as client:
        response = await client.get(SEARCH, headers=headers)
        assert response.status == status
        assert not [name for name in response.headers if name.lower().startswith("access-control")]
        own = f"http://127.0.0.1:{client.port}"
        assert (await client.get(SEARCH, headers={"Origin": own})).status == 200


@pytest.mark.spec("ENC-SERVE-6")
async def test_a_token_is_asked_for_everywhere_but_where_life_is_told(make: Make) -> None:
    basic = base64.b64encode(f"anybody:{TOKEN}".encode()).decode()
    good = [{"Authorization": f"Bearer {TOKEN}"}, {"X-API-Key": TOKEN}, {"Authorization": f"Basic {basic}"}]
    bad = [
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"Bearer {TOKEN}x"},
        {"Authorization": "Basic %%%"},
        {"X-API-Key": ""},
    ]
    async with site(make(Fixed("one", HITS)), Access(token=TOKEN)) as client:
        for headers in good:
            assert (await client.get(SEARCH, headers=headers)).status == 200
        for headers in bad:
            response = await client.get(SEARCH, headers=headers)
            assert TOKEN not in str(await told(response, 401))
            assert "Basic" in response.headers["WWW-Authenticate"]
        for path in ("/", "/search?q=x&format=json", "/metrics", "/openapi.json", "/static/app.js", "/health"):
            assert (await client.get(path)).status == 401
        assert [(await client.get(path)).status for path in ("/healthz", "/readyz")] == [200, 200]


@pytest.mark.spec("ENC-SERVE-6")
@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("0.0.0.0", (), ""), "there is no token"),
        (("0.0.0.0", (), TOKEN), "by which name"),
        (("192.0.2.1", ("a.example.org",), ""), "there is no token"),
        (("127.0.0.1", (), "short"), "too short"),
        (("127.0.0.1", (), "a token with a line\nbreak"), "odd characters"),
    ],
)
def test_others_are_let_in_only_with_a_token_and_by_a_name(given: tuple[str, tuple[str, ...], str], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        access(*given)


@pytest.mark.spec("ENC-SERVE-6")
def test_a_name_that_was_allowed_is_answered_to() -> None:
    assert access("0.0.0.0", ("Search.Example.org",), TOKEN).hosts >= {"search.example.org", "localhost"}


@pytest.mark.spec("ENC-SERVE-7")
async def test_every_response_carries_an_id_and_the_headers_that_protect(make: Make) -> None:
    async with site(make(Fixed("one", HITS))) as client:
        for path in ("/", SEARCH, "/v1/nothing", "/static/style.css", "/v1/search", "/v1/search/stream?query=keys"):
            response = await client.get(path, headers={"X-Request-Id": "mine-1"})
            await response.read()
            assert response.headers["X-Request-Id"] == "mine-1", path
            policy = response.headers["Content-Security-Policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert response.headers["X-Content-Type-Options"] == "nosniff"
            assert "aiohttp" not in response.headers["Server"]
        made = (await client.get("/healthz", headers={"X-Request-Id": "a b"})).headers["X-Request-Id"]
        assert len(made) == 16
