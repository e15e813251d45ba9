"""Brings a code graph to what lies in the repository, file by file."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from encyclopedia_adapters.code.graph_files import files_of
from encyclopedia_adapters.code.graph_languages import language_of
from encyclopedia_adapters.code.graph_store import forget, keep
from encyclopedia_adapters.code.graph_worker import Unparsed, Worker

if TYPE_CHECKING:
    import sqlite3

    from encyclopedia.model.corpus import Indexed
    from encyclopedia.ports import Progress
    from encyclopedia_adapters.code.git_program import Limits
    from encyclopedia_adapters.code.graph_store import Store

BATCH = 100
"""Files of one transaction: what is done stays done when the time is up."""
_NOT_TEXT = "no text that somebody wrote"


def update(folder: str, store: Store, progress: Progress | None, limits: Limits | None) -> Indexed:
    """As ``CodeGraph.update`` says."""
    import math
    import os
    import sqlite3
    import threading

    from encyclopedia.model.corpus import Indexed
    from encyclopedia_adapters.code.git_program import Limits

    if not os.path.isdir(folder):
        raise FileNotFoundError(f"there is no folder {folder}")
    limits = limits or Limits(math.inf, threading.Event())
    files = files_of(folder)
    listing = files.listing(limits)
    with store.writer() as con, Worker() as worker:
        try:
            known = dict(con.execute("SELECT path, state FROM file").fetchall())
        except sqlite3.DatabaseError as error:
            store.discard()
            raise BlockingIOError(f"{store.path} was damaged and is made anew with the next update") from error
        stale = [path for path, state in listing.states.items() if known.get(path) != state]
        gone = set(known) - set(listing.states)
        changed = 0
        for start in range(0, max(len(stale), 1), BATCH):
            with _transaction(con):
                for path in gone if not start else ():
                    forget(con, path)
                for at, (path, raw) in enumerate(files.read(stale[start : start + BATCH], limits), start):
                    if progress:
                        progress(path, at, len(stale))
                    changed += _take(con, worker, (path, listing.states[path]), raw)
        problems = tuple(con.execute("SELECT path, problem FROM file WHERE problem <> '' ORDER BY path").fetchall())
        passages = int(con.execute("SELECT count(*) FROM symbol").fetchone()[0])
    added = sum(path not in known for path in stale)
    return Indexed(
        added=added,
        changed=changed - added,
        removed=len(gone),
        unchanged=len(listing.states) - changed,
        passages=passages,
        skipped=(*listing.skipped, *problems),
    )


class _transaction:  # noqa: N801 - used as a function: a generator would lose what was done when it is thrown into
    """Commits also what was done before the time was up."""

    def __init__(self, con: sqlite3.Connection) -> None:
        self._con = con

    def __enter__(self) -> None:
        self._con.execute("BEGIN IMMEDIATE")

    def __exit__(self, *_: object) -> None:
        self._con.execute("COMMIT")


def _take(con: sqlite3.Connection, worker: Worker, file: tuple[str, str], raw: bytes | None) -> int:
    """Put a file into the graph; 0 if its bytes are those that are there already."""
    path, state = file
    digest = hashlib.sha256(raw or b"").hexdigest()
    if con.execute("SELECT 1 FROM file WHERE path = ? AND digest = ? AND problem = ''", (path, digest)).fetchone():
        con.execute("UPDATE file SET state = ? WHERE path = ?", (state, path))
        return 0
    language = language_of(path)
    problem = _NOT_TEXT if raw is None else ""
    found: dict[str, Any] = {}
    try:
        found = worker.parse(language, path, raw) if raw is not None else {}
    except Unparsed as trouble:
        problem = str(trouble)
    keep(con, (path, state, digest, language, problem), _whole(path, raw, found))
    return 1


def _whole(path: str, raw: bytes | None, found: dict[str, Any]) -> dict[str, Any]:
    """What the worker found, after the file itself as a module that holds all calls outside of definitions."""
    stem = path.rpartition("/")[2].partition(".")[0]
    parts = path.split("/")
    name = parts[-2] if stem in ("__init__", "index", "mod") and len(parts) > 1 else stem
    module = [name, name, "module", 1, (raw or b"").count(b"\n") + 1, path, ""]
    words = found.get("module", ["", "", "", ""])
    return {
        "definitions": [module, *found.get("definitions", [])],
        "words": [words, *found.get("words", [])],
        "calls": [(caller + 1, *rest) for caller, *rest in found.get("calls", [])],
        "imports": found.get("imports", []),
        "bases": found.get("bases", []),
    }
