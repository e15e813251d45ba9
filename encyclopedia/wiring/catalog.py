"""All sources that there are: built in, described in the settings, local corpora, and objects that were passed in."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.plan import Candidate
from encyclopedia.ports import Card
from encyclopedia.wiring.checks import switch
from encyclopedia.wiring.corpora import check_name, registered, weights
from encyclopedia.wiring.nearest import nearest
from encyclopedia.wiring.requirements import Absent, load, unmet

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from encyclopedia.model.query import QueryType
    from encyclopedia.wiring.settings import Loaded

COMMON = ("enabled", "timeout", "serves", "base_url")
ENABLE = "ENCYCLOPEDIA_ENABLE_"


class Entry(NamedTuple):
    """A source in the catalog: its card, its table of settings, and what routing knows of it."""

    card: Card
    options: Mapping[str, object]
    candidate: Candidate
    needs: tuple[str, ...] = ()


Catalog = dict[str, Entry]


def catalog(loaded: Loaded, groups: Mapping[str, Mapping[str, str]], objects: Iterable[object] = ()) -> Catalog:
    """Every source by name. A passed-in object wins over a built-in source of its name.

    Raises ``ConfigurationError`` for a table, a corpus or a switch that names no known source or kind.
    """
    cards, broken = _built_in(groups.get("encyclopedia.sources", {}))
    tables = dict(loaded.settings.sources)
    cards |= _described(tables, groups.get("encyclopedia.kinds", {}), cards)
    cards |= _corpora(loaded, groups.get("encyclopedia.corpora", {}), cards)
    cards |= {card.name: card for card in map(as_card, objects)}
    _check_names(loaded, tables, [*cards, *broken])
    entries = {name: _entry(card, tables.get(name, {}), loaded) for name, card in cards.items()}
    return entries | {name: _broken(name, reason) for name, reason in broken.items()}


def as_card(thing: object) -> Card:
    """The card of a source that was passed in: a ``Card``, or an object or class with a ``card`` and a ``search``."""
    if isinstance(thing, Card):
        return thing
    card = getattr(thing, "card", None)
    if not isinstance(card, Card) or not callable(getattr(thing, "search", None)):
        raise ConfigurationError(f"{type(thing).__name__} is not a source", "give it a card and an async search(request)")
    made: Any = thing
    return replace(card, make=made if isinstance(thing, type) else lambda _context: made)


def _built_in(group: Mapping[str, str]) -> tuple[dict[str, Card], dict[str, str]]:
    cards, broken = {}, {}
    for name, target in group.items():
        found = load(target)
        if isinstance(found, Absent):
            broken[name] = found.reason
        else:
            card = as_card(found)
            cards[card.name] = card
    return cards, broken


def _described(
    tables: Mapping[str, Mapping[str, object]], kinds: Mapping[str, str], cards: Mapping[str, Card]
) -> dict[str, Card]:
    found = {}
    for name, table in tables.items():
        if "kind" not in table:
            continue
        check_name(name)
        if name in cards:
            raise ConfigurationError(f"sources.{name}: {name} is a built-in source", "choose another name")
        kind = str(table["kind"])
        if kind not in kinds:
            raise ConfigurationError(f"unknown kind {kind!r} of source {name}", nearest(kind, kinds))
        make = load(kinds[kind])
        if isinstance(make, Absent):
            raise ConfigurationError(f"source {name} cannot be built: {make.reason}")
        found[name] = make(name, {key: value for key, value in table.items() if key not in ("kind", "enabled")})
    return found


def _corpora(loaded: Loaded, kinds: Mapping[str, str], cards: Mapping[str, Card]) -> dict[str, Card]:
    found = {}
    for corpus in registered(loaded.home, loaded.settings):
        if corpus.name in cards:
            raise ConfigurationError(f"corpus {corpus.name} has the name of a source", "rename one of them")
        if corpus.kind not in kinds:
            raise ConfigurationError(f"unknown kind {corpus.kind!r} of corpus {corpus.name}", nearest(corpus.kind, kinds))
        kind = load(kinds[corpus.kind])
        if isinstance(kind, Absent):
            raise ConfigurationError(f"corpus {corpus.name} cannot be read: {kind.reason}")
        found[corpus.name] = kind.card(corpus)
    return found


def _check_names(loaded: Loaded, tables: Mapping[str, Mapping[str, object]], known: list[str]) -> None:
    for name in tables:
        if name not in known:
            hint = nearest(name, known)
            raise ConfigurationError(f"unknown source {name!r} in [sources.{name}]", f"{hint} A new source needs a kind.")
    flags = {_flag(name): name for name in known}
    for variable in loaded.environment.values:
        if variable.startswith(ENABLE) and variable not in flags and variable[len(ENABLE) :] not in LATER:
            raise ConfigurationError(f"unknown setting {variable}", nearest(variable, flags))


LATER = ("CONTEXT7", "EXA", "PERPLEXITY", "KAGI", "CODEGRAPH")
"""Switches of the product page whose sources may not be installed."""


def _entry(card: Card, table: Mapping[str, object], loaded: Loaded) -> Entry:
    if "kind" not in table:
        for option in table:
            if option not in (*COMMON, *card.options):
                raise ConfigurationError(
                    f"unknown setting sources.{card.name}.{option}", nearest(option, (*COMMON, *card.options))
                )
    chosen = _chosen(card.name, table, loaded)
    problem = unmet(card, table, loaded.environment.secret)
    missing, hint, optional = "", "", True
    if chosen is False or (chosen is None and not card.default):
        missing, hint = "switched off", f"set {_flag(card.name)}=1 to switch it on"
    elif problem is not None:
        missing, hint, optional = problem.reason, problem.hint, problem.expected and chosen is None
    candidate = Candidate(
        name=card.name,
        serves=weights(table.get("serves"), f"sources.{card.name}.serves") or card.serves,
        form=card.form,
        timeout=_timeout(card, table, loaded),
        missing=missing,
        hint=hint,
        optional=optional,
        corpus=card.corpus,
        tags=card.tags,
        alternatives=card.alternatives,
        repository=card.repository,
        keyless=card.keyless,
    )
    return Entry(card, table, candidate, tuple(_need(need) for need in (*card.requires, *card.accepts)))


def _broken(name: str, reason: str) -> Entry:
    serves: dict[QueryType, float] = {}
    hint = f"pip install {reason.split(maxsplit=1)[0]}"
    return Entry(Card(name, serves), {}, Candidate(name, serves, missing=reason, hint=hint, optional=False))


def _chosen(name: str, table: Mapping[str, object], loaded: Loaded) -> bool | None:
    """What the user said of the source: on, off, or nothing."""
    for value, where in (
        (loaded.environment.secret(_flag(name)), _flag(name)),
        (table.get("enabled"), f"sources.{name}.enabled"),
    ):
        if value in (None, ""):
            continue
        answer = switch(value)
        if answer is None:
            raise ConfigurationError(f"{where} cannot be {value!r}", "it takes 1 or 0")
        return answer
    return None


def _timeout(card: Card, table: Mapping[str, object], loaded: Loaded) -> float:
    value = table.get("timeout", card.timeout if card.timeout is not None else loaded.settings.timeout)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 600:  # noqa: PLR2004 - ten minutes
        raise ConfigurationError(f"sources.{card.name}.timeout cannot be {value!r}", "it takes seconds, above 0 and up to 600")
    return float(value)


def _flag(name: str) -> str:
    return ENABLE + name.replace("-", "_").upper()


def _need(need: object) -> str:
    return str(getattr(need, "env", "") or getattr(need, "name", "") or getattr(need, "module", ""))
