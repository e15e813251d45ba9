"""A kind of local collection as the registry of corpora wants it, made of how its files are listed and read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from encyclopedia.model.corpus import CorpusReport
from encyclopedia.model.errors import ConfigurationError, SourceTrouble
from encyclopedia.model.query import Form
from encyclopedia.ports import Card, Package
from encyclopedia_adapters.engines.opening import check, open_index, requires

if TYPE_CHECKING:
    from collections.abc import Iterable

    from encyclopedia.model.corpus import Corpus, Indexed, Moved
    from encyclopedia.model.outcome import Hit
    from encyclopedia.ports import Context, Embedder, Progress, Source
    from encyclopedia_adapters.local.corpus_format import Format
    from encyclopedia_adapters.local.walk import Listing


class LocalKind:
    """A corpus kind whose passages are found by their words (BM25); ``options`` are the settings that it takes.

    Its passages may live on an engine.
    """

    options: tuple[str, ...] = ()

    def __init__(self, form: Format, options: tuple[str, ...] = ()) -> None:
        self._format = form
        self.noun = form.noun
        self.options = options

    def check_engine(self, address: str, where: str) -> None:
        """Raise ``ConfigurationError`` unless the address can be one of an engine."""
        check(address, where)

    def form(self, corpus: Corpus) -> Format:  # noqa: ARG002 - kinds with settings have one for each corpus
        """How the files of a corpus are listed and read."""
        return self._format

    def card(self, corpus: Corpus) -> Card:
        """The card of the source that answers from this corpus; nothing is opened yet."""

        def make(context: Context) -> Source:
            from encyclopedia_adapters.local.corpus_source import CorpusSource

            return CorpusSource(corpus, self.form(corpus), context.embedder)

        return Card(
            name=corpus.name,
            serves=corpus.serves,
            make=make,
            description=f"{self.noun} under {corpus.path}",
            requires=(*requires(corpus.engine), Package("Stemmer")),
            form=Form.KEYWORD,
            corpus=True,
            tags=True,
            alternatives=True,
            index=lambda _context, progress: self.index(corpus, progress),
            state=lambda _context: self._state(corpus),
            revision=lambda _context: self.revision(corpus),
            knows=lambda _context, word: self.knows(corpus, word),
        )

    def index(
        self,
        corpus: Corpus,
        progress: Progress,
        *,
        rebuild: bool = False,
        embedder: Embedder | None = None,
    ) -> Indexed:
        """Read what is new or changed, forget what is gone; ``progress`` is told each file.

        With an ``embedder`` the passages get vectors once all are committed: who interrupts that can search by words already.
        Raises ``ConfigurationError`` if the path is gone or no collection of this kind, or the index cannot be written, or
        somebody else is writing it, or its engine does not answer.
        """
        from encyclopedia_adapters.local.corpus_index import CorpusIndex
        from encyclopedia_adapters.shared.text_index import IndexBusy

        listing = self._listing(corpus)
        try:
            index = CorpusIndex(corpus, self.form(corpus))
            done = index.bring(listing, progress, rebuild=rebuild)
            if embedder is None:
                return done
            encoded = index.text.fill(embedder, lambda label, *numbers: progress(f"vectors of {label}", *numbers))
            return done._replace(vectors=encoded)
        except IndexBusy as busy:
            raise ConfigurationError(str(busy), "wait until it is done, or end that process") from busy
        except (OSError, ValueError, SourceTrouble) as error:
            raise ConfigurationError(
                f"the index of {corpus.name} cannot be written: {error}", f"look at {corpus.engine or corpus.folder}"
            ) from error

    def move(self, corpus: Corpus, address: str, progress: Progress) -> Moved:
        """Copy the passages of a corpus, and their vectors, to an engine, or to its folder if ``address`` is empty.

        Where they are now nothing changes; who interrupts that may begin again. Raises ``ConfigurationError`` if the address
        cannot be one, holds another corpus, or either place cannot be read or written.
        """
        from encyclopedia_adapters.engines.moving import end_of, move
        from encyclopedia_adapters.shared.text_index import IndexBusy

        if address:
            check(address, "the address")
        try:
            source, target = end_of(corpus), end_of(corpus._replace(engine=address))
            known = source.index.documents()
            if address and not all(document in known for document in target.index.documents()):
                raise ConfigurationError(f"{address} holds another corpus {corpus.name}", "name another schema: ?schema=NAME")
            return move(source, target, progress)
        except (IndexBusy, OSError, ValueError, SourceTrouble) as error:
            raise ConfigurationError(f"{corpus.name} cannot be moved: {error}", "what is done is kept; begin again") from error

    def forget(self, corpus: Corpus) -> None:
        """Remove what its folder or engine holds of the corpus. Raises ``ConfigurationError`` if that does not answer."""
        try:
            open_index(corpus).remove()
        except (SourceTrouble, TimeoutError) as error:
            hint = f"start it again, or delete {corpus.folder} by hand if it is gone for good"
            raise ConfigurationError(f"the passages of {corpus.name} cannot be removed: {error}", hint) from error

    def report(self, corpus: Corpus) -> CorpusReport:
        """How the corpus stands, with ``bytes`` of the files that are indexed; reads only.

        Raises ``ConfigurationError`` if its engine does not answer: then there are no numbers.
        """
        try:
            return self._report(corpus)
        except (SourceTrouble, TimeoutError) as error:
            raise ConfigurationError(str(error), f"see to corpora.{corpus.name}.engine, {corpus.engine}") from error

    def _report(self, corpus: Corpus) -> CorpusReport:
        from encyclopedia_adapters.local.corpus_index import Changes, CorpusIndex

        index = CorpusIndex(corpus, self.form(corpus))
        states = index.states()
        problems = [f"{index.text.problem}; it will be made anew"] if index.text.problem else []
        problems += [f"{path}: {state.problem}" for path, state in states.items() if state.problem]
        changes, skipped = Changes(), list[tuple[str, str]]()
        try:
            listing = self._listing(corpus)
            changes = index.changes(listing)
            skipped = listing.skipped
        except ConfigurationError as error:
            problems.insert(0, error.message)
        return CorpusReport(
            documents=sum(not state.problem or state.passages > 0 for state in states.values()),
            passages=index.text.count(),
            bytes=sum(state.size for state in states.values()),
            indexed_at=index.text.changed_at(),
            added=len(changes.added),
            changed=len(changes.changed),
            removed=len(changes.removed),
            problems=tuple(problems),
            skipped=tuple(skipped),
            tags=_counted(tag for state in states.values() for tag in state.tags),
            counts=(("vectors", count),) if (count := index.text.encoded()) else (),
        )

    def knows(self, corpus: Corpus, word: str) -> bool:
        """Whether the word occurs in the corpus as it is indexed now."""
        return open_index(corpus).knows(word)

    def names(self, corpus: Corpus, document: str = "") -> tuple[str, ...]:
        """The path of each document that is indexed; with ``document`` the ids of its passages and its ``path#section``."""
        index = open_index(corpus)
        if not document:
            return tuple(index.documents())
        passages = index.passages(document)
        sections = (f"{one.data.get('path', document)}#{one.data['section']}" for one in passages if one.data.get("section"))
        return tuple(dict.fromkeys((*(one.id for one in passages), *sections)))

    def parts(self, corpus: Corpus, document: str) -> tuple[Hit, ...]:
        """The passages of a document in their order, as its file stands now; none if there is no such document.

        Raises ``ConfigurationError`` for a path that is gone, or a file that cannot be read.
        """
        from encyclopedia_adapters.local.corpus_source import CorpusSource

        self._listing(corpus)
        try:
            return CorpusSource(corpus, self.form(corpus)).parts(document)
        except OSError as error:
            raise ConfigurationError(f"{document} cannot be read: {error.strerror}", "`encyclopedia corpus check`") from None

    def revision(self, corpus: Corpus) -> str:
        """A digest of the names, sizes and times of the files; empty if the path is gone, never the same where one is fresh."""
        from encyclopedia_adapters.local.corpus_format import Misfit, digest

        try:
            listing = self.form(corpus).listing(corpus.path)
        except (FileNotFoundError, Misfit):
            return ""
        once = os.urandom(8) if listing.fresh else b""  # their stamps do not tell yet whether they will be the same
        return digest(repr(sorted(listing.files.items())), once)[:16]

    def _state(self, corpus: Corpus) -> str:
        if not os.path.exists(corpus.path):
            return f"{corpus.path} is not there"
        try:
            index = open_index(corpus)
            count = len(index.documents())
            return index.problem or (f"{count} documents, {index.count()} passages" if count else "not indexed yet")
        except (SourceTrouble, TimeoutError) as error:
            return str(error)

    def _listing(self, corpus: Corpus) -> Listing:
        from encyclopedia_adapters.local.corpus_format import Misfit

        try:
            return self.form(corpus).listing(corpus.path)
        except FileNotFoundError:
            hint = f"bring it back, or `encyclopedia corpus remove {corpus.name}`"
            raise ConfigurationError(f"{corpus.path} of the corpus {corpus.name} is not there", hint) from None
        except Misfit as misfit:
            hint = "give another path, or another kind with --kind"
            raise ConfigurationError(f"{corpus.path} is no corpus of kind {corpus.kind}: {misfit}", hint) from None


def _counted(tags: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """Each tag with its number, the most frequent first."""
    counts: dict[str, int] = {}
    for tag in tags:
        counts[tag] = counts.get(tag, 0) + 1
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
