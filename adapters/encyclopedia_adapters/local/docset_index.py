"""Reads the tables of a docset: its names from SQLite, its facts from the property list; both are strangers' files."""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from encyclopedia_adapters.local import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_BYTES = 500_000_000
MOST_NAMES = 300_000
_LONGEST_VALUE = 1_000_000
_STEP = 100_000
_MOST_STEPS = 500
"""Steps of SQLite's machine: what stands under a table's name may be a view that never ends."""
_PREFIX = re.compile(r"(?:<dash_entry_[^>]*>)+")
_PLAIN = "SELECT name, type, path FROM searchIndex"
_CORE_DATA = """
    SELECT t.ZTOKENNAME, k.ZTYPENAME, f.ZPATH || CASE WHEN coalesce(m.ZANCHOR, '') = '' THEN '' ELSE '#' || m.ZANCHOR END
    FROM ZTOKEN t JOIN ZTOKENTYPE k ON t.ZTOKENTYPE = k.Z_PK
    JOIN ZTOKENMETAINFORMATION m ON t.ZMETAINFORMATION = m.Z_PK JOIN ZFILEPATH f ON m.ZFILE = f.Z_PK
"""


def names(path: str) -> list[tuple[str, str, str]]:
    """Name, type and link of each entry, of either schema.

    Raises ``ValueError`` that says why it cannot be read: no database, damaged, no such table, too large, without end.
    """
    from urllib.parse import quote

    if os.stat(path).st_size > MOST_BYTES:
        raise ValueError(f"it is larger than {MOST_BYTES // 1_000_000} MB")
    # immutable: SQLite then writes no -wal or -shm beside a file that is not ours
    address = f"file:{quote(path)}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(address, uri=True)) as connection:
            return list(_rows(connection))
    except sqlite3.Error as error:
        raise ValueError(f"it cannot be read as a docset: {error}") from error


def _rows(connection: sqlite3.Connection) -> Iterator[tuple[str, str, str]]:
    steps = iter(range(_MOST_STEPS))
    connection.set_progress_handler(lambda: next(steps, None) is None, _STEP)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    connection.execute("PRAGMA trusted_schema = OFF")
    tables = {str(row[0]).upper() for row in connection.execute("SELECT name FROM sqlite_master")}
    rows = connection.execute(_CORE_DATA if "ZTOKEN" in tables else _PLAIN)
    for count, (name, kind, link) in enumerate(rows):
        if count == MOST_NAMES:
            raise ValueError(f"it has more than {MOST_NAMES} names")
        if isinstance(name, str) and isinstance(link, str):
            yield name, kind if isinstance(kind, str) else "entry", _PREFIX.sub("", link)


def facts(root: str, path: str) -> dict[str, str]:
    """The strings of a property list; nothing if there is none or it cannot be read."""
    import plistlib
    from xml.parsers.expat import ExpatError

    try:
        found = plistlib.loads(walk.read(root, path, _LONGEST_VALUE))
    except (OSError, ValueError, ExpatError, OverflowError, RecursionError, AttributeError, TypeError, LookupError):
        return {}
    return {key: value for key, value in found.items() if isinstance(value, str)} if isinstance(found, dict) else {}
