"""Local collections of ``llms.txt`` and ``llms-full.txt`` with the markdown pages that they name."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from encyclopedia_adapters.local.corpus_kind import LocalKind
from encyclopedia_adapters.shared.containment import within

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from encyclopedia_adapters.local.corpus_format import Reading
    from encyclopedia_adapters.local.llms_text import Link
    from encyclopedia_adapters.local.markdown import Note
    from encyclopedia_adapters.local.walk import Bounds, Listing
    from encyclopedia_adapters.shared.text_index import Passage

_LINKS, _FULL = "llms.txt", "llms-full.txt"
_LARGEST = 50_000_000


class LlmsFormat:
    """The corpus kind ``llms``: one such file, or a folder with some of them, each beside the pages that it links to."""

    noun = "llms.txt documentation"
    reader = 1

    def listing(self, path: str, bounds: Bounds | None = None) -> Listing:
        """The files, and the pages beside them, each of which changes with the list that names it."""
        from encyclopedia_adapters.local.corpus_format import Misfit
        from encyclopedia_adapters.local.walk import Wanted, walk

        listing = walk(path, bounds, Wanted((_LINKS, _FULL), _LARGEST))
        listing.single = False
        for name in [name for name in listing.files if os.path.basename(name) not in (_LINKS, _FULL)]:
            del listing.files[name]
        if not listing.files:
            raise Misfit(f"there is no {_LINKS} or {_FULL} in it")
        for name in [name for name in listing.files if os.path.basename(name) == _LINKS]:
            _add_pages(listing, name)
        return listing

    def reading(self, listing: Listing) -> Callable[[str], Reading]:
        """Reads lists and pages; a list is read once."""
        named: dict[str, dict[str, Link]] = {}
        for name in listing.files:
            if os.path.basename(name) == _LINKS:
                named[name] = _pages(listing.root, name)
        return lambda path: _read(listing, named, path)


def _add_pages(listing: Listing, name: str) -> None:
    from encyclopedia_adapters.local.walk import joint

    pages, (size, changed) = _pages(listing.root, name), listing.files[name]
    for page in pages:
        status = os.lstat(os.path.join(listing.root, page))
        listing.files.setdefault(page, (status.st_size, joint(status.st_mtime_ns, size, changed)))
    listing.files[name] = (size, joint(changed, *sorted(pages)))  # a page that goes leaves its link to the list


def _pages(root: str, name: str) -> dict[str, Link]:
    """The pages that lie beside a list, by path; nothing of a list that cannot be read."""
    import stat

    from encyclopedia_adapters.local import llms_text, walk

    try:
        overview = llms_text.parse(walk.decode(walk.read(root, name)) or "")
    except OSError:
        return {}
    folder, found = name.removesuffix(_LINKS), dict[str, llms_text.Link]()
    for link in overview.links:
        for path in llms_text.beside(link.target):
            place = os.path.join(root, folder, path)
            try:
                status = os.lstat(place)
            except (OSError, ValueError):
                continue
            if stat.S_ISREG(status.st_mode) and within(root, os.path.realpath(place)):
                found.setdefault(folder + path, link)
                break
    return {path: link for path, link in found.items() if os.path.basename(path) not in (_LINKS, _FULL)}


def _read(listing: Listing, named: dict[str, dict[str, Link]], path: str) -> Reading:
    from encyclopedia_adapters.local import markdown, walk
    from encyclopedia_adapters.local.corpus_format import Reading, digest

    full = os.path.basename(path) == _FULL
    raw = walk.read(listing.root, path, _LARGEST if full else walk.LARGEST)
    text = walk.decode(raw)
    if text is None:
        return Reading(digest(raw), problem="not text")
    if path in named:
        return Reading(digest(raw, repr(sorted(named[path]))), _overview(path, text, named[path]))
    if full:
        return Reading(digest(raw), _pages_in_one(path, markdown.parse(text)))
    link = next(links[path] for links in named.values() if path in links)
    return Reading(digest(raw, repr(link)), _page(path, markdown.parse(text), link))


def _overview(path: str, text: str, pages: dict[str, Link]) -> Iterator[Passage]:
    """The summary, and each link whose page is not read itself."""
    from encyclopedia_adapters.local import llms_text
    from encyclopedia_adapters.local.chunks import fill, paragraphs
    from encyclopedia_adapters.shared.text_index import Passage

    found = llms_text.parse(text)
    lines = found.summary.split("\n")
    title = found.title or path
    read = set(pages.values())
    for number, chunk in enumerate(fill(lines, paragraphs(lines, 1, len(lines)), ())):
        yield Passage(f"{path}#{number}", path, title, chunk.text, data={"section": title, "page": path})
    for number, link in enumerate(found.links):
        if link not in read:
            data = {"section": link.section, "url": _web(link.target), "page": f"{path}#{link.target}"}
            yield Passage(f"{path}#link{number}", path, link.title, link.note, data=data, also=f"{title} {link.section}")


def _page(path: str, note: Note, link: Link) -> Iterator[Passage]:
    from encyclopedia_adapters.local.note_passages import note_passages

    url = _web(link.target)
    for number, passage in enumerate(note_passages(path, note, page=path, **({"url": url} if url else {}))):
        yield passage._replace(also=f"{passage.also} {link.title} {link.section} {link.note}") if number == 0 else passage


def _pages_in_one(path: str, note: Note) -> Iterator[Passage]:
    """A page is what stands under a heading of the first level; its address is the line ``Source:`` or ``URL:`` under it."""
    from encyclopedia_adapters.local.note_passages import note_passages

    page = url = ""
    for passage in note_passages(path, note):
        top = str(passage.data["section"]).partition(" > ")[0]
        if top != page:
            page, url = top, _source(passage.body)
        data = {**passage.data, "page": f"{path}#{top}", **({"url": url} if url else {})}
        yield passage._replace(data=data, title=str(passage.data["section"]) or passage.title)


def _source(text: str) -> str:
    for line in text.split("\n", 3)[:3]:
        name, _, value = line.partition(":")
        if name.strip().lower() in ("source", "url"):
            return _web(value.strip().strip("<>"))
    return ""


def _web(target: str) -> str:
    return target if target.startswith(("https://", "http://")) else ""


KIND = LocalKind(LlmsFormat())
