"""What a hostile user, service, plugin or file tries, through the real command: it is named, and costs nothing else."""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.encyclopedia.faces.cli.command import Command
from tests.upstream import UpstreamProcess

KEY = "sk-Very-Secret-0123456789"
TABLE = """
[sources.one]
kind = "json"
serves = {{ library_docs = 0.3, general_search = 0.3 }}
url = "{url}/one?q={{query}}&key=${{WIKI_TOKEN}}"
headers = {{ Authorization = "Bearer ${{WIKI_TOKEN}}" }}
results = "results"
fields = {{ title = "title", url = "url", content = "content", version = "version", id = "id" }}
"""


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path).with_notes()


@pytest.fixture
def upstream() -> Iterator[UpstreamProcess]:
    with UpstreamProcess() as up:
        yield up


def kept(command: Command) -> str:
    """Everything that lies in the data folder, in lower case, but the settings."""
    files = [path for path in command.home.rglob("*") if path.is_file() and path.name != "config.toml"]
    return "\n".join(path.read_bytes().decode("latin-1") for path in files).lower()


@pytest.mark.spec("ENC-SECRET-1")
def test_a_key_that_is_sent_back_goes_no_further(command: Command, upstream: UpstreamProcess) -> None:
    command.settings(TABLE.format(url=upstream.url))
    echo = {"title": f"keys {KEY}", "url": "#part", "content": f"keys {KEY.lower()}", "version": KEY, "id": KEY}
    path = {**echo, "url": f"https://e.example/{KEY}?k={KEY}"}
    upstream.on("/one", {"json": {"results": [echo, path]}}, {"redirect": f"http://{KEY}.example/", "status": 301})
    said = ""
    for query in ("signing keys", "lost keys"):
        done = command(
            "search", query, "--sources", "one", "--explain", "--verbose", WIKI_TOKEN=KEY, ENCYCLOPEDIA_LOG_LEVEL="debug"
        )
        said += done.stdout + done.stderr
    assert upstream.count("/one") == 2
    assert '"title": "keys …"' in said
    assert "a redirect to ….example" in said
    assert KEY.lower() not in said.lower()
    assert KEY.lower() not in kept(command)


@pytest.mark.spec("ENC-CLASSIFY-8")
def test_credentials_in_a_query_are_kept_nowhere(command: Command) -> None:
    query = f"signing keys https://me:{KEY}@host.example/x"
    done = command("search", query, "--explain", "--verbose", ENCYCLOPEDIA_LOG_LEVEL="debug")
    body = json.loads(done.stdout)
    assert body["query"] == "signing keys https://host.example/x"
    assert "credentials in an address were removed from the query" in body["notes"]
    assert KEY not in done.stdout + done.stderr
    assert KEY.lower() not in kept(command)


@pytest.mark.spec("ENC-PLUGIN-3")
def test_a_stranger_s_plugin_takes_nobody_down(command: Command, tmp_path: Path) -> None:
    site = tmp_path / "site"
    info = site / "strange-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "strange.py").write_text("print('noise')\nraise RuntimeError('boom')\n")
    (info / "entry_points.txt").write_text(
        "[encyclopedia.sources]\nstrange = strange:CARD\n[encyclopedia.libraries]\nx = strange:f\n"
    )
    done = command("search", "signing keys", PYTHONPATH=str(site))
    body = json.loads(done.stdout)
    assert (done.returncode, body["results"][0]["source"], body["degraded"]) == (0, "notes", True)
    (missing,) = [row for row in body["degradation"]["missing"] if row["source"] == "strange"]
    assert missing["reason"] == "strange cannot be imported (RuntimeError)"
    off = command("search", "signing keys", PYTHONPATH=str(site), ENCYCLOPEDIA_ENABLE_STRANGE="0")
    assert json.loads(off.stdout)["degraded"] is False


@pytest.mark.spec("ENC-PLUGIN-3")
def test_a_plugin_whose_functions_raise_costs_only_itself(command: Command, tmp_path: Path) -> None:
    site = tmp_path / "site"
    info = site / "strange-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "strange.py").write_text(
        "from encyclopedia.ports import Card\n"
        "from encyclopedia.model.query import QueryType\n"
        "def broken(*_): raise RuntimeError('boom')\n"
        "CARD = Card('strange', {QueryType.LIBRARY_DOCS: 0.1}, make=broken, revision=broken, state=broken, knows=broken)\n"
    )
    (info / "entry_points.txt").write_text("[encyclopedia.sources]\nstrange = strange:CARD\n")
    body = command.json("search", "rotate the signing keys every quarterly release", PYTHONPATH=str(site))
    assert body["results"][0]["source"] == "notes"
    assert {row["source"]: row["status"] for row in body["outcomes"]} == {"notes": "ok", "strange": "error"}
    rows = {row["source"]: row["state"] for row in command.json("sources", PYTHONPATH=str(site))}
    assert rows["strange"] == "its state cannot be told (RuntimeError)"


@pytest.mark.spec("ENC-CORPUS-3")
def test_a_damaged_registration_is_named_and_can_be_removed(command: Command) -> None:
    lost = command.home / "corpora" / "lost"
    lost.mkdir()
    (lost / "corpus.json").write_text("[]")
    body = command.json("search", "signing keys")
    assert (body["results"][0]["source"], body["degraded"]) == ("notes", True)
    assert "encyclopedia corpus remove lost" in json.dumps(body["degradation"])
    assert {row["name"]: bool(row["problems"]) for row in command.json("corpus", "list")["corpora"]} == {
        "notes": False,
        "lost": True,
    }
    assert "is damaged" in command.json("corpus", "index", "lost", code=1)["message"]
    command.json("corpus", "remove", "lost")
    assert command.json("search", "signing keys")["degraded"] is False


@pytest.mark.spec("ENC-CLI-19", "ENC-STORE-5")
def test_a_cache_that_is_held_is_told_in_a_sentence(command: Command) -> None:
    command.json("search", "signing keys")
    held = sqlite3.connect(command.home / "cache" / "cache.db", isolation_level=None)
    held.execute("BEGIN EXCLUSIVE")
    assert command.json("cache", "clear", code=1)["message"].startswith("the cache cannot be used: ")
    held.close()
    assert command.json("cache", "clear")["removed"] == 1


@pytest.mark.spec("ENC-CLI-18")
def test_doctor_goes_on_where_a_store_cannot_be_read(command: Command) -> None:
    command.json("search", "signing keys")
    (command.home / "cache" / "cache.db").unlink()
    (command.home / "cache" / "cache.db").mkdir()
    rows = {row["check"]: row["status"] for row in json.loads(command("doctor").stdout)["checks"]}
    assert (rows["store cache"], rows["store history"], rows["corpus notes"]) == ("broken", "ok", "ok")


@pytest.mark.spec("ENC-STORE-5")
def test_a_history_that_is_held_for_ever_costs_only_a_note(command: Command) -> None:
    command.json("search", "signing keys")
    with (command.home / "sessions" / "history.jsonl").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        body = command.json("search", "lost keys")
    assert body["results"]
    assert body["notes"] == ["this search is not in the history: another process holds its lock"]


@pytest.mark.spec("ENC-CLI-22", "ENC-HISTORY-1")
def test_lines_of_the_history_that_are_not_ours_are_shown_as_far_as_they_go(command: Command) -> None:
    command.json("search", "signing keys")
    with (command.home / "sessions" / "history.jsonl").open("a") as file:
        file.write('{}\n{"id": 5, "results": 7, "outcomes": {}}\n{"id": "x", "results": [1, {}], "outcomes": [null, {}]}\n')
    assert len(command.json("history")["history"]) == 4
    assert "signing keys" in command("history", "--text").stdout
    assert command("history", "show", "x", "--text").returncode == 0


@pytest.mark.spec("ENC-CLI-1")
@pytest.mark.parametrize("option", ["--corpus", "--tag", "--sources"])
def test_an_empty_scope_is_not_everything(command: Command, option: str) -> None:
    assert "names no" in command.json("search", "signing keys", option, "", code=64)["message"]


@pytest.mark.spec("ENC-SETTINGS-2")
@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("\ufefflimit = 3\r\n", 0, ""),
        ("x = " + "[" * 20_000, 1, "is nested too deeply"),
        ('[corpora.notes]\npath = "a\\u0000b"', 1, "corpus notes has no path"),
        ('[corpora.notes]\npath = "/tmp"\ntags = 5', 1, "corpora.notes.tags cannot be 5"),
        ('[sources.x]\nkind = "json"\nserves = { library_docs = 0.1 }\nurl = "http://h/{query}"\nfields = { title = "t" }\nresults = "'
         + "(" * 20_000 + '"', 1, "is not a JMESPath expression"),
    ],
    ids=["mark", "deep", "nul", "tags", "path"],
)  # fmt: skip
def test_odd_settings_are_read_or_named(command: Command, text: str, code: int, message: str) -> None:
    command.settings(text)
    assert message in command.json("search", "signing keys", code=code).get("message", "")


@pytest.mark.spec("ENC-CLI-4")
def test_a_working_folder_that_was_removed_is_no_hindrance(command: Command, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = 'rmdir "$PWD"; exec "$@"'
    for arguments in (("search", "signing keys"), ("doctor",), ("sources",)):
        gone.mkdir(exist_ok=True)
        path = os.pathsep.join(str(folder) for folder in (Path(__file__).parents[2], Path(__file__).parents[2] / "adapters"))
        done = subprocess.run(
            ["sh", "-c", script, "sh", *command.argv(*arguments)],
            cwd=gone,
            env=command.env(PYTHONPATH=path),
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert (done.returncode, done.stderr) == (0, ""), done.stdout
