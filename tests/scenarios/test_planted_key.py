"""A key planted in every slot of a configuration, with services and programs that send it back in every form."""

from __future__ import annotations

import base64
import gc
import html
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import quote, quote_plus
from urllib.request import ProxyHandler, Request, build_opener

import pytest

from encyclopedia import Encyclopedia
from tests.encyclopedia.faces.cli.command import Command
from tests.upstream import UpstreamProcess

SLOTS = (
    *("env_header", "env_url", "env_body", "literal_header", "odd_header", "literal_url", "literal_path", "literal_body"),
    *("argument", "option", "assigned", "program_env", "program_named", "mcp_env", "mcp_argument", "built_in", "model", "service", "state"),
    *("far_url", "far_header", "far_argument"),
)  # fmt: skip
KEYS = {slot: f'Pl4nt/{slot.replace("_", "+")}=&k9Zx"2mVw7' for slot in SLOTS}
PLAIN = {slot: f"pl4nt-{slot.replace('_', '-')}-k9Zx2mVw7" for slot in SLOTS}
CONFIG = """
timeout = 40.0
deadline = 60.0
[llm]
url = "{up}/v1"
model = "m"
[sources.exa]
base_url = "{up}/exa"
[sources.web]
kind = "json"
serves = {{ general_search = 0.3 }}
url = "{up}/web?q={{query}}&t=${{ENV_URL}}&access_token={literal_url}&n={{limit}}"
headers = {{ Authorization = "Bearer ${{ENV_HEADER}}", X-Api-Key = "{literal_header}", X-Visitor = "{odd_header}" }}
body = {{ q = "{{query}}", auth = "${{ENV_BODY}}", password = "{literal_body}" }}
results = "results"
fields = {{ title = "title", url = "url", content = "content", version = "title", id = "title", published = "title" }}
[sources.path]
kind = "json"
serves = {{ general_search = 0.3 }}
url = "{up}/hooks/{literal_path}/search?q={{query}}"
results = "results"
fields = {{ title = "title", url = "url", content = "content" }}
[sources.program]
kind = "command"
serves = {{ general_search = 0.3 }}
command = ["{python}", "{program}", "{{query}}", "--api-key", "{option}", "--token={assigned}", "${{ARGUMENT}}"]
env = {{ OWN = "{program_env}" }}
[sources.named]
kind = "command"
serves = {{ general_search = 0.3 }}
command = ["{python}", "{named}", "{{query}}"]
env = ["PROGRAM_NAMED"]
[sources.tool]
kind = "mcp"
serves = {{ general_search = 0.3 }}
command = ["{python}", "{server}"]
env = {{ TOOL_KEY = "{mcp_env}" }}
tool = "search"
allow = ["search"]
arguments = {{ query = "{{query}}", token = "{mcp_argument}" }}
[sources.far]
kind = "mcp"
serves = {{ general_search = 0.3 }}
url = "{up}/far?key=${{FAR_URL}}"
headers = {{ Authorization = "Bearer ${{FAR_HEADER}}" }}
tool = "search"
arguments = {{ query = "{{query}}", token = "${{FAR_ARGUMENT}}" }}
"""
LOUD = "import logging, sys\nlogging.basicConfig(level=logging.DEBUG, stream=sys.stderr)\n"
"""A program around us that logs whatever any library says."""
PROGRAM = """
import json, pathlib, sys
said = json.loads(pathlib.Path(__file__).with_suffix(".json").read_text())
if "fail" in " ".join(sys.argv):
    sys.exit("refused: " + " ".join(said))
print(json.dumps({"results": [{"title": t, "url": "https://e.example/" + str(n), "content": t} for n, t in enumerate(said)]}))
"""
SERVER = """
import json, pathlib, sys
said = json.loads(pathlib.Path(__file__).with_suffix(".json").read_text())
TOOLS = {"tools": [{"name": "search", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}]}
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("method") == "initialize":
        found = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": said[0], "version": "1"}}
    elif asked.get("method") == "tools/list":
        found = TOOLS
    elif asked.get("method") == "tools/call":
        rows = [{"title": t, "url": "https://e.example/t", "content": t} for t in said]
        found = {"content": [{"type": "text", "text": " ".join(said) if "fail" in line else json.dumps(rows)}], "isError": "fail" in line}
    else:
        found = None
    if "id" not in asked:
        continue
    if found is None:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32601, "message": said[0]}}), flush=True)
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": found}), flush=True)
"""


def forms(key: str) -> set[str]:
    """How a key may be written: plain, quoted, encoded; base64 also as a part of something longer."""
    raw = key.encode()
    whole = [base64.b64encode(b"x" * at + raw + b"x" * 3).decode() for at in range(3)]
    inside = {text[(at * 8 + 5) // 6 : (at + len(raw)) * 8 // 6] for at, text in enumerate(whole)}
    written = {
        quote(key, safe=""),
        quote(key),
        quote_plus(key),
        html.escape(key),
        json.dumps(key)[1:-1],
        repr(key)[1:-1],
        raw.hex(),
    }
    return {key, key.upper(), *written, *inside, *(text.replace("+", "-").replace("/", "_") for text in inside)}


TOLD = {
    "/web": ("env_header", "env_url", "env_body", "literal_header", "odd_header", "literal_url", "literal_body"),
    "path": ("literal_path",),
    "/exa/search": ("built_in",),
    "/v1/chat/completions": ("model",),
    "program": ("argument", "option", "assigned", "program_env"),
    "named": ("program_named",),
    "server": ("mcp_env", "mcp_argument"),
    "/far": ("far_url", "far_header", "far_argument"),
}
"""Who is told which key, and so can send it back."""


def _said(keys: dict[str, str], slots: tuple[str, ...]) -> list[str]:
    """Texts that hold the keys in each form, whole and just where a long text is cut."""
    words = sorted({form for slot in slots for form in forms(keys[slot])})
    cut = ["x" * at + keys[slot] + " z" * 5000 for at in (270, 285, 299, 8170, 8185) for slot in slots]
    return [*(f"a {word} b" for word in words), " ".join(words), *cut]


def found_in(text: str, keys: dict[str, str]) -> set[str]:
    """The slots whose key stands in a text, with the form."""
    low = text.lower()
    return {f"{slot}: {form}" for slot, key in keys.items() for form in forms(key) if form.lower() in low}


@pytest.fixture
def upstream() -> Iterator[UpstreamProcess]:
    with UpstreamProcess() as up:
        yield up


def kept(home: Path) -> str:
    """Everything that lies in the data folder but the configuration itself."""
    files = [path for path in home.rglob("*") if path.is_file() and path.name != "config.toml"]
    return "\n".join(f"{path}\n{path.read_bytes().decode('latin-1')}" for path in files)


class Desk:
    """A configuration with a key in every slot, and everything that was printed so far."""

    def __init__(self, folder: Path, up: UpstreamProcess, keys: dict[str, str]) -> None:
        self.keys = keys
        self.said = {name: _said(keys, slots) for name, slots in TOLD.items()}
        for name, text in (("program", PROGRAM), ("named", PROGRAM), ("server", SERVER)):
            (folder / f"{name}.py").write_text(text)
            (folder / f"{name}.json").write_text(json.dumps(self.said[name]))
        written = {slot: key.replace("\\", "\\\\").replace('"', '\\"') for slot, key in keys.items()}
        written |= {"literal_url": quote(keys["literal_url"], safe=""), "literal_path": quote(keys["literal_path"], safe="")}
        places = {
            "up": up.url,
            "python": sys.executable,
            "program": folder / "program.py",
            "server": folder / "server.py",
            "named": folder / "named.py",
        }
        self.command = Command(folder)
        self.command.settings(CONFIG.format(**places, **written))
        names = {"ENV_HEADER": "env_header", "ENV_URL": "env_url", "ENV_BODY": "env_body", "ARGUMENT": "argument"}
        names |= {"PROGRAM_NAMED": "program_named", "EXA_API_KEY": "built_in", "ENCYCLOPEDIA_LLM_API_KEY": "model"}
        names |= {"ENCYCLOPEDIA_TOKEN": "service"} | {slot.upper(): slot for slot in ("far_url", "far_header", "far_argument")}
        self.environ = {name: keys[slot] for name, slot in names.items()} | {
            "ENCYCLOPEDIA_LOG_LEVEL": "debug",
            "ENCYCLOPEDIA_STATE_URL": f"redis://:{quote(keys['state'], safe='')}@127.0.0.1:1/0",
        }
        (folder / "site").mkdir()
        (folder / "site" / "sitecustomize.py").write_text(LOUD)
        self.environ["PYTHONPATH"] = str(folder / "site")
        self.printed, self.outcomes = "", set[tuple[str, str]]()

    def path(self, name: str) -> str:
        """The address at which a service is asked."""
        return name if name.startswith("/") else f"/hooks/{self.keys['literal_path']}/search"

    def run(self, *arguments: str) -> None:
        done = self.command(*arguments, **self.environ)
        assert "Traceback" not in done.stderr, done.stderr
        self.printed += done.stdout + done.stderr
        body = json.loads(done.stdout)
        rows = body.get("outcomes", ()) if isinstance(body, dict) else ()
        self.outcomes |= {(row["source"], row["status"]) for row in rows}


def answering(desk: Desk, upstream: UpstreamProcess) -> None:
    """Every service tells the keys that it was told, in good answers, in errors and in a redirect."""
    for path in ("/web", "path", "/exa/search", "/v1/chat/completions", "/far"):
        said = desk.said[path]
        rows = [
            {"title": text, "url": f"https://e.example/{quote(text[:90], safe='')}", "content": text, "text": text}
            for text in said
        ]
        good = {"json": {"results": rows, "choices": [{"message": {"content": " ".join(said)}}]}}
        bad = [{"status": status, "body": " ".join(said)} for status in (500, 401)]
        away = {"status": 302, "redirect": f"http://{desk.keys[TOLD[path][0]].encode().hex()}.example/"}
        upstream.on(desk.path(path), *[good] * 2, *bad, away, {"json": {"error": {"message": " ".join(said)}}})


@pytest.mark.spec("ENC-SECRET-4")
@pytest.mark.parametrize("keys", [PLAIN, KEYS], ids=["plain", "odd"])
def test_a_key_of_any_slot_is_found_nowhere(tmp_path: Path, upstream: UpstreamProcess, keys: dict[str, str]) -> None:
    desk = Desk(tmp_path, upstream, keys)
    answering(desk, upstream)
    for query in ("signing keys", "lost keys", "fail one", "fail two", "fail three", "fail four"):
        desk.run("search", query, "--type", "general_search", "--verbose", "--explain", "--limit", "100")
    for arguments in (
        ["sources"],
        ["doctor"],
        ["config", "show"],
        ["history"],
        ["cache", "export"],
        ["search", "x", "--dry-run"],
    ):
        desk.run(*arguments)
    asked = "\n".join(" ".join((seen["raw_path"], str(seen["headers"]), seen["body"])) for seen in upstream.state()["seen"])
    reached = {
        slot: keys[slot] for slot in ("env_header", "env_url", "literal_url", "literal_path", "env_body", "literal_body")
    }
    assert {found.partition(":")[0] for found in found_in(asked, reached)} == set(reached)
    assert {(name, "ok") for name in ("exa", "named", "path", "program", "tool", "web")} <= desk.outcomes
    assert sorted(found_in(desk.printed, keys)) == []
    assert sorted(found_in(kept(desk.command.home), keys)) == []


@pytest.mark.spec("ENC-SECRET-4")
@pytest.mark.parametrize("keys", [PLAIN, KEYS], ids=["plain", "odd"])
def test_a_service_tells_no_key_to_whoever_asks(tmp_path: Path, upstream: UpstreamProcess, keys: dict[str, str]) -> None:
    desk = Desk(tmp_path, upstream, keys)
    answering(desk, upstream)
    bearer = {"Authorization": f"Bearer {desk.environ['ENCYCLOPEDIA_TOKEN']}"}
    argv, environ, errors = (
        desk.command.argv("serve", "--port", "0", "--json"),
        desk.command.env(**desk.environ),
        tmp_path / "log",
    )
    with errors.open("w") as log:  # more than a pipe holds
        process = subprocess.Popen(argv, cwd=tmp_path, env=environ, stdout=subprocess.PIPE, stderr=log, text=True)
    assert process.stdout
    url, said = json.loads(process.stdout.readline())["url"], ""
    opener = build_opener(ProxyHandler({}))
    asked = [f"/v1/search?query=keys+{n}&type=general_search&verbose=1&explain=1" for n in range(5)]
    for path in (
        *asked,
        "/search?q=keys&format=json",
        "/v1/sources",
        "/v1/history",
        "/metrics",
        "/config",
        "/?q=keys",
        "/health",
    ):
        try:
            with opener.open(Request(url + path, headers=bearer), timeout=120) as response:  # noqa: S310 - http, on loopback
                said += response.read().decode() + str(response.headers)
        except HTTPError as error:
            with error:
                said += error.read().decode() + str(error.headers)
    process.send_signal(signal.SIGTERM)
    said += process.communicate(timeout=120)[0] + errors.read_text()
    assert "encyclopedia_" in said  # the figures were among it
    assert '"status":"ok"' in said
    assert sorted(found_in(said, keys)) == []
    assert sorted(found_in(kept(desk.command.home), keys)) == []


@pytest.mark.spec("ENC-SECRET-5")
@pytest.mark.parametrize("keys", [PLAIN, KEYS], ids=["plain", "odd"])
async def test_no_object_of_an_engine_shows_a_key(tmp_path: Path, upstream: UpstreamProcess, keys: dict[str, str]) -> None:
    desk = Desk(tmp_path, upstream, keys)
    answering(desk, upstream)
    environ = desk.command.env(**desk.environ | {"ENCYCLOPEDIA_LOG_LEVEL": "warning"})
    async with Encyclopedia(home=str(desk.command.home), environ=environ) as e:
        report = await e.search("keys", type="general_search", timeout=60.0, explain=True, verbose=True)
        shown = [repr(thing) for thing in (e, vars(e), e.engine, e.engine.loaded, report, report.to_dict(), e.plan("keys"))]
        shown += [repr(thing) for thing in gc.get_objects() if str(type(thing).__module__).startswith("encyclopedia")]
    assert len(shown) > 100
    assert sorted(found_in("\n".join(shown), keys)) == []


@pytest.mark.spec("ENC-SECRET-4")
def test_the_password_of_an_engine_is_found_nowhere_and_must_stand_in_the_environment(tmp_path: Path) -> None:
    command, keys = Command(tmp_path), {"engine": KEYS["state"]}
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(LOUD)
    table = f'[corpora.one]\npath = "{command.notes()}"\nengine = "postgresql://me:{{password}}@127.0.0.1:1/db"\n'
    environ = {
        "PASSWORD": quote(keys["engine"], safe=""),
        "ENCYCLOPEDIA_LOG_LEVEL": "debug",
        "PYTHONPATH": str(tmp_path / "site"),
    }
    command.settings(table.format(password="${PASSWORD}"))
    searches = (
        "corpus index one",
        "corpus show one",
        "search keys --explain --verbose",
        "sources",
        "doctor",
        "config show",
        "history",
    )
    done = [command(*words.split(), **environ) for words in searches]
    assert "127.0.0.1:1/db cannot be reached" in done[0].stdout
    command.settings(table.format(password=quote(keys["engine"], safe="")))
    done += [command(*words.split(), **environ) for words in searches]
    assert "holds a password" in done[-1].stdout
    said = "".join(run.stdout + run.stderr for run in done)
    assert sorted(found_in(said + kept(command.home), keys)) == []
