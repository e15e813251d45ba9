"""From foreign JSON to hits, by the JMESPath expressions of a described source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.model.errors import Garbled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.model.outcome import Hit

MAX_ELEMENTS = 10_000
MOST_LOOKED_AT = 100
MANY = 2


class Paths:
    """The paths of the source ``name``: ``results`` leads to the list, ``fields`` to each field of a hit.

    ``markup`` is that of ``clean_hit``.
    """

    def __init__(self, name: str, results: str, fields: Mapping[str, str], markup: str) -> None:
        self._name, self._markup = name, markup
        self._texts = {"results": results, **fields}
        self._results = _path(results)
        self._fields = {field: _path(path) for field, path in fields.items()}
        plain = all(isinstance(path, _Name) for path in self._fields.values())
        self._names = tuple(fields.items()) if plain else None

    def hits(self, data: object, limit: int, base: str = "") -> tuple[Hit, ...]:
        """At most ``limit`` clean hits; addresses are completed by ``base``. ``Garbled`` without a list of objects."""
        elements = self._at("results", self._results, data)
        if not isinstance(elements, list):
            raise Garbled(f"{self._name}: there is no list at results = {self._texts['results']}")
        from encyclopedia_adapters.generic.rows import hit_of  # a dry run has no use for it

        elements = elements[:MAX_ELEMENTS]
        found: list[Hit] = []
        for element in elements:
            if len(found) >= limit:
                break
            if isinstance(element, dict) and (hit := hit_of(self._name, self._raw(element), base, self._markup)):
                found.append(hit)
        if elements and not any(isinstance(element, dict) for element in elements):
            raise Garbled(f"{self._name}: there are no objects at results = {self._texts['results']}")
        return tuple(found)

    def note(self, data: object) -> str:
        """Which fields find nothing in any of the results, as happens to a misspelt path; empty if all is well.

        A title is missed always, what only some things have from ``MANY`` results on.
        """
        elements = self._at("results", self._results, data)
        rows = [row for row in elements[:MOST_LOOKED_AT] if isinstance(row, dict)] if isinstance(elements, list) else []
        silent = [
            f"fields.{field} = {self._texts[field]!r}"
            for field, path in self._fields.items()
            if (field == "title" or len(rows) >= MANY) and not any(self._stands(field, path, row) for row in rows)
        ]
        ending = "finds nothing in the results" if len(silent) == 1 else "find nothing in the results"
        return f"{' and '.join(silent)} {ending}" if rows and silent else ""

    def _raw(self, element: dict[str, object]) -> dict[str, object]:
        if self._names is not None:
            return {field: element[name] for field, name in self._names if name in element}
        return {field: self._at(field, path, element) for field, path in self._fields.items()}

    def _stands(self, field: str, path: Any, row: object) -> bool:
        return self._at(field, path, row) not in ("", None, [])

    def _at(self, field: str, path: Any, data: object) -> object:
        """What stands at a path; a function in it that meets the wrong kind of value is the source's breach of its promise."""
        if isinstance(path, _Name):
            return path.search(data)
        from jmespath.exceptions import JMESPathError

        try:
            value: object = path.search(data)
        except (JMESPathError, RecursionError):
            raise Garbled(f"{self._name}: the answer does not fit {field} = {self._texts[field]}") from None
        return value


class _Name:
    """The path that is one plain name: looked up without the detour through an interpreter."""

    def __init__(self, name: str) -> None:
        self._name = name

    def search(self, data: object) -> object:
        """What stands under the name, nothing in what is no object."""
        return data.get(self._name) if isinstance(data, dict) else None


class _List(_Name):
    """The path ``name[]``: the members of the list there, those of lists in it in their place, without nulls."""

    def search(self, data: object) -> object:
        """The members, nothing where there is no list."""
        there = super().search(data)
        if not isinstance(there, list):
            return None
        return [member for one in there for member in (one if isinstance(one, list) else (one,)) if member is not None]


def _path(text: str) -> Any:
    """The compiled path."""
    if text.isascii() and text.isidentifier():
        return _Name(text)
    if text.isascii() and text.endswith("[]") and text[:-2].isidentifier():
        return _List(text[:-2])
    from jmespath import compile as compile_path

    return compile_path(text)
