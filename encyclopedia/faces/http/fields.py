"""What an operation may be asked: one table from which requests are read and checked and the description is made."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia.faces.requests import names
from encyclopedia.model.errors import UsageError
from encyclopedia.model.nearest import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    Given = Mapping[str, Sequence[str]]

TEXT, WHOLE, NUMBER, FLAG, NAMES, TABLE = "text", "whole", "number", "flag", "names", "table"
_WORDS = {TEXT: "text", WHOLE: "a whole number", NUMBER: "a number", FLAG: "true or false", NAMES: "names", TABLE: "an object"}
_FLAGS = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}
LONGEST = 5000
"""Characters of a question in a request; what a search reads of it is less, and is told there."""
SHORT = 200
"""Characters of any other text: a name, a version."""
MOST_NAMES = 100
VISIBLE = r"[^\s\x00-\x1f\x7f]"
"""What a text must hold at least one of, where it is needed."""
_VISIBLE = re.compile(VISIBLE)


class Field(NamedTuple):
    """One parameter: ``kind`` is one of the constants above, ``least`` and ``most`` bound a number, ``choices`` its values.

    With ``named`` a value that is none of them is left for the work to refuse, as it does on every face.
    """

    name: str
    kind: str
    says: str
    needed: bool = False
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    default: object = None
    longest: int = SHORT
    named: bool = False

    def schema(self) -> dict[str, Any]:
        """Its JSON Schema."""
        made: dict[str, Any] = {"description": self.says}
        if self.kind == NAMES:
            item: dict[str, Any] = {"type": "string", "maxLength": SHORT, "pattern": VISIBLE}
            made |= {"type": "array", "items": item | self._chosen(), "maxItems": MOST_NAMES}
        elif self.kind in (WHOLE, NUMBER):
            made |= {"type": "integer" if self.kind == WHOLE else "number"} | self._bounds()
        elif self.kind == TEXT:
            made |= {"type": "string", "maxLength": self.longest} | self._chosen()
            made |= {"minLength": 1, "pattern": VISIBLE} if self.needed and not self.choices else {}
        else:
            made |= {"type": "boolean"} if self.kind == FLAG else {"type": "object", "additionalProperties": True}
        return made | ({} if self.default is None else {"default": self.default})

    def _chosen(self) -> dict[str, Any]:
        return {"enum": list(self.choices)} if self.choices else {}

    def _bounds(self) -> dict[str, Any]:
        return {"minimum": self.least, "maximum": self.most}

    def checked(self, value: Any) -> Any:
        """The value, of the right kind and within its bounds. Raises ``UsageError``."""
        kinds: dict[str, Any] = {TEXT: str, WHOLE: int, NUMBER: (int, float), FLAG: bool, NAMES: list, TABLE: dict}
        if self.kind == WHOLE and isinstance(value, float) and value.is_integer():
            value = int(value)  # JSON knows only one kind of number
        if not isinstance(value, kinds[self.kind]) or (isinstance(value, bool) and self.kind != FLAG):
            raise UsageError(f"{self.name} takes {_WORDS[self.kind]}, not {_brief(value)}")
        if self.kind in (WHOLE, NUMBER):
            return self._within(value)
        if self.kind == NAMES:
            return self._names(value)
        if self.kind == TEXT:
            if len(value) > self.longest:
                raise UsageError(f"{self.name} is longer than {self.longest} characters")
            if self.needed and not _VISIBLE.search(value):
                raise UsageError(f"{self.name} is empty", self.says)
            return self._one_of(value)
        return value

    def _within(self, value: float) -> float:
        least, most = self.least or 0.0, self.most or 0.0
        if not least <= value <= most:
            raise UsageError(f"{self.name} takes {_WORDS[self.kind]} from {least:g} to {most:g}, not {value:g}")
        return value

    def _names(self, value: Any) -> tuple[str, ...]:
        if not all(isinstance(part, str) and _VISIBLE.search(part) for part in value):
            raise UsageError(f"{self.name} takes names, not {_brief(value)}")
        found = names(value)
        if len(found) > MOST_NAMES or any(len(name) > SHORT for name in found):
            raise UsageError(f"{self.name} takes at most {MOST_NAMES} names of at most {SHORT} characters")
        return found

    def _one_of(self, value: str) -> str:
        if self.choices and value not in self.choices and not self.named:
            raise UsageError(f"unknown {self.name} {_brief(value)}", nearest(value, self.choices))
        return value

    def parsed(self, values: Sequence[str]) -> Any:
        """The value that a query string gives: lists may be repeated or hold commas, a table is JSON. Raises ``UsageError``."""
        if self.kind == NAMES:
            return [part for value in values for part in value.split(",") if part.strip()]
        if len(values) > 1:
            raise UsageError(f"{self.name} was given {len(values)} times", "give it once")
        text = values[0]
        if self.kind == TEXT:
            return text
        if self.kind == FLAG:
            return _FLAGS.get(text.strip().lower(), text)
        readers: dict[str, Callable[[str], Any]] = {WHOLE: int, NUMBER: float, TABLE: json.loads}
        try:
            return readers[self.kind](text)
        except (ValueError, RecursionError):
            return text


def read(fields: Iterable[Field], given: Given) -> dict[str, Any]:
    """The options that a query string gives. Raises ``UsageError`` for one that is unknown, missing or does not fit."""
    known = {field.name: field for field in fields}
    told = {name: values for name, values in given.items() if any(values) or name not in known}
    _check(known, told)
    return {name: known[name].checked(known[name].parsed(values)) for name, values in told.items()}


def take(fields: Iterable[Field], body: object) -> dict[str, Any]:
    """The options that the object of a JSON body gives. Raises ``UsageError``."""
    known = {field.name: field for field in fields}
    if not isinstance(body, dict):
        raise UsageError("the body is no JSON object", f"it takes {', '.join(known)}")
    _check(known, body)
    return {name: known[name].checked(value) for name, value in body.items()}


def _check(known: Mapping[str, Field], given: Mapping[str, Any]) -> None:
    for name in given:
        if name not in known:
            raise UsageError(f"unknown parameter {_brief(name)}", nearest(name, known))
    for field in known.values():
        if field.needed and not given.get(field.name):
            raise UsageError(f"{field.name} is missing", field.says)


def _brief(value: object) -> str:
    told = repr(value)
    return told if len(told) <= 60 else f"{told[:60]}…"  # noqa: PLR2004 - as much as a sentence can take
