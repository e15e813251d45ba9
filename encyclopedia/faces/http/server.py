"""Running the service: a socket, signals, and an end that loses no search."""

from __future__ import annotations

import asyncio
import logging
import resource
import signal
from typing import TYPE_CHECKING, NamedTuple

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from encyclopedia.faces.http.app import application
from encyclopedia.faces.http.service import SERVICE
from encyclopedia.model.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable

    from encyclopedia.faces.http.guards import Access
    from encyclopedia.faces.http.service import Service
    from encyclopedia.faces.library import Encyclopedia
    from encyclopedia.wiring.log import Log

BELIEF = 1.0
"""Seconds for which the service believes without looking that a source is well, and what is installed as it was."""
GRACE = 30.0
"""Seconds that requests under way have at the end."""
LAST_ORDERS = 0.3
"""Seconds in which a request that is on its way at the end is still answered."""
BACKLOG = 1024
LINE = 128 * 1024
"""Bytes of the first line of a request: the longest query in any script, percent-encoded."""
FILES = 65536


class Bind(NamedTuple):
    """Where to listen; port 0 is any that is free."""

    host: str = "127.0.0.1"
    port: int = 8080


async def serve(encyclopedia: Encyclopedia, bind: Bind, access: Access, ready: Callable[[str], None]) -> int:
    """Serve until SIGTERM or SIGINT; the exit code. ``ready`` is told the address.

    The first signal ends the listening and lets requests finish, the second ends them too. Raises ``ConfigurationError`` if the
    address cannot be had.
    """
    _many_connections()
    encyclopedia.engine.sources.max_age = BELIEF
    if not encyclopedia.engine.stores.shared:  # a look at what is shared costs nothing
        encyclopedia.engine.stores.circuit.max_age = BELIEF
    app = application(encyclopedia, access)
    runner = web.AppRunner(
        app,
        access_log=None,
        logger=_logger(encyclopedia.engine.stores.log),
        handler_cancellation=True,
        shutdown_timeout=1.0,
        max_line_size=LINE,
        keepalive_timeout=75.0,
    )
    await runner.setup()
    signals: asyncio.Queue[int] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, signals.put_nowait, number)
    try:
        site = await _listen(runner, bind)
        ready(_address(runner, bind))
        first = await signals.get()
        await _drain(site, app[SERVICE], signals)
    finally:
        await runner.cleanup()
    return 0 if first == signal.SIGTERM else 128 + first


class _Lines(logging.Handler):
    """What the server's library logs, as lines of our log without the words of strangers.

    That somebody sent what is no HTTP is told to those who look for it.
    """

    def __init__(self, log: Log) -> None:
        super().__init__(logging.ERROR)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Write the line of one record."""
        error = record.exc_info[1] if record.exc_info else None
        level = "debug" if isinstance(error, HttpProcessingError) else "error"
        self._log.tell(level, "connection failed", error=type(error).__name__)


def _logger(log: Log) -> logging.Logger:
    made = logging.Logger(__name__)  # noqa: LOG001 - of this service, not of the whole process
    made.addHandler(_Lines(log))
    return made


async def _listen(runner: web.AppRunner, bind: Bind) -> web.TCPSite:
    site = web.TCPSite(runner, bind.host, bind.port, backlog=BACKLOG, reuse_address=True)
    try:
        await site.start()
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigurationError(f"{bind.host}:{bind.port} cannot be listened on: {reason}", "choose another --port") from None
    return site


def _address(runner: web.AppRunner, bind: Bind) -> str:
    host = f"[{bind.host}]" if ":" in bind.host else bind.host
    return f"http://{host}:{runner.addresses[0][1]}"


async def _drain(site: web.TCPSite, service: Service, signals: asyncio.Queue[int]) -> None:
    """Listen no more, answer what has come and what is on its way, then go; at the second signal at once."""
    service.draining = True
    await site.stop()
    again = asyncio.ensure_future(signals.get())
    try:
        async with asyncio.timeout(GRACE):
            await asyncio.wait((again, asyncio.ensure_future(_quiet(service))), return_when=asyncio.FIRST_COMPLETED)
    except TimeoutError:
        pass
    finally:
        again.cancel()


async def _quiet(service: Service) -> None:
    """Wait until nothing has been under way for a moment."""
    loop = asyncio.get_running_loop()
    since = loop.time()
    while loop.time() - since < LAST_ORDERS:
        if service.flying:
            since = loop.time()
        await asyncio.sleep(LAST_ORDERS / 10)


def _many_connections() -> None:
    """Allow as many connections as the system does: slow clients must not keep others out."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = FILES if hard == resource.RLIM_INFINITY else min(hard, FILES)
    if soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
