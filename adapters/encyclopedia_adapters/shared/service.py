"""What the sources that ask one web service have in common: its address, the words to send, and hits from a list of results."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from encyclopedia.model.errors import Garbled
from encyclopedia_adapters.shared.address import base_address
from encyclopedia_adapters.shared.hits import clean_hit
from encyclopedia_adapters.shared.http import shared_http

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from encyclopedia.model.outcome import Hit
    from encyclopedia.model.plan import Request
    from encyclopedia.ports import Context
    from encyclopedia_adapters.shared.http import Answer, Http


class Service(NamedTuple):
    """A service as it is set up: ``base`` has no slash at its end, ``headers`` and ``options`` go with every request."""

    http: Http
    base: str
    headers: Mapping[str, str]
    options: Mapping[str, str]

    def __repr__(self) -> str:
        """Without values: there are keys among them, and this may come to stand in a log."""
        return f"<Service {sorted((*self.headers, *self.options))}>"


def service(context: Context, base: str, headers: Mapping[str, str], options: Sequence[str] = ()) -> Service:
    """The service at ``base_url`` of the source's settings, else at ``base``, with those of ``options`` that are set.

    Raises ``ConfigurationError`` for an address that cannot be asked.
    """
    given = {name: str(context.options[name]) for name in options if context.options.get(name)}
    return Service(shared_http(context), base_address(context, base), headers, given)


def worded(request: Request, *, chars: int = 0, words: int = 0) -> tuple[str, str]:
    """The words to send, with the repository and version that are asked for, and a note where they had to be cut.

    ``chars`` and ``words`` are what the service takes, 0 for any number.
    """
    whole = request.text
    if request.repository and request.repository.lower() not in whole.lower():
        whole = f"{request.repository} {whole}"
    if request.version and request.version not in whole.split():
        whole = f"{whole} {request.version}"
    note = ""
    if chars and len(whole) > chars:
        whole, note = whole[:chars], f"asked with the first {chars} characters"
    if words and len(pieces := whole.split()) > words:
        whole, note = " ".join(pieces[:words]), f"asked with the first {words} words"
    return whole, note


def within(limit: int, most: int) -> int:
    """How many results to ask for where a service gives at most ``most``."""
    return min(max(limit, 1), most)


def results(source: str, answer: Answer, *path: str) -> list[object]:
    """The list that stands at ``path`` in an answer, empty where nothing was found; ``Garbled`` if none stands there."""
    if answer.nothing_found:
        return []
    found = answer.data
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None
    if not isinstance(found, list):
        raise Garbled(f"{source} answered without a list of results")
    return found


def hits(
    elements: Sequence[object], limit: int, read: Callable[[dict[str, object]], Hit], *, markup: str = "text"
) -> tuple[Hit, ...]:
    """At most ``limit`` clean hits that ``read`` takes from the objects among ``elements``; ``markup`` as in ``clean_hit``."""
    found: list[Hit] = []
    for element in elements:
        if len(found) >= limit:
            break
        if isinstance(element, dict) and (hit := clean_hit(read(element), markup=markup)):
            found.append(hit)
    return tuple(found)
