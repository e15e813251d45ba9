"""Local collections of DevDocs dumps."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.local.corpus_kind import LocalKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from encyclopedia_adapters.local.corpus_format import Reading
    from encyclopedia_adapters.local.reference_pages import Manual
    from encyclopedia_adapters.local.walk import Bounds, Listing
    from encyclopedia_adapters.shared.text_index import Passage

_INDEX, _PAGES, _FACTS = "index.json", "db.json", "meta.json"
LARGEST = 150_000_000
_LARGEST_PAGE = 20_000_000


class DevdocsFormat:
    """The corpus kind ``devdocs``: a folder with ``index.json`` and ``db.json``, or one with such folders by slug."""

    noun = "DevDocs"
    reader = 1

    def listing(self, path: str, bounds: Bounds | None = None) -> Listing:  # noqa: ARG002 - a few stats are always done
        """Each slug as one file."""
        from encyclopedia_adapters.local.corpus_format import Misfit
        from encyclopedia_adapters.local.walk import Listing, Wanted, joint

        real = os.path.realpath(path)
        if not os.path.exists(real):
            raise FileNotFoundError(path)
        alone = os.path.isfile(os.path.join(real, _PAGES))
        listing = Listing(os.path.dirname(real) if alone else real, Wanted((), LARGEST))
        for slug in [os.path.basename(real)] if alone else _folders(real):
            stamps = [_stamp(listing.root, slug, name) for name in (_INDEX, _PAGES, _FACTS)]
            if all(stamps[:2]):
                listing.files[slug] = (sum(size for size, _ in filter(None, stamps)), joint(repr(stamps)))
        if not listing.files:
            raise Misfit(f"there is no folder with {_INDEX} and {_PAGES} in it")
        return listing

    def reading(self, listing: Listing) -> Callable[[str], Reading]:
        """Reads one slug after the other."""
        return lambda slug: _read(listing.root, slug)


def _folders(root: str) -> list[str]:
    try:
        with os.scandir(root) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False) and entry.name[0] != ".")
    except OSError:  # not a folder, or not ours to read: there is no dump in it for us
        return []


def _stamp(root: str, slug: str, name: str) -> tuple[int, int] | None:
    import stat

    try:
        status = os.lstat(os.path.join(root, slug, name))
    except OSError:
        return None
    return (status.st_size, status.st_mtime_ns) if stat.S_ISREG(status.st_mode) else None


def _read(root: str, slug: str) -> Reading:
    from encyclopedia_adapters.local.corpus_format import Reading, digest
    from encyclopedia_adapters.local.walk import read

    raw = {name: read(root, f"{slug}/{name}", LARGEST) for name in (_INDEX, _PAGES)}
    try:
        facts = read(root, f"{slug}/{_FACTS}", 1_000_000)
    except FileNotFoundError:
        facts = b"{}"
    same = digest(facts, *raw.values())
    try:
        manual = _manual(slug, _object(_FACTS, facts))
        entries, pages = _object(_INDEX, raw[_INDEX]).get("entries"), _object(_PAGES, raw[_PAGES])
    except ValueError as error:
        return Reading(same, problem=str(error))
    return Reading(same, _passages(slug, manual, entries, pages), manual.tags, manual.version)


def _object(name: str, raw: bytes) -> dict[str, Any]:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        raise ValueError(f"{name} is not JSON") from None
    if not isinstance(value, dict):
        raise ValueError(f"{name} is not a JSON object")  # noqa: TRY004 - it is the content of a file, not an argument
    return value


def _manual(slug: str, facts: dict[str, Any]) -> Manual:
    from encyclopedia_adapters.local.reference_pages import Manual

    name, _, version = slug.partition("~")
    found = [facts.get(key) for key in ("release", "version")]
    told = next((value for value in found if isinstance(value, str) and value), version)
    full = facts.get("name")
    return Manual(full if isinstance(full, str) and full else name, told)


def _passages(slug: str, manual: Manual, entries: object, pages: dict[str, Any]) -> Iterator[Passage]:
    """The passages of all pages, and of names that have none."""
    from encyclopedia_adapters.local import html_page
    from encyclopedia_adapters.local.reference_pages import Entry, Place, name_passages, page_passages

    named: dict[str, list[Entry]] = {}
    for entry in entries if isinstance(entries, list) else ():
        match entry:
            case {"name": str(name), "path": str(link), **more}:
                page, _, anchor = link.partition("#")
                kind = more.get("type")
                named.setdefault(page, []).append(
                    Entry(name, kind if isinstance(kind, str) and kind else "entry", html_page.plain_anchor(anchor))
                )
    for path, html in pages.items():
        if isinstance(html, str):
            here = named.pop(path, [])
            parsed = html_page.parse(html[:_LARGEST_PAGE], {entry.anchor for entry in here})
            place = Place(slug, f"{slug}/{path}", _address(html, slug, path))
            yield from page_passages(parsed, here, place, manual)
    for path, here in named.items():
        yield from name_passages(here, Place(slug, f"{slug}/{path}", _address("", slug, path)), manual)


def _address(html: str, slug: str, path: str) -> str:
    """The page that the dump was made from, as its attribution tells; else the page on devdocs.io."""
    import re
    from html import unescape
    from urllib.parse import quote

    credit = html.rfind('class="_attribution-link"')
    if credit >= 0:
        start, end = html.rfind("<", 0, credit), html.find(">", credit)
        link = re.search(r"href=\"(https?://[^\"<>\s]+)\"", html[start:end])
        if link:
            return unescape(link[1]).partition("#")[0]
    return f"https://devdocs.io/{quote(slug)}/{quote(path)}"


KIND = LocalKind(DevdocsFormat())
