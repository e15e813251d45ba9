from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from encyclopedia.model.errors import Garbled, Refused, SourceTrouble, Unavailable
from encyclopedia_adapters.embedding import weights
from encyclopedia_adapters.embedding.fetch import FOLDER, REDIRECTS, _next, fetch

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
QUIET: Callable[[str, int, int], None] = lambda _label, _done, _total: None  # noqa: E731


@pytest.fixture
async def hub(folder: Path) -> AsyncIterator[Callable[[dict[str, Handler]], Awaitable[str]]]:
    """Starts a hub that has the right files, but for what is put in their place by the beginning of the path."""
    servers: list[TestServer] = []

    async def start(handlers: dict[str, Handler]) -> str:
        async def answer(request: web.Request) -> web.StreamResponse:
            for path, handler in handlers.items():
                if request.path.startswith(path):
                    return await handler(request)
            return web.FileResponse(folder / request.path.removeprefix(FOLDER))

        app = web.Application()
        app.router.add_get("/{path:.*}", answer)
        servers.append(TestServer(app))
        await servers[-1].start_server()
        return str(servers[-1].make_url("/"))

    yield start
    for server in servers:
        await server.close()


def answering(**what: object) -> Handler:
    async def handler(_request: web.Request) -> web.StreamResponse:
        return web.Response(**what)  # type: ignore[arg-type]

    return handler


def sending(location: str) -> Handler:
    return answering(status=302, headers={"Location": location})


@pytest.mark.spec("ENC-EMBED-9")
async def test_the_files_are_fetched_checked_and_found(hub, folder: Path, tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    address = await hub({FOLDER + weights.WEIGHTS: sending("/cdn/x"), "/cdn": lambda _: _file(folder / weights.WEIGHTS)})
    await fetch(address, str(tmp_path), "test", lambda *row: told.append(row))
    assert weights.folder("", str(tmp_path)) == weights.fetched(str(tmp_path))
    assert sorted(path.name for path in Path(weights.fetched(str(tmp_path))).iterdir()) == sorted(weights.FILES)
    assert told[-1][0] == f"MB of {weights.WORDS}"
    assert max(row for row in told if weights.WEIGHTS in row[0])[1:] == (90, 90)
    assert (Path(weights.fetched(str(tmp_path))) / weights.WORDS).stat().st_mode & 0o777 == 0o600


async def _file(path: Path) -> web.StreamResponse:
    return web.FileResponse(path)


@pytest.mark.spec("ENC-EMBED-9")
async def test_what_is_there_and_right_is_not_asked_for(hub, folder: Path, tmp_path: Path) -> None:
    target = Path(weights.fetched(str(tmp_path)))
    target.mkdir(parents=True)
    for name in weights.FILES:
        (target / name).symlink_to(folder / name)
    await fetch(await hub({"/": answering(status=500)}), str(tmp_path), "test", QUIET)


@pytest.mark.spec("ENC-EMBED-9")
@pytest.mark.parametrize(
    ("handler", "kind", "told"),
    [
        (answering(status=404), Unavailable, "answered with status 404"),
        (answering(status=503), Unavailable, "answered with status 503"),
        (answering(body=b"short"), Garbled, "sent another model.safetensors: its SHA-256"),
        (answering(body=bytes(91_000_000)), Garbled, "sent another model.safetensors"),
        (answering(body=bytes(90_868_376)), Garbled, "sent another model.safetensors"),
        (sending("/round"), Garbled, "sends us from one address to the next"),
        (sending("http://127.0.0.1:1/x"), Refused, "leads to an address inside a network"),
        (sending("ftp://example.org/x"), Refused, "could not be built"),
        (sending(""), Garbled, "sends us from one address to the next"),
    ],
)
async def test_anything_else_is_refused_and_leaves_nothing(
    hub, tmp_path: Path, handler: Handler, kind: type, told: str
) -> None:
    address = await hub({"/": handler})
    with pytest.raises(SourceTrouble, match=told) as caught:
        await fetch(address, str(tmp_path), "test", QUIET)
    assert isinstance(caught.value, kind)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.spec("ENC-EMBED-9")
def test_a_redirection_may_not_lead_to_where_others_can_listen() -> None:
    assert _next("https://hub/a/b", "/c?d=%2F", "hub") == "https://hub/c?d=%2F"
    assert _next("http://hub/a", "https://cdn/b", "hub") == "https://cdn/b"
    with pytest.raises(Refused, match="without encryption"):
        _next("https://hub/a", "http://cdn/b", "hub")


@pytest.mark.spec("ENC-EMBED-9")
async def test_redirections_are_counted(hub, tmp_path: Path) -> None:
    asked: list[str] = []

    async def on(request: web.Request) -> web.StreamResponse:
        asked.append(request.path)
        return web.Response(status=302, headers={"Location": f"/{len(asked)}"})

    with pytest.raises(Garbled):
        await fetch(await hub({"/": on}), str(tmp_path), "test", QUIET)
    assert len(asked) == REDIRECTS + 1


@pytest.mark.spec("ENC-EMBED-9")
async def test_a_hub_that_cannot_be_reached_is_told(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match=r"127\.0\.0\.1:9 could not be reached"):
        await fetch("http://127.0.0.1:9", str(tmp_path), "test", QUIET)
    with pytest.raises(ValueError, match="must begin with http"):
        await fetch("ftp://hub", str(tmp_path), "test", QUIET)
