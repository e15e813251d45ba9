"""encyclopedia: one search over installed packages' docs, your notes, documentation services, the web and code."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from encyclopedia.faces.at_once import search as search
    from encyclopedia.faces.library import Encyclopedia as Encyclopedia
    from encyclopedia.faces.remote import RemoteEncyclopedia as RemoteEncyclopedia
    from encyclopedia.faces.report import Report as Report
    from encyclopedia.faces.report import Result as Result
    from encyclopedia.model.errors import ConfigurationError as ConfigurationError
    from encyclopedia.model.errors import EncyclopediaError as EncyclopediaError
    from encyclopedia.model.errors import NoSourceAnswered as NoSourceAnswered
    from encyclopedia.model.errors import UsageError as UsageError
    from encyclopedia.model.outcome import Hit as Hit
    from encyclopedia.model.outcome import Locator as Locator
    from encyclopedia.model.outcome import Reply as Reply
    from encyclopedia.model.plan import Request as Request
    from encyclopedia.model.query import QueryType as QueryType
    from encyclopedia.ports import Card as Card

    __version__: str

_HOMES = {
    "Encyclopedia": "encyclopedia.faces.library",
    "search": "encyclopedia.faces.at_once",
    "RemoteEncyclopedia": "encyclopedia.faces.remote",
    "Report": "encyclopedia.faces.report",
    "Result": "encyclopedia.faces.report",
    "ConfigurationError": "encyclopedia.model.errors",
    "EncyclopediaError": "encyclopedia.model.errors",
    "NoSourceAnswered": "encyclopedia.model.errors",
    "UsageError": "encyclopedia.model.errors",
    "Hit": "encyclopedia.model.outcome",
    "Locator": "encyclopedia.model.outcome",
    "Reply": "encyclopedia.model.outcome",
    "Request": "encyclopedia.model.plan",
    "QueryType": "encyclopedia.model.query",
    "Card": "encyclopedia.ports",
}

__all__ = list(_HOMES)


def __dir__() -> list[str]:
    """The exported names too, which are not there before their first use."""
    return sorted({*globals(), *__all__, "__version__"})


def __getattr__(name: str) -> object:
    """Import a name on first use, so that the command line does not pay for the library."""
    if name == "__version__":
        from encyclopedia.wiring.agent import VERSION

        return VERSION
    if name not in _HOMES:
        raise AttributeError(f"module 'encyclopedia' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
