"""From a page of reference documentation, and the names that lead into it, to passages for the index."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from encyclopedia_adapters.local.chunks import Block, fill
from encyclopedia_adapters.shared.sanitize import clean_line, clean_text
from encyclopedia_adapters.shared.text_index import Passage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from encyclopedia_adapters.local import html_page

_TITLES = 3
_ABOUT = 1000
_LONGEST_SECTION = 400_000


class Entry(NamedTuple):
    """A name of the documentation, what kind of thing it is, and its anchor in the page, empty for the page itself."""

    name: str
    kind: str
    anchor: str = ""


class Manual(NamedTuple):
    """One project's documentation in one version; both may be empty."""

    name: str = ""
    version: str = ""

    @property
    def tags(self) -> tuple[str, ...]:
        """The project as a tag, so that one of several can be asked alone."""
        name = "-".join(self.name.lower().replace(",", " ").replace("/", " ").split())
        return (name,) if name else ()

    @property
    def called(self) -> str:
        """Name and version."""
        return f"{self.name} {self.version}".strip()


class Place(NamedTuple):
    """Where a page is: the listed file it is read from, its own path in the corpus, and its address or nothing."""

    document: str
    path: str
    url: str = ""


def page_passages(page: html_page.Page, entries: Sequence[Entry], place: Place, manual: Manual) -> Iterator[Passage]:
    """The sections of a parsed page, each called by the names that lead to it, else by its headings; long ones in pieces.

    A name without a place in the page gives a passage of its own.
    """
    named: dict[str, list[Entry]] = {}
    for entry in entries:
        named.setdefault(entry.anchor, []).append(entry)
    whole = named.pop("", [])
    number = 0
    for at, section in enumerate(page.sections):
        here = [entry for anchor in section.anchors for entry in named.pop(anchor, [])]
        here += whole if at == 0 else []
        for passage in _section(page, section, here, place, manual):
            yield passage._replace(id=f"{place.path}#{number}")
            number += 1
    rest = [entry for left in named.values() for entry in left]
    rest += [] if page.sections else whole
    yield from name_passages(rest, place, manual, number)


def name_passages(entries: Iterable[Entry], place: Place, manual: Manual, number: int = 0) -> Iterator[Passage]:
    """One passage for each name of which there is no text; ids count on from ``number``."""
    for at, entry in enumerate(entries, number):
        name = clean_line(entry.name)
        yield Passage(
            id=f"{place.path}#{at}",
            document=place.document,
            title=name,
            body=_about(entry, place, manual),
            tags=manual.tags,
            data=_data(place, entry.anchor, name, manual.version),
        )


def _section(
    page: html_page.Page, section: html_page.Section, entries: Sequence[Entry], place: Place, manual: Manual
) -> Iterator[Passage]:
    names = list(dict.fromkeys(clean_line(entry.name) for entry in entries))
    headings = " > ".join(section.headings) or clean_line(page.title)
    strange = [name for name in names if name not in headings]
    title = ", ".join(strange[:_TITLES]) if strange and not section.headed else headings
    if strange and section.headed:
        title = f"{headings} ({', '.join(strange[:_TITLES])})"
    title = title or (names[0] if names else place.path)
    where = " > ".join((*section.headings, *strange[:1])) or title
    data = _data(place, section.anchors[0] if section.anchors else "", where, manual.version)
    also = " ".join(word for word in dict.fromkeys((manual.name, *names, headings)) if word not in title)
    for text in _pieces(section.text) or [_about(entry, place, manual) for entry in entries[:1]]:
        yield Passage("", place.document, title, text, manual.tags, data, also)


def _about(entry: Entry, place: Place, manual: Manual) -> str:
    """What there is to say of a name without a text."""
    where = f"{place.path}#{entry.anchor}" if entry.anchor else place.path
    return clean_line(f"{entry.kind} of {manual.called}: {where}" if manual.called else f"{entry.kind}: {where}", _ABOUT)


def _pieces(text: str) -> list[str]:
    lines = clean_text(text, _LONGEST_SECTION).split("\n")
    if not lines[0]:
        return []
    return [chunk.text for chunk in fill(lines, [Block("text", 1, len(lines))], ())]


def _data(place: Place, anchor: str, section: str, version: str) -> dict[str, object]:
    from urllib.parse import quote

    mark = f"#{anchor}" if anchor else ""
    data: dict[str, object] = {"path": place.path, "page": place.path + mark, "section": section}
    if place.url:
        data["url"] = place.url + (f"#{quote(anchor, safe=_FRAGMENT)}" if anchor else "")
    if version:
        data["version"] = version
    return data


_FRAGMENT = "/:@!$&'()*+,;=?-._~"
