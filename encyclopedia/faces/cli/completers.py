"""Names that the shell completes, from what lies on this machine only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from encyclopedia.wiring.catalog import Catalog

TYPES = ("library_docs", "general_search", "code_context", "repository")


def types(**_: Any) -> tuple[str, ...]:
    """The query types."""
    return TYPES


def depths(**_: Any) -> tuple[str, ...]:
    """How thoroughly a repository is read."""
    from encyclopedia.faces.code import DEPTHS

    return DEPTHS


def sources(prefix: str = "", **_: Any) -> list[str]:
    """The sources that can be asked; ``prefix`` may be a list with commas, whose last name is being typed."""
    before, comma, _last = prefix.rpartition(",")
    return [f"{before}{comma}{name}" for name, entry in _catalog().items() if not entry.candidate.missing]


def corpora(**_: Any) -> list[str]:
    """The local corpora."""
    return [name for name, entry in _catalog().items() if entry.card.corpus]


def tags(**_: Any) -> list[str]:
    """The tags of local corpora and of their documents."""
    from encyclopedia.faces.cli.workplace import loaded
    from encyclopedia.wiring.corpora import registered
    from encyclopedia.wiring.plugins import entry_points
    from encyclopedia.wiring.tags import tags_of

    forms = entry_points().get("encyclopedia.corpora", {})
    return sorted(set().union(*(tags_of(corpus, forms)[0] for corpus in registered(loaded()))))


def past_searches(parsed_args: Any = None, **_: Any) -> list[str]:
    """The IDs that ``history show`` takes, the newest first."""
    from encyclopedia.faces.library import Encyclopedia

    kept = Encyclopedia().engine.stores.history
    if kept is None or getattr(parsed_args, "action", "show") != "show":
        return []
    return [str(row["id"]) for row in reversed(kept.read()) if row.get("id")]


def nothing(**_: Any) -> tuple[str, ...]:
    """No completion: a query is not the name of a file."""
    return ()


def files(**given: Any) -> Any:
    """Names of files and folders."""
    from argcomplete.completers import FilesCompleter

    return FilesCompleter()(**given)


def kinds(**_: Any) -> list[str]:
    """The kinds of corpora."""
    from encyclopedia.wiring.plugins import entry_points

    return sorted(entry_points().get("encyclopedia.corpora", {}))


def measurements(**_: Any) -> list[str]:
    """The measurements that are kept."""
    from encyclopedia.faces.cli.workplace import loaded
    from encyclopedia.faces.evaluations import saved

    return saved(loaded().home)


def indexes(**_: Any) -> list[str]:
    """Everything that has an index."""
    return [name for name, entry in _catalog().items() if entry.card.index]


def _catalog() -> Catalog:
    from encyclopedia.faces.cli.workplace import loaded
    from encyclopedia.wiring.catalog import catalog
    from encyclopedia.wiring.plugins import entry_points

    return catalog(loaded(), entry_points())
