"""Which files of a folder are documents, and why the others are not."""

from __future__ import annotations

import os
import time
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol

from encyclopedia_adapters.shared.containment import within

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

SUFFIXES = (".md", ".markdown", ".txt", ".rst")
LARGEST = 5_000_000
_FINE, _COARSE = 50_000_000, 2_100_000_000
"""Nanoseconds in which two writes may get the same time: where ticks are counted, and where seconds are."""
_FOREIGN = {"node_modules": "installed by a package manager", "__pycache__": "made by Python"}


class Wanted(NamedTuple):
    """Which files are taken, by the end of their name in lower case; how many bytes each may have, ``limits`` by that end."""

    suffixes: tuple[str, ...]
    largest: int = LARGEST
    limits: Mapping[str, int] = MappingProxyType({})

    def most(self, name: str) -> int:
        """The bytes that the file of that name may have."""
        return next((limit for end, limit in self.limits.items() if name.lower().endswith(end)), self.largest)


DOCUMENTS = Wanted(SUFFIXES)


class Bounds(NamedTuple):
    """How far a walk goes: it stops once it has seen more than ``files`` files and ``seconds`` are over."""

    files: int
    seconds: float


class Listing:
    """The documents under a root: relative path (with slashes) → size and ``stamp``.

    What stands for several files has their sizes together and the ``joint`` of their stamps. ``skipped`` holds paths with the
    reason why they are not read; ``complete`` is false for a walk that met its bounds. ``fresh`` are those written so shortly
    before the walk that another write would leave the same stamp. ``plain`` tells that each file stands for itself alone.
    """

    __slots__ = ("complete", "files", "fresh", "plain", "root", "single", "skipped", "wanted")

    def __init__(self, root: str, wanted: Wanted = DOCUMENTS, *, single: bool = False, plain: bool = False) -> None:
        self.root, self.wanted, self.single, self.plain = root, wanted, single, plain
        self.complete = True
        self.files: dict[str, tuple[int, int]] = {}
        self.skipped: list[tuple[str, str]] = []
        self.fresh: set[str] = set()

    def take(self, name: str, status: os.stat_result, now: int) -> None:
        """List a file as it stands at ``now``, in nanoseconds, or before."""
        self.files[name] = (status.st_size, stamp(status))
        if now - status.st_ctime_ns < (_FINE if status.st_ctime_ns % 1_000_000_000 else _COARSE):
            self.fresh.add(name)


class LeftOut(Protocol):
    """What of a tree is no part of a collection."""

    def below(self, folder: str, names: Collection[str]) -> LeftOut:
        """The same for a folder of the tree (relative, empty for the root) that holds ``names``."""
        ...

    def reason(self, path: str, *, folder: bool) -> str:
        """Why the path is left out; empty if it is not."""
        ...


def stamp(status: os.stat_result) -> int:
    """Changes with every write: of the two times the second cannot be set back by a program that restores the first.

    The number of the inode is no part of it: file systems in user space give another one after each mount.
    """
    return hash((status.st_mtime_ns, status.st_ctime_ns))


def joint(*stamps: int | str) -> int:
    """One stamp for several, or for stamps and names: it changes when any of them does."""
    import hashlib

    return int.from_bytes(hashlib.sha256(repr(stamps).encode()).digest()[:6], "big")


def walk(path: str, bounds: Bounds | None = None, wanted: Wanted = DOCUMENTS, left_out: LeftOut | None = None) -> Listing:
    """List the documents of a folder without what is ``left_out``, or a single file, without opening any.

    Symbolic links are never followed: what they point to inside the root is listed there, the outside is refused. Raises
    ``FileNotFoundError`` if the path is not there.
    """
    real, now = os.path.realpath(path), time.time_ns()
    if os.path.isfile(real):
        listing = Listing(os.path.dirname(real), wanted, single=True)
        _take(listing, os.path.basename(real), os.stat(real), now, named=True)
        return listing
    if not os.path.isdir(real):
        raise FileNotFoundError(path)
    listing = Listing(real, wanted)
    until = time.monotonic() + bounds.seconds if bounds else 0.0
    for entry, name in _entries(listing, real, left_out):
        if bounds and len(listing.files) >= bounds.files and time.monotonic() > until:
            listing.complete = False
            break
        if name.lower().endswith(wanted.suffixes):
            try:
                _take(listing, name, entry.stat(follow_symlinks=False), now)
            except FileNotFoundError:  # removed while we looked
                continue
            except OSError as error:
                _skip(listing, name, error)
    return listing


def _entries(listing: Listing, root: str, left_out: LeftOut | None) -> Iterator[tuple[os.DirEntry[str], str]]:
    """Every file that is left, folder by folder: no recursion, since trees may be deeper than the stack."""
    under_way = [_scan(listing, root, "", left_out)]
    while under_way:
        for entry, name, left in under_way[-1]:
            if entry.is_dir(follow_symlinks=False):
                under_way.append(_scan(listing, entry.path, f"{name}/", left))
                break
            if entry.is_file(follow_symlinks=False):
                yield entry, name
        else:
            under_way.pop()


def _scan(
    listing: Listing, folder: str, prefix: str, left_out: LeftOut | None
) -> Iterator[tuple[os.DirEntry[str], str, LeftOut | None]]:
    """The entries of one folder that are not left out, in order, with what is left out below."""
    try:
        with os.scandir(folder) as scan:
            entries = sorted(scan, key=lambda entry: entry.name)
    except OSError as error:
        _skip(listing, prefix.rstrip("/") or ".", error)
        return
    left = left_out and left_out.below(prefix.rstrip("/"), {entry.name for entry in entries})
    for entry in entries:
        name = prefix + entry.name
        try:
            reason = _refusal(entry, name, listing) or _left_out(entry, name, listing, left)
        except OSError as error:  # a link in a circle, a place that may not be entered
            _skip(listing, name, error)
            continue
        if not reason:
            yield entry, name, left
        elif not reason.isspace():
            listing.skipped.append((_printable(name), reason))


def _skip(listing: Listing, name: str, error: OSError) -> None:
    listing.skipped.append((_printable(name), f"cannot be read: {error.strerror}"))


def _printable(name: str) -> str:
    return name.encode("utf-8", "backslashreplace").decode()


def _refusal(entry: os.DirEntry[str], name: str, listing: Listing) -> str:
    """Why an entry is left out; blank for what nobody would miss."""
    if entry.is_symlink():
        wanted = name.lower().endswith(listing.wanted.suffixes) or entry.is_dir()
        if within(listing.root, os.path.realpath(entry.path)):
            return "a link to a place in the same corpus" if wanted else " "
        return "a link out of the corpus" if wanted else " "
    if entry.name.startswith("."):
        return "hidden"
    if entry.name in _FOREIGN and entry.is_dir():
        return _FOREIGN[entry.name]
    if not name.isascii() and name.encode("utf-8", "replace").decode() != name:
        return "its name is not UTF-8"
    return ""


def _left_out(entry: os.DirEntry[str], name: str, listing: Listing, left_out: LeftOut | None) -> str:
    """Why a folder or a document is no part of the collection."""
    folder = entry.is_dir(follow_symlinks=False)
    if left_out is None or not (folder or name.lower().endswith(listing.wanted.suffixes)):
        return ""
    return left_out.reason(name, folder=folder)


def _take(listing: Listing, name: str, status: os.stat_result, now: int, *, named: bool = False) -> None:
    wanted = listing.wanted
    if status.st_size > wanted.most(name):
        listing.skipped.append((name, f"larger than {wanted.most(name) // 1_000_000} MB"))
    elif named and not name.lower().endswith(wanted.suffixes):
        listing.skipped.append((name, f"not one of {' '.join(wanted.suffixes)}"))
    else:
        listing.take(name, status, now)


def read(root: str, name: str, largest: int = LARGEST) -> bytes:
    """The bytes of a listed file. ``OSError`` if it is gone, has grown beyond the limit, or is no plain file in ``root``."""
    import stat

    path = os.path.join(root, *name.split("/"))
    if not within(root, os.path.realpath(path)):
        raise PermissionError("it leads out of the corpus")
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise PermissionError("it is not a plain file")
        raw = file.read(largest + 1)
    if len(raw) > largest:
        raise PermissionError(f"it is larger than {largest // 1_000_000} MB")
    return raw


def decode(raw: bytes) -> str | None:
    """The text of a file with line feeds only, unreadable bytes replaced; ``None`` if it is not text."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = raw.decode("utf-16", "replace")
    elif b"\0" in raw[:65536]:
        return None
    else:
        text = raw.decode("utf-8-sig", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")
