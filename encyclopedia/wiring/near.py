"""The near tier of the cache put together: the index, the embedder, the word lists, the guards in force."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.wiring import places
from encyclopedia.wiring.requirements import UNREGISTERED, Absent, installed, load, plugin

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from encyclopedia.keeping import NearTier
    from encyclopedia.model.wording import Wording
    from encyclopedia.ports import Embedder
    from encyclopedia.wiring.settings import Loaded
    from encyclopedia.wiring.shared import SharedState

NEEDS = ("numpy", "tokenizers", "threadpoolctl")
"""Libraries without which no question becomes a vector."""
HINT = "pip install 'encyclopedia-search[semantic]'"
GUARDS = (
    "language", "versions", "dates", "numbers", "negation", "polarity", "question", "identifiers", "direction", "roles",
    "names", "scope", "words",
)  # fmt: skip
"""The names of all guards: known without loading them."""


def near_of(
    loaded: Loaded,
    found: Mapping[str, str],
    embedder: Callable[[], Embedder | None],
    shared: SharedState | None = None,
) -> tuple[NearTier | None, str]:
    """The near tier, or why there is none. ``found`` are the registered stores. Loads no library and opens no file.

    Raises ``ConfigurationError`` for a guard that there is not.
    """
    settings = loaded.settings.cache
    chosen = guards(settings.guards)
    if loaded.settings.embedder.use == "off":
        return None, "embedder.use is off"
    if lacking := next((name for name in NEEDS if not installed(name)), ""):
        return None, f"{lacking} is not installed: {HINT}"
    parts: list[Any] = [plugin(found[name]) if name in found else UNREGISTERED for name in ("near", "votes")]
    for part in parts:
        if isinstance(part, Absent):
            return None, part.reason
    limits = load("encyclopedia.engine.near:Limits")(settings.threshold, settings.threshold_same_words, chosen)
    index, votes = parts[0](places.cache(loaded.home)), parts[1](places.state(loaded.home), shared.votes if shared else None)
    stores = (shared.near(index) if shared else index), votes
    made: NearTier = load("encyclopedia.engine.near:Nearness")(stores, embedder, cache(wording), limits)
    return made, ""


def wording() -> Wording:
    """The word lists that ship with the program; some hundredths of a second."""
    from encyclopedia.wiring.vocabulary import load as vocabulary
    from encyclopedia.wiring.wording import load as read

    return read(places.data(), vocabulary(places.data()))


def guards(setting: str) -> tuple[str, ...]:
    """The guards of a setting: ``all``, ``none``, or names with commas between."""
    named = [name.strip() for name in setting.split(",") if name.strip()]
    if named in (["all"], ["none"]):
        return GUARDS if named == ["all"] else ()
    for name in named:
        if name not in GUARDS:
            from encyclopedia.model.nearest import nearest

            raise ConfigurationError(f"unknown guard {name!r} in cache.guards", nearest(name, ("all", "none", *GUARDS)))
    return tuple(named)
