"""Any HTTP API that answers in JSON, as a source described in the settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.ports import Card, Key, Package
from encyclopedia_adapters.generic.json_table import OPTIONS, JsonTable, read_table
from encyclopedia_adapters.generic.paths import Paths
from encyclopedia_adapters.generic.template import fill, filled, percent, values

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.model.outcome import Hit, Reply
    from encyclopedia.model.plan import Request
    from encyclopedia.ports import Context
    from encyclopedia_adapters.shared.http import Http

SLOTS = 32
"""Requests at a time: an API that the operator describes is theirs to ask, and a service has many who ask."""


def card(name: str, options: Mapping[str, object]) -> Card:
    """The card of the source that the table ``options`` describes.

    Beside the options named there it takes ``body`` (a table sent as JSON by POST, with the same placeholders), ``form``,
    ``html`` (true: title and content are HTML, false: they are plain; without it markup is recognised), ``alternatives`` (ask a
    second time in expanded wording) and ``description``. ``ConfigurationError`` names the field at fault.
    """
    table = read_table(name, options)
    return Card(
        name,
        serves=table.serves,
        make=lambda context: JsonSource(table, context),
        description=table.description or "an HTTP API of your own",
        timeout=table.timeout,
        requires=(Package("aiohttp"), Package("jmespath"), *(Key(key) for key in table.keys)),
        form=table.form,
        alternatives=table.alternatives,
        options=OPTIONS,
    )


class JsonSource:
    """Asks one described API."""

    def __init__(self, table: JsonTable, context: Context) -> None:
        from encyclopedia_adapters.shared.http import shared_http

        self._table = table
        self._secret = context.secret
        self._http: Http = shared_http(context)
        self._paths = Paths(table.name, table.results, table.fields, table.markup)
        try:
            self._http.allow(fill(table.url, {}, context.secret, percent))
        except ValueError as fault:
            raise ConfigurationError(f"[sources.{table.name}] url: {fault}") from None

    async def search(self, request: Request) -> Reply:
        """At most ``request.limit`` clean hits; with ``alternatives`` a second list for the expanded wording."""
        from encyclopedia.model.outcome import Reply

        if not (self._table.alternatives and request.expanded):
            hits, note = await self._ask(request)
            return Reply(hits, note=note)
        import asyncio

        wordings = (request, request._replace(text=request.expanded))
        asked, other = await asyncio.gather(*(self._ask(wording) for wording in wordings), return_exceptions=True)
        if isinstance(asked, BaseException):
            raise asked
        hits, note = asked
        if isinstance(other, BaseException):
            return Reply(hits, note="; ".join(filter(None, (note, "the expanded wording was not answered"))))
        return Reply(hits, alternatives=other[0], note=note)

    async def _ask(self, request: Request) -> tuple[tuple[Hit, ...], str]:
        """The hits, and what is worth knowing of the answer."""
        from encyclopedia_adapters.shared.http import Call

        known = values(request)
        call = Call(
            source=self._table.name,
            url=fill(self._table.url, known, self._secret, percent),
            timeout=request.timeout,
            slots=SLOTS,
            headers={name: fill(value, {}, self._secret) for name, value in self._table.headers.items()},
        )
        if self._table.body is None:
            answer = await self._http.get_json(call)
        else:
            body = {name: filled(value, known, self._secret) for name, value in self._table.body.items()}
            answer = await self._http.post_json(call, body)
        if answer.nothing_found:
            return (), ""
        base = call.url.partition("?")[0]  # its query holds the question, and may hold a key
        return self._paths.hits(answer.data, request.limit, base), self._paths.note(answer.data)
