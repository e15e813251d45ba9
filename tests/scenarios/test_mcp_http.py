"""`encyclopedia mcp --http`: each request stands alone, and only those are let in who may be."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from tests.scenarios.test_mcp_stdio import START, arranged

TOKEN = "a-token-of-the-owner"
ASK = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": START}


def free() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def serving(env: dict[str, str], *arguments: str) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    port = free()
    command = [sys.executable, "-m", "encyclopedia", "mcp", "--http", str(port), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env) as process:
        try:
            assert process.stderr is not None
            assert f":{port}/mcp" in process.stderr.readline().decode()
            wait_for(port, process)
            yield port, process
        finally:
            process.kill()


def wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    while process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
        except ConnectionRefusedError:
            continue
        return
    raise AssertionError("it has ended")


def ask(port: int, headers: dict[str, str] | None = None, body: Any = ASK) -> tuple[int, str, dict[str, str]]:
    request = urllib.request.Request(f"http://127.0.0.1:{port}/mcp", json.dumps(body).encode(), method="POST")
    usual = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    for name, value in (usual | (headers or {})).items():
        request.add_header(name, value)
    try:
        with urllib.request.urlopen(request, timeout=30) as response:  # noqa: S310 - loopback
            return response.status, response.read().decode(), dict(response.headers)
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(), dict(error.headers)


@pytest.mark.spec("ENC-WIRE-6")
@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_the_official_client_is_served_over_http(era: str, tmp_path: Path) -> None:
    with serving(arranged(tmp_path, plugin=False)) as (port, process):
        async with Client(f"http://127.0.0.1:{port}/mcp", mode=era) as client:
            assert len((await client.list_tools()).tools) == 4
            found = await client.call_tool("search", {"query": "penguins eat fish"})
            assert {row["source"] for row in found.structured_content["results"]} >= {"notes"}
            assert "birthday" not in found.model_dump_json()
        process.terminate()
        assert process.wait(timeout=30) == 143
        assert process.stdout is not None
        assert process.stdout.read() == b""


@pytest.mark.spec("ENC-WIRE-6")
def test_other_names_and_other_sites_are_refused(tmp_path: Path) -> None:
    with serving(arranged(tmp_path, plugin=False)) as (port, _):
        status, body, headers = ask(port)
        assert status == 200
        assert headers["content-type"].startswith("application/json")
        assert "mcp-session-id" not in headers
        assert json.loads(body)["result"]["serverInfo"]["name"] == "encyclopedia"
        assert ask(port, {"Host": "evil.example.org"})[0] == 421
        assert ask(port, {"Host": f"evil.example.org:{port}"})[0] == 421
        assert ask(port, {"Origin": "https://evil.example.org"})[0] == 403
        assert ask(port, {"Origin": f"http://localhost:{port}"})[0] == 200
        with socket.create_connection(("127.0.0.1", port), timeout=30) as one:
            head = f"POST /mcp HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Type: application/json\r\n"
            accept = "Accept: application/json, text/event-stream\r\n"
            one.sendall(f"{head}{accept}Content-Length: 2000000\r\n\r\n".encode())
            assert b" 413 " in one.recv(100)


@pytest.mark.spec("ENC-WIRE-7")
def test_a_token_is_asked_for_where_there_is_one(tmp_path: Path) -> None:
    env = arranged(tmp_path, plugin=False) | {"ENCYCLOPEDIA_TOKEN": TOKEN}
    with serving(env) as (port, _):
        for given in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": TOKEN}, {"Authorization": f"Basic {TOKEN}"}):
            status, body, headers = ask(port, given)
            assert status == 401
            assert headers["www-authenticate"] == "Bearer"
            assert TOKEN not in body
        assert ask(port, {"Authorization": f"Bearer {TOKEN}"})[0] == 200


@pytest.mark.spec("ENC-WIRE-7")
@pytest.mark.parametrize(
    ("token", "arguments", "told"),
    [
        ("", [], "there is no token"),
        (TOKEN, [], "by which name"),
        ("short", ["--allow-host", "a"], "too short"),
    ],
)
def test_others_are_let_in_only_with_a_token_and_by_a_name(tmp_path: Path, token: str, arguments: list[str], told: str) -> None:
    env = arranged(tmp_path, plugin=False) | {"ENCYCLOPEDIA_TOKEN": token}
    command = [sys.executable, "-m", "encyclopedia", "mcp", "--http", str(free()), "--host", "0.0.0.0", *arguments]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert told in json.loads(done.stdout)["message"]


@pytest.mark.spec("ENC-WIRE-7")
def test_a_name_that_is_allowed_is_answered(tmp_path: Path) -> None:
    env = arranged(tmp_path, plugin=False) | {"ENCYCLOPEDIA_TOKEN": TOKEN}
    with serving(env, "--host", "0.0.0.0", "--allow-host", "mcp.example.org") as (port, _):
        shown = {"Authorization": f"Bearer {TOKEN}"}
        assert ask(port, shown | {"Host": "mcp.example.org"})[0] == 200
        assert ask(port, shown | {"Host": "other.example.org"})[0] == 421
