"""One body, all faces: asynchronous, for code that is not, elsewhere, on the command line, over HTTP and over MCP."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

import encyclopedia
from encyclopedia import Encyclopedia, EncyclopediaError, RemoteEncyclopedia
from encyclopedia.faces.mcp.session import SCHEME
from tests.governed import connection, environ, server, shelf

TOKEN = "a-token-of-the-owner"
LOCAL = '[clients.desk]\nlocal = true\nlabel = "personal"\n'
CORPUS = {"corpora": "notes"}
Ask = Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]

QUESTIONS = [
    ("penguins eat fish in the morning", CORPUS),
    ("penguins", CORPUS | {"limit": 1}),
    ("penguins", CORPUS | {"type": "library_docs"}),
    ("penguins party", CORPUS),
    ("zzqx", CORPUS),
    ("penguins", {"corpora": "note"}),
    ("penguins", CORPUS | {"type": "libary_docs"}),
    ("penguins", CORPUS | {"type": "Library_Docs"}),
    ("  ", CORPUS),
    ("penguins", {"corpora": "notes", "tags": "nobody"}),
]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder without anything secret, whose corpora are indexed; a client that may see the rest."""
    folder = tmp_path_factory.mktemp("home")
    shelf(folder)
    (folder / "shelf" / "notes" / "keys.md").unlink()
    (folder / "governance.toml").write_text(LOCAL)
    for name in ("notes", "diary"):
        run(folder, "corpus", "index", name, "--no-vectors")
    return folder


def run(home: Path, *arguments: str) -> dict[str, Any]:
    env = {**environ(), "ENCYCLOPEDIA_HOME": str(home)}
    command = [sys.executable, "-m", "encyclopedia", *arguments, "--json"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2])
    found: dict[str, Any] = json.loads(done.stdout)
    assert done.returncode == found.get("code", 0)
    return found


@contextmanager
def service(home: Path) -> Iterator[str]:
    env = {**environ(), "ENCYCLOPEDIA_HOME": str(home), "ENCYCLOPEDIA_TOKEN": TOKEN}
    command = [sys.executable, "-m", "encyclopedia", "serve", "--port", "0", "--json"]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]) as process:
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())["url"]
        finally:
            process.terminate()
            process.wait(timeout=60)


def core(body: dict[str, Any]) -> dict[str, Any]:
    """What every face must say alike."""
    if body.get("code") == 64:  # each face calls what was used wrongly by the names of its own options
        return {"code": 64}
    if body.get("code") not in (None, 0, 2):
        return {"code": body["code"], "message": body["message"], "hint": body.get("hint")}
    rows = []
    for row in body["results"]:
        url, text = row["url"], row.get("content", row.get("text"))
        lines = row["locator"]["lines"] if "locator" in row else row.get("lines")
        url = None if url is None or url.startswith(SCHEME) else url
        rows.append([row["rank"], row["title"], url, row["source"], row["score"], text, lines, row.get("label")])
    told = {
        name: body.get(name) or None for name in ("status", "code", "query_type", "sources_used", "evidence_gap", "degraded")
    }
    return told | {"results": rows}


async def of_python(home: Path, query: str, options: dict[str, Any]) -> dict[str, Any]:
    async with Encyclopedia(home=str(home), environ=environ()) as e:
        return await told(e.search(query, **options))


async def told(asked: Awaitable[Any]) -> dict[str, Any]:
    try:
        return dict((await asked).to_dict())
    except EncyclopediaError as error:
        return error.to_dict()


def of_call(home: Path, query: str, options: dict[str, Any]) -> dict[str, Any]:
    try:
        return encyclopedia.search(query, home=str(home), environ=environ(), **options).to_dict()
    except EncyclopediaError as error:
        return error.to_dict()


def of_command(home: Path, query: str, options: dict[str, Any]) -> dict[str, Any]:
    flags = {"corpora": "--corpus", "tags": "--tag", "limit": "--limit", "type": "--type"}
    return run(home, "search", query, *(word for name, value in options.items() for word in (flags[name], str(value))))


async def of_mcp(home: Path, query: str, options: dict[str, Any]) -> dict[str, Any]:
    session = connection(home, "desk")
    async with Client(server(session)) as client:
        found = await client.call_tool("search", {"query": query, "limit": 5, **options})
    await session.aclose()
    return dict(found.structured_content)


def of_http(url: str, query: str, options: dict[str, Any]) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    lists = {name: [value] if name in ("corpora", "tags") else value for name, value in options.items()}
    body = json.dumps({"query": query, **lists}).encode()
    request = urllib.request.Request(f"{url}/v1/search", body, headers)  # noqa: S310 - loopback
    try:
        with urllib.request.urlopen(request, timeout=60) as response:  # noqa: S310 - loopback
            found: dict[str, Any] = json.load(response)
    except urllib.error.HTTPError as error:
        found = json.load(error)
    return found


@pytest.mark.spec("ENC-FACES-1")
async def test_every_face_gives_the_same_results_and_the_same_errors(home: Path) -> None:
    with service(home) as url:
        async with RemoteEncyclopedia(url, token=TOKEN) as remote:
            for query, options in QUESTIONS:
                wanted = core(await of_python(home, query, options))
                found = {
                    "sync": of_call(home, query, options),
                    "command": of_command(home, query, options),
                    "mcp": await of_mcp(home, query, options),
                    "http": of_http(url, query, options),
                    "remote": await told(remote.search(query, **options)),
                }
                for face, body in found.items():
                    assert core(body) == wanted, (face, query, options)


@pytest.mark.spec("ENC-FACES-1")
async def test_every_face_gives_the_same_answer(home: Path) -> None:
    question = "what do penguins eat in the morning?"
    fields = ("answer", "citations", "confidence", "grounded", "gaps", "status")
    async with Encyclopedia(home=str(home), environ=environ()) as e:
        local = (await e.ask(question, **CORPUS)).to_dict()
    assert "fish" in local["answer"]
    with service(home) as url:
        async with RemoteEncyclopedia(url, token=TOKEN) as remote:
            answer = await remote.ask(question, **CORPUS)
    session = connection(home, "desk")
    async with Client(server(session)) as client:
        agent = (await client.call_tool("ask_corpus", {"question": question, **CORPUS})).structured_content
    await session.aclose()
    for name, body in (
        ("remote", answer.to_dict()),
        ("command", run(home, "ask", question, "--corpus", "notes")),
        ("mcp", agent),
    ):
        assert {key: body.get(key) or None for key in fields} == {key: local[key] or None for key in fields}, name
