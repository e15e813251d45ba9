"""What a code graph is made of: symbols, calls and imports."""

from __future__ import annotations

from typing import NamedTuple


class Symbol(NamedTuple):
    """A definition: lines are 1-based and inclusive, ``qualified`` is its name within its file (``Router.add``).

    ``kind`` is module (a whole file), class, interface, type, function, method or macro.
    """

    path: str
    name: str
    qualified: str
    kind: str
    first: int
    last: int
    signature: str = ""
    doc: str = ""
    language: str = ""
    id: int = 0


class Import(NamedTuple):
    """What a file takes of ``module``: its ``name`` (empty: the module itself, ``*``: all), called ``alias`` in the file."""

    module: str
    name: str
    alias: str
    line: int


class Site(NamedTuple):
    """A place that calls something by ``name``; ``receiver`` is what stands before it, ``?`` if that is an expression."""

    caller: Symbol
    name: str
    receiver: str
    line: int


class Call(NamedTuple):
    """A call and what it leads to, as far as the text tells.

    ``how`` is the reason: ``class`` (a method of the caller's own class or its bases), ``file``, ``import``, ``package`` (same
    folder, where the language sees it), ``name`` (the only one of that name in the repository). Without ``callee`` it is
    ``outside`` (imported from elsewhere), ``several`` (more than one could be meant) or empty.
    """

    caller: Symbol
    name: str
    line: int
    callee: Symbol | None = None
    how: str = ""
