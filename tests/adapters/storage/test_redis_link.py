"""The way to a server that may go away, ask for a password, speak TLS, be full, or belong to strangers."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import closing, suppress

import pytest

from encyclopedia.model.errors import ConfigurationError
from encyclopedia_adapters.storage.redis_address import address_of
from encyclopedia_adapters.storage.redis_link import Gone, open_link
from encyclopedia_adapters.storage.redis_patience import RATE, Patient
from tests.redis_server import PATIENCE, redis_server
from tests.upstream import certificate

SOON = 30.0


@pytest.fixture(scope="module")
def server():
    with redis_server() as running:
        yield running


@pytest.fixture
def link(server):
    if not server.running:
        server.start()
    server.client.flushall()
    with closing(open_link(server.url)) as link:
        yield link


def address_at(listening, timeout):
    return f"redis://127.0.0.1:{listening.getsockname()[1]}/0?timeout={timeout}"


def ping(client):
    return client.ping()


def until(true):
    end = time.monotonic() + SOON
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("url", "fields"),
    [
        ("redis://cache", {"place": "cache:6379/0", "host": "cache", "port": 6379, "db": 0, "tls": False, "password": None}),
        ("redis://cache:7000/3", {"place": "cache:7000/3", "port": 7000, "db": 3}),
        ("rediss://me:p%40ss@cache?db=2", {"place": "cache:6379/2", "user": "me", "password": "p@ss", "tls": True, "db": 2}),
        ("redis://:pw@[::1]:7000", {"place": "[::1]:7000/0", "host": "::1", "user": "", "password": "pw"}),
        ("unix://:pw@/run/redis.sock?db=1", {"place": "/run/redis.sock/1", "path": "/run/redis.sock", "password": "pw", "db": 1}),
        ("redis://cache?prefix=team-a&timeout=2.5", {"prefix": "team-a", "timeout": 2.5}),
        (" redis://cache ", {"host": "cache"}),
    ],
)  # fmt: skip
@pytest.mark.spec("ENC-SHARED-5")
def test_an_address_is_taken_apart_and_shown_without_credentials(url, fields):
    found = address_of(url)._asdict()
    assert {name: found[name] for name in fields} == fields
    assert "p" + "w@" not in found["place"]


@pytest.mark.spec("ENC-SHARED-5")
@pytest.mark.parametrize("end", ["?timeout=0", "?timeout=61", "?timeout=x", "?prefix=a:b", "?prefix=", "/0?db", "/99999", "#x"])
def test_what_is_wrong_in_an_address_is_an_error(end):
    with pytest.raises(ConfigurationError, match="state_url") as failed:
        address_of(f"redis://:s3cr3t@cache{end}")
    assert "s3cr3t" not in f"{failed.value} {failed.value.hint}"


@pytest.mark.spec("ENC-SHARED-2", "ENC-SHARED-3")
def test_a_server_that_went_is_taken_up_again_by_itself(server, link):
    told, back, rounds = [], threading.Event(), threading.Event()
    link.changed = told.append
    assert link.run(ping)
    link.when_back(back.set)
    server.kill()
    with pytest.raises(Gone, match="cannot be reached"):
        link.run(ping)
    with pytest.raises(Gone):
        link.run(lambda _client: pytest.fail("nobody is asked while the server is gone"))
    assert not back.is_set()
    server.start()
    assert back.wait(SOON)
    link.each_round(rounds.set)
    assert rounds.wait(SOON)
    assert link.run(ping)
    assert told == [f"127.0.0.1:{server.port}/0 cannot be reached", ""]


@pytest.mark.spec("ENC-SHARED-3")
def test_one_that_hangs_costs_its_patience_once(server):
    with closing(open_link(server.address(timeout=0.3))) as link:
        assert link.run(ping)
        server.freeze()
        try:
            with pytest.raises(Gone, match=r"does not answer within 0\.3 s"):
                link.run(ping)
            with pytest.raises(Gone):
                link.run(lambda _client: pytest.fail("nobody waits twice"))
        finally:
            server.thaw()
        until(lambda: not link.problem)
        assert link.run(ping)


@pytest.mark.spec("ENC-SHARED-3")
def test_an_answer_that_trickles_costs_its_patience_once():
    with socket.create_server(("127.0.0.1", 0)) as listening, closing(open_link(address_at(listening, 0.3))) as link:

        def trickle():
            with suppress(OSError), listening.accept()[0] as caller:
                caller.sendall(b"$1000000\r\n")
                for _ in range(400):  # each piece comes soon enough; who waits for all of them is hung up on in the end
                    caller.sendall(b"x")
                    time.sleep(0.05)

        thread = threading.Thread(target=trickle)
        thread.start()
        assert not link.look()
        assert link.problem.endswith("does not answer within 0.3 s")
        link.close()
        thread.join(SOON)


@pytest.mark.spec("ENC-SHARED-3")
def test_an_answer_may_take_as_long_as_its_size_explains():
    now = [0.0]
    ours, theirs = socket.socketpair()
    with ours, theirs:
        patience = Patient(ours, 1.0, lambda: now[0])
        patience.sendall(b"?")
        theirs.sendall(bytes(1000))
        now[0] = 0.9
        assert len(patience.recv(800)) == 800
        now[0] = 1.0 + 700 / RATE
        assert patience.recv_into(bytearray(100)) == 100
        now[0] = 1.0 + 1000 / RATE
        with pytest.raises(TimeoutError):
            patience.recv(1)
        patience.sendall(b"?")
        assert patience.recv(1)


@pytest.mark.spec("ENC-SHARED-2")
def test_a_server_that_refuses_what_is_needed_is_told():
    unknown = [part for name in ("EVAL", "EVALSHA") for part in ("--rename-command", name, "")]
    with redis_server(*unknown) as hardened, closing(open_link(hardened.url)) as link:
        with pytest.raises(Gone, match="refused a command"):
            link.script("return 1", [link.key("any")])
        assert link.problem == f"127.0.0.1:{hardened.port}/0 does not do what is needed"


@pytest.mark.spec("ENC-SHARED-2")
def test_a_command_that_fails_by_itself_is_no_loss_of_the_server(link):
    with pytest.raises(Gone, match="refused a command"):
        link.script("return redis.call('NOSUCH')", [link.key("any")])
    assert not link.problem


@pytest.mark.spec("ENC-SHARED-2")
def test_a_round_that_fails_keeps_no_other_from_its_work(server, link):
    done = threading.Event()

    def fails():
        raise ZeroDivisionError

    link.each_round(fails)
    link.each_round(done.set)
    assert done.wait(SOON)


@pytest.mark.spec("ENC-SHARED-2")
def test_a_server_that_takes_nothing_is_gone(server, link):
    assert link.look()
    server.client.config_set("maxmemory", 1)
    try:
        assert not link.look()
        assert link.problem.endswith("is out of memory")
    finally:
        server.client.config_set("maxmemory", 0)
    until(lambda: not link.problem)
    server.client.replicaof("127.0.0.1", "1")
    try:
        assert not link.look()
        assert "replica that cannot be written to" in link.problem or "lost its primary" in link.problem
    finally:
        server.client.replicaof("NO", "ONE")
    until(lambda: not link.problem)


@pytest.mark.spec("ENC-SHARED-5")
def test_a_password_opens_and_a_wrong_one_is_told_without_it(server, link):
    server.client.acl_setuser("me", enabled=True, passwords=["+s3cr3t-me"], categories=["+@all"], keys=["*"])
    server.client.acl_setuser(
        "poor", enabled=True, passwords=["+s3cr3t-me"], categories=["-@all"], commands=["+ping"], keys=["*"]
    )
    with closing(open_link(server.address("me:s3cr3t-me", timeout=PATIENCE))) as known:
        assert known.look()
    for user, told in (
        ("me:s3cr3t-no", "does not accept the user or the password"),
        ("poor:s3cr3t-me", "does not let this user do what is needed"),
    ):
        with closing(open_link(server.address(user, timeout=PATIENCE))) as stranger:
            assert not stranger.look()
            assert stranger.problem == f"127.0.0.1:{server.port}/0 {told}"
            assert "s3cr3t" not in stranger.problem


@pytest.mark.spec("ENC-SHARED-5")
def test_tls_trusts_the_named_certificates_and_none_else(tmp_path):
    trust, key = certificate()
    with redis_server() as plain:  # the port of the test's own client
        from tests.redis_server import free_port

        port = free_port()
        plain.client.config_set("tls-cert-file", trust)
        for name, value in (("tls-key-file", key), ("tls-ca-cert-file", trust), ("tls-auth-clients", "no")):
            plain.client.config_set(name, value)
        plain.client.config_set("tls-port", port)
        address = f"rediss://127.0.0.1:{port}/0?timeout={PATIENCE:g}"
        with closing(open_link(f"{address}&ca={trust}")) as link:
            assert link.look()
        with closing(open_link(address)) as stranger:
            assert not stranger.look()
            assert stranger.problem.endswith("cannot be reached")


@pytest.mark.spec("ENC-SHARED-6")
def test_what_strangers_keep_under_our_key_is_no_loss_of_the_server(server, link):
    key = link.key("alive")
    server.client.rpush(key, "a stranger's")
    with pytest.raises(ValueError, match="another kind under our name"):
        link.run(lambda client: client.get(key))
    assert not link.problem
    assert link.look()


def test_after_the_end_no_thread_is_left(server):
    before = threading.active_count()
    link = open_link(server.url)
    link.each_round(lambda: None)
    link.close()
    until(lambda: threading.active_count() <= before)
