"""The corpus kind ``documents`` for the registry of corpora, with what it can tell of one document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.local.corpus_kind import LocalKind

if TYPE_CHECKING:
    from encyclopedia.model.corpus import Corpus
    from encyclopedia_adapters.local.corpus_format import Format

OPTIONS = ("exclude", "gitignore")


class DocumentKind(LocalKind):
    """Folders of documents, or single ones.

    ``exclude`` is a list of patterns as ``.gitignore`` files have them, ``gitignore`` false reads what such files leave out.
    """

    noun = "documents"
    options = OPTIONS

    def __init__(self) -> None:
        """Each corpus has a form of its own."""

    def form(self, corpus: Corpus) -> Format:
        """How its documents are listed and read. Raises ``ConfigurationError`` for a setting that does not fit."""
        from encyclopedia_adapters.local.documents.format import DocumentFormat

        return DocumentFormat.of(corpus)

    def document(self, corpus: Corpus, path: str) -> dict[str, Any]:
        """What is known of one document, links and backlinks included. Raises ``ConfigurationError`` if there is none."""
        from encyclopedia_adapters.local.documents.shown import document

        return document(corpus, path)
