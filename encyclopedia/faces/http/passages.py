"""The passages of one document of a corpus, and which of them is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.errors import ConfigurationError, NothingFound
from encyclopedia.model.nearest import nearest
from encyclopedia.wiring.corpora import registered
from encyclopedia.wiring.kinds import corpus_kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from encyclopedia.model.outcome import Hit
    from encyclopedia.wiring.build import Engine


def passage(
    engine: Engine, *, corpus: str, path: str, section: str = "", lines: str = "", id: str = ""
) -> tuple[tuple[Hit, ...], int | None]:
    """The passages of a document in their order, and the number of the one that is called so, ``None`` if none is.

    The document is one that the index of the corpus knows: no other file can be named. Raises ``ConfigurationError`` for an
    unknown corpus or one whose documents have no passages to show, ``NothingFound`` for an unknown document.
    """
    known = {one.name: one for one in registered(engine.loaded.home, engine.loaded.settings)}
    if corpus not in known:
        raise ConfigurationError(f"unknown corpus {corpus!r}", nearest(corpus, known))
    tell = getattr(corpus_kind(engine.groups, known[corpus].kind), "parts", None)
    if tell is None:
        raise ConfigurationError(f"a corpus of kind {known[corpus].kind} has no passages to show")
    parts: tuple[Hit, ...] = tell(known[corpus], path)
    if not parts:
        raise NothingFound(f"{corpus} has no document {path!r}", "it may have been moved or removed: search again")
    return parts, _meant(parts, id, _first(lines), section)


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
