"""Sources described in the configuration file, on loopback, through the real command: what becomes of each on a bad day."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.switches import off
from tests.upstream import UpstreamProcess

ROOT = Path(__file__).parents[2]
TABLE = """
[sources.{name}]
kind = "json"
serves = {{ general_search = 0.3, library_docs = 0.3 }}
url = "{url}/{name}?q={{query}}&n={{limit}}"
results = "results[]"
fields = {{ title = "title", url = "url", content = "content" }}
"""


@pytest.fixture
def upstream() -> Iterator[UpstreamProcess]:
    with UpstreamProcess() as up:
        yield up


class Desk:
    """A data folder with some JSON sources, and the command on it."""

    def __init__(self, home: Path, up: UpstreamProcess, *names: str, head: str = "") -> None:
        self.home, self.up = home, up
        home.mkdir(exist_ok=True)
        (home / "config.toml").write_text(head + "".join(TABLE.format(name=name, url=up.url) for name in names))
        path = os.pathsep.join([str(ROOT), str(ROOT / "adapters")])
        self.env = {"PATH": os.environ["PATH"], "PYTHONPATH": path, "ENCYCLOPEDIA_HOME": str(home), "LC_ALL": "C.UTF-8"}
        self.env |= off()

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "encyclopedia", *arguments, "--json"]
        return subprocess.Popen(command, cwd=self.home, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self, *arguments: str) -> dict[str, Any]:
        process = self.start(*arguments)
        out, err = process.communicate(timeout=60)
        assert "Traceback" not in err, err
        body: dict[str, Any] = json.loads(out)
        return body | {"exit": process.returncode}


def rows(*names: str) -> dict[str, object]:
    return {"results": [{"title": name, "url": f"https://example.org/{name}", "content": f"about {name}"} for name in names]}


def statuses(body: dict[str, Any]) -> dict[str, str]:
    return {outcome["source"]: outcome["status"] for outcome in body["outcomes"]}


@pytest.mark.spec("ENC-BADDAY-1")
def test_one_search_over_good_and_bad_sources(tmp_path: Path, upstream: UpstreamProcess) -> None:
    names = ("good", "hanging", "failing", "garbage", "limited", "page", "dripping", "resetting", "bomb")
    desk = Desk(tmp_path / "home", upstream, *names)
    upstream.on("/good", json=rows("widgets", "gadgets"))
    upstream.on("/hanging", hang=True)
    upstream.on("/failing", status=500)
    upstream.on("/garbage", body="{not json")
    upstream.on("/limited", status=429, headers={"Retry-After": "120"})
    upstream.on("/page", body="<html>Please log in</html>", content_type="text/html")
    upstream.on("/dripping", json=rows("late"), drip=0.5)
    upstream.on("/resetting", reset=True)
    upstream.on("/bomb", bomb=64)
    timeout = 1.5
    body = desk.run("search", "widgets", "--timeout", str(timeout), "--verbose")
    assert (body["exit"], body["status"], body["degraded"]) == (0, "success", True)
    assert [result["title"] for result in body["results"]] == ["widgets", "gadgets"]
    assert statuses(body) == {
        "good": "ok",
        "hanging": "timeout",
        "failing": "unavailable",
        "garbage": "error",
        "limited": "rate_limited",
        "page": "error",
        "dripping": "timeout",
        "resetting": "unavailable",
        "bomb": "error",
    }
    assert {row["source"] for row in body["degradation"]["errors"]} == set(names) - {"good"}
    (dispatch,) = [stage["ms"] for stage in body["verbose"]["stages"] if stage["name"] == "dispatch"]
    assert dispatch <= timeout * 1000 + 200
    assert desk.run("search", "widgets", "--strict", "--timeout", "1")["exit"] == 3


@pytest.mark.spec("ENC-BADDAY-2")
def test_all_failing_is_code_3_and_all_empty_is_code_2(tmp_path: Path, upstream: UpstreamProcess) -> None:
    desk = Desk(tmp_path / "home", upstream, "one", "two")
    upstream.on("/one", status=503)
    upstream.on("/two", status=401)
    failed = desk.run("search", "widgets")
    assert (failed["exit"], failed["code"], failed["status"]) == (3, 3, "error")
    assert statuses(failed) == {"one": "unavailable", "two": "auth"}
    assert failed["degraded"] is True
    upstream.on("/one", json=rows())
    upstream.on("/two", json=rows())
    empty = desk.run("search", "widgets")
    assert (empty["exit"], empty["code"], empty["status"], empty["degraded"]) == (2, 2, "error", False)
    assert statuses(empty) == {"one": "empty", "two": "empty"}


@pytest.mark.spec("ENC-BADDAY-3")
@pytest.mark.parametrize(
    ("status", "outcome"),
    [(400, "error"), (401, "auth"), (402, "quota"), (403, "auth"), (404, "error"), (408, "unavailable"), (422, "error"),
     (429, "rate_limited"), (500, "unavailable"), (503, "unavailable"), (302, "error")],
)  # fmt: skip
def test_each_status_has_its_outcome(tmp_path: Path, upstream: UpstreamProcess, status: int, outcome: str) -> None:
    desk = Desk(tmp_path / "home", upstream, "one")
    upstream.on("/one", status=status)
    assert statuses(desk.run("search", "widgets")) == {"one": outcome}


@pytest.mark.spec("ENC-BADDAY-4")
def test_three_failures_of_three_processes_open_the_circuit_and_one_of_twenty_probes(
    tmp_path: Path, upstream: UpstreamProcess
) -> None:
    desk = Desk(tmp_path / "home", upstream, "one", head="timeout = 40.0\ndeadline = 50.0\n[breaker]\ncooldown = 4.0\n")
    upstream.on("/one", status=500)
    for attempt in range(3):
        assert statuses(desk.run("search", f"widgets {attempt}")) == {"one": "unavailable"}
    asked = upstream.count("/one")
    fourth = desk.run("search", "widgets 4")
    assert (fourth["exit"], upstream.count("/one")) == (3, asked)
    assert breaker(desk) == "open"
    assert "500" in desk_sources(desk)
    upstream.on("/one", json=rows("widgets"), delay=10.0)  # twenty commands have to start meanwhile
    while breaker(desk) == "open":
        assert upstream.count("/one") == asked
    callers = [desk.start("search", f"widgets {n}") for n in range(20)]
    bodies = [json.loads(caller.communicate(timeout=90)[0]) for caller in callers]
    assert upstream.count("/one") == asked + 1
    assert sum(body["status"] == "success" for body in bodies) == 1
    assert {body.get("code") for body in bodies} == {None, 3}
    assert statuses(desk.run("search", "widgets again")) == {"one": "ok"}


def breaker(desk: Desk) -> str:
    (source,) = [row for row in json.loads(desk_sources(desk)) if row["source"] == "one"]
    return str(source["breaker"])


def desk_sources(desk: Desk) -> str:
    process = desk.start("sources")
    out, _ = process.communicate(timeout=60)
    return out


@pytest.mark.spec("ENC-BADDAY-5")
def test_a_limit_is_a_gate_and_survives_the_process(tmp_path: Path, upstream: UpstreamProcess) -> None:
    desk = Desk(tmp_path / "home", upstream, "one", "two")
    upstream.on("/one", status=429, headers={"Retry-After": "300"})
    upstream.on("/two", json=rows("widgets"))
    assert statuses(desk.run("search", "widgets")) == {"one": "rate_limited", "two": "ok"}
    again = desk.run("search", "widgets again")
    assert statuses(again) == {"one": "refused", "two": "ok"}
    assert again["degraded"] is True
    assert upstream.count("/one") == 1


@pytest.mark.spec("ENC-BADDAY-6")
def test_a_whole_answer_is_kept_for_the_next_process_and_a_degraded_one_is_not(
    tmp_path: Path, upstream: UpstreamProcess
) -> None:
    desk = Desk(tmp_path / "home", upstream, "one", "two")
    upstream.on("/one", json=rows("widgets"))
    upstream.on("/two", status=500)
    assert desk.run("search", "widgets")["cached"] is False
    assert desk.run("search", "widgets")["cached"] is False
    upstream.on("/two", json=rows("gadgets"))
    whole = desk.run("search", "widgets")
    stored = desk.run("search", "  Widgets ")
    assert (whole["cached"], stored["cached"]) == (False, True)
    assert stored["results"] == whole["results"]
    assert desk.run("search", "widgets", "--no-cache")["cached"] is False
    assert desk.run("search", "widgets", "--limit", "1")["results"] == whole["results"][:1]


@pytest.mark.spec("ENC-BADDAY-7")
def test_a_key_stands_nowhere(tmp_path: Path, upstream: UpstreamProcess) -> None:
    key = "sk-very-secret-0123456789"
    desk = Desk(tmp_path / "home", upstream)
    table = TABLE.format(name="one", url=upstream.url).replace(
        "{limit}", "{limit}&key=${{WIKI_TOKEN}}".replace("{{", "{").replace("}}", "}")
    )
    (desk.home / "config.toml").write_text(table + 'headers = { Authorization = "Bearer ${WIKI_TOKEN}" }\n')
    missing = desk.run("search", "widgets", "--sources", "one")
    assert (missing["exit"], missing["message"]) == (1, "WIKI_TOKEN not found")
    desk.env["WIKI_TOKEN"] = key
    upstream.on("/one", {"json": rows("widgets")}, {"status": 500, "body": f"bad key {key}"}, {"reset": True})
    printed = [json.dumps(desk.run("search", f"widgets {n}", "--verbose", "--explain")) for n in range(3)]
    printed += [desk_sources(desk), json.dumps(desk.run("config", "show")), json.dumps(desk.run("doctor"))]
    for seen in upstream.state()["seen"]:
        assert (seen["headers"]["authorization"], seen["query"]["key"]) == (f"Bearer {key}", key)
    stored = b"".join(p.read_bytes() for p in desk.home.rglob("*") if p.is_file())
    assert key not in "".join(printed)
    assert key.encode() not in stored


@pytest.mark.spec("ENC-BADDAY-9")
def test_encryption_that_comes_late_never_or_from_a_stranger(tmp_path: Path, upstream: UpstreamProcess) -> None:
    fronts = {name: upstream.front(f"/{name}") for name in ("late", "never")}
    tables = [TABLE.format(name=name, url=url) + "timeout = 3.0\n" for name, (url, _) in fronts.items()]
    tables.append(TABLE.format(name="plain", url=upstream.url.replace("http:", "https:")))
    desk = Desk(tmp_path / "home", upstream, head="".join(tables))
    upstream.on("/late", json=rows("widgets"), handshake=0.3)
    upstream.on("/never", json=rows("widgets"), handshake=3600.0)
    strange = desk.run("search", "widgets", "--sources", "late,plain")
    assert {row["source"]: (row["status"], row["reason"].partition(" ")[2]) for row in strange["outcomes"]} == {
        "late": ("unavailable", "has no certificate that can be trusted"),
        "plain": ("unavailable", "does not speak TLS as it should"),
    }
    desk.env["SSL_CERT_FILE"] = fronts["late"][1]
    assert statuses(desk.run("search", "gadgets", "--sources", "late,never")) == {"late": "ok", "never": "timeout"}
    assert upstream.in_flight() == 0
