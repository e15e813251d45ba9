"""One document of a local collection as a whole, without the passages that may not be shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from encyclopedia.model.errors import ConfigurationError, NothingFound
from encyclopedia.model.label import Label
from encyclopedia.model.nearest import nearest
from encyclopedia.wiring.corpora import visible
from encyclopedia.wiring.kinds import corpus_kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from encyclopedia.model.outcome import Hit
    from encyclopedia.wiring.build import Engine


class Document(NamedTuple):
    """The text of a document, untrusted; ``withheld`` counts its passages that are above the ceiling, ``label`` the others'."""

    corpus: str
    path: str
    title: str
    text: str
    url: str
    label: Label
    withheld: int = 0


def document(engine: Engine, corpus: str, path: str) -> Document:
    """The document as its file stands now; blocks and raises as ``parts_of``."""
    shown, withheld = parts_of(engine, corpus, path)
    label = max((part.label for part in shown), default=Label.PUBLIC)
    title = shown[0].title.partition(" > ")[0] if shown else path
    text, url = "\n\n".join(_texts(shown)), shown[0].url if shown else ""
    return Document(corpus, path, title, text, url, label, withheld)


def parts_of(engine: Engine, corpus: str, path: str) -> tuple[list[Hit], int]:
    """The passages of a document as its file stands now, and how many of them may not be shown; blocks while it is read.

    Raises ``ConfigurationError`` for an unknown corpus or one that has no single documents, ``NothingFound`` for a document
    that is not there.
    """
    known = {one.name: one for one in visible(engine.loaded)}
    if corpus not in known:
        raise ConfigurationError(f"unknown corpus {corpus!r}", nearest(corpus, known))
    read = getattr(corpus_kind(engine.groups, known[corpus].kind), "parts", None)
    if read is None:
        raise ConfigurationError(
            f"a corpus of kind {known[corpus].kind} has no single documents", "search it: its results hold the passages"
        )
    parts: tuple[Hit, ...] = read(known[corpus], path)
    if not parts:
        raise NothingFound(f"{corpus} has no document {path!r}", "search again: it may have been moved or removed")
    shown = [part for part in parts if part.label <= engine.loaded.ceiling]
    return shown, len(parts) - len(shown)


def _texts(parts: Iterable[Hit]) -> Iterator[str]:
    """Each passage under its headings, where these are other than those of the one before."""
    before = ""
    for part in parts:
        section = part.locator.section if part.locator else ""
        if section and section != before and section.rpartition(" > ")[2] not in part.content[:200]:
            yield f"## {section}"
        before = section
        yield part.content
