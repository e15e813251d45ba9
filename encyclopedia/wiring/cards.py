"""Cards of sources: those that were registered, ours as strangers', and those of objects that were passed in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.query import Form, QueryType
from encyclopedia.ports import Card
from encyclopedia.wiring.corpora import check_name, weights
from encyclopedia.wiring.requirements import Absent, plugin

if TYPE_CHECKING:
    from collections.abc import Iterator

FUNCTIONS = ("make", "index", "state", "revision", "knows", "report")


def as_card(thing: object) -> Card:
    """The card of a source that was passed in: a ``Card``, or an object or class with a ``card`` and a ``search``."""
    if isinstance(thing, Card):
        return thing
    card = getattr(thing, "card", None)
    if not isinstance(card, Card) or not callable(getattr(thing, "search", None)):
        raise ConfigurationError(f"{type(thing).__name__} is not a source", "give it a card and an async search(request)")
    made: Any = thing
    return card._replace(make=made if isinstance(thing, type) else lambda _context: made)


def built_in(group: Mapping[str, str]) -> tuple[dict[str, Card], dict[str, Absent]]:
    """The sound cards of an entry-point group by the source's name, and why the others are not there.

    One that cannot be loaded, or whose card is nonsense, costs nobody else anything.
    """
    cards: dict[str, Card] = {}
    broken: dict[str, Absent] = {}
    for name, target in group.items():
        found = plugin(target)
        made = found if isinstance(found, Absent) else _sound(found, target)
        if isinstance(made, Absent):
            broken[name] = made if made.hint else Absent(made.reason, _blame(target))
        elif made.name in cards:
            broken[name] = Absent(f"its card has the name of another source, {made.name}", "remove one of the two packages")
        else:
            cards[made.name] = made
    return cards, {name: absent for name, absent in broken.items() if name not in cards}


def _sound(found: object, target: str) -> Card | Absent:
    """The card, if every field is what it should be."""
    try:
        card = as_card(found)
        flaw = next(_flaws(card), "")
    except Exception as error:  # noqa: BLE001 - a stranger's object may do anything when it is looked at
        flaw = error.message if isinstance(error, ConfigurationError) else f"looking at it raises {type(error).__name__}"
        return Absent(f"its card is not sound: {flaw}", _blame(target))
    return Absent(f"its card is not sound: {flaw}", _blame(target)) if flaw else card


def _blame(target: str) -> str:
    return f"{target} is at fault: update its package, or remove it"


def _flaws(card: Card) -> Iterator[str]:
    if not isinstance(card.name, str):
        yield "its name is not text"
    check_name(card.name)
    if not isinstance(card.serves, Mapping) or not all(isinstance(kind, QueryType) for kind in card.serves):
        yield "serves is no table of query types"
    weights(dict(card.serves), "serves")
    timeout = card.timeout
    if timeout is not None and (isinstance(timeout, bool) or not isinstance(timeout, int | float) or not timeout > 0):
        yield "timeout is no number of seconds"
    if not isinstance(card.form, Form):
        yield "form is none"
    for field in ("requires", "accepts", "options"):
        if not isinstance(getattr(card, field), tuple):
            yield f"{field} is no tuple"
    for field in FUNCTIONS:
        function = getattr(card, field)
        if function is not None and not callable(function):
            yield f"{field} cannot be called"
