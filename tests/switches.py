"""The switches of all sources that are on of themselves: a test asks none but those that it keeps."""

from __future__ import annotations

from encyclopedia.ports import Card, Key, Option
from encyclopedia.wiring.plugins import entry_points
from encyclopedia.wiring.requirements import load


def off(*kept: str) -> dict[str, str]:
    """The environment that switches off every built-in source that needs no setting, but for the ``kept`` ones."""
    found = entry_points().get("encyclopedia.sources", {})
    cards = {name: load(target) for name, target in sorted(found.items()) if name not in kept}
    return {f"ENCYCLOPEDIA_ENABLE_{name.upper()}": "0" for name, card in cards.items() if _is_on(card)}


def _is_on(card: object) -> bool:
    return isinstance(card, Card) and card.default and not any(isinstance(need, Key | Option) for need in card.requires)
