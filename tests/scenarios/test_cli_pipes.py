"""Pipes that close early, closed streams, and Ctrl-C."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.encyclopedia.faces.cli.command import Command
from tests.scenarios.test_cli_search import HITS, QUERY, WIKI
from tests.switches import off
from tests.upstream import UpstreamProcess

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path).with_notes()


@pytest.fixture
def hanging(command: Command) -> Iterator[tuple[Command, UpstreamProcess]]:
    with UpstreamProcess() as upstream:
        command.settings(WIKI.format(url=upstream.url))
        upstream.on("/wiki", hang=True)
        yield command, upstream


def in_shell(command: Command, line: str) -> subprocess.CompletedProcess[str]:
    """Run a line of bash in which ``$E`` is the command; the exit code is that of the command."""
    quoted = " ".join(f"'{word}'" for word in command.argv())
    script = f'set -o pipefail; E() {{ {quoted} "$@"; }}; {line}'
    return subprocess.run(
        ["bash", "-c", script], cwd=command.folder, env=command.env(), capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.spec("ENC-CLI-13")
@pytest.mark.parametrize(
    "line",
    [
        "E search keys | head -c 1",
        "E search keys --text | head -1",
        "E search keys --stream | head -1",
        "E search keys --stream | true",
        "E --help | true",
        "E sources | true",
        "E completion bash | head -1",
        "E config show --text | head -1",
        "E search '' | true",
    ],
)
def test_a_reader_that_leaves_early_is_no_error(command: Command, line: str) -> None:
    done = in_shell(command, f"{line}; echo ${{PIPESTATUS[0]}} >&2")
    assert done.stderr in ("0\n", "64\n"), done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.spec("ENC-CLI-13")
@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("E search keys >&-", 0),
        ("E search keys <&- >&- 2>&-", 0),
        ("E --help >&-", 0),
        ("E search keys --text >&-", 0),
        ("E nope >&-", 64),
    ],
)
def test_streams_that_are_closed_from_the_start(command: Command, line: str, code: int) -> None:
    done = in_shell(command, line)
    assert done.returncode == code, done.stderr
    assert done.stderr in ("", "encyclopedia: unknown command 'nope'\n")
    assert json.loads(command("history").stdout)["schema_version"] == 1


def on_a_full_disk(command: Command, *arguments: str, errors_too: bool = False) -> tuple[int, str]:
    """Exit code, and what is told on stderr, where stdout (and stderr) is a file that cannot take a byte."""
    code = "import resource as r, signal as s, sys; s.signal(s.SIGXFSZ, s.SIG_IGN); r.setrlimit(r.RLIMIT_FSIZE, (0, 0)); "
    code += "from encyclopedia.faces.cli.app import run; sys.exit(run(sys.argv[1:]))"
    out = command.folder / "out"
    with out.open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments],
            cwd=command.folder,
            env=command.env(PYTHONDONTWRITEBYTECODE="1"),
            stdout=full,
            stderr=full if errors_too else subprocess.PIPE,
            encoding="utf-8",
            check=False,
            timeout=60,
        )
    assert out.read_bytes() == b""
    return done.returncode, done.stderr or ""


@pytest.mark.spec("ENC-CLI-13")
@pytest.mark.parametrize("line", ["search keys", "search keys --text", "search keys --stream", "nope", "--help", "history"])
def test_a_full_disk_is_told_in_a_sentence(command: Command, line: str) -> None:
    told = "encyclopedia: the results cannot be written: File too large\n  write them elsewhere\n"
    assert on_a_full_disk(command, *line.split()) == (4, told)


@pytest.mark.spec("ENC-CLI-13")
@pytest.mark.parametrize("line", ["search keys", "nope --text", "--help"])
def test_where_nobody_can_be_told_it_ends_quietly(command: Command, line: str) -> None:
    assert on_a_full_disk(command, *line.split(), errors_too=True) == (4, "")


@pytest.mark.spec("ENC-CLI-15")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_the_first_signal_prints_what_has_arrived(
    hanging: tuple[Command, UpstreamProcess], number: signal.Signals, code: int
) -> None:
    command, _ = hanging
    running = command.start("search", QUERY, "--stream", "--timeout", "60", ENCYCLOPEDIA_TIMEOUT="60")
    assert running.stdout is not None
    landed = [json.loads(running.stdout.readline()) for _ in range(2)]
    assert [event["event"] for event in landed] == ["plan", "source"]
    running.send_signal(number)
    rest, errors = running.communicate(timeout=30)
    last = json.loads(rest.splitlines()[-1])
    assert (running.returncode, errors) == (code, "")
    assert (last["event"], last["code"], last["interrupted"]) == ("done", code, True)
    assert last["results"][0]["source"] == "notes"
    assert {row["source"]: row["status"] for row in last["outcomes"]} == {"notes": "ok", "wiki": "cancelled"}


@pytest.mark.spec("ENC-CLI-15")
def test_an_interruption_before_anything_has_arrived(hanging: tuple[Command, UpstreamProcess]) -> None:
    command, upstream = hanging
    running = command.start("search", QUERY, "--sources", "wiki", "--timeout", "60", ENCYCLOPEDIA_TIMEOUT="60")
    while not upstream.state()["in_flight"]:
        assert running.poll() is None
    running.send_signal(signal.SIGINT)
    out, errors = running.communicate(timeout=30)
    told = json.loads(out)
    assert (running.returncode, errors) == (130, "")
    assert (told["code"], told["interrupted"], told["results"]) == (130, True, [])


@pytest.mark.spec("ENC-CLI-15")
def test_a_partial_answer_is_not_kept(hanging: tuple[Command, UpstreamProcess]) -> None:
    command, upstream = hanging
    running = command.start("search", QUERY, "--timeout", "60", ENCYCLOPEDIA_TIMEOUT="60")
    while not upstream.state()["in_flight"]:
        assert running.poll() is None
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=30)
    upstream.on("/wiki", json=HITS)
    again = command.json("search", QUERY)
    assert (again["cached"], again["degraded"]) == (False, False)


@pytest.mark.spec("ENC-CLI-15")
def test_the_second_signal_ends_at_once() -> None:
    slow = "async def work():\n    try:\n        await asyncio.Event().wait()\n    finally:\n        time.sleep(60)\n"
    script = (
        "import asyncio, os, time\n"
        "from encyclopedia.faces.cli.interrupts import Interrupts\n"
        f"{slow}"
        "async def main():\n"
        "    stop = asyncio.Event()\n"
        "    with Interrupts(asyncio.get_running_loop(), stop) as interrupts:\n"
        "        task = asyncio.create_task(work())\n"
        "        print('ready', flush=True)\n"
        "        await stop.wait()\n"
        "        print(interrupts.code, flush=True)\n"
        "        task.cancel()\n"
        "        await task\n"
        "asyncio.run(main())\n"
    )
    running = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    assert running.stdout.readline() == "ready\n"
    running.send_signal(signal.SIGINT)
    assert running.stdout.readline() == "130\n"
    running.send_signal(signal.SIGINT)
    assert running.wait(timeout=30) == 130
    running.stdout.close()


@pytest.mark.spec("ENC-CLI-15")
def test_an_interrupted_indexing_keeps_what_is_done(tmp_path: Path) -> None:
    command = Command(tmp_path, off("packages"))
    command.home.mkdir()
    running = command.start("corpus", "index", "packages")
    while not (command.home / "index" / "packages").is_dir():
        assert running.poll() is None
    running.send_signal(signal.SIGINT)
    out, errors = running.communicate(timeout=60)
    assert running.returncode == 130  # the standard library alone takes a thousand times longer than a signal
    assert "what is done is kept" in errors
    assert json.loads(out)["message"] == "interrupted"
    assert "Traceback" not in errors
    assert command.json("search", "json dumps indent", "--sources", "packages")["results"]


@pytest.mark.spec("ENC-CLI-15")
@pytest.mark.parametrize("module", ["encyclopedia.faces.cli.app", "encyclopedia.model.errors", "encyclopedia.faces.cli.search"])
def test_ctrl_c_while_modules_are_loaded_is_no_traceback(command: Command, module: str) -> None:
    script = (
        "import sys\n"
        "class Pressed:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}:\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Pressed())\n"
        "from encyclopedia.__main__ import main\n"
        "sys.exit(main())\n"
    )
    argv = [sys.executable, "-c", script, "search", "keys"]
    done = subprocess.run(argv, cwd=command.folder, env=command.env(), capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (130, "")


@pytest.mark.spec("ENC-CLI-15")
def test_a_person_sees_what_had_arrived(hanging: tuple[Command, UpstreamProcess]) -> None:
    command, upstream = hanging
    running = command.start("search", QUERY, "--text", "--timeout", "60", ENCYCLOPEDIA_TIMEOUT="60")
    while not upstream.state()["in_flight"]:
        assert running.poll() is None
    running.send_signal(signal.SIGINT)
    out, errors = running.communicate(timeout=30)
    assert running.returncode == 130
    assert "Rotate the signing keys" in out
    assert "wiki cancelled" in out
    assert errors.startswith("encyclopedia: interrupted: this is what had arrived\n")


@pytest.mark.spec("ENC-CLI-15")
def test_an_interruption_leaves_nothing_in_flight(hanging: tuple[Command, UpstreamProcess]) -> None:
    command, upstream = hanging
    running = command.start("search", QUERY, "--timeout", "60", ENCYCLOPEDIA_TIMEOUT="60")
    while not upstream.state()["in_flight"]:
        assert running.poll() is None
    running.send_signal(signal.SIGTERM)
    running.communicate(timeout=30)
    assert running.returncode == 143
    while upstream.state()["in_flight"]:
        pass
    assert upstream.state()["in_flight"] == 0
