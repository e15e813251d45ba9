"""The files of a commit, read out of the clone itself: nothing is checked out, so nothing of it can act."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from encyclopedia_adapters.code.git_program import Broken, Stopped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from encyclopedia_adapters.code.git_program import Git, Limits

MOST = 20_000
"""Files of a repository that are looked at; a tree can be made that has more than any disk holds."""
LARGEST = 400_000
"""Bytes of a file that is read."""
_ENTRY = 8192
_PLAIN = (b"100644", b"100755")
GENERATED = (
    *(".lock", ".map", ".min.js", ".min.css", ".svg", ".csv", ".tsv", ".ipynb", ".pb.go", ".snap", ".po", ".pot"),
    *("-lock.json", "-lock.yaml", "go.sum", ".patch", ".diff"),
)


class File(NamedTuple):
    """A file of a commit: ``path`` as it can be shown, ``quoted`` percent-encoded, ``oid`` git's name for its bytes."""

    path: str
    quoted: str
    oid: str


class Tree(NamedTuple):
    """The files that can be read, and how many were left out: links, submodules, large and generated files do not count."""

    files: tuple[File, ...]
    paths: tuple[str, ...]
    complete: bool


class Commit:
    """The files of the clone at ``path``, read with ``git``."""

    def __init__(self, git: Git, path: str) -> None:
        self._git = git
        self._path = path

    def tree(self, limits: Limits) -> Tree:
        """As the function ``tree`` tells."""
        return tree(self._git, self._path, limits)

    def texts(self, files: Iterable[File], limits: Limits) -> Iterator[tuple[File, str | None]]:
        """As the function ``texts`` tells."""
        return texts(self._git, self._path, files, limits)


def tree(git: Git, path: str, limits: Limits) -> Tree:
    """What the commit of the clone at ``path`` holds; ``paths`` are all of its plain files. Raises as ``texts`` does."""
    present = _present(git, path, limits)
    files: list[File] = []
    paths: list[str] = []
    complete = True
    with git.stream(["--git-dir", path, "ls-tree", "-r", "-z", "--full-tree", "HEAD"], limits) as output:
        for entry in _entries(output):
            limits.check()
            head, _, raw = entry.partition(b"\t")
            mode, kind, oid = (*head.split(b" "), b"", b"")[:3]
            if mode not in _PLAIN or kind != b"blob":
                continue
            if len(paths) >= MOST:
                complete = False
                break
            name = shown(raw)
            paths.append(name)
            if oid in present and not name.lower().endswith(GENERATED):
                files.append(File(name, quote(raw), oid.decode("ascii", "replace")))
    limits.check()
    return Tree(tuple(files), tuple(paths), complete)


def texts(git: Git, path: str, files: Iterable[File], limits: Limits) -> Iterator[tuple[File, str | None]]:
    """Each file with its text, ``None`` if it is not text. Raises ``Broken`` for a damaged clone, ``Stopped`` in time."""
    wanted = list(files)
    names = b"".join(file.oid.encode() + b"\n" for file in wanted)
    with git.stream(["--git-dir", path, "cat-file", "--batch"], limits, names) as output:
        for file in wanted:
            head = output.readline(_ENTRY).split()
            if len(head) != 3 or head[1] != b"blob":  # noqa: PLR2004 - name, kind, size
                limits.check()
                raise Broken(f"{file.oid} cannot be read")
            raw = output.read(int(head[2]))
            if output.read(1) != b"\n":
                limits.check()
                raise Broken(f"{file.oid} cannot be read")
            yield file, decode(raw)


def shown(raw: bytes) -> str:
    """A path that can be printed: bytes that are no UTF-8 and characters that cannot be seen are written as escapes."""
    text = raw.decode("utf-8", "backslashreplace")
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def decode(raw: bytes) -> str | None:
    """The text of a file with line feeds only; ``None`` for what is no text, or was written by a program for programs."""
    if b"\0" in raw[:65_536]:
        return None
    text = raw.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")
    lines = text.count("\n") + 1
    return None if len(text) > 300 * lines and len(text) > 5000 else text  # noqa: PLR2004 - lines of a minified file


def _present(git: Git, path: str, limits: Limits) -> frozenset[bytes]:
    """The blobs that the clone holds and that are small enough; asking for any other would make git fetch it."""
    check = ["--git-dir", path, "cat-file", "--batch-all-objects", "--unordered", "--batch-check"]
    found: set[bytes] = set()
    with git.stream(check, limits) as output:
        for line in output:
            limits.check()
            name, kind, size = line.split()
            if kind == b"blob" and int(size) <= LARGEST:
                found.add(name)
    limits.check()
    return frozenset(found)


def _entries(output: IO[bytes]) -> Iterator[bytes]:
    """The entries of a listing that are ended by a zero byte; one that is longer than any path raises ``Stopped``."""
    rest = b""
    while chunk := output.read(65_536):
        *entries, rest = (rest + chunk).split(b"\0")
        yield from entries
        if len(rest) > 65_536:  # noqa: PLR2004 - no system has longer paths
            raise Stopped
