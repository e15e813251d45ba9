"""How the pages of a catalog are listed and indexed: each twice, as its card and as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia_adapters.shared.text_index import Passage, analyser

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from encyclopedia_adapters.local.catalog.page import Page
    from encyclopedia_adapters.local.catalog.place import Place
    from encyclopedia_adapters.local.corpus_format import Reading
    from encyclopedia_adapters.local.walk import Bounds, Listing

CARD, WHOLE = "card", "page"
"""The two passages of an entity: what its catalog block tells, and that together with its text."""

_ACRONYM = 3


class CatalogFormat:
    """The pages of one catalog."""

    noun = "entities"
    reader = 2

    def __init__(self, place: Place) -> None:
        self._place = place

    def listing(self, path: str, bounds: Bounds | None = None) -> Listing:
        """The entity pages below ``path``."""
        import os

        from encyclopedia_adapters.local.corpus_format import Misfit

        try:
            return self._place.listing(bounds)
        except FileNotFoundError:
            if not os.path.isdir(path):
                raise FileNotFoundError(path) from None
            raise Misfit(f"there is no folder {self._place.entities} in it") from None

    def reading(self, listing: Listing) -> Callable[[str], Reading]:
        """Reads one page after the other."""
        return lambda name: self._read(listing, name)

    def _read(self, listing: Listing, name: str) -> Reading:
        from encyclopedia_adapters.local import walk
        from encyclopedia_adapters.local.catalog.page import read_page
        from encyclopedia_adapters.local.corpus_format import Reading, digest

        raw = walk.read(listing.root, name)
        text = walk.decode(raw)
        if text is None:
            return Reading(digest(raw), problem="not text")
        page = read_page(self._place.entity(name), text)
        if page.merged:
            return Reading(digest(raw))
        return Reading(digest(raw), passages(name, page), tuple(tags(page)), problem=page.problem)


def passages(document: str, page: Page) -> Iterator[Passage]:
    """The card and the whole of a page."""
    names = (page.slug, *page.aliases)
    also = " ".join((*names, *spellings((page.title, *names))))
    words = " ".join(page.tags)
    data = {"own": [page.slug, page.title], "names": list(page.aliases)}
    own = (*(scope(tag) for tag in tags(page)), *(named(name) for name in (page.title, *names)), typed(page.type))
    yield _passage(CARD, document, page, f"{page.claim}\n{words}", own, also)._replace(data=data)
    yield _passage(WHOLE, document, page, f"{page.claim}\n{page.body}", own, f"{also} {words}")


def _passage(kind: str, document: str, page: Page, body: str, own: Iterable[str], also: str) -> Passage:
    """One of the two; its marks carry its kind, since a search is narrowed to passages with any of some marks."""
    marks = dict.fromkeys((kind, *(f"{kind}{mark}" for mark in own)))
    return Passage(f"{document}#{kind}", document, page.title, body, tuple(marks), also=also)


def tags(page: Page) -> Iterable[str]:
    """The tags of a page in lower case with those that they lie under, and its type."""
    from encyclopedia_adapters.local.front_matter import nested

    return dict.fromkeys(tag for word in (*page.tags, page.type) for tag in nested(word.replace(" ", "-")))


def scope(tag: str) -> str:
    """The mark of a tag."""
    return f"#{tag}"


def typed(type: str) -> str:
    """The mark of a type."""
    return f"[{type}]"


def named(name: str) -> str:
    """The mark of a name, the same however it is written: ``Factory Method``, ``factory-method``."""
    return f"={' '.join(words(name))}"


def words(text: str) -> list[str]:
    """The words of a name or a topic, folded; hyphens and underscores part them."""
    return [analyser.fold(word) for word in analyser.split(text.replace("-", " ").replace("_", " "))]


def spellings(names: Iterable[str]) -> Iterator[str]:
    """Other ways in which people write a name of several words: run together, and by its initials from three words on."""
    for name in names:
        parts = words(name)
        if len(parts) > 1:
            yield "".join(parts)
        if len(parts) >= _ACRONYM:
            yield "".join(part[0] for part in parts)
