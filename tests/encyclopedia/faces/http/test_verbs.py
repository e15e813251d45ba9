from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from encyclopedia import Encyclopedia, Hit
from encyclopedia.faces.http.gate import Gate
from encyclopedia.faces.http.openapi import description
from encyclopedia.model.errors import AuthRefused, Unavailable
from encyclopedia_adapters.generic.fixed import Fixed
from tests.encyclopedia.faces.http.site import HITS, kept, site, told
from tests.switches import off

Make = Callable[..., Encyclopedia]
QUERY = "signing keys"


@pytest.mark.spec("ENC-SERVE-1")
async def test_get_and_post_give_the_report_that_the_library_gives(make: Make) -> None:
    e = make(Fixed("one", HITS), Fixed("two", HITS[1:]))
    async with site(e) as client:
        got = await told(
            await client.get("/v1/search", params={"query": QUERY, "limit": "1", "verbose": "true", "explain": "1"})
        )
        kept(e, "/v1/search", 200, got)
        posted = await told(await client.post("/v1/search", json={"query": QUERY, "limit": 1}))
        same = (await e.search(QUERY, limit=1)).to_dict()
    assert posted == same
    assert {name: got[name] for name in ("results", "query_type", "degraded")} == {
        name: same[name] for name in ("results", "query_type", "degraded")
    }


@pytest.mark.spec("ENC-SERVE-1")
async def test_a_plan_asks_nobody_and_sources_stand_as_on_the_command_line(make: Make) -> None:
    from encyclopedia.faces.cli.sources import source_rows

    source = Fixed("one", HITS)
    e = make(source)
    async with site(e) as client:
        plan = await told(await client.get("/v1/plan", params={"query": "kuberntes pod"}))
        kept(e, "/v1/plan", 200, plan)
        rows = await told(await client.get("/v1/sources"))
        kept(e, "/v1/sources", 200, rows)
        assert rows == source_rows(e.engine)
    assert plan["target_sources"] == ["one"]
    assert source.requests == []


@pytest.mark.spec("ENC-SERVE-4")
async def test_each_error_has_its_status(make: Make) -> None:
    e = make(
        Fixed("one", HITS), Fixed("none"), Fixed("ill", raises=Unavailable("gone")), Fixed("shut", raises=AuthRefused("no"))
    )
    async with site(e) as client:
        expected: list[tuple[str, int, int]] = [
            ("/v1/search?query=keys&sources=nobody", 400, 1),
            ("/v1/search?query=keys&type=nothing", 400, 1),
            ("/v1/plan?query=keys&type=nothing", 400, 1),
            ("/v1/code?repository=a/b&question=keys&depth=dep", 400, 1),
            ("/v1/graph?verb=export", 400, 64),
            ("/v1/load?topic=keys&scoring=best", 400, 64),
            ("/v1/search", 400, 64),
            ("/v1/search?query=&expand=true", 400, 64),
            ("/v1/search?query=%20", 400, 64),
            ("/v1/search?query=keys&sources=none", 200, 2),
            ("/v1/lookup?topic=keys", 200, 0),
            ("/v1/search?query=keys&sources=ill,shut", 502, 3),
            ("/v1/load?topic=keys", 400, 1),
            ("/v1/ground?query=keys", 400, 1),
            ("/v1/graph?verb=list_books", 400, 1),
            ("/v1/ask?question=why", 400, 1),
            ("/v1/nothing", 404, 64),
        ]
        for path, status, code in expected:
            body = await told(await client.get(path), status)
            assert body.get("code", 0) == code, path
            assert body["schema_version"] == 1
            if path != "/v1/nothing":
                kept(e, path.partition("?")[0], status, body)
        refused = await client.put("/v1/search")
        assert (refused.status, refused.headers["Allow"]) == (405, "GET,HEAD,POST")


@pytest.mark.spec("ENC-SERVE-4")
async def test_where_nothing_is_configured_or_found_the_status_says_so(make: Make) -> None:
    async with site(make()) as client:
        assert (await told(await client.get("/v1/search?query=keys"), 400))["code"] == 1
    async with site(make(Fixed("none"))) as client:
        assert (await told(await client.get("/v1/lookup?topic=keys"), 404))["code"] == 2


@pytest.mark.spec("ENC-SERVE-4")
async def test_a_defect_tells_nothing_of_the_inside(make: Make) -> None:
    e = make(Fixed("one", HITS))

    async def broken(*_: object, **__: object) -> None:
        raise RuntimeError("/home/secret/path")

    object.__setattr__(e, "ask", broken)
    async with site(e) as client:
        body = await told(await client.get("/v1/ask?question=why"), 500)
    assert body == {
        "schema_version": 1,
        "status": "error",
        "code": 4,
        "message": "something broke in encyclopedia itself (RuntimeError)",
    }


@pytest.mark.spec("ENC-SERVE-8")
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/ground", {"query": "x", "manifest": "/etc/passwd"}),
        ("/v1/ground", {"query": "x", "persist": "/var/x"}),
        ("/v1/ground", {"query": "x", "verb": "validate"}),
        ("/v1/load", {"topic": "x", "root": "/etc"}),
        ("/v1/graph", {"verb": "export", "folder": "/var/x"}),
        ("/v1/graph", {"verb": "take_in", "path": "/etc"}),
        ("/v1/code", {"repository": "/etc", "question": "x"}),
        ("/v1/code", {"repository": "file:///etc", "question": "x"}),
        ("/v1/code", {"repository": "~/x", "question": "x"}),
        ("/v1/code", {"repository": "..", "question": "x"}),
        ("/v1/code", {"repository": " ./x", "question": "x"}),
    ],
)
async def test_no_path_of_the_machine_can_be_named(make: Make, path: str, body: dict[str, object]) -> None:
    async with site(make(Fixed("one", HITS))) as client:
        assert (await told(await client.post(path, json=body), 400))["code"] == 64


@pytest.mark.spec("ENC-SERVE-8")
@pytest.mark.parametrize(
    "path",
    ["/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static//etc/passwd", "/static/layout.py",
     "/passage?corpus=notes&path=/etc/passwd", "/passage?corpus=../x&path=a"],
)  # fmt: skip
async def test_no_file_can_be_had_but_those_of_the_page(make: Make, path: str) -> None:
    from yarl import URL

    async with site(make(Fixed("one", HITS))) as client:
        response = await client.get(URL(path, encoded=True))
        assert response.status in (400, 404)
        assert "root:" not in await response.text()


@pytest.mark.spec("ENC-SERVE-9")
async def test_bodies_are_bounded_and_must_be_json(make: Make) -> None:
    async with site(make(Fixed("one", HITS))) as client:
        assert (await client.post("/v1/search", data=b"{" * 70_000, headers={"Content-Type": "application/json"})).status == 413
        assert (await client.post("/v1/search", data=b"query=x")).status == 415
        for raw in (b"{", b"[]", b'"x"', b'{"query": NaN}', b"[" * 5000, b"\xff"):
            response = await client.post("/v1/search", data=raw, headers={"Content-Type": "application/json"})
            assert (await told(response, 400))["code"] == 64
        assert (await client.post("/v1/search?query=x", json={})).status == 400


@pytest.mark.spec("ENC-SERVE-10")
async def test_who_finds_no_place_is_told_when_to_come_again(make: Make) -> None:
    slow = Fixed("slow", HITS, delay=30.0)
    async with site(make(slow), gate=Gate(1, 1, 0.05)) as client:
        first = asyncio.ensure_future(client.get("/v1/search?query=one"))
        while not slow.requests:
            await asyncio.sleep(0)
        second, third = await asyncio.gather(client.get("/v1/search?query=two"), client.get("/search?q=three&format=json"))
        assert (await told(second, 503))["code"] == 3
        assert third.status == 503
        assert second.headers["Retry-After"] == third.headers["Retry-After"] == "2"
        assert (await client.get("/healthz")).status == 200
        first.cancel()


def events(text: str) -> list[tuple[str, Any]]:
    parts = [part.split("\n", 1) for part in text.split("\n\n") if part]
    return [(head.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for head, data in parts]


def promised(e: Encyclopedia, path: str, seen: list[tuple[str, Any]]) -> None:
    """Assert that the description promises each of the events, and no other."""
    schema = description(e)["paths"][path]["get"]["responses"]["200"]["content"]["text/event-stream"]["schema"]
    for name, body in seen:
        jsonschema.Draft202012Validator(schema).validate({"event": name, "data": json.dumps(body)})
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema).validate({"event": "another", "data": "{}"})


@pytest.mark.spec("ENC-SERVE-11")
async def test_a_stream_tells_the_plan_each_source_the_ranking_and_the_end(make: Make) -> None:
    e = make(Fixed("quick", HITS[:1]), Fixed("slow", [*HITS, Hit("Third", "https://example.org/3", "signing keys")], delay=0.1))
    async with site(e) as client:
        response = await client.get("/v1/search/stream", params={"query": QUERY})
        assert (response.status, response.content_type) == (200, "text/event-stream")
        seen = events(await response.text())
        done = (await e.search(QUERY)).to_dict()
        again = events(await (await client.post("/v1/search/stream", json={"query": QUERY})).text())
    assert [name for name, _ in seen] == ["plan", "source", "ranking", "source", "done"]
    assert seen[0][1]["target_sources"] == ["quick", "slow"]
    assert [body["source"] for name, body in seen if name == "source"] == ["quick", "slow"]
    assert seen[2][1]["waiting"] == ["slow"]
    assert [row["title"] for row in seen[2][1]["results"]] == ["Signing keys"]
    assert seen[-1][1]["results"] == done["results"]
    promised(e, "/v1/search/stream", seen)
    assert [name for name, _ in again] == ["plan", "done"]
    assert again[-1][1]["cached"]


@pytest.mark.spec("ENC-SERVE-11")
async def test_a_stream_that_cannot_begin_is_refused_and_one_that_fails_ends_with_the_error(make: Make) -> None:
    async with site(make(Fixed("ill", raises=Unavailable("gone")))) as client:
        assert (await told(await client.get("/v1/search/stream?query=x&sources=nobody"), 400))["code"] == 1
        seen = events(await (await client.get("/v1/search/stream?query=x")).text())
    assert [name for name, _ in seen] == ["plan", "source", "error"]
    assert (seen[-1][1]["code"], seen[-1][1]["http_status"]) == (3, 502)


@pytest.mark.spec("ENC-SERVE-18")
async def test_other_long_work_tells_its_steps_and_ends_with_the_same_body(make: Make) -> None:
    e = make(Fixed("one", HITS), Fixed("two", HITS[1:]))
    async with site(e) as client:
        response = await client.get("/v1/lookup/stream?topic=signing+keys")
        assert (response.status, response.content_type) == (200, "text/event-stream")
        seen = events(await response.text())
        plain = await told(await client.get("/v1/lookup?topic=signing+keys"))
        posted = events(await (await client.post("/v1/lookup/stream", json={"topic": "signing keys"})).text())
    assert [name for name, _ in seen] == ["progress", "progress", "done"]
    assert {body["step"] for _, body in seen[:2]} == {"one: ok", "two: ok"}
    assert [(body["done"], body["total"]) for _, body in seen[:2]] == [(1, 2), (2, 2)]
    kept(e, "/v1/lookup", 200, seen[-1][1])
    promised(e, "/v1/lookup/stream", seen)
    assert seen[-1][1]["content"] == posted[-1][1]["content"] == plain["content"]


@pytest.mark.spec("ENC-SERVE-18")
async def test_long_work_that_cannot_begin_is_refused_and_what_fails_ends_with_the_error(make: Make) -> None:
    async with site(make(Fixed("ill", raises=Unavailable("gone")))) as client:
        assert (await told(await client.get("/v1/ask/stream?question=why"), 400))["code"] == 1
        assert (await told(await client.get("/v1/plan/stream?query=why"), 404))["code"] == 64
        seen = events(await (await client.get("/v1/lookup/stream?topic=keys")).text())
    assert [name for name, _ in seen] == ["progress", "error"]
    assert (seen[-1][1]["code"], seen[-1][1]["http_status"]) == (3, 502)


@pytest.mark.spec("ENC-SERVE-19")
async def test_a_vote_is_posted_and_is_refused_to_others(make: Make) -> None:
    e = make(Fixed("one", HITS))
    async with site(e) as client:
        await client.get(f"/v1/search?query={QUERY}")
        vote = {"target": "https://example.org/keys", "vote": "up"}
        body = await told(await client.post("/v1/feedback", json=vote))
        assert (body["query"], body["result"], body["vote"], body["sources"]) == (QUERY, 1, 1, ["one"])
        schema = {"$ref": "#/components/schemas/Feedback", "components": description(e)["components"]}
        jsonschema.Draft202012Validator(schema).validate(body)
        assert (await told(await client.post("/v1/feedback", json={"target": "zz", "vote": "up"}), 400))["code"] == 1
        assert (await told(await client.post("/v1/feedback", json={"target": "last", "vote": "so"}), 400))["code"] == 64
        refused = await client.get("/v1/feedback?target=last&vote=down")
        assert (refused.status, refused.headers["Allow"]) == (405, "POST")


@pytest.mark.spec("ENC-SERVE-17", "ENC-SERVE-19")
async def test_past_searches_are_not_voted_on_by_others(tmp_path: Path) -> None:
    e = Encyclopedia(home=str(tmp_path), sources=[Fixed("one", HITS)], environ=off(), ceiling="internal")
    async with site(e) as client:
        await client.get(f"/v1/search?query={QUERY}")
        body = await told(await client.post("/v1/feedback", json={"target": "last", "vote": "up"}), 400)
    assert body["code"] == 1
    assert QUERY not in json.dumps(body)


@pytest.mark.spec("ENC-SERVE-20")
@pytest.mark.parametrize("asked", ["/v1/search?query=signing+keys&limit=50", "/v1/search/stream?query=signing+keys&limit=50"])
async def test_a_client_that_does_not_take_its_answer_is_let_go(
    make: Make, asked: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("encyclopedia.faces.http.service.TAKEN_SECONDS", 0.2)
    monkeypatch.setattr("encyclopedia.faces.http.verbs.WRITE_SECONDS", 0.2)
    hits = [Hit(f"Signing keys {n}", f"https://example.org/{n}", f"{n} {'rotate the keys ' * 10_000}") for n in range(50)]
    async with site(make(Fixed("one", hits))) as client:
        with socket.socket() as slow:
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            slow.connect((client.host, client.port))
            slow.sendall(f"GET {asked} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            label = f'encyclopedia_requests_total{{operation="{asked.partition("?")[0]}",status="499"}} 1.0'
            async with asyncio.timeout(30):
                while label not in await (await client.get("/metrics")).text():
                    await asyncio.sleep(0.01)
            seen = b""
            while part := await asyncio.to_thread(slow.recv, 1 << 20):
                seen += part
        assert seen.startswith(b"HTTP/1.1 200 OK")
        assert b"/49" not in seen[-500_000:]  # the end of the connection, not of the answer
        assert not seen.endswith((b"}", b"0\r\n\r\n"))
        assert (await client.get("/readyz")).status == 200
    assert "request failed" not in capsys.readouterr().err


@pytest.mark.spec("ENC-SERVE-12")
async def test_the_figures_count_requests_outcomes_and_answers(make: Make) -> None:
    async with site(make(Fixed("one", HITS), Fixed("ill", raises=Unavailable("gone")))) as client:
        await client.get(f"/v1/search?query={QUERY}")
        await client.get("/v1/search")
        await client.get("/secret-path-of-somebody")
        text = await (await client.get("/metrics")).text()
    for line in (
        'encyclopedia_requests_total{operation="/v1/search",status="200"} 1.0',
        'encyclopedia_requests_total{operation="/v1/search",status="400"} 1.0',
        'encyclopedia_requests_total{operation="unknown",status="404"} 1.0',
        'encyclopedia_source_outcomes_total{source="one",status="ok"} 1.0',
        'encyclopedia_source_outcomes_total{source="ill",status="unavailable"} 1.0',
        'encyclopedia_answers_total{cached="false",degraded="true"} 1.0',
        "encyclopedia_requests_in_flight 1.0",
    ):
        assert line in text.splitlines()
    assert "secret-path" not in text
