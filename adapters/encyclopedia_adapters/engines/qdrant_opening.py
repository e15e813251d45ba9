"""From an address to a corpus in Qdrant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia_adapters.engines import address
from encyclopedia_adapters.engines.http_wire import HttpWire
from encyclopedia_adapters.engines.qdrant import Qdrant
from encyclopedia_adapters.engines.qdrant_wire import QdrantWire

if TYPE_CHECKING:
    from collections.abc import Callable

PORT = 6333


def open_engine(template: str, secret: Callable[[str], str], corpus: str) -> Qdrant:
    """The engine at ``qdrant+https://:${KEY}@host:port/name``, without a key where the server asks for none.

    ``name`` is that of its collection, in the place of the corpus' own.
    """
    place = address.Http(address.filled(template, secret), corpus)
    place.port = place.port or PORT
    headers = {"api-key": place.key} if place.key else {}
    http = HttpWire(place, template.partition("?")[0], address.secrets(template, secret), headers)
    return Qdrant(QdrantWire(http), place.name)
