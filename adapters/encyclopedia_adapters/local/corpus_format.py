"""What one kind of local collection says of itself, so that index, search and report are the same for all kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from encyclopedia_adapters.local.walk import Bounds, Listing
    from encyclopedia_adapters.shared.text_index import Passage


class Misfit(Exception):
    """The path is there, but it is no collection of this kind; the message is a sentence that says what was looked for."""


class Reading(NamedTuple):
    """What was read of one listed file.

    ``digest`` tells whether it is the same as before, so that ``passages`` is looked at only if it is not. ``problem`` says why
    there are no passages, or why they are less than could be.
    """

    digest: str
    passages: Iterable[Passage] = ()
    tags: tuple[str, ...] = ()
    version: str = ""
    problem: str = ""


class Format(Protocol):
    """How a kind of collection is listed and read. ``reader`` is raised when passages are made in another way."""

    @property
    def noun(self) -> str:
        """What such a collection holds, in the plural."""
        ...

    @property
    def reader(self) -> int:
        """The version of the reading; everything that another version has read is read again."""
        ...

    def listing(self, path: str, bounds: Bounds | None = None) -> Listing:
        """What can be read under ``path``, without reading it. Raises ``FileNotFoundError`` or ``Misfit``."""
        ...

    def reading(self, listing: Listing) -> Callable[[str], Reading]:
        """A reader for one run over the listing, which may keep what several of its files need; it may raise ``OSError``.

        One with a method ``close()`` is closed at the end of the run.
        """
        ...


def digest(*parts: bytes | str) -> str:
    """A digest of all parts together."""
    import hashlib

    found = hashlib.sha256()
    for part in parts:
        found.update(part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part)
    return found.hexdigest()
