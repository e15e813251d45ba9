"""What diskcache writes for us: text with a checksum in the database, and never a pickle or a file of its own."""

from __future__ import annotations

from typing import NoReturn

import diskcache

from encyclopedia.model.cached import CacheEntry
from encyclopedia_adapters.storage.cache_rows import CorruptRowError, pack, unpack


class JsonDisk(diskcache.Disk):  # type: ignore[misc]  # diskcache has no types
    """Keys are text, values are entries; a row of any other make is corrupt and is not looked into."""

    def put(self, key: object) -> tuple[str, bool]:
        """The key as it is stored."""
        if not isinstance(key, str):
            raise TypeError("a key is text")
        return key, True

    def get(self, key: object, raw: object) -> str:
        """The key of a row."""
        if not raw or not isinstance(key, str):
            raise CorruptRowError("not a key of ours")
        return key

    def store(self, value: object, read: bool, key: object = None) -> tuple[int, int, None, str]:  # noqa: ARG002 - diskcache calls it so
        """Size on disk outside the database, mode, file name and text of a value."""
        if not isinstance(value, CacheEntry):
            raise TypeError("a value is an entry")
        return 0, diskcache.core.MODE_RAW, None, pack(value)

    def fetch(self, mode: object, filename: object, value: object, read: bool) -> CacheEntry:  # noqa: ARG002 - diskcache calls it so
        """The value of a row."""
        if mode != diskcache.core.MODE_RAW or filename is not None:
            raise CorruptRowError("not a value of ours")
        return unpack(value)

    def filename(self, *_: object) -> NoReturn:
        """There are no files."""
        raise TypeError("nothing is kept in files")

    def remove(self, file_path: object) -> None:
        """Nothing: a file named in a row was never ours to remove."""
