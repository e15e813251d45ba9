"""Local collections of documents: notes and vaults, manuals, decision records, papers and office files."""

from encyclopedia_adapters.local.documents.kind import DocumentKind

KIND = DocumentKind()
