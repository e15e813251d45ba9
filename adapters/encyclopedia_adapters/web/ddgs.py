"""The result pages of several search engines, read by the library ddgs; against their terms and unstable, so off by default."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.errors import ConfigurationError, Garbled, RateLimited, Unavailable
from encyclopedia.model.query import Form, QueryType
from encyclopedia.ports import Card, Package

if TYPE_CHECKING:
    from collections.abc import Callable

    from encyclopedia.model.outcome import Hit, Reply
    from encyclopedia.model.plan import Request
    from encyclopedia.ports import Context

    Find = Callable[[str, int, int], object]

MAX_LIMIT = 30
WAIT = 60.0
_SHARE = 0.8  # of our own time: the library takes whole seconds and a while of its own
_NOTHING = "no engine gave a result; it may be that they refused to be read"


class Ddgs:
    """Asks by ``find(text, limit, seconds)``, which blocks and raises what ddgs raises."""

    def __init__(self, find: Find) -> None:
        self._find = find

    async def search(self, request: Request) -> Reply:
        """At most 30 hits of several engines, in the order that the library gives them."""
        import asyncio

        from encyclopedia.model.outcome import Reply
        from encyclopedia_adapters.shared.service import hits, within, worded
        from encyclopedia_adapters.shared.unattended import unattended

        text, limit, seconds = worded(request)[0], within(request.limit, MAX_LIMIT), max(1, int(request.timeout * _SHARE))
        try:
            found = await asyncio.wrap_future(unattended(lambda: self._find(text, limit, seconds), "ddgs"))
        except Exception as error:
            if not any(kind.__name__ == "DDGSException" for kind in type(error).__mro__):
                raise
            if "No results" in str(error):
                return Reply(note=_NOTHING)
            raise _trouble(error) from None
        if not isinstance(found, list):
            raise Garbled("ddgs answered without a list of results")
        return Reply(hits(found, request.limit, _hit))


def _trouble(error: Exception) -> Exception:
    """What an error of the library means; it may hold that of one engine. Told by name: the library need not be there."""
    inner = error.args[0] if error.args and isinstance(error.args[0], Exception) else error
    names = {type(error).__name__, type(inner).__name__}
    if "TimeoutException" in names:
        return TimeoutError("the search engines did not answer in time")
    if "RatelimitException" in names:
        return RateLimited("the search engines ask us to wait", WAIT)
    return Unavailable(f"the search engines could not be read: {type(inner).__name__}")


def _hit(element: dict[str, object]) -> Hit:
    from encyclopedia.model.outcome import Hit
    from encyclopedia_adapters.shared.hits import as_text

    title, url, content = (as_text(element.get(name)) for name in ("title", "href", "body"))
    return Hit(title=title, url=url, content=content)


def _make(context: Context) -> Ddgs:
    import re

    from ddgs import DDGS

    region, backend = (str(context.options.get(name, usual)) for name, usual in (("region", "us-en"), ("backend", "auto")))
    if not re.fullmatch(r"[a-z]{2}-[a-z]{2}", region):
        raise ConfigurationError("[sources.ddgs] region must be a country and a language, such as us-en")

    def find(text: str, limit: int, seconds: int) -> object:
        return DDGS(timeout=seconds).text(text, region=region, max_results=limit, backend=backend)

    return Ddgs(find)


CARD = Card(
    "ddgs",
    serves={QueryType.GENERAL_SEARCH: 0.10},
    make=_make,
    description="result pages of several search engines",
    requires=(Package("ddgs", "ddgs"),),
    form=Form.KEYWORD,
    default=False,
    options=("region", "backend"),
)
