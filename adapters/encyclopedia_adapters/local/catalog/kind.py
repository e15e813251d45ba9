"""The corpus kind ``catalog``: entity pages with a dense index of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.ports import Package
from encyclopedia_adapters.local.catalog.place import OPTIONS, place_of
from encyclopedia_adapters.local.corpus_kind import LocalKind

if TYPE_CHECKING:
    from encyclopedia.model.corpus import Corpus, CorpusReport, Indexed
    from encyclopedia.model.topic import TopicLoad
    from encyclopedia.ports import Card, Context, Embedder, Progress, Source
    from encyclopedia_adapters.local.corpus_format import Format


class CatalogKind(LocalKind):
    """Catalogs as sources, with the verbs ``load`` and ``summary`` besides.

    ``catalog`` and ``entities`` are paths below the folder of the corpus: where the index lies, and where the pages.
    """

    noun = "entities"
    options = OPTIONS

    def __init__(self) -> None:
        """The form of a catalog depends on the settings of its corpus."""

    def form(self, corpus: Corpus) -> Format:
        """How the pages of a corpus are listed and read."""
        from encyclopedia_adapters.local.catalog.form import CatalogFormat

        return CatalogFormat(place_of(corpus))

    def card(self, corpus: Corpus) -> Card:
        """The card of the source that answers from the pages; nothing is opened yet."""

        def make(context: Context) -> Source:
            from encyclopedia_adapters.local.catalog.source import CatalogSource

            return CatalogSource(corpus, place_of(corpus), context.embedder)

        card = super().card(corpus)
        return card._replace(make=make, requires=(*card.requires, Package("yaml")))

    def index(self, corpus: Corpus, progress: Progress, *, rebuild: bool = False, embedder: Embedder | None = None) -> Indexed:
        """Bring the index and the catalog file up to date with the pages.

        What cannot be written there is named among what was skipped. Raises ``ConfigurationError`` as every kind does.
        """
        from encyclopedia_adapters.local.catalog.write import bring_catalog

        done = super().index(corpus, progress, rebuild=rebuild, embedder=embedder)
        place = place_of(corpus)
        problem = bring_catalog(place, place.listing(), progress)
        return done._replace(skipped=(*done.skipped, (place.catalog, problem))) if problem else done

    def report(self, corpus: Corpus) -> CorpusReport:
        """How the pages stand and what is wrong between them and the catalog; reads only."""
        from encyclopedia_adapters.local.catalog.check import problems

        report = super().report(corpus)
        return report._replace(problems=(*report.problems, *problems(place_of(corpus))))

    def load(self, corpus: Corpus, asked: TopicLoad, progress: Progress, embedder: Embedder | None = None) -> dict[str, Any]:
        """The entities about a topic in the JSON form, without its head.

        Raises ``ConfigurationError`` if there is nothing to load from, or no entity of the type.
        """
        from encyclopedia_adapters.local.catalog.loading import load

        return load(corpus, asked, progress, embedder)

    def summary(self, corpus: Corpus, progress: Progress) -> dict[str, Any]:
        """What the catalog holds: types, hubs, missing pages, and how fresh it is."""
        from encyclopedia_adapters.local.catalog.loading import summary

        return summary(corpus, progress)
