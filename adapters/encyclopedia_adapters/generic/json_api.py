"""Any HTTP API that answers in JSON, as a source described in the settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from encyclopedia.model.errors import ConfigurationError, Garbled
from encyclopedia.ports import Card, Key, Package
from encyclopedia_adapters.generic.json_table import OPTIONS, JsonTable, read_table
from encyclopedia_adapters.generic.template import fill, percent, values

if TYPE_CHECKING:
    from collections.abc import Callable

    from encyclopedia.model.outcome import Hit, Reply
    from encyclopedia.model.plan import Request
    from encyclopedia.ports import Context
    from encyclopedia_adapters.shared.http import Answer, Http

MAX_ELEMENTS = 10_000


def card(name: str, options: Mapping[str, object]) -> Card:
    """The card of the source that the table ``options`` describes (product page section 4).

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
        from jmespath import compile as compile_path

        from encyclopedia_adapters.shared.http import shared_http

        self._table = table
        self._secret = context.secret
        self._http: Http = shared_http(context)
        self._results = compile_path(table.results)
        self._fields = {field: compile_path(path) for field, path in table.fields.items()}
        try:
            self._http.allow(fill(table.url, {}, context.secret, percent))
        except ValueError as fault:
            raise ConfigurationError(f"[sources.{table.name}] url: {fault}") from None

    async def search(self, request: Request) -> Reply:
        """At most ``request.limit`` clean hits; with ``alternatives`` a second list for the expanded wording."""
        from encyclopedia.model.outcome import Reply

        if not (self._table.alternatives and request.expanded):
            return Reply(await self._ask(request))
        import asyncio

        wordings = (request, request._replace(text=request.expanded))
        hits, others = await asyncio.gather(*(self._ask(wording) for wording in wordings), return_exceptions=True)
        if isinstance(hits, BaseException):
            raise hits
        if isinstance(others, BaseException):
            return Reply(hits, note="the expanded wording was not answered")
        return Reply(hits, alternatives=others)

    async def _ask(self, request: Request) -> tuple[Hit, ...]:
        from encyclopedia_adapters.shared.http import Call

        known = values(request)
        call = Call(
            source=self._table.name,
            url=fill(self._table.url, known, self._secret, percent),
            timeout=request.timeout,
            headers={name: fill(value, {}, self._secret) for name, value in self._table.headers.items()},
        )
        if self._table.body is None:
            answer = await self._http.get_json(call)
        else:
            body = {name: _filled(value, known, self._secret) for name, value in self._table.body.items()}
            answer = await self._http.post_json(call, body)
        return self._hits(answer, call.url, request.limit)

    def _hits(self, answer: Answer, base: str, limit: int) -> tuple[Hit, ...]:
        if answer.nothing_found:
            return ()
        elements = self._at("results", self._results, answer.data)
        if not isinstance(elements, list):
            raise Garbled(f"{self._table.name}: there is no list at results = {self._table.results}")
        elements = elements[:MAX_ELEMENTS]
        found: list[Hit] = []
        for element in elements:
            if len(found) >= limit:
                break
            if isinstance(element, dict) and (hit := self._hit(element, base)):
                found.append(hit)
        if elements and not any(isinstance(element, dict) for element in elements):
            raise Garbled(f"{self._table.name}: there are no objects at results = {self._table.results}")
        return tuple(found)

    def _hit(self, element: dict[str, object], base: str) -> Hit | None:
        from urllib.parse import urljoin

        from encyclopedia.model.outcome import Hit
        from encyclopedia_adapters.shared.hits import as_text, clean_date, clean_hit

        raw = {field: self._at(field, path, element) for field, path in self._fields.items()}
        url, id = as_text(raw.get("url")).strip(), as_text(raw.get("id"))
        try:
            url = urljoin(base, url) if url else ""
        except ValueError:
            url = ""
        hit = Hit(
            title=as_text(raw.get("title"), " "),
            url=url,
            content=as_text(raw.get("content"), "\n"),
            published=clean_date(raw.get("published")),
            version=as_text(raw.get("version")),
            id=id,
            page=f"{self._table.name}:{id}" if id and not url else "",
        )
        return clean_hit(hit, markup=self._table.markup)

    def _at(self, field: str, path: Any, data: object) -> object:
        """What stands at a path; a function in it that meets the wrong kind of value is the source's breach of its promise."""
        from jmespath.exceptions import JMESPathError

        try:
            value: object = path.search(data)
        except (JMESPathError, RecursionError):
            where = self._table.results if field == "results" else self._table.fields[field]
            raise Garbled(f"{self._table.name}: the answer does not fit {field} = {where}") from None
        return value


def _filled(value: object, known: Mapping[str, str], secret: Callable[[str], str]) -> object:
    """A TOML value with its placeholders filled; ``"{limit}"`` alone becomes a number."""
    if value == "{limit}":
        return int(known["limit"])
    if isinstance(value, str):
        return fill(value, known, secret)
    if isinstance(value, Mapping):
        return {name: _filled(member, known, secret) for name, member in value.items()}
    if isinstance(value, list):
        return [_filled(member, known, secret) for member in value]
    return value
