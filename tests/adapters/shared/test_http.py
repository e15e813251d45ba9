import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from encyclopedia.model.errors import Garbled, RateLimited, Refused, SourceTrouble, Unavailable
from encyclopedia_adapters.shared.http import Call, Http, shared_http
from tests.adapters.contract.stand_ins import AGENT, Resources
from tests.upstream import Act, Upstream

ROOT = Path(__file__).parents[3]
GOOD = Act(json={"a": 1})


@pytest.fixture
async def up():
    async with Upstream() as up:
        up.on("/x", GOOD)
        yield up


@pytest.fixture
async def http(up):
    http = Http(AGENT)
    http.allow(up.url)
    yield http
    await http.aclose()


def call(up, **more):
    return Call(**{"source": "s", "url": up.url + "/x", "timeout": 5.0, **more})


@pytest.mark.spec("ENC-HTTP-1")
async def test_json_comes_back_with_its_headers(up, http):
    up.on("/x", Act(json={"a": "é"}, headers={"X-Thing": "yes"}))
    answer = await http.get_json(call(up, params={"q": "a b&c/ü"}, headers={"X-Key": "k", "accept": "application/json"}))
    assert answer.data == {"a": "é"}
    assert (answer.status, answer.headers["x-thing"]) == (200, "yes")
    assert up.seen[0].raw_path == "/x?q=a%20b%26c%2F%C3%BC"
    assert up.seen[0].headers["x-key"] == "k"
    assert up.seen[0].headers["accept"] == "application/json"


@pytest.mark.spec("ENC-HTTP-1")
async def test_parameters_join_those_that_the_url_has(up, http):
    await http.get_json(call(up, url=up.url + "/x?a=%2Fb", params={"c": "d"}))
    assert up.seen[0].raw_path == "/x?a=%2Fb&c=d"


@pytest.mark.spec("ENC-HTTP-1")
async def test_a_body_is_posted_as_json(up, http):
    await http.post_json(call(up), {"q": "ü"})
    assert (up.seen[0].method, up.seen[0].body) == ("POST", '{"q": "ü"}')
    assert up.seen[0].headers["content-type"] == "application/json"


@pytest.mark.spec("ENC-HTTP-1")
async def test_a_404_that_found_nothing_is_an_answer_without_data(up, http):
    up.on("/x", Act(404, json={"error": "no_documentation_found"}))
    answer = await http.get_json(call(up))
    assert (answer.status, answer.data) == (404, None)


@pytest.mark.spec("ENC-HTTP-10")
@pytest.mark.parametrize("body", [{"error": "moved", "message": "x"}, {"target": "/a", "error": "x"}, {"target": None}])
async def test_an_error_that_the_source_wants_to_read_is_an_answer(up, http, body):
    up.on("/x", Act(404, json=body))
    answer = await http.get_json(call(up, told=("moved", "target")))
    assert (answer.status, answer.data, answer.nothing_found) == (404, body, False)


@pytest.mark.spec("ENC-HTTP-10")
@pytest.mark.parametrize("body", [{"error": "other"}, {"error": ["moved"]}, {"message": "moved"}, ["moved"], "moved", 3])
async def test_any_other_error_stays_one(up, http, body):
    up.on("/x", Act(404, json=body))
    with pytest.raises(Refused):
        await http.get_json(call(up, told=("moved", "target")))


@pytest.mark.spec("ENC-HTTP-2")
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"])
async def test_an_address_inside_the_network_is_not_dialled(up, http, host):
    stranger = Http(AGENT)
    try:
        with pytest.raises(Refused, match="inside a network"):
            await stranger.get_json(call(up, url=f"http://{host}:{up.port}/x"))
    finally:
        await stranger.aclose()
    assert up.count() == 0


@pytest.mark.spec("ENC-HTTP-2")
async def test_the_exemption_holds_for_the_exact_host_and_port(up, http):
    async with Upstream() as other:
        for url in (f"http://localhost:{up.port}/x", other.url + "/x"):
            with pytest.raises(Refused, match="inside a network"):
                await http.get_json(call(up, url=url))
        assert (await http.get_json(call(up))).data == {"a": 1}
        assert (up.count(), other.count()) == (1, 0)


@pytest.mark.spec("ENC-HTTP-2")
@pytest.mark.parametrize("url", ["file:///etc/passwd", "http://a:b@127.0.0.1/", "nonsense"])
async def test_what_is_no_plain_web_address_is_refused(http, url):
    with pytest.raises(Refused, match=r"^s: "):
        await http.get_json(Call("s", url, 5.0))


@pytest.mark.spec("ENC-HTTP-3")
async def test_what_cannot_be_sent_is_refused_without_showing_it(up, http):
    with pytest.raises(Refused) as caught:
        await http.get_json(call(up, headers={"X-Key": "s3cret\r\nX-Other: 1"}))
    assert "s3cret" not in str(caught.value)
    assert up.count() == 0


@pytest.mark.spec("ENC-HTTP-3")
async def test_names_and_certificates_that_fail_are_unavailable(up, http):
    with pytest.raises(Unavailable, match="not a name that can be resolved"):
        await http.get_json(Call("s", "http://name.invalid/", 5.0))
    secure = up.url.replace("http:", "https:")
    with pytest.raises(Unavailable, match="does not speak TLS"):
        await http.get_json(call(up, url=secure))


@pytest.mark.spec("ENC-HTTP-3")
async def test_a_meaning_of_the_source_goes_before_the_table(up, http):
    up.on("/x", Act(403))
    with pytest.raises(Refused, match="JSON is off"):
        await http.get_json(call(up, meanings={403: (Refused, "JSON is off")}))


@pytest.mark.spec("ENC-HTTP-3")
async def test_an_error_keeps_its_status_when_its_page_breaks_off(up, http):
    up.on("/x", Act(429, half=True, body="x" * 100))
    with pytest.raises(RateLimited):
        await http.get_json(call(up))


@pytest.mark.spec("ENC-HTTP-3")
@pytest.mark.parametrize(
    ("location", "to"),
    [("https://else.example.org/?key=1", "else.example.org"), ("/login", "another page"), ("http://[", "another page")],
)
async def test_a_redirect_is_named_by_its_host_only(up, http, location, to):
    up.on("/x", Act(redirect=location))
    with pytest.raises(Refused, match=to) as caught:
        await http.get_json(call(up))
    assert "key" not in str(caught.value)


@pytest.mark.spec("ENC-HTTP-4")
async def test_a_source_gets_no_more_requests_at_a_time_than_its_slots(up, http):
    up.on("/x", Act(json={}, delay=0.05))
    await asyncio.gather(*(http.get_json(call(up, slots=2)) for _ in range(8)))
    assert (up.count(), up.peak) == (8, 2)


@pytest.mark.spec("ENC-HTTP-4")
async def test_waiting_too_long_for_a_slot_is_not_the_sources_doing(up, http):
    up.on("/x", Act(hang=True))
    first = asyncio.create_task(http.get_json(call(up, slots=1, timeout=60.0)))
    await up.arrived.wait()
    with pytest.raises(Refused, match="busy with our own") as caught:
        await http.get_json(call(up, slots=1, timeout=0.1))
    assert not caught.value.counts
    assert up.count() == 1
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)


@pytest.mark.spec("ENC-HTTP-4")
async def test_the_time_runs_from_having_a_slot(up, http):
    up.on("/x", Act(json={}, delay=0.2))
    answers = await asyncio.gather(*(http.get_json(call(up, slots=1, timeout=10.0)) for _ in range(3)))
    assert [answer.data for answer in answers] == [{}, {}, {}]
    assert up.peak == 1


@pytest.mark.spec("ENC-HTTP-4")
async def test_another_source_does_not_wait(up, http):
    up.on("/x", Act(hang=True))
    up.on("/y", GOOD)
    waiting = asyncio.create_task(http.get_json(call(up, slots=1)))
    await up.arrived.wait()
    assert (await http.get_json(call(up, source="t", url=up.url + "/y", slots=1))).data == {"a": 1}
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)


@pytest.mark.spec("ENC-HTTP-5")
async def test_cancelling_leaves_nothing_in_flight(up, http):
    up.on("/x", Act(hang=True), GOOD)
    task = asyncio.create_task(http.get_json(call(up, slots=1)))
    await up.arrived.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await http.get_json(call(up, slots=1))).data == {"a": 1}
    async with asyncio.timeout(5):
        while up.in_flight:
            await asyncio.sleep(0)


async def well(up, http, times):
    for _ in range(times):
        await http.get_json(call(up))
    up.seen.clear()


@pytest.mark.spec("ENC-HTTP-6")
@pytest.mark.parametrize("bad", [Act(500), Act(reset=True), Act(502)], ids=["500", "reset", "502"])
async def test_a_tenth_of_the_calls_may_be_repeated_once(up, http, bad):
    await well(up, http, 10)
    up.on("/x", bad, GOOD)
    assert (await http.get_json(call(up))).data == {"a": 1}
    assert up.count() == 2
    up.on("/x", bad)
    with pytest.raises(Unavailable):
        await http.get_json(call(up))
    assert up.count() == 3


@pytest.mark.spec("ENC-HTTP-6")
async def test_none_is_repeated_before_it_is_earned(up, http):
    up.on("/x", Act(500))
    with pytest.raises(Unavailable):
        await http.get_json(call(up))
    assert up.count() == 1


@pytest.mark.spec("ENC-HTTP-6")
async def test_none_is_repeated_after_a_failure_since_it_may_be_a_probe(up, http):
    await well(up, http, 40)
    up.on("/x", Act(500))
    for expected in (2, 3, 4):
        with pytest.raises(Unavailable):
            await http.get_json(call(up))
        assert up.count() == expected


@pytest.mark.spec("ENC-HTTP-6")
@pytest.mark.parametrize("status", [400, 401, 408, 425, 429])
async def test_what_the_client_did_wrong_is_never_repeated(up, http, status):
    await well(up, http, 20)
    up.on("/x", Act(status))
    with pytest.raises(SourceTrouble):
        await http.get_json(call(up))
    assert up.count() == 1


@pytest.mark.spec("ENC-HTTP-6")
async def test_a_post_and_a_late_failure_are_never_repeated(up, http):
    await well(up, http, 20)
    up.on("/x", Act(500))
    with pytest.raises(Unavailable):
        await http.post_json(call(up), {})
    assert up.count() == 1
    await well_again(up, http)
    up.on("/x", Act(500, delay=0.3))
    with pytest.raises((Unavailable, TimeoutError)):
        await http.get_json(call(up, timeout=0.5))
    assert up.count() == 1


async def well_again(up, http):
    up.on("/x", GOOD)
    await well(up, http, 1)


@pytest.mark.spec("ENC-HTTP-7")
@pytest.mark.parametrize("limit", [10, 100])
async def test_a_body_is_read_up_to_its_limit(up, http, limit):
    up.on("/x", Act(json="x" * (limit - 2)))
    assert (await http.get_json(call(up, limit_bytes=limit))).data == "x" * (limit - 2)
    up.on("/x", Act(json="x" * (limit - 1)))
    with pytest.raises(Garbled, match=f"more than {limit} bytes"):
        await http.get_json(call(up, limit_bytes=limit))


BOMBED = """
import asyncio, resource, sys
sys.path[:0] = [{root!r}, {adapters!r}]
from encyclopedia.model.errors import Garbled
from encyclopedia_adapters.shared.http import Call, Http

async def main():
    http = Http("encyclopedia/0.0")
    http.allow({url!r})
    await http.get_json(Call("s", {url!r} + "/x", 5.0))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        await http.get_json(Call("s", {url!r} + "/bomb", 20.0))
    except Garbled:
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    await http.aclose()

asyncio.run(main())
"""


@pytest.mark.spec("ENC-HTTP-7")
async def test_a_bomb_of_300_mebibytes_costs_a_process_few(up):
    up.on("/bomb", Act(bomb=300))
    code = BOMBED.format(root=str(ROOT), adapters=str(ROOT / "adapters"), url=up.url)
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=subprocess.PIPE)
    out, _ = await process.communicate()
    unit = 1 if sys.platform == "darwin" else 1024
    assert int(out) * unit < 40 * 1024 * 1024


@pytest.mark.spec("ENC-HTTP-8")
async def test_an_engine_has_one_session_that_can_be_closed_before_use():
    from encyclopedia.ports import Context

    resources = Resources()
    context = Context("s", "", AGENT, 5.0, resources, lambda name: "")
    assert shared_http(context) is shared_http(context)
    await resources.aclose()
    await resources.aclose()


@pytest.mark.spec("ENC-HTTP-8")
async def test_proxies_of_the_environment_are_not_trusted(up):
    code = BOMBED.split("    before", 1)[0].format(root=str(ROOT), adapters=str(ROOT / "adapters"), url=up.url)
    code += "    await http.aclose()\n    print('reached')\nasyncio.run(main())\n"
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        code,
        stdout=subprocess.PIPE,
        env={"http_proxy": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9"},
    )
    out, _ = await process.communicate()
    assert out == b"reached\n"


@pytest.mark.spec("ENC-HTTP-1")
async def test_a_text_of_the_promised_type_comes_back_as_it_is(up, http):
    up.on("/x", Act(body="<a>\u00e9</a>", content_type="text/xml; charset=utf-8"))
    assert (await http.get_text(call(up, media=("text/xml",)))).data == "<a>\u00e9</a>"
    up.on("/x", Act(404, body="no results found", content_type="text/plain"))
    assert (await http.get_text(call(up, media=("text/xml",)))).nothing_found
    up.on("/x", Act(json={}))
    with pytest.raises(Garbled, match="something else than text/xml"):
        await http.get_text(call(up, media=("text/xml",)))
