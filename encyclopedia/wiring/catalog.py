"""All sources that there are: built in, described in the settings, local corpora, and objects that were passed in."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.label import Label
from encyclopedia.model.nearest import nearest
from encyclopedia.model.plan import Candidate
from encyclopedia.ports import Card
from encyclopedia.wiring.cards import as_card, built_in
from encyclopedia.wiring.checks import switch
from encyclopedia.wiring.clis import by_cli
from encyclopedia.wiring.corpora import check_name, damaged, visible, weights, withheld
from encyclopedia.wiring.requirements import Absent, plugin, unmet

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from encyclopedia.wiring.settings import Loaded

COMMON = ("enabled", "timeout", "serves", "base_url", "daily_calls")
ENABLE = "ENCYCLOPEDIA_ENABLE_"


class Entry(NamedTuple):
    """A source in the catalog: its card, its table of settings, what routing knows of it, its calls a day (``None``: any)."""

    card: Card
    options: Mapping[str, object]
    candidate: Candidate
    needs: tuple[str, ...] = ()
    daily_calls: int | None = None

    def __repr__(self) -> str:
        """Without values: there are keys among them, and this may come to stand in a log."""
        return f"<Entry {self.card.name}>"


Catalog = dict[str, Entry]


def catalog(loaded: Loaded, groups: Mapping[str, Mapping[str, str]], objects: Iterable[object] = ()) -> Catalog:
    """Every source by name. A passed-in object wins over a built-in source of its name.

    Raises ``ConfigurationError`` for a table, a corpus or a switch that names no known source or kind.
    """
    cards, broken = built_in(groups.get("encyclopedia.sources", {}))
    cards |= by_cli(cards, loaded.environment, groups.get("encyclopedia.kinds", {}))
    tables = dict(loaded.settings.sources)
    cards |= _described(tables, groups.get("encyclopedia.kinds", {}), cards)
    cards |= _corpora(loaded, groups.get("encyclopedia.corpora", {}), cards)
    cards |= {card.name: card for card in map(as_card, objects)}
    damaged_ones = _damaged(loaded, groups.get("encyclopedia.corpora", {}))
    _check_names(loaded, tables, [*cards, *broken, *damaged_ones, *withheld(loaded)])
    entries = {name: _entry(card, tables.get(name, {}), loaded) for name, card in cards.items()}
    lost = {name: _broken(name, absent, loaded, corpus=True) for name, absent in damaged_ones.items()}
    return lost | {name: _broken(name, absent, loaded) for name, absent in broken.items()} | entries


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
        make = plugin(kinds[kind])
        if isinstance(make, Absent):
            raise ConfigurationError(f"source {name} cannot be built: {make.reason}")
        found[name] = make(name, {key: value for key, value in table.items() if key not in ("kind", "enabled", "daily_calls")})
    return found


def _corpora(loaded: Loaded, kinds: Mapping[str, str], cards: Mapping[str, Card]) -> dict[str, Card]:
    found = {}
    for corpus in visible(loaded):
        if corpus.name in cards:
            raise ConfigurationError(f"corpus {corpus.name} has the name of a source", "rename one of them")
        if corpus.kind not in kinds and corpus.name not in loaded.settings.corpora:
            continue  # registered, and not of this configuration's making: one of the damaged
        if corpus.kind not in kinds:
            raise ConfigurationError(f"unknown kind {corpus.kind!r} of corpus {corpus.name}", nearest(corpus.kind, kinds))
        kind = plugin(kinds[corpus.kind])
        if isinstance(kind, Absent):
            raise ConfigurationError(f"corpus {corpus.name} cannot be read: {kind.reason}")
        found[corpus.name] = kind.card(corpus)
    return found


def _damaged(loaded: Loaded, kinds: Mapping[str, str]) -> dict[str, Absent]:
    """Registered corpora that cannot be used, each with the reason: they cost no other source anything."""
    if loaded.ceiling is not Label.SECRET:
        return {}
    found = damaged(loaded.home)
    for corpus in visible(loaded):
        if corpus.kind not in kinds:
            found[corpus.name] = f"unknown kind {corpus.kind!r} of corpus {corpus.name}"
    return {name: Absent(reason, f"encyclopedia corpus remove {name}") for name, reason in found.items()}


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
"""Switches whose sources may not be installed."""


def _entry(card: Card, table: Mapping[str, object], loaded: Loaded) -> Entry:
    if "kind" not in table:
        for option in table:
            if option not in (*COMMON, *card.options):
                raise ConfigurationError(
                    f"unknown setting sources.{card.name}.{option}", nearest(option, (*COMMON, *card.options))
                )
    chosen = _chosen(card.name, table, loaded)
    problem = unmet(card, table, loaded.environment.secret, contact=loaded.settings.contact)
    missing, hint, optional = "", "", True
    asleep = chosen is None and not card.default
    if chosen is False or (asleep and not (card.on_demand and problem)):
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
        on_demand=card.on_demand and asleep and problem is None,
        stale=card.stale,
    )
    needs = tuple(dict.fromkeys(_need(need) for need in (*card.requires, *card.accepts)))
    return Entry(card, table, candidate, needs, _daily_calls(card, table, loaded))


def _broken(name: str, absent: Absent, loaded: Loaded, *, corpus: bool = False) -> Entry:
    """An entry that only says why the source is not there; what it would serve is not known, so it is missed everywhere."""
    from encyclopedia.model.query import QueryType

    if _chosen(name, loaded.settings.sources.get(name, {}), loaded) is False:
        absent = Absent("switched off", f"set {_flag(name)}=1 to switch it on")
    optional, serves = absent.reason == "switched off", dict.fromkeys(QueryType, 0.1)
    candidate = Candidate(name, serves, missing=absent.reason, hint=absent.hint, optional=optional, corpus=corpus)
    return Entry(Card(name, serves, corpus=corpus), {}, candidate)


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


def _daily_calls(card: Card, table: Mapping[str, object], loaded: Loaded) -> int | None:
    """The cap in force: the user's, else what the operator gives away to those without a key."""
    if "daily_calls" not in table:
        return None if any(loaded.environment.secret(key.name) for key in card.accepts) else card.daily_calls
    value = table["daily_calls"]
    if value is False:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ConfigurationError(
            f"sources.{card.name}.daily_calls cannot be {value!r}", "it takes a whole number from 1, or false for no cap"
        )
    return value


def _flag(name: str) -> str:
    return ENABLE + name.replace("-", "_").upper()


def _need(need: object) -> str:
    return str(getattr(need, "env", "") or getattr(need, "name", "") or getattr(need, "module", ""))
