"""Keeps what a search shows as the files are: reads what little has changed, and knows what is not as it was read."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from encyclopedia.model.errors import SourceTrouble
from encyclopedia_adapters.local.walk import LARGEST
from encyclopedia_adapters.shared.text_index import IndexBusy

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from encyclopedia_adapters.local.corpus_index import Changes, CorpusIndex
    from encyclopedia_adapters.local.walk import Listing

FEW = 20
"""Changed files that a search reads by itself; more are left to ``corpus index``."""

SMALL = 200
"""Files of a corpus that a search indexes from nothing by itself."""


class Freshness:
    """The files of one search as its walk found them; reading ends between two files when ``stop()`` says so."""

    def __init__(self, index: CorpusIndex, listing: Listing, stop: Callable[[], bool]) -> None:
        self.listing = listing
        self._index = index
        self._stop = stop

    def refresh(self) -> str:
        """Read what little has changed; the reason why the answer is less than the files could give, if it is."""
        listing, changes = self.listing, self._index.changes(self.listing)
        unmade = not self._index.text.documents()
        most, failure = SMALL if unmade else FEW, ""
        if listing.complete and _is_little(changes, listing, most):
            many = len(changes) + len(changes.doubtful) > most
            failure = self._bring([*changes.added, *changes.changed] if many else None)
            changes = self._index.changes(listing)
        if not changes:
            return ""
        remedy = f"run `encyclopedia corpus index {self._index.corpus.name}`"
        if failure:
            return f"{len(changes)} files are not searched as they are now: {failure}"
        if unmade:
            return f"{self._index.text.problem or 'not indexed yet'}, {len(changes)} files: {remedy}"
        return f"{len(changes)} files changed since the index was made: {remedy}"

    def stale(self, paths: Collection[str]) -> set[str]:
        """Which of the indexed files are no longer as they were read; one that the walk did not reach is looked at now."""
        listing = self.listing
        for path in paths:
            if path not in listing.files and listing.plain:
                with suppress(OSError):
                    listing.take(path, os.lstat(os.path.join(listing.root, path)), time.time_ns())
        return self._index.stale(listing, paths)

    def read(self, paths: Collection[str]) -> bool:
        """Read these files again; whether that was possible."""
        return not self._stop() and not self._bring(paths)

    def _bring(self, only: Collection[str] | None = None) -> str:
        """Why what has changed could not be read, or nothing."""
        try:
            self._index.bring(self.listing, lambda *_: None, wait=0.25, only=only, stop=self._stop)
        except IndexBusy as busy:
            return str(busy)
        except (OSError, ValueError, SourceTrouble) as error:
            return f"the index cannot be written: {error}"
        return ""


def _is_little(changes: Changes, listing: Listing, most: int) -> bool:
    """Whether there is something that a search can read in passing."""
    pending = (*changes.added, *changes.changed)
    little = len(changes) <= most and all(listing.files[path][0] <= LARGEST for path in pending)
    return little and (len(changes) > 0 or 0 < len(changes.doubtful) <= most)


def is_there(listing: Listing, path: str) -> bool:
    """Whether an indexed file is still there."""
    if listing.complete:
        return path in listing.files
    return os.path.exists(os.path.join(listing.root, path))
