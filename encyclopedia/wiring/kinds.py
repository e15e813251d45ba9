"""The verbs that a kind of corpus has besides search: which corpus is meant, and the kind that does it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.nearest import nearest
from encyclopedia.wiring.corpora import visible
from encyclopedia.wiring.requirements import Absent, plugin

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.model.corpus import Corpus
    from encyclopedia.wiring.settings import Loaded


def corpus_kind(groups: Mapping[str, Mapping[str, str]], name: str) -> Any:
    """The kind of that name, with its verbs. Raises ``ConfigurationError`` if it is not there or cannot be loaded."""
    kinds = groups.get("encyclopedia.corpora", {})
    if name not in kinds:
        raise ConfigurationError(f"unknown kind of corpus {name!r}", nearest(name, kinds))
    found = plugin(kinds[name])
    if isinstance(found, Absent):
        raise ConfigurationError(f"corpora of kind {name} cannot be read: {found.reason}", found.hint)
    return found


def of_kind(loaded: Loaded, kind: str) -> tuple[Corpus, ...]:
    """All registered corpora of a kind, by name."""
    return tuple(corpus for corpus in visible(loaded) if corpus.kind == kind)


def chosen(loaded: Loaded, kind: str, name: str = "") -> Corpus:
    """The corpus of that name and kind; without a name the only one of the kind.

    Raises ``ConfigurationError`` if there is none, if it is of another kind, or if a name must be given.
    """
    mine = {corpus.name: corpus for corpus in of_kind(loaded, kind)}
    if name in mine:
        return mine[name]
    others = {corpus.name: corpus.kind for corpus in visible(loaded)}
    if name in others:
        raise ConfigurationError(f"{name} is a corpus of kind {others[name]}, not {kind}", _there_are(kind, mine))
    if name:
        raise ConfigurationError(f"unknown corpus {name!r}", nearest(name, mine) if mine else _there_are(kind, mine))
    if len(mine) != 1:
        told = f"several corpora are of kind {kind}" if mine else f"no corpus is of kind {kind}"
        raise ConfigurationError(told, _there_are(kind, mine))
    return next(iter(mine.values()))


def _there_are(kind: str, mine: Mapping[str, Corpus]) -> str:
    if mine:
        return f"name one of them with --corpus: {', '.join(mine)}"
    return f"`encyclopedia corpus add NAME PATH --kind {kind}` registers one"
