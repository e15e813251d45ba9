"""Answers from the pages of a catalog in the order of the catalog's own ranking, each with its claim and best passage."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from encyclopedia_adapters.local import markdown
from encyclopedia_adapters.local.catalog.form import CatalogFormat
from encyclopedia_adapters.local.catalog.page import read_page
from encyclopedia_adapters.local.catalog.rank import DEPTH, Wanted, rank
from encyclopedia_adapters.local.corpus_fresh import is_there
from encyclopedia_adapters.local.corpus_source import CorpusSource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from encyclopedia.model.corpus import Corpus
    from encyclopedia.model.plan import Request
    from encyclopedia.ports import Embedder
    from encyclopedia_adapters.local.catalog.place import Place
    from encyclopedia_adapters.local.walk import Listing
    from encyclopedia_adapters.shared.text_index import Match
    from encyclopedia_adapters.shared.text_index.coverage import Coverage

_FOR_EACH = 10
"""Pages looked at for each one wanted: many share a word with the question and do not answer it."""


class CatalogSource(CorpusSource):
    """The source of one catalog."""

    def __init__(self, corpus: Corpus, place: Place, embedder: Callable[[], Embedder | None]) -> None:
        super().__init__(corpus, CatalogFormat(place))
        self._place = place
        self._embedder = embedder

    def _find(self, request: Request, text: str, listing: Listing) -> dict[str, Match]:
        """The pages that answer in the order of their rank; where several passages of each are wanted, one after the other."""
        return dict(islice(self._answering(request, text, listing), request.limit))

    def _answering(self, request: Request, text: str, listing: Listing) -> Iterator[tuple[str, Match]]:
        """A page that is called like the question answers it in any case."""
        index, wanted = self._index.text, Wanted(text, tags=self._tags(request.tags))
        coverage = index.coverage(request.text, request.stands_for)
        depth = max(DEPTH, _FOR_EACH * request.limit)
        for one in rank(index, wanted, depth=depth, embedder=self._embedder()):
            if one.match and is_there(listing, one.document) and (one.first or self._answers(one.match, coverage)):
                shown = self._shown(one.match, coverage, request.passages)
                yield from ((one.document if request.passages == 1 else match.id, match) for match in shown)

    def _shown(self, match: Match, coverage: Coverage, most: int) -> Iterator[Match]:
        """The claim of a page and the passages that hold most of the question, each with its lines; as found if it is gone."""
        text = self._place.read_page(match.document)
        if text is None:
            yield match
            return
        page = read_page(self._place.entity(match.document), text)
        chunks = [chunk for chunk in markdown.parse(text).chunks if chunk.first >= page.line]
        shares = {chunk.first: coverage.share(*chunk.headings, chunk.text) for chunk in chunks}
        best = sorted(chunks, key=lambda chunk: -shares[chunk.first])[:most]
        if not best:
            yield match._replace(body=page.claim)
        for chunk in best:
            body = chunk.text if page.claim in chunk.text else f"{page.claim}\n\n{chunk.text}"
            data = {"section": " > ".join(chunk.headings), "lines": [chunk.first, chunk.last]}
            yield match._replace(id=f"{match.document}#{chunk.first}", body=body, data=data)
