"""The source files of a repository: a folder as it lies there, or a bare clone at its commit."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, NamedTuple, Protocol

from encyclopedia_adapters.code import git_files
from encyclopedia_adapters.code.graph_languages import language_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from encyclopedia_adapters.code.git_files import File
    from encyclopedia_adapters.code.git_program import Limits

LARGEST = 1_000_000
"""Bytes of a file that is read."""
MOST = git_files.MOST


class Listing(NamedTuple):
    """Paths with what tells that a file has changed; ``skipped`` ones with the reason."""

    states: dict[str, str]
    skipped: tuple[tuple[str, str], ...] = ()


class Files(Protocol):
    """Where the files come from."""

    def listing(self, limits: Limits) -> Listing:
        """What there is in a language that is known."""
        ...

    def read(self, paths: Sequence[str], limits: Limits) -> Iterator[tuple[str, bytes | None]]:
        """Each file with its bytes, ``None`` if it is no text that somebody wrote, or gone."""
        ...


class Folder:
    """A checkout, as far as ``WorkingTree`` goes into it."""

    def __init__(self, root: str) -> None:
        from encyclopedia_adapters.code.working_tree import WorkingTree

        self._tree = WorkingTree(root)

    def listing(self, limits: Limits) -> Listing:
        """As ``Files`` says. Raises ``Stopped`` when the time is up."""
        states: dict[str, str] = {}
        skipped: list[tuple[str, str]] = []
        for path, status in self._tree.walk(limits):
            if not path.isprintable() or not language_of(path):
                continue
            if stat.S_ISLNK(status.st_mode):
                skipped.append((path, "a link"))
            elif stat.S_ISREG(status.st_mode) and status.st_size > LARGEST:
                skipped.append((path, f"larger than {LARGEST // 1_000_000} MB"))
            elif stat.S_ISREG(status.st_mode) and len(states) == MOST:
                skipped.append(("…", f"only {MOST} files are read"))
                break
            elif stat.S_ISREG(status.st_mode):
                states[path] = f"{status.st_size} {status.st_mtime_ns}"
        return Listing(states, tuple(skipped))

    def read(self, paths: Sequence[str], limits: Limits) -> Iterator[tuple[str, bytes | None]]:
        """As ``Files`` says. Raises ``Stopped`` when the time is up."""
        for path in paths:
            limits.check()
            raw = self._tree.read(path, LARGEST)
            yield path, None if raw is None else written(raw)


class BareClone:
    """A clone of `mcp_git_ingest`, at the commit that it was taken at."""

    def __init__(self, path: str) -> None:
        from encyclopedia_adapters.code.git_program import Git

        self._path = path
        self._git = Git(os.path.dirname(path))
        self._files: dict[str, File] = {}

    def listing(self, limits: Limits) -> Listing:
        """As ``Files`` says. Raises ``Stopped`` in time, ``Broken`` for a damaged clone."""
        tree = git_files.tree(self._git, self._path, limits)
        self._files = {file.path: file for file in tree.files if language_of(file.path)}
        return Listing({path: file.oid for path, file in self._files.items()})

    def read(self, paths: Sequence[str], limits: Limits) -> Iterator[tuple[str, bytes | None]]:
        """As ``Files`` says. Raises as ``listing`` does."""
        wanted = [self._files[path] for path in paths]
        for file, text in git_files.texts(self._git, self._path, wanted, limits):
            limits.check()
            yield file.path, None if text is None else text.encode("utf-8", "replace")


def files_of(folder: str) -> Files:
    """The files of a folder, which may be a bare clone."""
    bare = all(os.path.exists(os.path.join(folder, name)) for name in ("HEAD", "objects", "refs"))
    return BareClone(folder) if bare else Folder(folder)


def written(raw: bytes) -> bytes | None:
    """The text with line feeds only, ``None`` for what is no text or was made by a program."""
    text = git_files.decode(raw)
    return None if text is None else text.encode("utf-8", "replace")
