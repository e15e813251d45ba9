"""Host names, looked up by the resolver of this machine on threads of their own."""

from __future__ import annotations

import socket
import threading

import pytest

from encyclopedia_adapters.shared.http import Call, Http
from encyclopedia_adapters.shared.names import look_up, resolver
from tests.adapters.contract.stand_ins import AGENT
from tests.upstream import Act, Upstream


@pytest.mark.spec("ENC-HTTP-11")
async def test_a_name_leads_to_its_addresses_and_one_that_leads_nowhere_is_an_error():
    rows = await resolver().resolve("localhost", 80, socket.AF_INET)
    found = {(row["hostname"], row["host"], row["port"], row["family"]) for row in rows}
    assert found == {("localhost", "127.0.0.1", 80, socket.AF_INET)}
    with pytest.raises(OSError):
        await resolver().resolve("127.0.0.1", 80, socket.AF_INET6)
    with pytest.raises(UnicodeError):
        look_up("a" * 70 + ".example", 80).result(60)


@pytest.mark.spec("ENC-HTTP-11")
async def test_a_request_looks_its_host_up_on_no_thread_that_an_end_waits_for():
    async with Upstream() as up:
        before = set(threading.enumerate())
        up.on("/x", Act(json={}))
        http = Http(AGENT)
        http.allow(f"http://localhost:{up.port}")
        assert (await http.get_json(Call("s", f"http://localhost:{up.port}/x", 5.0))).data == {}
        await http.aclose()
        assert [thread.name for thread in threading.enumerate() if thread not in before and not thread.daemon] == []
