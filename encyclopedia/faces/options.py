"""The options of a search as types, so that editors and type checkers know them; no command imports this."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import TypeAlias

    from encyclopedia.model.query import QueryType

    Names: TypeAlias = str | Iterable[str]


class SearchOptions(TypedDict, total=False):
    """What narrows a search and bounds it; names are a list with commas or a sequence, times are in seconds."""

    type: QueryType | str | None
    corpora: Names | None
    tags: Names | None
    version: str | None
    limit: int | None
    timeout: float | None
    max_tokens: int | None
    correct: bool
    expand: bool
    read_cache: bool
    verbose: bool
    explain: bool


class Options(SearchOptions, total=False):
    """The options of ``Encyclopedia.search`` and ``.plan``."""

    sources: Names | None


class CallOptions(SearchOptions, total=False):
    """The options of the function ``search``: those of a search, and those that ``Encyclopedia`` is made with."""

    home: str | None
    settings: Mapping[str, object] | None
    environ: Mapping[str, str] | None
