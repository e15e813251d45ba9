"""What an index remembers of each document, in parts: a change rewrites few of them, and all are read in a moment."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia_adapters.shared.text_index import questions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tantivy import DocAddress, Document

Changes = dict[str, str | None]
"""States by document; ``None`` of one that was removed."""

GROWTH = 2
"""A part is written again when those after it hold half as many states: of n states there are log n parts at most, and each
state is rewritten as often, instead of all of them at every commit."""

_ENTRY = 50_000
_SIZE_BITS = 32


class Part(NamedTuple):
    """States that were written at one commit; a higher ``number`` is newer and overrules."""

    number: int
    size: int
    entries: tuple[DocAddress, ...]


def parts(entries: Iterable[tuple[int, DocAddress]]) -> tuple[Part, ...]:
    """The parts that entries with their keys make up, oldest first."""
    found: dict[int, list[DocAddress]] = {}
    for key, address in entries:
        found.setdefault(key, []).append(address)
    return tuple(Part(key >> _SIZE_BITS, key & (1 << _SIZE_BITS) - 1, tuple(found[key])) for key in sorted(found))


def absorbed(old: Sequence[Part], size: int) -> int:
    """How many of the newest parts are to be written again together with ``size`` new states."""
    count = 0
    for part in reversed(old):
        if part.size > GROWTH * size:
            break
        size += part.size
        count += 1
    return count


def merged(changes: Iterable[Changes], *, whole: bool) -> Changes:
    """Changes one after the other; if they are the ``whole`` story, nothing is left of what was removed."""
    found: Changes = {}
    for change in changes:
        found.update(change)
    return {name: state for name, state in found.items() if state is not None} if whole else found


def entries(number: int, states: Mapping[str, str | None]) -> Iterator[Document]:
    """The part as entries of the engine."""
    from tantivy import Document

    pairs = list(states.items())
    for start in range(0, len(pairs), _ENTRY):
        stored = questions.encode({}, json.dumps(dict(pairs[start : start + _ENTRY]), separators=(",", ":")))
        entry = Document(role=["states", role(number)], stored=stored)
        entry.add_unsigned("key", number << _SIZE_BITS | len(pairs))
        yield entry


def role(number: int) -> str:
    """The index term by which the entries of a part are deleted."""
    return f"states {number}"
