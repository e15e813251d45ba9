"""What a catalog tells of its entities."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

MISSING = "—"
"""What stands for a status that a page does not tell."""


class Entry(NamedTuple):
    """One block of a catalog. ``path`` is relative to the folder of the entities; a catalog of version 1 has none."""

    slug: str
    type: str = ""
    status: str = MISSING
    score: str | None = None
    claim: str = ""
    out_links: tuple[str, ...] = ()
    in_links: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    path: str = ""

    @property
    def id(self) -> str:
        """The path without its ending, else the slug."""
        return self.path.removesuffix(".md") or self.slug


class Catalog(NamedTuple):
    """A parsed catalog: what stands at its head, its entities in order, and the lines of blocks that cannot be read.

    ``hubs`` are the slugs to which most pages lead, with how many; ``dangling`` the missing pages that most lead to.
    """

    head: Mapping[str, str] = MappingProxyType({})
    entries: tuple[Entry, ...] = ()
    broken: tuple[int, ...] = ()
    hubs: tuple[tuple[str, int], ...] = ()
    dangling: tuple[tuple[str, int], ...] = ()
