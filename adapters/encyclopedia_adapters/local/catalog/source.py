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
        """The pages that answer in the order of their rank; one that is called like the question answers in any case."""
        return dict(islice(self._answering(request, text, listing), request.limit))

    def _answering(self, request: Request, text: str, listing: Listing) -> Iterator[tuple[str, Match]]:
        index, wanted = self._index.text, Wanted(text, tags=self._tags(request.tags))
        coverage = index.coverage(request.text, request.stands_for)
        depth = max(DEPTH, _FOR_EACH * request.limit)
        for one in rank(index, wanted, depth=depth, embedder=self._embedder()):
            if one.match and is_there(listing, one.document) and (one.first or self._answers(one.match, coverage)):
                yield one.document, self._shown(one.match, coverage)

    def _shown(self, match: Match, coverage: Coverage) -> Match:
        """The claim of a page and the passage that holds most of the question, with its lines; as found if it is gone."""
        text = self._place.read_page(match.document)
        if text is None:
            return match
        page = read_page(self._place.entity(match.document), text)
        chunks = [chunk for chunk in markdown.parse(text).chunks if chunk.first >= page.line]
        best = max(chunks, key=lambda chunk: coverage.share(*chunk.headings, chunk.text), default=None)
        if best is None:
            return match._replace(body=page.claim)
        body = best.text if page.claim in best.text else f"{page.claim}\n\n{best.text}"
        return match._replace(body=body, data={"section": " > ".join(best.headings), "lines": [best.first, best.last]})
