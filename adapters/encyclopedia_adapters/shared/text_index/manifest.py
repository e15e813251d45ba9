"""What stands around a text index on disk: who made it, who is writing it, who may read it."""

from __future__ import annotations

import fcntl
import json
import os
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from encyclopedia_adapters.shared.private_files import private_file, write_private
from encyclopedia_adapters.shared.text_index import analyser

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SCHEMA = 2
"""Raised with every change of the fields of an index."""

_MANIFEST = "manifest.json"
_LOCK = "writer.lock"


class IndexBusy(Exception):
    """Somebody else is writing the index; the message says who."""


def segments(folder: str) -> str:
    """Where the engine's own files are."""
    return os.path.join(folder, "segments")


def fingerprint() -> dict[str, object]:
    """Everything that decides what the bytes of an index mean: fields, analyser, stemmer, engine."""
    import Stemmer
    import tantivy

    return {
        "schema": SCHEMA,
        "analyser": analyser.VERSION,
        "stemmer": Stemmer.version(),
        "engine": vars(tantivy)["__version__"],
    }


def stamp(folder: str) -> tuple[int, ...] | None:
    """Changes with every commit and every rebuild; ``None`` where there is no index. Opens nothing."""
    marks: list[int] = []
    for path in (os.path.join(folder, _MANIFEST), os.path.join(segments(folder), "meta.json")):
        try:
            status = os.stat(path)
        except (OSError, ValueError):
            continue
        marks += (status.st_mtime_ns, status.st_ino, status.st_size)
    return tuple(marks) or None


def changed_at(folder: str) -> float:
    """Wall-clock seconds of the last commit, 0 if there is none."""
    try:
        return os.stat(os.path.join(segments(folder), "meta.json")).st_mtime
    except OSError:
        return 0.0


def mismatch(folder: str) -> str:
    """Why the index must be made anew, or nothing."""
    try:
        with open(os.path.join(folder, _MANIFEST), encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError):
        return "the index has no readable manifest"
    expected = fingerprint()
    if found == expected:
        return ""
    if not isinstance(found, dict):
        return "the index has no readable manifest"
    return f"the index was made by another version ({differing(found, expected) or 'more than is known here'})"


def differing(found: Mapping[str, object], expected: Mapping[str, object]) -> str:
    """What is not as expected, in words; empty if everything is."""
    return ", ".join(
        f"{name} {found.get(name, 'unknown')} instead of {value}"
        for name, value in expected.items()
        if found.get(name) != value
    )


def sign(folder: str) -> None:
    """Write the manifest, in one step."""
    write_private(os.path.join(folder, _MANIFEST), json.dumps(fingerprint()))


def tighten(folder: str) -> None:
    """Take the files of the engine, which follows the umask, away from others."""
    for entry in os.scandir(folder):
        try:
            os.chmod(entry.path, 0o600)
        except FileNotFoundError:  # a merge has just replaced it
            continue


def put_away(path: str, *, keep: bool) -> None:
    """Take an unusable index out of the way; the last one that is worth looking into is kept beside the new one."""
    import shutil

    kept = f"{path}.damaged"
    shutil.rmtree(kept, ignore_errors=True)
    if keep and os.path.lexists(path):
        os.replace(path, kept)
    shutil.rmtree(path, ignore_errors=True)


def remove(folder: str) -> None:
    """Remove an index, its vectors and what was put away of it; the manifest goes first, so that half of it is none."""
    import shutil

    with suppress(FileNotFoundError):
        os.remove(os.path.join(folder, _MANIFEST))
    for path in (segments(folder), f"{segments(folder)}.damaged", os.path.join(folder, "vectors")):
        shutil.rmtree(path, ignore_errors=True)


@contextmanager
def writing(folder: str, wait: float) -> Iterator[None]:
    """Be the only writer, among threads and processes; the lock ends with the process.

    Raises ``IndexBusy`` when the lock is not free within ``wait`` seconds.
    """
    handle = private_file(os.path.join(folder, _LOCK))
    try:
        _acquire(handle, folder, wait)
        os.ftruncate(handle, 0)
        os.pwrite(handle, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(handle)


def _acquire(handle: int, folder: str, wait: float) -> None:
    until = time.monotonic() + wait
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                holder = os.pread(handle, 20, 0).decode("ascii", "replace") or "unknown"
                raise IndexBusy(f"the index in {folder} is being written by process {holder}") from None
            time.sleep(0.02)
        else:
            return
