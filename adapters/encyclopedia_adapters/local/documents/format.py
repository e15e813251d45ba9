"""Which files are documents, and how each kind of them is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.model.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.model.corpus import Corpus
    from encyclopedia_adapters.local.documents.reader import DocumentReader
    from encyclopedia_adapters.local.walk import Bounds, Listing


class DocumentFormat:
    """A folder of documents, or one document; ``exclude`` and ``gitignore`` are the settings of the kind."""

    noun = "documents"
    reader = 4

    def __init__(self, exclude: tuple[str, ...] = (), *, gitignore: bool = True) -> None:
        self._exclude, self._gitignore = exclude, gitignore

    @classmethod
    def of(cls, corpus: Corpus) -> DocumentFormat:
        """The format with the settings of a corpus. Raises ``ConfigurationError`` for one that does not fit."""
        options: Mapping[str, Any] = corpus.options
        where, exclude, gitignore = f"corpora.{corpus.name}", options.get("exclude", ()), options.get("gitignore", True)
        patterns = (exclude,) if isinstance(exclude, str) else exclude
        if not isinstance(patterns, list | tuple) or not all(isinstance(pattern, str) for pattern in patterns):
            hint = 'it takes a list of patterns, for example ["drafts/"]'
            raise ConfigurationError(f"{where}.exclude cannot be {exclude!r}", hint)
        if not isinstance(gitignore, bool):
            raise ConfigurationError(f"{where}.gitignore cannot be {gitignore!r}", "it takes true or false")
        return cls(tuple(patterns), gitignore=gitignore)

    def listing(self, path: str, bounds: Bounds | None = None) -> Listing:
        """The documents of the folder without what its owner leaves out, or the one document.

        A file whose library comes or goes has another stamp, so that it is read again.
        """
        from encyclopedia_adapters.local.documents.files import WANTED, converter, lacks
        from encyclopedia_adapters.local.documents.left_out import left_out
        from encyclopedia_adapters.local.walk import walk

        listing = walk(path, bounds, WANTED, left_out(path, self._exclude, gitignore=self._gitignore))
        listing.plain = True
        for name, (size, changed) in listing.files.items():
            if (library := converter(name).library) and lacks(library):
                listing.files[name] = (size, ~changed)
        return listing

    def reading(self, listing: Listing) -> DocumentReader:
        """Reads one file after the other; a process that this needs lives until ``close()``."""
        from encyclopedia_adapters.local.documents.reader import DocumentReader

        return DocumentReader(listing)
