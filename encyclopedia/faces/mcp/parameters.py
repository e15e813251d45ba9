"""What tools take: flat schemas of text, whole numbers and switches, and values checked against them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia.model.errors import UsageError
from encyclopedia.model.nearest import nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_KINDS = {str: "string", int: "integer", bool: "boolean"}
_WANTED = {str: "text", int: "a whole number", bool: "true or false"}
_LONGEST = 20_000
"""Characters of an argument."""


class Parameter(NamedTuple):
    """One argument: its kind is that of its ``default``; ``low`` to ``high`` bound a number, ``values`` lists all there are.

    A value that is none of them is left for the work to refuse, as it does on every face.
    """

    name: str
    description: str
    default: str | int | bool = ""
    needed: bool = False
    low: int = 0
    high: int = 0
    values: tuple[str, ...] = ()


def schema(parameters: Iterable[Parameter]) -> dict[str, Any]:
    """The JSON Schema of the arguments: no unions, no nesting, no nulls, which clients refuse."""
    given = tuple(parameters)
    made: dict[str, Any] = {"type": "object", "properties": {one.name: _property(one) for one in given}}
    needed = [one.name for one in given if one.needed]
    return made | ({"required": needed} if needed else {}) | {"additionalProperties": False}


def checked(parameters: Iterable[Parameter], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with their defaults; a number or a switch may come as text. Raises ``UsageError`` with the remedy."""
    known = {one.name: one for one in parameters}
    for name in arguments:
        if name not in known:
            raise UsageError(f"there is no argument {name!r}", nearest(name, known))
    return {name: _value(one, arguments.get(name)) for name, one in known.items()}


def _property(one: Parameter) -> dict[str, Any]:
    found: dict[str, Any] = {"type": _KINDS[type(one.default)], "description": one.description}
    if not one.needed:
        found["default"] = one.default
    if one.high:
        found |= {"minimum": one.low, "maximum": one.high}
    return found | ({"enum": list(one.values)} if one.values else {})


def _value(one: Parameter, given: Any) -> Any:
    if given is None:
        if one.needed:
            raise UsageError(f"{one.name} is missing", one.description)
        return one.default
    value = _read(given, type(one.default))
    if value is None:
        raise UsageError(f"{one.name} takes {_WANTED[type(one.default)]}, not {str(given)[:80]!r}", one.description)
    if one.high and not one.low <= value <= one.high:
        raise UsageError(f"{one.name} takes {one.low} to {one.high}, not {value}", one.description)
    if isinstance(value, str) and len(value) > _LONGEST:
        raise UsageError(f"{one.name} is longer than {_LONGEST} characters", "say it in fewer words")
    return value


def _read(given: Any, kind: type) -> Any:
    """The value as its kind, ``None`` if it is none."""
    if isinstance(given, str) and kind is int:
        return int(given) if given.strip().lstrip("-").isascii() and given.strip().lstrip("-").isdigit() else None
    if isinstance(given, str) and kind is bool:
        return {"true": True, "false": False}.get(given.strip().lower())
    return given if type(given) is kind else None
