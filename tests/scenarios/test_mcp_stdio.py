"""`encyclopedia mcp` as a process of its own: what is on the wire, how it begins, and how it ends."""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from tests.governed import environ, shelf

ROOT = Path(__file__).parents[2]
PLUGIN = """
import os, sys, time
print("imported")
os.write(1, b"imported below Python\\n")

from encyclopedia import Card, Hit, QueryType, Reply


class Source:
    card = Card("noisy", serves=dict.fromkeys(QueryType, 0.3))

    def __init__(self, context):
        print("made")

    async def search(self, request):
        print("asked", flush=True)
        os.system("echo from a child process")
        os.write(1, b"below Python\\n")
        if "block" in request.text:
            open(os.environ["ENCYCLOPEDIA_HOME"] + "/blocking", "w").close()
            time.sleep(60)
        return Reply((Hit("Noise", "https://example.org/noise", "penguins make noise"),))
"""
START = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


def arranged(folder: Path, *, plugin: bool = True) -> dict[str, str]:
    """A data folder with corpora and a plug-in that prints wherever it can; the environment that finds both."""
    shelf(folder)
    if plugin:
        (folder / "noisy_source.py").write_text(PLUGIN)
        (folder / "noisy-1.0.dist-info").mkdir()
        (folder / "noisy-1.0.dist-info" / "entry_points.txt").write_text(
            "[encyclopedia.sources]\nnoisy = noisy_source:Source\n"
        )
    path = f"{folder}:{ROOT}:{ROOT / 'adapters'}"
    return {**environ(), "ENCYCLOPEDIA_HOME": str(folder), "PYTHONPATH": path, "PYTHONUNBUFFERED": "1", "HOME": str(folder)}


@contextmanager
def running(env: dict[str, str], *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "encyclopedia", "mcp", *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env) as process:
        try:
            yield process
        finally:
            process.kill()


def say(process: subprocess.Popen[bytes], method: str, params: dict[str, Any] | None = None, id: int | None = None) -> None:
    assert process.stdin is not None
    body: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params or {}}
    process.stdin.write(json.dumps(body | ({"id": id} if id is not None else {})).encode() + b"\n")
    process.stdin.flush()


def heard(process: subprocess.Popen[bytes], id: int) -> dict[str, Any]:
    """The answer of that id; every line until then must be JSON-RPC."""
    assert process.stdout is not None
    while True:
        line = json.loads(process.stdout.readline())
        assert line["jsonrpc"] == "2.0"
        if line.get("id") == id:
            return dict(line)


def begin(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    say(process, "initialize", START, 1)
    answer = heard(process, 1)
    say(process, "notifications/initialized")
    return answer


def cpu(process: subprocess.Popen[bytes]) -> float:
    """Seconds of CPU that a process has taken until now."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def block(process: subprocess.Popen[bytes], folder: Path) -> None:
    """Ask what holds up the event loop, and come back while it does."""
    say(process, "tools/call", {"name": "search", "arguments": {"query": "block penguins", "corpora": ""}}, 7)
    while not (folder / "blocking").exists():
        assert process.poll() is None
        select.select([], [], [], 0.02)


@pytest.mark.spec("ENC-WIRE-1")
def test_every_line_of_stdout_is_json_rpc_whatever_a_plug_in_prints(tmp_path: Path) -> None:
    with running(arranged(tmp_path)) as process:
        begin(process)
        say(process, "tools/list", {}, 2)
        assert len(heard(process, 2)["result"]["tools"]) == 4
        say(process, "tools/call", {"name": "search", "arguments": {"query": "penguins"}}, 3)
        assert "Noise" in json.dumps(heard(process, 3))
        assert process.stdin is not None
        process.stdin.close()
        assert process.stdout is not None
        assert all(json.loads(line)["jsonrpc"] == "2.0" for line in process.stdout)
        assert process.stderr is not None
        told = process.stderr.read().decode()
    for said in ("imported", "imported below Python", "made", "asked", "from a child process", "below Python"):
        assert f"{said}\n" in told


@pytest.mark.spec("ENC-WIRE-1")
def test_what_is_no_json_and_no_utf_8_is_answered_or_passed_over(tmp_path: Path) -> None:
    with running(arranged(tmp_path, plugin=False)) as process:
        begin(process)
        assert process.stdin is not None
        process.stdin.write(b'\xff\xfe\nnot json\n{"jsonrpc": "2.0"}\n[]\n')
        say(process, "ping", {}, 5)
        assert heard(process, 5)["result"] == {}


@pytest.mark.spec("ENC-WIRE-2")
@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_the_official_client_is_served_in_both_eras(era: str, tmp_path: Path) -> None:
    env = arranged(tmp_path)
    arguments = ["-m", "encyclopedia", "mcp", "--tool", "lookup"]
    async with Client(StdioServerParameters(command=sys.executable, args=arguments, env=env), mode=era) as client:
        assert [tool.name for tool in (await client.list_tools()).tools][-1] == "lookup"
        found = await client.call_tool("search", {"query": "penguins eat fish"})
        assert {row["source"] for row in found.structured_content["results"]} >= {"notes", "noisy"}
        read = await client.read_resource("encyclopedia://document/notes:feeding.md")
        assert "Penguins eat fish" in read.contents[0].text
        assert (await client.get_prompt("research", {"question": "a"})).messages


@pytest.mark.spec("ENC-WIRE-3")
def test_the_first_reply_costs_little_more_than_the_import_of_the_library(tmp_path: Path) -> None:
    """The bound is 3 s where that import takes 1.5 s; here both are measured, the better of two runs each."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", "import mcp.server"], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    floor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    taken, env = [], arranged(tmp_path)
    for _ in range(2):
        with running(env) as process:
            begin(process)
            taken.append(cpu(process))
            loaded = Path(f"/proc/{process.pid}/maps").read_text()
            assert not any(name in loaded for name in ("tantivy", "faiss", "numpy"))
    assert min(taken) <= 2 * floor


@pytest.mark.spec("ENC-WIRE-4")
def test_stdin_closed_in_the_middle_of_a_call_ends_the_process(tmp_path: Path) -> None:
    with running(arranged(tmp_path)) as process:
        begin(process)
        block(process, tmp_path)
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(timeout=30) == 0  # the call takes 60 s


@pytest.mark.spec("ENC-WIRE-4")
def test_stdin_closed_while_nothing_is_asked_ends_the_process_in_order(tmp_path: Path) -> None:
    with running(arranged(tmp_path, plugin=False)) as process:
        begin(process)
        say(process, "tools/call", {"name": "search", "arguments": {"query": "penguins"}}, 3)
        heard(process, 3)
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(timeout=30) == 0


@pytest.mark.spec("ENC-WIRE-4")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("blocked", [False, True])
def test_a_signal_ends_the_process(number: signal.Signals, blocked: bool, tmp_path: Path) -> None:
    with running(arranged(tmp_path)) as process:
        begin(process)
        if blocked:
            block(process, tmp_path)
        process.send_signal(number)
        assert process.wait(timeout=30) == 128 + number


@pytest.mark.spec("ENC-WIRE-5")
@pytest.mark.parametrize(
    ("arguments", "told"),
    [(["--tool", "serch"], "did you mean search?"), (["--client", "desk"], "unknown rule 'locall'")],
)
def test_what_cannot_be_served_is_told_on_stderr_and_nothing_on_the_wire(
    tmp_path: Path, arguments: list[str], told: str
) -> None:
    env = arranged(tmp_path, plugin=False)
    if "--client" in arguments:
        (tmp_path / "governance.toml").write_text("[clients.desk]\nlocall = true\n")
    command = [sys.executable, "-m", "encyclopedia", "mcp", *arguments]
    done = subprocess.run(command, env=env, input=b"", capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (1, b"")
    assert told in done.stderr.decode()


@pytest.mark.spec("ENC-WIRE-5")
def test_settings_that_are_wrong_are_told_by_every_tool(tmp_path: Path) -> None:
    env = arranged(tmp_path, plugin=False)
    (tmp_path / "config.toml").write_text("limt = 3\n")
    with running(env) as process:
        begin(process)
        say(process, "tools/call", {"name": "search", "arguments": {"query": "penguins"}}, 3)
        answer = heard(process, 3)["result"]
        assert answer["isError"]
        assert "did you mean limit?" in answer["content"][0]["text"]
