"""What an engine shares with others, what it does without, and what it says of it."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from encyclopedia import Card, ConfigurationError, Encyclopedia, Hit, NoSourceAnswered, QueryType, Reply, Request
from encyclopedia.faces.cli.masking import masked
from encyclopedia.model.errors import Unavailable
from encyclopedia.wiring import requirements
from encyclopedia.wiring.environment import environment
from encyclopedia.wiring.shared import SHARED
from tests.encyclopedia.faces.cli.command import Command
from tests.redis_server import RedisServer, redis_server
from tests.switches import off

SOON = 30.0
"""Seconds in which a thread that looks twice a second has looked, on any machine."""


class Web:
    """A source that counts its calls; it has a daily cap if that is set."""

    def __init__(self, *, fails: bool = False) -> None:
        self.card = Card("web", dict.fromkeys(QueryType, 0.4))
        self.fails, self.calls = fails, 0

    async def search(self, request: Request) -> Reply:
        self.calls += 1
        if self.fails:
            raise Unavailable("status 503")
        return Reply((Hit(f"about {request.text}", "https://example.org/1", "text"),))


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    with redis_server() as running:
        yield running


@pytest.fixture
def replica(tmp_path: Path, server: RedisServer) -> Callable[..., Encyclopedia]:
    """``replica(name, source)``: an engine with a data folder of its own over the one server."""
    if not server.running:
        server.start()
    server.client.flushall()

    def build(name: str, source: Web, **settings: object) -> Encyclopedia:
        shared = {"state_url": server.url, "embedder.use": "off"}
        chosen = shared | {key.replace("__", "."): value for key, value in settings.items()}
        return Encyclopedia(home=str(tmp_path / name), settings=chosen, sources=[source], environ=off())

    return build


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(SOON):
        while not true():
            await asyncio.sleep(0.02)


def absent(report: Any) -> str:
    found = {row["source"]: row["reason"] for row in report.to_dict()["degradation"]["missing"]}
    return str(found.get(SHARED, ""))


@pytest.mark.spec("ENC-SHARED-1")
async def test_replicas_share_answers_the_history_the_profile_and_breakers(replica: Callable[..., Encyclopedia]) -> None:
    good, bad = Web(), Web(fails=True)
    async with replica("a", good) as a, replica("b", good) as b:
        first = await a.search("parse json")
        await a.engine.stores.answers.settle()
        second = await b.search("parse json")
        assert (first.cached, second.cached, good.calls) == (False, True, 1)
        assert not absent(first)
        await asyncio.gather(*(e.engine.stores.behind.settle() for e in (a, b)))
        assert b.engine.stores.history is not None
        assert [row["query"] for row in await asyncio.to_thread(b.engine.stores.history.read)] == ["parse json"] * 2
        await until(lambda: bool(b.engine.stores.profiler and b.engine.stores.profiler.profile()))
    async with replica("a", bad) as a, replica("b", bad) as b:
        for number in range(3):
            with pytest.raises(NoSourceAnswered):
                await a.search(f"failure {number}")
        await until(lambda: not b.engine.stores.circuit.health(["web"])["web"].admits)
        with pytest.raises(NoSourceAnswered):
            await b.search("failure 4")
    assert bad.calls == 3


@pytest.mark.spec("ENC-SHARED-1", "ENC-SHARED-3")
async def test_once_the_breaker_is_open_stored_answers_are_served_all_the_same(replica: Callable[..., Encyclopedia]) -> None:
    web = Web()
    async with replica("a", web, breaker__fail_max=1) as a:
        await a.search("parse json")
        web.fails = True
        with pytest.raises(NoSourceAnswered):
            await a.search("other words")
        assert (await a.search("parse json")).cached
        with pytest.raises(NoSourceAnswered, match="no source could be asked"):
            await a.search("yet other words")
        with pytest.raises(NoSourceAnswered, match="no source could be asked"):
            await a.lookup("yet other words")
    assert web.calls == 2


@pytest.mark.spec("ENC-SHARED-2")
async def test_while_the_server_is_gone_each_goes_on_alone_and_says_so(
    replica: Callable[..., Encyclopedia], server: RedisServer
) -> None:
    web = Web()
    async with replica("a", web) as a:
        await a.search("parse json")
        await a.engine.stores.behind.settle()
        server.kill()  # with all that it knew
        one = await a.search("parse json")
        await a.engine.stores.answers.settle()
        two = await a.search("parse json")
        assert (one.cached, two.cached, web.calls) == (False, True, 2)
        assert "cannot be reached; this machine goes on" in absent(two)
        assert two.to_dict()["degraded"]
        assert a.engine.stores.shared is not None
        server.start()
        await until(lambda: not a.engine.stores.shared or not a.engine.stores.shared.problem)
        three = await a.search("parse json")
        assert not absent(three)
        await a.engine.stores.answers.settle()
        await a.engine.stores.behind.settle()
        await until(lambda: server.client.llen("encyclopedia:1:{history}") == 3)


@pytest.mark.spec("ENC-SHARED-2", "ENC-SHARED-5")
def test_doctor_says_whether_it_is_there_and_shows_no_password(server: RedisServer, tmp_path: Path) -> None:
    command = Command(tmp_path)

    def said(**env: str) -> tuple[str, str]:
        done = command("doctor", "--json", **env)
        (row,) = [row for row in json.loads(done.stdout)["checks"] if row["check"] == SHARED]
        assert "s3cr3t" not in done.stdout + done.stderr
        return row["status"], row["detail"]

    if not server.running:
        server.start()
    server.client.acl_setuser("me", enabled=True, passwords=["+s3cr3t-me"], categories=["+@all"], keys=["*"])
    url = server.address("me:s3cr3t-me")
    status, detail = said(ENCYCLOPEDIA_STATE_URL=url)
    assert (status, detail.partition(" ")[0], detail.endswith(f" at 127.0.0.1:{server.port}/0")) == ("ok", "Redis", True)
    assert said() == ("off", "this machine keeps its own; state_url is not set")
    status, detail = said(ENCYCLOPEDIA_STATE_URL=server.address("me:s3cr3t-no"))
    assert (status, "does not accept the user or the password" in detail) == ("warn", True)
    shown = command("config", "show", "--json", ENCYCLOPEDIA_STATE_URL=url).stdout
    assert json.loads(shown)["settings"]["state_url"]["value"] == f"redis://…@127.0.0.1:{server.port}/0"


@pytest.mark.spec("ENC-SHARED-4")
async def test_a_cap_holds_for_all_also_when_the_server_has_lost_its_memory(
    replica: Callable[..., Encyclopedia], server: RedisServer, tmp_path: Path
) -> None:
    web = Web()
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.toml").write_text("[sources.web]\ndaily_calls = 4\n")

    async def ask(e: Encyclopedia, number: int) -> str:
        try:
            found = await e.search(f"question {number}", read_cache=False)
        except NoSourceAnswered as error:
            return str(error)
        return found.status

    async with replica("a", web) as a, replica("b", web) as b:
        told = await asyncio.gather(*(ask(e, number) for number in range(1) for e in (a, b)))
        assert (told, web.calls) == (["success", "success"], 2)
        server.kill()
        assert "cannot be counted" in await ask(a, 10)
        assert web.calls == 2
        server.start()
        await until(lambda: not any(e.engine.stores.shared.problem for e in (a, b) if e.engine.stores.shared))
        async with asyncio.timeout(SOON):
            while (await ask(b, 11)) != "success":
                await asyncio.sleep(0.1)
        told = await asyncio.gather(*(ask(e, number) for number in range(20, 24) for e in (a, b)))
        assert sum(one == "success" for one in told) == 1
        assert web.calls == 4


@pytest.mark.spec("ENC-SHARED-3")
async def test_nobody_asks_the_server_on_the_event_loop(
    replica: Callable[..., Encyclopedia], monkeypatch: pytest.MonkeyPatch
) -> None:
    from encyclopedia_adapters.storage.redis_link import Link

    here, asked = threading.get_ident(), list[int]()
    real = Link._tried

    def told(self: Link, work: Any) -> Any:
        asked.append(threading.get_ident())
        return real(self, work)

    monkeypatch.setattr(Link, "_tried", told)
    web = Web()
    async with replica("a", web, breaker__fail_max=1, profile__adaptive=True) as a:
        for query in ("parse json", "parse json", "parse yaml"):
            await a.search(query)
        a.plan("parse json")
        await a.sources()
        await a.statistics()
        web.fails = True
        for _ in range(2):
            with pytest.raises(NoSourceAnswered):
                await a.search("other words")
    assert len(asked) > 5
    assert here not in asked


@pytest.mark.spec("ENC-SHARED-5")
@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("http://cache:6379", "does not begin with redis://"),
        ("redis://", "names no host"),
        ("redis://:s3cr3t@cache/x", "names a database that is no number"),
        ("redis://cache:port", "is no address"),
        ("redis://cache/0?tiemout=1", "a parameter that is not known"),
        ("redis://cache/0?ca=/x", "certificates for a connection without TLS"),
        ("rediss://cache/0?ca=/not/there", "are no file"),
    ],
)
def test_an_address_that_is_none_is_an_error_with_its_form(tmp_path: Path, url: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match="state_url") as failed:
        Encyclopedia(home=str(tmp_path), settings={"state_url": url}, environ=off())
    assert message in str(failed.value)
    assert failed.value.hint
    assert "s3cr3t" not in str(failed.value) + failed.value.hint


@pytest.mark.spec("ENC-SHARED-5")
@pytest.mark.parametrize(
    "url", ["redis://:s3cr3t@cache:6379/0", "rediss://me:s3cr3t@cache", "unix://me:s3cr3t@/run/redis.sock"]
)
def test_its_password_is_not_shown_and_no_stranger_chooses_it(tmp_path: Path, url: str) -> None:
    assert "s3cr3t" not in str(masked("state_url", url))
    (tmp_path / ".env.local").write_text(f"ENCYCLOPEDIA_STATE_URL={url}\n")
    assert not environment(str(tmp_path / "home"), {}, str(tmp_path)).values
    assert environment(str(tmp_path), {}, str(tmp_path)).secret("ENCYCLOPEDIA_STATE_URL") == url


@pytest.mark.spec("ENC-SHARED-7")
async def test_without_the_library_each_goes_on_alone_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "redis", None)
    requirements.installed.cache_clear()
    try:
        settings = {"state_url": "redis://127.0.0.1:1/0", "embedder.use": "off"}
        async with Encyclopedia(home=str(tmp_path), settings=settings, sources=[Web()], environ=off()) as e:
            report = await e.search("parse json")
    finally:
        requirements.installed.cache_clear()
    assert report.status == "success"
    assert "redis is not installed (pip install 'encyclopedia-search[redis]')" in absent(report)


@pytest.mark.spec("ENC-SHARED-7")
def test_without_an_address_nothing_of_it_is_loaded(tmp_path: Path) -> None:
    code = (
        "import asyncio, sys; from encyclopedia import Encyclopedia; from encyclopedia_adapters.generic.fixed import Fixed\n"
        "async def main():\n"
        "    async with Encyclopedia(sources=[Fixed('web')]) as e: await e.search('parse json')\n"
        "asyncio.run(main())\n"
        "print([name for name in sys.modules if 'redis' in name or name.endswith('.distant')])"
    )
    kept = {"PATH": os.environ["PATH"], "ENCYCLOPEDIA_HOME": str(tmp_path), "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=kept | off(), capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.spec("ENC-SHARED-2")
@pytest.mark.parametrize("gone", [False, True])
def test_a_command_that_needs_no_event_loop_answers_and_ends(server: RedisServer, tmp_path: Path, gone: bool) -> None:
    command = Command(tmp_path).with_notes()
    url = "redis://127.0.0.1:1" if gone else server.url
    done = command("search", "signing keys", "--json", ENCYCLOPEDIA_STATE_URL=url)
    body = json.loads(done.stdout)
    assert (done.returncode, body["status"], body["degraded"]) == (0, "success", gone)
    assert [row["source"] for row in body["degradation"]["missing"] if row["source"] == SHARED] == [SHARED] * gone
    again = command("search", "signing keys", "--json", ENCYCLOPEDIA_STATE_URL=url)  # from what is stored, or not
    assert (again.returncode, json.loads(again.stdout)["status"]) == (0, "success")
