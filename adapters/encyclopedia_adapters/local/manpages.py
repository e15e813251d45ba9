"""The source `manpages`: the manual pages of this system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.query import Form, QueryType
from encyclopedia.ports import Card, Package, Program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from encyclopedia.model.corpus import CorpusReport, Indexed
    from encyclopedia.model.outcome import Hit, Reply
    from encyclopedia.model.plan import Request
    from encyclopedia.ports import Context, Progress
    from encyclopedia_adapters.local.man_index import ManIndex, Page
    from encyclopedia_adapters.local.man_page import Excerpt
    from encyclopedia_adapters.shared.text_index.coverage import Coverage

PAGES = 6
"""Pages read for one question, of those called by its words and of the others."""
ENOUGH_NAMED = 0.6
"""Share of the question that a page must hold which is called by one of them; a page that is not must hold them all."""
ALL = 1 - 1e-9
NO_DATABASE = "there is no database of manual pages here (`mandb` makes one)"
_RESERVE = 0.9


class ManSource:
    """Finds pages by name and summary, then reads the best; ``program`` and ``stamp`` say where they come from."""

    def __init__(self, index: ManIndex, stamp: Callable[[], str], *, corpus: str = "manpages", program: str = "man") -> None:
        self._index = index
        self._stamp = stamp
        self._corpus = corpus
        self._program = program

    async def search(self, request: Request) -> Reply:
        """Pages that hold what was asked, best first; none rather than pages that only share a word or two."""
        import asyncio
        import time

        from encyclopedia.model.outcome import Reply
        from encyclopedia_adapters.local.man_page import content_terms

        end = time.monotonic() + _RESERVE * request.timeout
        terms = content_terms(request.text)
        stamp = await asyncio.to_thread(self._stamp)
        if not stamp:
            return Reply(note=NO_DATABASE)
        if not await asyncio.to_thread(self._index.is_current, stamp):
            await self.refresh(stamp, end - time.monotonic())
        if not terms or not await asyncio.to_thread(self._has_page, request.library):
            return Reply()
        pages = await asyncio.to_thread(self._index.find, request.text, PAGES)
        texts = await asyncio.gather(*(self._read(page, end - time.monotonic()) for page in pages))
        coverage = self._index.text.coverage(request.text, request.stands_for)
        return Reply((await asyncio.to_thread(self._hits, pages, texts, coverage))[: request.limit])

    async def refresh(self, stamp: str, timeout: float) -> int:  # noqa: ASYNC109 - given on to the program
        """Remake the index from the system's database within ``timeout`` seconds; the number of pages, 0 if it failed."""
        import asyncio

        from encyclopedia_adapters.local.man_index import parse
        from encyclopedia_adapters.local.man_program import run_man

        pages = list(parse(await run_man("-k", ".", timeout=timeout, program=self._program, width=1000)))
        done = bool(pages) and await asyncio.to_thread(self._index.rebuild, pages, stamp)
        return len(pages) if done else 0

    def _has_page(self, library: str) -> bool:
        # Manual pages know nothing of a Python library; the words beside its name would only find noise.
        return not library or self._index.has(library)

    async def _read(self, page: Page, timeout: float) -> str:  # noqa: ASYNC109 - given on to the program
        from encyclopedia_adapters.local.man_page import plain
        from encyclopedia_adapters.local.man_program import is_safe, run_man

        if not is_safe(page.name, page.section):
            return ""
        arguments = ("-P", "cat", "-s", page.section, "--", page.name)
        return plain(await run_man(*arguments, timeout=timeout, program=self._program))

    def _hits(self, pages: list[Page], texts: list[str], coverage: Coverage) -> tuple[Hit, ...]:
        from encyclopedia_adapters.local.man_page import excerpt

        seen: set[str] = set()
        found: list[tuple[Page, Excerpt]] = []
        for page, text in zip(pages, texts, strict=True):
            if text and text not in seen:
                seen.add(text)
                found.append((page, excerpt(f"{text}\n{page.summary}", coverage.terms)))
        return tuple(self._hit(page, part) for page, part in _accepted(found, coverage))

    def _hit(self, page: Page, part: Excerpt) -> Hit:
        from encyclopedia.model.outcome import Hit, Locator
        from encyclopedia_adapters.shared.sanitize import clean_line, clean_text

        return Hit(
            title=clean_line(f"{page.label} — {page.summary}"),
            content=clean_text(part.text),
            locator=Locator(self._corpus, page.label, clean_line(part.section)),
            id=page.label,
            page=f"man:{page.label}",
        )


def _accepted(found: Iterable[tuple[Page, Excerpt]], coverage: Coverage) -> list[tuple[Page, Excerpt]]:
    shares = [(coverage.share_of(part.held), page, part) for page, part in found]
    fits = [
        (share, page, part)
        for share, page, part in shares
        if (share >= ENOUGH_NAMED if page.named is not None else share >= ALL and len(coverage.needs) > 1)
    ]
    ranked = sorted(fits, key=lambda fit: (-fit[0], fit[1].named is None, fit[1].named or 0))
    return [(page, part) for _, page, part in ranked]


def make(context: Context) -> ManSource:
    """The source over the index in ``context.home``."""
    from encyclopedia_adapters.local.man_index import ManIndex
    from encyclopedia_adapters.local.man_program import database_stamp

    return ManSource(ManIndex(context.home), database_stamp, corpus=context.name)


def index(context: Context, progress: Progress) -> Indexed:
    """Remake the index if the system's database of pages has changed."""
    import asyncio

    from encyclopedia.model.corpus import Indexed as Report
    from encyclopedia_adapters.local.man_index import ManIndex
    from encyclopedia_adapters.local.man_program import database_stamp

    pages, stamp = ManIndex(context.home), database_stamp()
    if not stamp or pages.is_current(stamp):
        return Report(unchanged=int(bool(stamp)), passages=pages.text.count(), skipped=() if stamp else (("man", NO_DATABASE),))
    progress("whatis", 0, 1)
    count = asyncio.run(make(context).refresh(stamp, 60.0))
    progress("whatis", 1, 1)
    return Report(changed=int(count > 0), passages=pages.text.count(), skipped=() if count else (("man", "`man -k .` failed"),))


def state(context: Context) -> str:
    """How the index stands, in one sentence; reads only."""
    from encyclopedia_adapters.local.man_index import ManIndex
    from encyclopedia_adapters.local.man_program import database_stamp

    pages, stamp = ManIndex(context.home), database_stamp()
    if not stamp:
        return NO_DATABASE
    count = f"{pages.text.count()} manual pages indexed"
    return count if pages.is_current(stamp) else f"{count}; the next search brings them up to date"


def report(context: Context) -> CorpusReport:
    """How the index stands in numbers, a page counted as a document; reads only."""
    from encyclopedia.model.corpus import CorpusReport as Report
    from encyclopedia_adapters.local.man_index import ManIndex
    from encyclopedia_adapters.local.man_program import database_stamp

    pages, stamp = ManIndex(context.home), database_stamp()
    count, problem = pages.text.count(), pages.text.problem or ("" if stamp else NO_DATABASE)
    changed = int(bool(count and stamp) and not pages.is_current(stamp))
    return Report(count, count, indexed_at=pages.text.changed_at(), changed=changed, problems=(problem,) if problem else ())


def revision(_context: Context) -> str:
    """Changes with the system's database of pages."""
    from encyclopedia_adapters.local.man_program import database_stamp

    return database_stamp()


CARD = Card(
    name="manpages",
    serves={QueryType.LIBRARY_DOCS: 0.40, QueryType.CODE_CONTEXT: 0.15},
    make=make,
    description="the manual pages of this system",
    requires=(Program("man"), Package("tantivy")),
    form=Form.KEYWORD,
    index=index,
    state=state,
    revision=revision,
    report=report,
)
