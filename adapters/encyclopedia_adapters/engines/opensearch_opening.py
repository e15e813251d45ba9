"""From an address to a corpus in OpenSearch."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING

from encyclopedia_adapters.engines import address
from encyclopedia_adapters.engines.http_wire import HttpWire
from encyclopedia_adapters.engines.opensearch import OpenSearch
from encyclopedia_adapters.engines.opensearch_wire import OpenSearchWire

if TYPE_CHECKING:
    from collections.abc import Callable

PORT = 9200


def open_engine(template: str, secret: Callable[[str], str], corpus: str) -> OpenSearch:
    """The engine at ``opensearch+https://user:password@host:port/name``; ``:token@`` without a user is a bearer token.

    ``name`` is that of its indices, in the place of the corpus' own.
    """
    place = address.Http(address.filled(template, secret), corpus)
    place.port = place.port or PORT
    headers = {}
    if place.user:
        told = b64encode(f"{place.user}:{place.key}".encode()).decode()
        headers = {"Authorization": f"Basic {told}"}
    elif place.key:
        headers = {"Authorization": f"Bearer {place.key}"}
    http = HttpWire(place, template.partition("?")[0], address.secrets(template, secret), headers)
    return OpenSearch(OpenSearchWire(http), place.name)
