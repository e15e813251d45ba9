"""Several at once, and those that are stopped in the middle: one clone, no leftovers, no lock that stays."""

import asyncio
import os
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from encyclopedia.model.errors import Refused
from encyclopedia_adapters.code.git_program import Broken, Git, Limits, Stopped
from tests.adapters.code.forge import WEBKIT, forge, repository, request, source

ROOT = Path(__file__).parents[3]
ASK = """
import asyncio, sys
sys.path[:0] = [{root!r}, {root!r} + "/adapters"]
from tests.adapters.code.forge import request, source
reply = asyncio.run(source({home!r}, {{"base_url": {base!r}, "max_age": 3600}}).search(request("compile_pattern")))
print(len(reply.hits), reply.reduced)
"""


@pytest.fixture
def root(tmp_path):
    repository(tmp_path / "forge" / "acme" / "webkit", WEBKIT)
    return tmp_path / "forge"


def process(home, base):
    code = ASK.format(root=str(ROOT), home=str(home), base=base)
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def cached(home):
    return [
        path for path in (home / "cache" / "git").glob("acme-*/*") if path.name.startswith("draft-") or path.suffix == ".git"
    ]


@pytest.mark.spec("ENC-GIT-9")
def test_processes_that_ask_at_once_clone_once(tmp_path, root):
    with forge(root) as server:
        asking = [process(tmp_path / "home", server.url) for _ in range(3)]
        told = [(*asker.communicate(), asker.returncode) for asker in asking]
        assert [out.split()[0] for out, _, code in told if code == 0] == ["2"] * 3, told
        assert server.count("/git-upload-pack") == 3  # one look at what is newest, and the two calls of one clone
    assert len(cached(tmp_path / "home")) == 1


@pytest.mark.spec("ENC-GIT-9")
async def test_questions_at_once_clone_once(tmp_path, root):
    with forge(root) as server:
        asked = source(tmp_path / "home", {"base_url": server.url})
        replies = await asyncio.gather(*(asked.search(request(text)) for text in ("router", "compile_pattern", "middleware")))
        assert all(reply.hits for reply in replies)
        assert server.count("/git-upload-pack") == 3


@pytest.mark.spec("ENC-GIT-10")
async def test_a_server_that_hangs_is_a_timeout_and_git_is_ended(tmp_path, root):
    with forge(root) as server:
        server.hang = True
        with pytest.raises(TimeoutError, match=r"127\.0\.0\.1 did not give acme/webkit in time"):
            await source(tmp_path / "home", {"base_url": server.url}).search(request("x", timeout=1.0))
        assert await asyncio.to_thread(server.left.wait, 10)
    assert not list((tmp_path / "home" / "cache" / "git").glob("acme-*"))


@pytest.mark.spec("ENC-GIT-10")
async def test_a_question_that_is_cancelled_ends_git(tmp_path, root):
    with forge(root) as server:
        server.hang = True
        asking = asyncio.create_task(source(tmp_path / "home", {"base_url": server.url}).search(request("x")))
        assert await asyncio.to_thread(server.asked.wait, 10)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert await asyncio.to_thread(server.left.wait, 10)


@pytest.mark.spec("ENC-GIT-10")
async def test_a_process_that_is_killed_while_it_clones_hinders_nobody(tmp_path, root):
    home = tmp_path / "home"
    with forge(root) as server:
        await source(home, {"base_url": server.url}).search(request("router"))
        (entry,) = (home / "cache" / "git").glob("acme-*")
        for path in entry.glob("*.git"):
            path.rename(entry / "draft-1-dead")
        server.asked.clear()
        server.hang = True
        asker = process(home, server.url)
        assert await asyncio.to_thread(server.asked.wait, 20)
        asker.send_signal(signal.SIGKILL)
        asker.communicate()
        server.hang = False
        reply = await source(home, {"base_url": server.url}).search(request("router"))
        assert reply.hits
        assert not reply.reduced
        assert [path.suffix for path in cached(home)] == [".git"]


@pytest.mark.spec("ENC-GIT-10")
async def test_who_waits_for_another_one_too_long_is_told(tmp_path, root):
    home = tmp_path / "home"
    with forge(root) as server:
        server.hang = True
        first = asyncio.create_task(source(home, {"base_url": server.url}).search(request("x")))
        assert await asyncio.to_thread(server.asked.wait, 10)
        with pytest.raises(Refused, match="another process"):
            await source(home, {"base_url": server.url}).search(request("x", timeout=0.5))
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first


@pytest.mark.spec("ENC-GIT-10")
async def test_what_could_be_read_in_time_stays_and_the_rest_is_told(tmp_path, root):
    repository(
        tmp_path / "forge" / "acme" / "large", {f"src/f{at}.py": "def widget():\n    return 1\n" * 40 for at in range(1600)}
    )
    home, options = tmp_path / "home", {"base_url": f"file://{tmp_path}/forge"}
    counts = []
    for seconds in (0.4, 0.6, 0.8, 60.0):
        try:
            reply = await source(home, options).search(request("widget", "acme/large", timeout=seconds))
        except (Refused, TimeoutError):
            continue
        counts.append(int(reply.reduced.split()[0]) if "files of acme/large are read so far" in reply.reduced else 1600)
    assert counts == sorted(counts)
    assert counts[-1] == 1600


@pytest.mark.spec("ENC-GIT-10")
def test_git_is_ended_with_what_it_has_started(tmp_path):
    stop = threading.Event()
    limits = Limits(time.monotonic() + 60, stop)
    pidfile = tmp_path / "pid"
    alias = f"!sh -c 'sleep 1000 & echo $! > {pidfile}.new; mv {pidfile}.new {pidfile}; wait'"

    def watch():
        if pidfile.exists():
            stop.set()

    with pytest.raises(Stopped):
        Git(str(tmp_path), settings={"alias.slow": alias}).run(["slow"], limits, watch)
    assert _has_ended(int(pidfile.read_text()))


def _has_ended(pid):
    """Whether the process ends; the signal to it may still be on its way."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], 10)[0])
    finally:
        os.close(handle)


@pytest.mark.spec("ENC-GIT-10")
def test_what_git_cannot_read_is_told(tmp_path):
    limits = Limits(time.monotonic() + 60, threading.Event())
    with (
        pytest.raises(Broken),
        Git(str(tmp_path)).stream(["--git-dir", str(tmp_path / "none"), "ls-tree", "HEAD"], limits) as output,
    ):
        output.read()
    done = Git(str(tmp_path)).run(["--git-dir", "none", "rev-parse", "HEAD"], limits)
    assert done.code == 128
    assert "GIT_DIR" not in os.environ
