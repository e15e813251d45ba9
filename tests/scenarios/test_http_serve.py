"""``encyclopedia serve`` as a process: the same as the command line, programs in pipes, slow clients, the end."""

from __future__ import annotations

import asyncio
import json
import resource
import signal
import socket
import subprocess
from pathlib import Path
from typing import Any

import aiohttp
import jsonschema
import pytest

from tests.encyclopedia.faces.cli.command import Command
from tests.serving import Served, serving
from tests.upstream import UpstreamProcess

FIXTURES = Path(__file__).parents[1] / "fixtures"
KINDS = {
    "decisions": (FIXTURES / "adr-govuk", "documents"),
    "patterns": (FIXTURES / "kg-java-patterns", "catalog"),
    "uiux": (FIXTURES / "ui-ux-csv", "grounding"),
    "books": (FIXTURES / "books-patterns", "graph"),
}
QUERY = "rotate the signing keys"
WIKI = """
[sources.wiki]
kind = "json"
serves = {{ library_docs = 0.3 }}
url = "{url}/wiki?q={{query}}"
results = "hits[]"
fields = {{ title = "name", url = "link", content = "text" }}
"""
HITS = {"hits": [{"name": "Keys in the wiki", "link": "https://wiki.example.org/keys", "text": "rotate signing keys"}]}
CHANGES = ("ms", "consultation_id", "cache_status", "waiting")
"""Fields that differ from one run to the next."""


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Command:
    """The command with a corpus of each kind and a repository's source switched on."""
    command = Command(tmp_path_factory.mktemp("shelf"))
    for name, (path, kind) in KINDS.items():
        command.json("corpus", "add", name, str(path), "--kind", kind)
    return command


@pytest.fixture(scope="module")
def served(shelf: Command) -> Any:
    with serving(shelf) as running:
        yield running


def steady(value: Any) -> Any:
    """The value without what changes from run to run."""
    if isinstance(value, dict):
        return {name: steady(one) for name, one in value.items() if name not in CHANGES}
    return [steady(one) for one in value] if isinstance(value, list) else value


@pytest.mark.spec("ENC-SERVE-1", "ENC-SERVE-13")
@pytest.mark.parametrize(
    ("path", "params", "arguments", "status"),
    [
        ("search", {"query": "observer pattern", "limit": 3, "read_cache": 0}, ["search", "observer pattern", "--limit", "3", "--no-cache"], 200),
        ("search", {"query": "kuberntes", "corpora": "decisions", "verbose": 1, "read_cache": 0}, ["search", "kuberntes", "--corpus", "decisions", "--verbose", "--no-cache"], 200),
        ("search", {"query": "zzzqqq", "corpora": "books", "read_cache": 0}, ["search", "zzzqqq", "--corpus", "books", "--no-cache"], 200),
        ("search", {"query": "keys", "sources": "nobody"}, ["search", "keys", "--sources", "nobody"], 400),
        ("plan", {"query": "kuberntes pod"}, ["search", "kuberntes pod", "--dry-run"], 200),
        ("lookup", {"topic": "observer pattern"}, ["lookup", "observer pattern"], 200),
        ("lookup", {"topic": "zzzqqq"}, ["lookup", "zzzqqq"], 404),
        ("ask", {"question": "Why did we choose Graviton?", "verbose": 1}, ["ask", "Why did we choose Graviton?", "--verbose"], 200),
        ("ask", {"question": "zzzqqq?"}, ["ask", "zzzqqq?"], 200),
        ("load", {"topic": "observer", "n": 2, "explain": 1}, ["load", "observer", "--n", "2", "--explain"], 200),
        ("load", {}, ["load"], 200),
        ("ground", {"query": "fintech dashboard"}, ["ground", "ground", "fintech dashboard"], 200),
        ("ground", {"query": "fintech", "verb": "search", "filters": '{"Type": "General"}', "domain": "style"},
         ["ground", "search", "fintech", "--domain", "style", "--filter", "Type=General"], 200),
        ("graph", {"verb": "list_books"}, ["graph", "books"], 200),
        ("graph", {"verb": "match_concepts", "project_description": "observer"}, ["graph", "match", "observer"], 200),
        ("sources", {}, ["sources"], 200),
    ],
)  # fmt: skip
def test_every_verb_is_the_command_line_and_true_to_the_description(
    shelf: Command, served: Served, path: str, params: dict[str, object], arguments: list[str], status: int
) -> None:
    body = served.json(f"/v1/{path}", status, **params)
    same = json.loads(shelf(*arguments, "--json").stdout)
    assert steady(body) == steady(same)
    document = served.json("/openapi.json")
    schema = document["paths"][f"/v1/{path}"]["get"]["responses"][str(status)]["content"]["application/json"]["schema"]
    whole = served.json(f"/v1/{path}", status, **params)
    jsonschema.Draft202012Validator({**schema, "components": document["components"]}).validate(whole)


@pytest.mark.spec("ENC-SERVE-13")
def test_the_description_is_sound(served: Served) -> None:
    document = served.json("/openapi.json")
    assert document["openapi"] == "3.1.0"
    for name, schema in document["components"]["schemas"].items():
        jsonschema.Draft202012Validator.check_schema(schema)
        assert f"#/components/schemas/{name}" in json.dumps(document), name
    names = document["paths"]["/v1/search"]["post"]["requestBody"]["content"]["application/json"]["schema"]["properties"]
    assert set(names["corpora"]["items"]["enum"]) == set(KINDS)


@pytest.mark.spec("ENC-SERVE-14")
@pytest.mark.parametrize(
    ("pipe", "seen"),
    [
        (
            "curl -sf '{url}/v1/search?query=observer+pattern&corpora=books&limit=2' | jq -r '.results[0].fused_from[0].source'",
            "books\n",
        ),
        ("curl -sf '{url}/search?q=observer&format=json' | jq -r '.results | length > 0'", "true\n"),
        ("curl -sf -d 'q=observer&format=csv' '{url}/search' | head -1", "title,url,content,host,engine,score,type\r\n"),
        ("curl -sfN '{url}/v1/search/stream?query=observer+pattern' | head -1", "event: plan\n"),
        ("curl -s '{url}/v1/search?query=x&sources=nobody' | jq -c '[.code, .status]'", '[1,"error"]\n'),
        ("curl -s -o /dev/null -w '%{{http_code}}' -X POST '{url}/v1/search'", "415"),
    ],
)
def test_programs_in_pipes(served: Served, pipe: str, seen: str) -> None:
    done = subprocess.run(["sh", "-c", pipe.format(url=served.url)], capture_output=True, check=False, timeout=60)
    assert done.stdout.decode() == seen, done.stderr
    assert served.get("/readyz")[0] == 200


@pytest.mark.spec("ENC-SERVE-15")
def test_five_hundred_slow_clients_do_not_keep_a_fast_one_out(served: Served) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(max(soft, 2048), hard), hard))
    host, port = served.url.removeprefix("http://").split(":")
    halves = [
        b"GET /v1/sea",
        b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
    ]
    slow = []
    try:
        for number in range(500):
            one = socket.create_connection((host, int(port)))
            one.sendall(halves[number % 2])
            slow.append(one)
        body = served.json("/v1/search", query="strategy pattern")
        assert body["results"]
        assert served.get("/healthz") == (200, "OK")
    finally:
        for one in slow:
            one.close()
    assert served.json("/readyz") == {"status": "ready"}


async def _all(url: str, upstream: UpstreamProcess, process: subprocess.Popen[str]) -> list[tuple[int, int]]:
    """Statuses and numbers of results of searches that were under way when the process was told to end."""
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def one(number: int) -> tuple[int, int]:
            async with session.get(f"{url}/v1/search", params={"query": f"{QUERY} {number}"}) as response:
                return response.status, len((await response.json())["results"])

        tasks = [asyncio.create_task(one(number)) for number in range(12)]
        while (await asyncio.to_thread(upstream.state))["in_flight"] < 4:  # so many at a time may one source be asked
            await asyncio.sleep(0)
        process.send_signal(signal.SIGTERM)
        return list(await asyncio.gather(*tasks))


@pytest.mark.spec("ENC-SERVE-16")
def test_the_end_lets_searches_finish_and_takes_no_new_ones(tmp_path: Path) -> None:
    command = Command(tmp_path)
    with UpstreamProcess() as upstream:
        command.settings(WIKI.format(url=upstream.url))
        upstream.on("/wiki", json=HITS, delay=0.3)
        with serving(command) as served:
            ended = asyncio.run(_all(served.url, upstream, served.process))
            assert served.process.wait(timeout=30) == 0
            with pytest.raises(OSError, match="refused"):
                served.get("/healthz")
        assert upstream.state()["in_flight"] == 0
    assert ended == [(200, 1)] * 12


def _alive(served: Served) -> str:
    try:
        return served.get("/healthz")[1]
    except OSError as error:
        return str(error)


@pytest.mark.spec("ENC-SERVE-16")
@pytest.mark.parametrize("asked", ["/v1/search?query=signing+keys&limit=50", "/v1/search/stream?query=signing+keys&limit=50"])
def test_an_answer_that_is_being_read_slowly_is_read_to_its_end(tmp_path: Path, asked: str) -> None:
    command, text = Command(tmp_path), "rotate signing keys " * 300
    rows = [{"name": f"Keys {n}", "link": f"https://wiki.example.org/keys/{n}", "text": f"{n} {text}"} for n in range(50)]
    with UpstreamProcess() as upstream:
        command.settings(WIKI.format(url=upstream.url))
        upstream.on("/wiki", json={"hits": rows})
        with serving(command) as served, socket.socket() as slow:
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            host, port = served.url.removeprefix("http://").split(":")
            slow.connect((host, int(port)))
            slow.sendall(f"GET {asked} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
            seen = slow.recv(1)
            served.process.send_signal(signal.SIGTERM)
            while served.process.poll() is None and "refused" not in _alive(served):
                pass  # it still listens
            while part := slow.recv(65536):
                seen += part
            assert served.process.wait(timeout=30) == 0
    assert seen.rstrip().endswith((b"}", b"\r\n0"))
    assert b"/keys/49" in seen
    assert len(seen) > 100_000


@pytest.mark.spec("ENC-SERVE-16")
@pytest.mark.parametrize("asked", ["/v1/search?query=signing+keys", "/v1/lookup/stream?topic=signing+keys"])
def test_a_client_that_goes_away_leaves_nothing_in_flight(tmp_path: Path, asked: str) -> None:
    command = Command(tmp_path)
    with UpstreamProcess() as upstream:
        command.settings(WIKI.format(url=upstream.url))
        upstream.on("/wiki", hang=True)
        with serving(command) as served:
            host, port = served.url.removeprefix("http://").split(":")
            with socket.create_connection((host, int(port))) as gone:
                gone.sendall(f"GET {asked} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                while not upstream.state()["in_flight"]:
                    assert served.get("/healthz")[0] == 200
            while upstream.state()["in_flight"]:
                assert served.get("/healthz")[0] == 200


@pytest.mark.spec("ENC-SERVE-4")
@pytest.mark.parametrize("level", ["warning", "debug"])
def test_what_is_no_http_is_refused_and_writes_nothing_of_its_own_into_the_log(tmp_path: Path, level: str) -> None:
    with serving(Command(tmp_path), ENCYCLOPEDIA_LOG_LEVEL=level) as served:
        host, port = served.url.removeprefix("http://").split(":")
        for sent in (
            b"GET / HTTP/1.1\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: a\r\nplanted\x1b[2J: 1\r\n\r\n",
        ):
            with socket.create_connection((host, int(port)), 30) as stranger:
                stranger.sendall(sent)
                assert stranger.recv(100).startswith(b"HTTP/1.0 400 ")
        served.process.send_signal(signal.SIGTERM)
        lines = served.process.stderr.read().splitlines()
    told = [line["event"] for line in map(json.loads, lines)]
    assert told.count("connection failed") == (3 if level == "debug" else 0)
    assert "planted" not in "".join(lines)
    assert bool(told) == (level == "debug")


@pytest.mark.spec("ENC-SERVE-6")
@pytest.mark.parametrize(
    ("arguments", "env", "said"),
    [
        (["--host", "0.0.0.0"], {}, "there is no token"),
        (["--host", "0.0.0.0"], {"ENCYCLOPEDIA_TOKEN": "x" * 20}, "by which name"),
        (["--host", "127.0.0.1"], {"ENCYCLOPEDIA_TOKEN": "short"}, "too short"),
        (["--host", "203.0.113.7", "--allow-host", "a.org"], {"ENCYCLOPEDIA_TOKEN": "x" * 20}, "cannot be listened on"),
        (["--port", "99999"], {}, "a number from 0 to 65535"),
    ],
)
def test_what_is_not_safe_or_not_possible_does_not_start(
    tmp_path: Path, arguments: list[str], env: dict[str, str], said: str
) -> None:
    done = Command(tmp_path)("serve", "--json", *arguments, **env)
    assert done.returncode in (1, 64)
    assert said in json.loads(done.stdout)["message"]
    assert "x" * 20 not in done.stdout + done.stderr


@pytest.mark.spec("ENC-SERVE-6", "ENC-SERVE-17")
def test_a_token_of_the_environment_lets_others_in_by_an_allowed_name(tmp_path: Path) -> None:
    """They see neither what is personal nor what was asked before."""
    token = "a long enough token"
    command = Command(tmp_path)
    command.json("corpus", "add", "diary", str(command.notes()), "--label", "personal")
    assert command.json("search", "signing keys", "--corpus", "diary")["results"]
    with serving(command, "--host", "0.0.0.0", "--allow-host", "search.test", ENCYCLOPEDIA_TOKEN=token) as served:
        port = served.url.rpartition(":")[2]
        curl = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", f"http://127.0.0.1:{port}/v1/sources"]
        for extra, status in (
            (["-H", "Host: search.test"], "401"),
            (["-H", "Host: search.test", "-H", f"Authorization: Bearer {token}"], "200"),
            (["-H", "Host: other.test", "-H", f"Authorization: Bearer {token}"], "421"),
        ):
            assert subprocess.run([*curl, *extra], capture_output=True, text=True, check=True).stdout == status
        own = ["curl", "-s", "-H", f"X-API-Key: {token}"]
        for path, told in (
            ("/v1/search?query=signing+keys&corpora=diary", "unknown corpus"),
            ("/autocompleter?q=sign", "[]"),
            ("/health", "Health"),
        ):
            seen = subprocess.run([*own, f"http://127.0.0.1:{port}{path}"], capture_output=True, text=True, check=True).stdout
            assert told in seen
            assert "Rotate" not in seen
