import aiohttp
import pytest
from aiohttp.http_exceptions import ContentEncodingError

from encyclopedia.model.errors import Garbled, Refused, Unavailable
from encyclopedia_adapters.shared.guard import GuardedAddressError
from encyclopedia_adapters.shared.session import named, ours
from encyclopedia_adapters.shared.status import Passing


def caused(error, cause):
    error.__cause__ = cause
    return error


@pytest.mark.spec("ENC-HTTP-3")
@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (aiohttp.ServerDisconnectedError(), Passing),
        (aiohttp.ClientPayloadError("http://example.org/?key=1"), Passing),
        (caused(aiohttp.ClientPayloadError(), ContentEncodingError("bad")), Garbled),
        (aiohttp.ClientOSError(104, "reset"), Passing),
        (ConnectionResetError(), Passing),
        (TimeoutError(), Passing),
        (OSError(113, "no route"), Passing),
        (caused(OSError(), GuardedAddressError("inside")), Refused),
        (aiohttp.InvalidURL("http://example.org/?key=1"), Refused),
        (ValueError("X-Key: s3cret"), Refused),
        (aiohttp.ClientResponseError(None, (), status=400, message="bad header"), Garbled),
    ],
)
def test_a_foreign_exception_becomes_one_of_ours(error, kind):
    found = ours(error, "example.org")
    assert type(found) is kind
    assert str(found).startswith("example.org")
    assert "key=1" not in str(found)
    assert "s3cret" not in str(found)


@pytest.mark.spec("ENC-HTTP-3")
def test_only_what_is_the_sources_doing_counts():
    assert Passing.counts
    assert Passing.status is Unavailable.status
    assert not Refused.counts


@pytest.mark.spec("ENC-HTTP-3")
def test_a_host_is_named_with_its_port_if_that_says_something():
    assert named("example.org", 443) == named("example.org", None) == "example.org"
    assert named("localhost", 8888) == "localhost:8888"
