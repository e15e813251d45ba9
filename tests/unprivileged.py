"""A piece of a test as a user whom permissions bind, also where the tests themselves run as root."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65534


@contextmanager
def unprivileged(folder: Path) -> Iterator[None]:
    """As root, be nobody meanwhile: ``folder`` may be written to, and the folders above it are opened for passing through.

    What is imported on first use must have been imported before: the interpreter's own folders may be closed to nobody.
    """
    if os.geteuid() != 0:
        yield
        return
    modes = {path: path.stat().st_mode & 0o7777 for path in (folder, *folder.parents)}
    for path, mode in modes.items():
        path.chmod(0o777 if path == folder else mode | 0o011)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
        for path, mode in modes.items():
            path.chmod(mode)
