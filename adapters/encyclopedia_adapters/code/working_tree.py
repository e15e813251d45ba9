"""The files of a folder on this machine, as they lie there: contained, bounded, and nothing of them is run."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING
from urllib.parse import quote

from encyclopedia_adapters.code.git_files import GENERATED, LARGEST, MOST, File, Tree, decode, shown
from encyclopedia_adapters.shared.ignored import ignored, rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from encyclopedia_adapters.code.git_program import Limits
    from encyclopedia_adapters.shared.ignored import Rule

_FOREIGN = frozenset(("node_modules", "__pycache__", "site-packages", "bower_components"))
_SHOWN = frozenset((".github", ".gitlab", ".circleci", ".gitlab-ci.yml", ".pre-commit-config.yaml"))
"""Hidden ones that people write; others hold what programs left, and secrets."""


class WorkingTree:
    """The folder ``root``. Links are not followed; ignored and hidden files, installed packages and environments left out."""

    def __init__(self, root: str) -> None:
        self._root = os.path.realpath(root)

    def tree(self, limits: Limits) -> Tree:
        """What there is; a file is named by its size and time. Raises ``Stopped`` when the time is up."""
        files: list[File] = []
        paths: list[str] = []
        for path, status in self.walk(limits):
            if not stat.S_ISREG(status.st_mode):
                continue
            if len(paths) >= MOST:
                return Tree(tuple(files), tuple(paths), complete=False)
            name = shown(os.fsencode(path))
            paths.append(name)
            if status.st_size <= LARGEST and not name.lower().endswith(GENERATED):
                files.append(File(name, quote(os.fsencode(path)), f"{status.st_size}-{status.st_mtime_ns}"))
        return Tree(tuple(files), tuple(paths), complete=True)

    def texts(self, files: Iterable[File], limits: Limits) -> Iterator[tuple[File, str | None]]:
        """Each file with its text, ``None`` for what is not text or gone. Raises ``Stopped`` when the time is up."""
        from urllib.parse import unquote_to_bytes

        for file in files:
            limits.check()
            raw = self.read(os.fsdecode(unquote_to_bytes(file.quoted)))
            yield file, None if raw is None else decode(raw)

    def walk(self, limits: Limits) -> Iterator[tuple[str, os.stat_result]]:
        """Every path but folders, with its own status, links not followed. Raises ``Stopped`` when the time is up."""
        # no recursion, since trees may be deeper than the stack
        left: list[tuple[str, list[Rule]]] = [("", [])]
        while left:
            limits.check()
            above, known = left.pop()
            entries = self._entries(above)
            names = {entry.name for entry in entries}
            if "pyvenv.cfg" in names:
                continue
            if ".gitignore" in names:
                known = [*known, *rules(above, decode(self.read(f"{above}/.gitignore".lstrip("/")) or b"") or "")]
            below: list[tuple[str, list[Rule]]] = []
            for entry in entries:
                path = f"{above}/{entry.name}" if above else entry.name
                folder = entry.is_dir(follow_symlinks=False)
                if _is_foreign(entry.name) or ignored(path, known, folder=folder):
                    continue
                if folder:
                    below.append((path, known))
                elif status := _status(entry):
                    yield path, status
            left += reversed(below)

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(os.path.join(self._root, folder)) as entries:
                return sorted(entries, key=lambda entry: entry.name)
        except OSError:  # gone, or closed to us
            return []

    def read(self, path: str, most: int = LARGEST) -> bytes | None:
        """The bytes of a plain file within the folder; ``None`` if it is none, or has grown larger than ``most``."""
        full = os.path.join(self._root, *path.split("/"))
        if os.path.realpath(full) != full:  # a folder on the way became a link
            return None
        try:
            handle = os.open(full, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            with open(handle, "rb") as file:
                raw = file.read(most + 1) if stat.S_ISREG(os.fstat(handle).st_mode) else None
        except OSError:
            return None
        return None if raw is None or len(raw) > most else raw


def _is_foreign(name: str) -> bool:
    return name in _FOREIGN or (name.startswith(".") and name not in _SHOWN)


def _status(entry: os.DirEntry[str]) -> os.stat_result | None:
    try:
        return entry.stat(follow_symlinks=False)
    except OSError:  # gone while we looked
        return None
