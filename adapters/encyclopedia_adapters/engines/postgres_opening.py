"""From an address to a corpus in PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from encyclopedia_adapters.engines import address
from encyclopedia_adapters.engines.postgres import Postgres
from encyclopedia_adapters.engines.postgres_wire import Connections

if TYPE_CHECKING:
    from collections.abc import Callable


def open_engine(template: str, secret: Callable[[str], str], corpus: str) -> Postgres:
    """The engine at an address of libpq; ``?schema=NAME`` names another schema than that of the corpus' own name."""
    parts = urlsplit(address.filled(template, secret))
    options = parse_qsl(parts.query)
    schema = dict(options).get("schema") or address.place(corpus)
    url = urlunsplit(parts._replace(query=urlencode([(name, value) for name, value in options if name != "schema"])))
    shown = template.partition("?")[0]
    return Postgres(Connections(url, shown, schema, address.secrets(template, secret)), schema)
