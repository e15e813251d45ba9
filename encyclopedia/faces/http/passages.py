"""The passages of one document of a corpus, and which of them is meant."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from encyclopedia.faces.document import parts_of
from encyclopedia.model.errors import ConfigurationError, NothingFound
from encyclopedia.model.outcome import Hit
from encyclopedia.wiring.kinds import corpus_kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from encyclopedia.faces.library import Encyclopedia
    from encyclopedia.wiring.build import Engine

DEPTH = 20
"""Results that are looked through for a passage of a corpus that has no single documents."""


async def passages(e: Encyclopedia, asked: Mapping[str, str]) -> tuple[Sequence[Hit], int | None]:
    """The passages of a document in their order, and the number of the one that is meant, ``None`` if none is.

    ``asked`` has ``corpus``, ``path``, ``section``, ``lines`` and ``id``. The document is one that the index of the corpus
    knows: no other file can be named. Raises ``ConfigurationError`` for an unknown corpus, ``NothingFound`` for an unknown
    document.
    """
    corpus, path = asked["corpus"], asked["path"]
    if await asyncio.to_thread(_whole, e.engine, corpus):
        parts, _ = await asyncio.to_thread(parts_of, e.engine, corpus, path)
        return parts, _meant(parts, asked["id"], _first(asked["lines"]), asked["section"])
    report = await e.search(asked["section"] or path, corpora=[corpus], limit=DEPTH, expand=False, correct=False)
    line = _first(asked["lines"])
    hits = [
        Hit(one.title, one.url, one.content, one.locator) for one in report.results if one.locator and one.locator.path == path
    ]
    at = _meant(hits, "", line, asked["section"])
    if at is None:
        raise NothingFound(f"{corpus} has no such passage of {path!r}", "it may have been changed: search again")
    return [hits[at]], 0


def _whole(engine: Engine, corpus: str) -> bool:
    """Whether the documents of a corpus can be read as a whole; of an unknown corpus that is found out by reading."""
    from encyclopedia.wiring.corpora import visible

    kind = next((one.kind for one in visible(engine.loaded) if one.name == corpus), "")
    try:
        return not kind or hasattr(corpus_kind(engine.groups, kind), "parts")
    except ConfigurationError:
        return True


def _first(lines: str) -> int | None:
    begin = lines.partition("-")[0]
    return int(begin) if begin.isascii() and begin.isdigit() and len(begin) < 10 else None  # noqa: PLR2004 - no file has more


def _meant(parts: Sequence[Hit], id: str, line: int | None, section: str) -> int | None:
    """The passage of that id, else the one that holds the line, else the first of the section."""
    for at, part in enumerate(parts):
        if id and part.id and part.id.partition(":")[2] in (id, id.partition(":")[2]):
            return at
    for at, part in enumerate(parts):
        held = part.locator.lines if part.locator else None
        if line and held and held[0] <= line <= held[1]:
            return at
    return next((at for at, part in enumerate(parts) if section and part.locator and part.locator.section == section), None)
