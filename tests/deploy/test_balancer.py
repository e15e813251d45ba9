"""The balancer of the deployment as it ships, in front of three real replicas on loopback."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import ProxyHandler, Request, build_opener

import pytest

from encyclopedia.model.settings import Settings
from tests.deploy.names import name_server
from tests.encyclopedia.faces.cli.command import OFF, Command
from tests.redis_server import free_port
from tests.upstream import UpstreamProcess, searxng_body

if TYPE_CHECKING:
    from collections.abc import Iterator

CONFIG = Path(__file__).parents[2] / "deploy" / "haproxy.cfg"
TOKEN = "0123456789abcdef0123"
ADDRESSES = ("127.0.0.2", "127.0.0.3", "127.0.0.4")
SOURCE = """
[sources.{name}]
kind = "json"
serves = {{ library_docs = 0.3 }}
url = "{url}/{name}?q={{query}}"
results = "results[]"
fields = {{ title = "title", url = "url", content = "content" }}
timeout = 30.0
"""


class Balanced(NamedTuple):
    """Three replicas by their addresses, and the ports of the balancer and of its figures."""

    replicas: dict[str, subprocess.Popen[str]]
    port: int
    figures: int
    up: UpstreamProcess

    def ask(self, text: str, *, body: bool = False) -> int:
        """The status of a search through the balancer, asked in the address or in a body."""
        try:
            with self.open("/v1/search", {"query": text}) if body else self.open(f"/v1/search?query={quote(text)}") as response:
                return response.status
        except HTTPError as error:
            with error:
                return error.code

    def open(self, path: str, body: dict[str, str] | None = None) -> Any:
        """The response to a GET through the balancer, or to a POST where there is a body."""
        return opened(f"http://127.0.0.1:{self.port}{path}", body)

    def standing(self) -> int:
        """How many replicas the balancer sends to."""
        with opened(f"http://127.0.0.1:{self.figures}/metrics") as response:
            found = re.findall(
                r'^haproxy_server_status{proxy="replicas",[^}]*state="UP"} 1$', response.read().decode(), re.MULTILINE
            )
        return len(found)

    def wait(self, number: int) -> None:
        """Until it sends to so many."""
        until = time.monotonic() + 60
        while self.standing() != number:
            assert time.monotonic() < until, self.standing()
            time.sleep(0.02)


def opened(url: str, body: dict[str, str] | None = None) -> Any:
    data = json.dumps(body).encode() if body else None
    headers = {"X-API-Key": TOKEN, "Content-Type": "application/json"}
    request = Request(url, data, headers)  # noqa: S310 - always http, on loopback
    return build_opener(ProxyHandler({})).open(request, timeout=60)


def replica(folder: Path, host: str, port: int, up: UpstreamProcess) -> subprocess.Popen[str]:
    """The service in a data folder of its own, at an address that it thinks others can reach."""
    command = Command(folder / host, dict(OFF))
    command.home.mkdir(mode=0o700, parents=True)
    (command.home / "config.toml").write_text("".join(SOURCE.format(name=name, url=up.url) for name in ("fast", "slow")))
    arguments = ("serve", "--json", "--host", host, "--port", str(port), "--allow-host", "encyclopedia")
    return command.start(*arguments, ENCYCLOPEDIA_TOKEN=TOKEN)


@contextmanager
def ended(process: subprocess.Popen[str]) -> Iterator[subprocess.Popen[str]]:
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@contextmanager
def balanced(folder: Path) -> Iterator[Balanced]:
    with ExitStack() as stack:
        up, dns = stack.enter_context(UpstreamProcess()), stack.enter_context(name_server(ADDRESSES))
        up.on("*", json=searxng_body(("Answer", "https://example.org/a", "text")))
        port, balancer, figures = free_port(), free_port(), free_port()
        replicas = {host: stack.enter_context(ended(replica(folder, host, port, up))) for host in ADDRESSES}
        for process in replicas.values():
            assert process.stdout.readline(), process.stderr.read()
        names = {"PORT": str(balancer), "FIGURES": str(figures), "DNS": dns, "REPLICAS": f"encyclopedia:{port}"}
        command = ["haproxy", "-db", "-f", str(CONFIG)]
        with (folder / "log").open("w") as log:
            process = subprocess.Popen(command, env=os.environ | names, stdout=log, stderr=log, text=True)
        stack.enter_context(ended(process))
        found = Balanced(replicas, balancer, figures, up)
        while True:
            assert process.poll() is None, (folder / "log").read_text()
            try:
                found.wait(3)
            except OSError:
                time.sleep(0.02)
            else:
                break
        yield found


@pytest.mark.spec("ENC-DEPLOY-1", "ENC-DEPLOY-2", "ENC-DEPLOY-3")
def test_replicas_behind_the_balancer_that_ships(tmp_path: Path) -> None:
    with balanced(tmp_path) as all, ThreadPoolExecutor(16) as pool:
        # equal questions meet in one replica, or two where one alone would get more than twice its share
        all.up.on("/slow", delay=0.5, json=searxng_body(("Answer", "https://example.org/a", "text")))
        asked = [pool.submit(all.ask, "one question that all of them ask", body=bool(number % 2)) for number in range(12)]
        assert {one.result() for one in asked} == {200}
        assert all.up.count("/fast") <= 2

        # the longest question fits
        with all.open(f"/v1/plan?query={quote(chr(0x20000) * Settings().max_query)}") as response:
            assert response.status == 200

        # what lands first is seen first
        all.up.on("/slow", hang=True)
        with all.open("/v1/search/stream?query=as+it+happens") as stream:
            names = []
            while "source" not in names:
                names += re.findall(r"^event: (\w+)", stream.readline().decode())
            assert names == ["plan", "source"]
            assert all.up.state()["in_flight"] == 1

        # a replica is killed and another told to go while all are asked: nobody is turned away
        all.up.on("/slow", delay=0.05, json=searxng_body(("Answer", "https://example.org/a", "text")))
        asked = [pool.submit(all.ask, f"question number {number}") for number in range(160)]
        asked[40].result()
        all.replicas[ADDRESSES[0]].kill()
        asked[120].result()
        all.replicas[ADDRESSES[1]].send_signal(signal.SIGTERM)
        assert {one.result() for one in asked} == {200}
        all.wait(1)
        assert all.replicas[ADDRESSES[1]].wait(60) == 0
