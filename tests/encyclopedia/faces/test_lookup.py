from __future__ import annotations

from pathlib import Path

import pytest

from encyclopedia import Card, Encyclopedia, Hit, NoSourceAnswered, QueryType, Reply
from encyclopedia.model.errors import Unavailable
from encyclopedia_adapters.generic.fixed import Fixed
from tests.switches import off

DOCS = {QueryType.LIBRARY_DOCS: 0.4}
INSTALLED = [
    Hit("aiohttp.ClientTimeout", content="class ClientTimeout", version="3.14.5", page="py:aiohttp.ClientTimeout"),
    Hit("aiohttp 3.14.5 — summary", content="Async http", version="3.14.5", page="dist:aiohttp"),
    Hit("rich.table", content="not about it", version="15.0.0", page="py:rich.table"),
]
SERVED = [Hit("Timeouts", "https://example.org/aiohttp/timeouts", "from the service", version="3.9")]


def source(name: str, *hits: Hit, **more: object) -> Fixed:
    return Fixed(name, hits, serves=DOCS, **more)


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Engines that ask only the given sources, which stand in for the built-in ones of their names."""
    monkeypatch.chdir(tmp_path)

    def build(*sources: Fixed) -> Encyclopedia:
        environ = {"PATH": "/usr/bin:/bin", **off(*(one.card.name for one in sources))}
        return Encyclopedia(home=str(tmp_path / "home"), sources=sources, environ=environ)

    return build


@pytest.mark.spec("ENC-LOOKUP-1")
async def test_what_is_installed_speaks_first_and_alone(made) -> None:
    async with made(source("packages", *INSTALLED), source("context7", *SERVED), source("other", *SERVED)) as e:
        found = await e.lookup("aiohttp timeout")
    body = found.to_dict()
    assert (found.code, found.source, found.version) == (0, "packages", "3.14.5")
    assert found.content == "aiohttp.ClientTimeout\n\nclass ClientTimeout\n\naiohttp 3.14.5 — summary\n\nAsync http"
    assert (body["status"], body["topic"], body["versions"]) == ("success", "aiohttp timeout", [])
    assert [row["title"] for row in body["passages"]] == [hit.title for hit in INSTALLED[:2]]
    assert {row["source"] for row in body["outcomes"]} == {"packages", "context7", "other"}


@pytest.mark.spec("ENC-LOOKUP-1")
async def test_then_corpora_then_services_in_their_order(made) -> None:
    notes = source("notes", Hit("aiohttp notes", content="mine", page="notes:a.md"))
    notes.card = Card("notes", DOCS, corpus=True)
    sources = [source("other", *SERVED), source("readthedocs", *SERVED), source("context7", *SERVED), notes, source("packages")]
    for expected in ("notes", "context7", "readthedocs", "other"):
        async with made(*sources) as e:
            assert (await e.lookup("aiohttp timeout")).source == expected
        sources = [one for one in sources if one.card.name != expected]


@pytest.mark.spec("ENC-LOOKUP-2")
async def test_another_version_is_never_given_in_silence(made) -> None:
    packages = source("packages", reply=Reply(versions=("3.14.5",), note="aiohttp 3.14.5 is installed here, not 0.1"))
    context7 = source("context7", reply=Reply(versions=("3.9", "3.14.5")))
    async with made(packages, context7) as e:
        found = await e.lookup("aiohttp", version="0.1")
    body = found.to_dict()
    assert (found.code, body["status"], body["version"], body["content"]) == (2, "error", "0.1", "")
    assert found.versions == ("3.14.5", "3.9")
    assert body["message"] == "aiohttp 0.1 is not available; there are 3.14.5, 3.9"
    assert body["hint"] == "ask for one of them, for example --version 3.14.5"
    assert [request.version for request in packages.requests] == ["0.1"]


@pytest.mark.spec("ENC-LOOKUP-2")
async def test_a_text_that_tells_no_version_answers_for_none(made) -> None:
    manpages = source("manpages", Hit("aiohttp(1)", content="a page", page="man:aiohttp(1)"))
    packages = source("packages", *INSTALLED)
    async with made(manpages, packages) as e:
        wrong, near, other = [await e.lookup("aiohttp", version=version) for version in ("99.99", "3.14", "3.1")]
    assert (wrong.code, wrong.version, wrong.versions) == (2, "99.99", ("3.14.5",))
    assert (near.code, near.version, near.source) == (0, "3.14.5", "packages")
    assert (other.code, other.versions) == (2, ("3.14.5",))


@pytest.mark.spec("ENC-LOOKUP-1")
async def test_a_longer_name_is_another_library(made) -> None:
    packages = source("packages", Hit("aiohttp2.Client", content="x", version="1", page="py:aiohttp2.Client"))
    async with made(packages, source("context7", *SERVED)) as e:
        assert (await e.lookup("aiohttp")).source == "context7"


@pytest.mark.spec("ENC-LOOKUP-3")
async def test_nothing_found_nobody_answering_and_a_failing_service(made) -> None:
    async with made(source("packages")) as e:
        nothing = (await e.lookup("aiohttp gadgets")).to_dict()
        assert (nothing["code"], nothing["message"], nothing["degraded"]) == (2, "nothing found about aiohttp gadgets", False)
    async with made(source("packages", raises=Unavailable("gone"))) as e:
        with pytest.raises(NoSourceAnswered):
            await e.lookup("aiohttp")
    async with made(source("packages", *INSTALLED), source("context7", raises=Unavailable("gone"))) as e:
        body = (await e.lookup("aiohttp")).to_dict()
        assert (body["status"], body["degraded"]) == ("success", True)


@pytest.mark.spec("ENC-LOOKUP-4")
async def test_the_text_is_cut_to_the_tokens(made) -> None:
    long = Hit("aiohttp", content="word " * 2000, page="py:aiohttp")
    async with made(source("packages", long)) as e:
        found = await e.lookup("aiohttp", max_tokens=50)
    assert 100 < len(found.content) <= 200
    assert found.content.endswith("…")
