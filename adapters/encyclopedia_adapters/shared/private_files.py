"""Folders and files that nobody but their owner can read: made by us, before any library makes them wider."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

STEP = 0.005
"""Seconds between two looks at a lock that somebody else holds."""


def private_folder(path: str) -> str:
    """The folder, made with its parents and mode 0700 if there is none; one that others may write to is closed to them.

    Raises ``PermissionError`` for a folder that belongs to somebody else, such as one planted in a shared temporary place.
    """
    if not os.path.isdir(path):
        above = os.path.dirname(os.path.abspath(path))
        if not os.path.isdir(above):
            private_folder(above)
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:
            if not os.path.isdir(path):
                raise
    found = os.stat(path)
    if found.st_uid != (me := os.geteuid()) and me != 0:
        raise PermissionError(f"{path} belongs to another user")
    if found.st_mode & 0o022:
        os.chmod(path, found.st_mode & 0o755)
    return path


def private_file(path: str, flags: int = os.O_RDWR) -> int:
    """A descriptor of the file, which is made with mode 0600, in a private folder, if there is none; ``flags`` as of open."""
    private_folder(os.path.dirname(path))
    return plain_file(path, flags | os.O_CREAT)


def plain_file(path: str, flags: int = os.O_RDONLY) -> int:
    """A descriptor of a regular file; ``OSError`` for anything else in its place, as a pipe would never let us go on."""
    descriptor = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", path)
    return descriptor


def write_private(path: str, text: str) -> None:
    """Replace a file in one step; only its owner may read it."""
    draft = f"{path}.{os.getpid()}.tmp"
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)


@contextmanager
def beside(descriptor: int) -> Iterator[bool]:
    """Hold the file together with others who do the same; false, at once, if somebody holds it alone."""
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        yield False
        return
    try:
        yield True
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


@contextmanager
def locked(descriptor: int, patience: float = 2.0) -> Iterator[None]:
    """Hold the file alone among all who ask for it here. Released by the system when the process dies.

    Raises ``BlockingIOError`` if somebody else holds it for longer than ``patience`` seconds: one that hangs, or was stopped.
    """
    import fcntl  # not needed by those who only read
    import time

    until = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            if time.monotonic() >= until:
                raise BlockingIOError(errno.EWOULDBLOCK, "another process holds its lock") from None
            time.sleep(STEP)
    try:
        yield
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
