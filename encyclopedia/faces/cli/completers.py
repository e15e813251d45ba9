"""Names that the shell completes, from what lies on this machine only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from encyclopedia.wiring.catalog import Catalog

TYPES = ("library_docs", "general_search", "code_context", "repository")


def types(**_: Any) -> tuple[str, ...]:
    """The query types."""
    return TYPES


def sources(prefix: str = "", **_: Any) -> list[str]:
    """The sources that can be asked; ``prefix`` may be a list with commas, whose last name is being typed."""
    before, comma, _last = prefix.rpartition(",")
    return [f"{before}{comma}{name}" for name, entry in _catalog().items() if not entry.candidate.missing]


def corpora(**_: Any) -> list[str]:
    """The local corpora."""
    return [name for name, entry in _catalog().items() if entry.card.corpus]


def indexes(**_: Any) -> list[str]:
    """Everything that has an index."""
    return [name for name, entry in _catalog().items() if entry.card.index]


def _catalog() -> Catalog:
    from encyclopedia.faces.cli.workplace import loaded
    from encyclopedia.wiring.catalog import catalog
    from encyclopedia.wiring.plugins import entry_points

    return catalog(loaded(), entry_points())
