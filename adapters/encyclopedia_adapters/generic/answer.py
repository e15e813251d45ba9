"""What a program or an MCP server said, read as hits: by the paths of the table, else by what it looks like."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from encyclopedia.model.errors import Garbled, RateLimited, Unavailable
from encyclopedia_adapters.generic.guess import from_text, from_value, parsed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.model.outcome import Reply
    from encyclopedia_adapters.generic.paths import Paths
    from encyclopedia_adapters.generic.table import TableReader

SHORT = 500
"""Characters up to which a text can be a message and not an answer."""
_WAIT = 60.0


class Described(NamedTuple):
    """How the answers of the source ``name`` are read; without ``fields`` their shape is guessed."""

    name: str
    results: str
    fields: Mapping[str, str]
    markup: str
    limited: tuple[tuple[str, ...], ...]


def described(name: str, reader: TableReader) -> Described:
    """The options ``results``, ``fields``, ``html`` and ``limited`` of a table."""
    return Described(
        name=name,
        results=reader.path("results", reader.text("results", "@")),
        fields=reader.fields(needed=False),
        markup=reader.markup(),
        limited=reader.limited(),
    )


class Answers:
    """Reads the answers of one source."""

    def __init__(self, told: Described) -> None:
        from encyclopedia_adapters.generic.paths import Paths as Compiled

        self._told = told
        self._paths = Compiled(told.name, told.results, told.fields, told.markup) if told.fields else None

    def reply(self, text: str, limit: int, value: object | None = None) -> Reply:
        """At most ``limit`` hits of a text, or of the JSON ``value`` that came beside it; a note on paths that find nothing.

        ``RateLimited`` where a short text matches ``limited``, ``Unavailable`` where the answer is an error, ``Garbled`` where
        it does not fit the paths.
        """
        from encyclopedia.model.outcome import Reply

        self.check_limit(text)
        value = _inner(parsed(text) if value is None else value)
        if isinstance(value, str):
            text, value = value, None
            self.check_limit(text)
        if isinstance(value, dict) and value.get("error"):
            return self._error(str(value["error"])[:SHORT])
        if value is None and len(text) <= SHORT and text.lstrip().lower().startswith("error:"):
            return self._error(text)
        if self._paths is not None:
            return self._by_paths(self._paths, text, value, limit)
        found = from_value(self._told.name, value, limit) if value is not None else None
        return Reply(from_text(self._told.name, text, limit) if found is None else found)

    def check_limit(self, text: str) -> None:
        """Raise ``RateLimited`` if a short text is what the table calls a limit."""
        short = text.strip().lower()
        if len(short) <= SHORT and any(_in_order(parts, short) for parts in self._told.limited):
            raise RateLimited(f"{self._told.name} says that its limit is reached", _WAIT)

    def _by_paths(self, paths: Paths, text: str, value: object | None, limit: int) -> Reply:
        from encyclopedia.model.outcome import Reply
        from encyclopedia_adapters.shared.status import nothing_found

        if value is None:
            if not text.strip() or (len(text) <= SHORT and nothing_found(404, text)):
                return Reply()
            raise Garbled(f"{self._told.name} answered something that is not JSON")
        return Reply(paths.hits(value, limit), note=paths.note(value))

    def _error(self, said: str) -> Reply:
        from encyclopedia.model.outcome import Reply
        from encyclopedia_adapters.shared.status import nothing_found

        if nothing_found(404, said):
            return Reply()
        self.check_limit(said)
        raise Unavailable(f"{self._told.name} answered with an error")


def _inner(value: object | None) -> object | None:
    """What stands in the envelope ``{"result": …}`` that servers put around a text, read as JSON where it is."""
    if isinstance(value, dict) and set(value) == {"result"} and isinstance(value["result"], str):
        inner = parsed(value["result"])
        return value["result"] if inner is None else inner
    return value


def _in_order(parts: tuple[str, ...], text: str) -> bool:
    position = 0
    for part in parts:
        found = text.find(part, position)
        if found < 0:
            return False
        position = found + len(part)
    return True
