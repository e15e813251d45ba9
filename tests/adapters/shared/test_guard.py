import ipaddress
import socket

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from encyclopedia_adapters.shared.guard import Guard, GuardedAddressError, normal_url, origin, refuses

INSIDE = """
127.0.0.1 127.8.9.10 0.0.0.0 10.0.0.1 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 192.0.0.8 192.0.2.1 198.18.0.1
198.51.100.1 203.0.113.1 192.88.99.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
::1 :: fe80::1 fe80::1%eth0 fc00::1 fd12::1 fec0::1 ff02::1 ff0e::1 2001:db8::1 100::1 ::127.0.0.1 ::8.8.8.8
::ffff:127.0.0.1 ::ffff:10.0.0.1 64:ff9b::7f00:1 64:ff9b::a00:1 64:ff9b:1::808:808 2002:7f00:1:: 2002:a00:1::1
2001:0:808:808::1 2a00:1450::5efe:7f00:1 2a00:1450::200:5efe:a00:1
"""
OUTSIDE = "8.8.8.8 1.1.1.1 93.184.216.34 2a00:1450:4001::1 ::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808::1"


@pytest.mark.spec("ENC-GUARD-1")
@pytest.mark.parametrize("address", INSIDE.split())
def test_no_address_inside_a_network_is_dialled_in_whatever_form(address):
    assert refuses(address)


@pytest.mark.spec("ENC-GUARD-1")
@pytest.mark.parametrize("address", OUTSIDE.split())
def test_public_addresses_are_dialled(address):
    assert not refuses(address)


@pytest.mark.spec("ENC-GUARD-1")
@settings(deadline=None)
@given(st.ip_addresses(v=4))
def test_every_wrapped_form_is_judged_as_what_it_wraps(ip):
    mapped = ipaddress.IPv6Address((0xFFFF << 32) | int(ip))
    nat64 = ipaddress.IPv6Address((0x64FF9B << 96) | int(ip))
    sixtofour = ipaddress.IPv6Address((0x2002 << 112) | (int(ip) << 80) | 1)
    assert {refuses(str(form)) for form in (mapped, nat64, sixtofour)} == {refuses(str(ip))}


def info(address, port=80):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return (family, socket.SOCK_STREAM, 0, "", (address, port))


@pytest.mark.spec("ENC-GUARD-2")
def test_a_configured_host_and_port_is_exempt_and_no_other():
    guard = Guard()
    guard.allow("http://localhost:8888/searxng")
    with guard.dialling("http://LOCALHOST:8888/search?q=x"):
        guard.socket(info("127.0.0.1", 8888)).close()
    for other in (
        "http://localhost:8889/",
        "http://localhost/",
        "http://127.0.0.1:8888/",
        "https://localhost.example.org:8888/",
    ):
        with guard.dialling(other), pytest.raises(GuardedAddressError):
            guard.socket(info("127.0.0.1", 8888))
    with pytest.raises(GuardedAddressError):
        guard.socket(info("127.0.0.1", 8888))


@pytest.mark.spec("ENC-GUARD-2")
def test_a_public_address_needs_no_exemption():
    guard = Guard()
    with guard.dialling("https://example.org"):
        guard.socket(info("8.8.8.8")).close()


@pytest.mark.spec("ENC-GUARD-3")
@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://example.org",
        "example.org",
        "",
        "http://",
        "http://user@example.org/",
        "http://a:b@example.org/",
        "http://[::1",
        "http://example.org:99999/",
        "http://exa mple.org/",
        "http://" + "a" * 70 + ".example.org/",
        "gopher://x/",
    ],
)
def test_what_is_no_plain_web_address_is_refused_without_quoting_it(url):
    with pytest.raises(ValueError) as caught:
        normal_url(url)
    assert "example" not in str(caught.value)


@pytest.mark.spec("ENC-GUARD-3")
def test_an_address_is_written_in_ascii():
    assert (
        normal_url("https://Bücher.example/Größe?q=ä&x=%20#frag")
        == "https://xn--bcher-kva.example/Gr%C3%B6%C3%9Fe?q=%C3%A4&x=%20"
    )
    assert normal_url("http://[2A00::1]:8080/x") == "http://[2a00::1]:8080/x"
    assert origin("https://Example.org./") == ("example.org", 443)
    assert origin("http://example.org") == ("example.org", 80)
