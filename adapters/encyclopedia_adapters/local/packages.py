"""The source `packages`: docstrings, signatures and metadata of what is installed, read without importing any of it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from encyclopedia.model.query import Form, QueryType
from encyclopedia.ports import Card, Package

if TYPE_CHECKING:
    from encyclopedia.model.corpus import CorpusReport, Indexed
    from encyclopedia.model.outcome import Reply
    from encyclopedia.model.plan import Request
    from encyclopedia.ports import Context, Progress
    from encyclopedia_adapters.local.package_index import PackageIndex
    from encyclopedia_adapters.local.package_search import PackageSearch
    from encyclopedia_adapters.shared.text_index import TextIndex

OWN = "encyclopedia-search"
"""Our own distribution: found only by those who name it."""
FOLDER = "index/packages"
"""Where the index lies in the data folder."""


class PackageSource:
    """Searches the index of ``search`` in a thread; a cancelled or late question stops the thread too."""

    def __init__(self, search: PackageSearch) -> None:
        self._search = search

    async def search(self, request: Request) -> Reply:
        """At most ``request.limit`` hits; ``reduced`` tells how much of what is installed could not be searched yet."""
        from encyclopedia_adapters.shared.blocking import in_thread

        return await in_thread(self._search.answer, request)


def make(context: Context) -> PackageSource:
    """The source over the index in ``context.home``."""
    from encyclopedia_adapters.local.package_search import PackageSearch

    return PackageSource(PackageSearch(_index(context), context.name))


def index(context: Context, progress: Progress) -> Indexed:
    """Bring the whole index up to date. An interrupted run keeps what it finished.

    Raises ``ConfigurationError`` if another process keeps the index to itself.
    """
    from encyclopedia_adapters.local.package_report import index_all

    return index_all(_index(context), progress)


def state(context: Context) -> str:
    """How the index stands, in one sentence; reads only."""
    from encyclopedia_adapters.local.package_report import standing

    return standing(_index(context))


def report(context: Context) -> CorpusReport:
    """How the index stands in numbers; reads only."""
    from encyclopedia_adapters.local.package_report import report as made

    return made(_index(context))


def revision(context: Context) -> str:
    """Changes with every installed package, with every edit of an editable one, and with what has been indexed of them."""
    return _index(context).revision()


def knows(context: Context, word: str) -> bool:
    """Whether the word occurs in two distributions: among thousands of passages every slip of the pen stands somewhere.

    Our own README shows misspelt words, which are not known by that.
    """
    return _text_index(context.home).knows(word, least=2, beside=(OWN,))


def _index(context: Context) -> PackageIndex:
    from encyclopedia_adapters.local.package_index import PackageIndex

    return PackageIndex(context.home)


@cache
def _text_index(home: str) -> TextIndex:
    from encyclopedia_adapters.shared.text_index import TextIndex

    return TextIndex(f"{home}/{FOLDER}")


CARD = Card(
    name="packages",
    serves={QueryType.LIBRARY_DOCS: 0.40, QueryType.CODE_CONTEXT: 0.15},
    make=make,
    description="docstrings, signatures and metadata of installed Python packages and of the standard library",
    requires=(Package("tantivy"),),
    form=Form.KEYWORD,
    alternatives=True,
    index=index,
    state=state,
    revision=revision,
    knows=knows,
    report=report,
)
