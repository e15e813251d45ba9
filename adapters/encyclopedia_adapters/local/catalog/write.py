"""Bringing the catalog of a corpus up to date with its pages: in one step, and only if it says something else."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from encyclopedia_adapters.local.catalog.page import read_page
from encyclopedia_adapters.local.catalog.render import Graph, render
from encyclopedia_adapters.shared.containment import within as contained

if TYPE_CHECKING:
    from collections.abc import Iterator

    from encyclopedia.ports import Progress
    from encyclopedia_adapters.local.catalog.page import Page
    from encyclopedia_adapters.local.catalog.place import Place
    from encyclopedia_adapters.local.walk import Listing

_STEP = 100


def bring_catalog(place: Place, listing: Listing, progress: Progress) -> str:
    """Write the catalog of the listed pages; why that cannot be, else nothing.

    One that says the same already keeps its text and is marked as looked at, by its time of change.
    """
    text = catalog_of(place, listing, progress)
    target = os.path.join(os.path.realpath(place.root), place.catalog)
    try:
        old = place.read_catalog()
    except FileNotFoundError:
        old = ""
    except OSError as error:
        return f"the catalog is left as it is: {error.strerror or error}"
    try:
        if _without_time(old) == _without_time(text):
            os.utime(target, follow_symlinks=False)
        else:
            _replace(target, text, within=os.path.realpath(place.root))
    except OSError as error:
        return f"the catalog cannot be written: {error.strerror or error}"
    return ""


def catalog_of(place: Place, listing: Listing, progress: Progress) -> str:
    """The text of the catalog of the listed pages, written now."""
    return render(Graph(_pages(place, listing, progress)), datetime.now(UTC).isoformat(timespec="seconds"))


def _pages(place: Place, listing: Listing, progress: Progress) -> Iterator[Page]:
    """The listed pages without their bodies; what cannot be read is left out."""
    for number, name in enumerate(listing.files):
        if number % _STEP == 0:
            progress("catalog", number, len(listing.files))
        text = place.read_page(name)
        if text is not None:
            yield read_page(place.entity(name), text)._replace(body="")


def _without_time(text: str) -> list[str]:
    return [line for number, line in enumerate(text.split("\n")) if number > 1 or not line.startswith("generated:")]


def _replace(target: str, text: str, within: str) -> None:
    """The new text in one step, with the rights of the file that was there; nothing is written outside the corpus."""
    folder = os.path.dirname(target)
    if not contained(within, os.path.realpath(folder)):
        raise PermissionError("it leads out of the corpus")
    os.makedirs(folder, exist_ok=True)
    mode = os.stat(target).st_mode & 0o777 if os.path.exists(target) else 0o644
    draft = f"{target}.{os.getpid()}.tmp"
    try:
        with open(
            os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode), "w", encoding="utf-8", errors="replace"
        ) as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, target)
    except BaseException:
        if os.path.lexists(draft):
            os.unlink(draft)
        raise
