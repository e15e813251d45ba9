"""Python definitions that a faster form takes the place of further down in the same file."""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def _extension() -> type[Any]:
    import griffe

    class Definitions(griffe.Extension):
        """Remembers every class and function that a file defines, by path."""

        def __init__(self) -> None:
            super().__init__()
            self.seen: dict[str, Any] = {}

        def on_class_instance(self, *, cls: Any, **_: Any) -> None:
            self.seen[cls.path] = cls

        def on_function_instance(self, *, func: Any, **_: Any) -> None:
            self.seen[func.path] = func

    return Definitions


def definitions() -> Any:
    """An extension for griffe with ``seen``, which maps paths to the classes and functions that were defined there."""
    return _extension()()


def described(member: Any, path: str, seen: dict[str, Any]) -> Any:
    """What tells most of ``member``: the definition that it replaced, if it is only the name of a compiled form of that.

    Such are ``from _functools import partial`` below a class of this name, and ``Task = _asyncio.Task``.
    """
    replaced = seen.get(path)
    if replaced is None or replaced is member:
        return member
    compiled = str(member.target_path).startswith("_") if member.is_alias else member.is_attribute
    return replaced if compiled else member
