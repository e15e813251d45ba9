"""The one HTTP session: guarded, bounded in time and bytes, with every failure told as one of ours."""

from __future__ import annotations

import asyncio
import random
import sys
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode, urlsplit

from encyclopedia.model.errors import Garbled, Refused
from encyclopedia_adapters.shared.body import decode, encode, is_type, parse_json, read_capped
from encyclopedia_adapters.shared.guard import Guard, normal_url, origin
from encyclopedia_adapters.shared.per_loop import PerLoop
from encyclopedia_adapters.shared.refusal import refusal, telling
from encyclopedia_adapters.shared.session import named, new_session, ours
from encyclopedia_adapters.shared.status import Passing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aiohttp import ClientResponse, ClientSession

    from encyclopedia.ports import Context
    from encyclopedia_adapters.shared.per_loop import Belongings
    from encyclopedia_adapters.shared.refusal import Meaning

MAX_BYTES = 2 * 1024 * 1024
_ERROR_BYTES = 65_536
_RETRY_SHARE = 0.1
_RETRY_BUCKET = 10.0
_RETRY_PAUSE = (0.05, 0.2)


@dataclass(frozen=True, slots=True, repr=False)  # there are keys in it
class Call:
    """One request to an API.

    ``source`` names whose ``slots`` (requests at a time) it takes; ``timeout`` is in seconds, from having a slot to having
    read the body. ``params`` are added to the URL, percent-encoded. ``limit_bytes`` bounds the decompressed body. ``meanings``
    says what a status means with this source where it differs from the common table, ``codes`` what a code in the body of an
    error does: the trouble and its sentence. ``nothing`` are the statuses by which it may say that nothing was found. ``media``
    names the types of a body that is taken as text; without it the body must be JSON. ``told`` are words that make an
    error's body an answer to be read: one of them is its field ``error`` or the name of a field.
    """

    source: str
    url: str
    timeout: float
    params: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    slots: int = 4
    limit_bytes: int = MAX_BYTES
    meanings: Mapping[int, Meaning] = field(default_factory=dict)
    codes: Mapping[str, Meaning] = field(default_factory=dict)
    nothing: tuple[int, ...] = (404,)
    media: tuple[str, ...] = ()
    told: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back, with headers that are found in whatever case.

    ``data`` is the JSON value or the text, ``None`` where an error says that nothing was found.
    """

    status: int
    headers: Mapping[str, str]
    data: object

    @property
    def nothing_found(self) -> bool:
        """Whether this is a 404 or its like that says so."""
        return self.data is None and not 200 <= self.status < 300  # noqa: PLR2004 - the class of statuses


def shared_http(context: Context) -> Http:
    """The engine's one ``Http``, made on first use."""
    return context.resources.get("http", lambda: Http(context.agent))


class Http:
    """What all remote sources of an engine share: one session for each event loop that uses it.

    Both calls raise ``SourceTrouble`` of the kind that fits, or ``TimeoutError``; nothing of aiohttp's comes out, and no
    message holds more of the address than its host.
    """

    def __init__(self, agent: str) -> None:
        self._guard = Guard()
        self._loops = PerLoop(lambda: new_session(agent, self._guard))
        self._retries: dict[str, float] = {}
        self._failing: set[str] = set()

    def allow(self, url: str) -> None:
        """Let requests to exactly this configured host and port pass the address guard; ``ValueError`` for a bad URL."""
        self._guard.allow(url)

    async def get_json(self, call: Call) -> Answer:
        """GET; asked once more if it failed in passing, the last call went well and the retry bucket is not empty."""
        return await self._bounded(call, None)

    async def get_text(self, call: Call) -> Answer:
        """As ``get_json``, for a body of one of the types ``call.media``: ``data`` is its text."""
        return await self._bounded(call, None)

    async def post_json(self, call: Call, body: Mapping[str, object]) -> Answer:
        """POST of a JSON body; never repeated."""
        return await self._bounded(call, body)

    async def aclose(self) -> None:
        """Close all connections."""
        await self._loops.aclose()

    async def _bounded(self, call: Call, body: Mapping[str, object] | None) -> Answer:
        host = _host(call)
        session, slots = await self._open()
        slot = await self._slot(call, slots)
        try:
            async with asyncio.timeout(call.timeout):
                return await self._attempts(session, call, body)
        except TimeoutError:
            raise TimeoutError(f"{host} did not answer within {call.timeout:g} s") from None
        finally:
            slot.release()

    async def _open(self) -> Belongings:
        if "aiohttp" not in sys.modules:
            await asyncio.to_thread(import_module, "aiohttp")  # a third of a second that would hold up everybody else
        return await self._loops.here()

    async def _slot(self, call: Call, slots: dict[str, asyncio.Semaphore]) -> asyncio.Semaphore:
        """A place, taken. Waiting in our own queue is not the source's doing: after half the time it is a refusal."""
        slot = slots.get(call.source) or slots.setdefault(call.source, asyncio.Semaphore(call.slots))
        if not slot.locked():
            await slot.acquire()  # at once
            return slot
        try:
            async with asyncio.timeout(call.timeout / 2):
                await slot.acquire()
        except TimeoutError:
            raise Refused(f"{call.source} is still busy with our own earlier requests") from None
        return slot

    async def _attempts(self, session: ClientSession, call: Call, body: Mapping[str, object] | None) -> Answer:
        self._retries[call.source] = min(self._retries.get(call.source, 0.0) + _RETRY_SHARE, _RETRY_BUCKET)
        half_time = asyncio.get_running_loop().time() + call.timeout / 2
        try:
            try:
                answer = await self._once(session, call, body)
            except Passing:
                if body is not None or not self._takes_retry(call.source, half_time):
                    raise
                await asyncio.sleep(random.uniform(*_RETRY_PAUSE))  # noqa: S311 - jitter is no secret
                answer = await self._once(session, call, body)
        except BaseException:
            self._failing.add(call.source)
            raise
        self._failing.discard(call.source)
        return answer

    def _takes_retry(self, source: str, half_time: float) -> bool:
        """A tenth of the calls may be repeated, and none right after a failure: that could be a breaker's single probe."""
        late = asyncio.get_running_loop().time() > half_time
        if late or source in self._failing or self._retries[source] < 1.0:
            return False
        self._retries[source] -= 1.0
        return True

    async def _once(self, session: ClientSession, call: Call, body: Mapping[str, object] | None) -> Answer:
        import aiohttp
        from yarl import URL

        url = URL(_full_url(call), encoded=True)
        with self._guard.dialling(call.url):
            try:
                method, data, headers = "GET", None, call.headers
                if body is not None:
                    method, data, headers = "POST", encode(body), {"Content-Type": "application/json", **call.headers}
                async with session.request(method, url, data=data, headers=headers, allow_redirects=False) as response:
                    return await _read(call, response)
            except (aiohttp.ClientError, OSError, ValueError) as error:
                raise ours(error, _host(call)) from None


def _host(call: Call) -> str:
    """Whom messages name: the host, with its port if that is not the usual one."""
    try:
        host, port = origin(call.url)
    except ValueError as fault:
        raise Refused(f"{call.source}: {fault}") from None
    return named(host, port)


def _full_url(call: Call) -> str:
    url = normal_url(call.url)
    if not call.params:
        return url
    query = urlencode(call.params, quote_via=quote, safe="", errors="replace")
    return f"{url}{'&' if urlsplit(url).query else '?'}{query}"


async def _read(call: Call, response: ClientResponse) -> Answer:
    """The answer, or the trouble that its status, type or body amounts to."""
    host, status, headers = _host(call), response.status, response.headers
    if not 200 <= status < 300:  # noqa: PLR2004 - the class of statuses
        text = await _error_text(response)
        if (told := telling(call, text)) is not None:
            return Answer(status, headers, told)
        trouble = refusal(call, (host, status), headers, text)
        if trouble is None:
            return Answer(status, headers, None)
        raise trouble
    if not is_type(headers.get("content-type", ""), call.media):
        raise Garbled(f"{host} answered something else than {call.media[0] if call.media else 'JSON'}")
    raw, whole = await read_capped(response.content, call.limit_bytes)
    if not whole:
        response.close()
        raise Garbled(f"{host} answered more than {call.limit_bytes} bytes")
    body = decode(raw, response.charset)
    return Answer(status, headers, body if call.media else parse_json(host, body))


async def _error_text(response: ClientResponse) -> str:
    """What an error page says; that it breaks off takes nothing from its status."""
    import aiohttp

    try:
        raw, _ = await read_capped(response.content, _ERROR_BYTES)
    except (aiohttp.ClientError, OSError):
        return ""
    return decode(raw, response.charset)
