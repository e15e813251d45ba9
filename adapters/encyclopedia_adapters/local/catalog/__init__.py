"""Knowledge catalogs: entity pages with one dense index of them, read, written and ranked."""

from encyclopedia_adapters.local.catalog.kind import CatalogKind

__all__ = ["KIND"]

KIND = CatalogKind()
