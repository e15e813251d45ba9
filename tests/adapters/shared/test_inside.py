"""Every way to write an address inside the network, through the real client: refused, and nobody was called."""

from __future__ import annotations

import asyncio
import socket

import pytest
from aiohttp.abc import AbstractResolver

from encyclopedia.model.errors import Refused, Unavailable
from encyclopedia_adapters.shared.guard import Guard
from encyclopedia_adapters.shared.http import Call, Http
from encyclopedia_adapters.shared.session import new_session
from tests.adapters.contract.stand_ins import AGENT
from tests.upstream import Act, Upstream

HOSTS = (
    *(
        "127.0.0.1",
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f000001",
        "0x7f.0.0.1",
        "0177.0.0.1",
        "017700000001",
        "127.000.000.001",
    ),
    *("0", "0.0.0.0", "localhost", "LOCALHOST", "①②⑦.⓪.⓪.①", "127。0。0。1", "127.0.0.1."),
    *("[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[2002:7f00:1::]"),
    *("[64:ff9b::7f00:1]", "[64:ff9b:1::7f00:1]", "[2001:0:7f00:1::]", "[fe80::1]", "[fec0::1]", "[fd00::1]", "[ff02::1]"),
    *("10.0.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "172.16.0.1", "192.0.0.8", "224.0.0.1", "255.255.255.255"),
)


class Anywhere:
    """A listener on every address of this machine, of both versions where it has both, that counts who calls."""

    async def __aenter__(self):
        self.called = 0
        both = socket.has_dualstack_ipv6()
        family, host = (socket.AF_INET6, "::") if both else (socket.AF_INET, "")
        listening = socket.create_server((host, 0), family=family, dualstack_ipv6=both)
        self._server = await asyncio.start_server(self._call, sock=listening)
        self.port = listening.getsockname()[1]
        return self

    async def __aexit__(self, *_):
        self._server.close()
        await self._server.wait_closed()

    async def _call(self, _reader, writer):
        self.called += 1
        writer.close()


@pytest.fixture
async def http():
    made = Http(AGENT)
    yield made
    await made.aclose()


@pytest.mark.spec("ENC-HTTP-2")
@pytest.mark.parametrize("host", HOSTS)
async def test_no_form_of_an_inside_address_is_called(http, host):
    async with Anywhere() as anybody:
        with pytest.raises(Refused):
            await http.get_json(Call("s", f"http://{host}:{anybody.port}/x", 5.0))
        assert anybody.called == 0


@pytest.mark.spec("ENC-HTTP-2")
@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]"])
async def test_the_listener_would_have_been_called(http, host):
    async with Anywhere() as anybody:
        url = f"http://{host}:{anybody.port}"
        http.allow(url)
        with pytest.raises(Unavailable):
            await http.get_json(Call("s", f"{url}/x", 5.0))
        assert anybody.called == 1


@pytest.mark.spec("ENC-HTTP-2")
async def test_no_redirect_leads_inside_or_anywhere(http):
    async with Upstream() as up, Anywhere() as anybody:
        http.allow(up.url)
        for status in (301, 302, 303, 307, 308):
            up.on("/x", Act(status, redirect=f"http://127.0.0.1:{anybody.port}/"))
            with pytest.raises(Refused, match="not followed"):
                await http.get_json(Call("s", f"{up.url}/x", 5.0))
        up.on("/x", Act(redirect=f"{up.url}/y"))
        with pytest.raises(Refused, match="not followed"):
            await http.get_json(Call("s", f"{up.url}/x", 5.0))
        assert (anybody.called, up.count("/y")) == (0, 0)


@pytest.mark.spec("ENC-HTTP-2")
async def test_a_name_that_turns_inside_after_it_was_allowed_elsewhere_is_refused(http):
    """What is dialled decides, each time anew: a permission for one port says nothing of another, whatever the name."""
    async with Upstream() as up, Anywhere() as anybody:
        http.allow(f"http://localhost:{up.port}")
        up.on("/x", Act(json={}))
        assert (await http.get_json(Call("s", f"http://localhost:{up.port}/x", 5.0))).data == {}
        with pytest.raises(Refused, match="inside a network"):
            await http.get_json(Call("s", f"http://localhost:{anybody.port}/x", 5.0))
        assert anybody.called == 0


class Rebinding(AbstractResolver):
    """A name server of the attacker: the same name leads elsewhere each time."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), 0

    async def resolve(self, host, port=0, family=socket.AF_INET):
        self.asked += 1
        answer = self.answers.pop(0)
        row = {"hostname": host, "port": port, "proto": 0, "flags": socket.AI_NUMERICHOST}
        return [row | {"host": ip, "family": socket.AF_INET6 if ":" in ip else socket.AF_INET} for ip in answer]

    async def close(self):
        pass


@pytest.mark.spec("ENC-HTTP-2")
async def test_a_name_that_leads_elsewhere_each_time_leads_never_inside():
    async with Anywhere() as anybody, Upstream() as up:
        up.on("/x", Act(json={}))
        known, port = f"http://rebind.example:{up.port}/x", f"http://rebind.example:{anybody.port}/x"
        answers = [["127.0.0.1"], ["127.0.0.1", "::1"], ["::ffff:127.0.0.1"], ["64:ff9b::7f00:1", "2002:7f00:1::"], ["0.0.0.0"]]
        guard, names = Guard(), Rebinding(["127.0.0.1"], *answers)
        guard.allow(known)
        async with new_session(AGENT, guard) as session:
            session.connector._resolver, session.connector._use_dns_cache = names, False
            with guard.dialling(known):  # the operator's own host and port, which lies inside
                async with session.get(known) as response:
                    assert response.status == 200
            for _ in answers:
                with guard.dialling(port), pytest.raises(Refused, match="inside a network"):
                    await session.get(port)
        assert (anybody.called, names.asked, names.answers) == (0, 1 + len(answers), [])
