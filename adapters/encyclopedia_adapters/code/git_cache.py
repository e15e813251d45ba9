"""The clones that are kept: one folder a repository, shared by processes, the least recently used dropped first."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia.model.errors import Refused, SourceTrouble
from encyclopedia_adapters.code.git_clone import Remote, folder_size
from encyclopedia_adapters.shared.private_files import private_file, private_folder, write_private

if TYPE_CHECKING:
    from collections.abc import Iterator

    from encyclopedia_adapters.code.git_program import Limits
    from encyclopedia_adapters.code.place import Place

LARGEST = 500_000_000
"""Bytes of one repository."""
_STEP = 0.02
_STATE = "state.json"


class Clone(NamedTuple):
    """A repository as it was fetched: ``folder`` holds what belongs to it, ``path`` is the bare clone (empty without commits).

    ``stale`` says why it could not be brought up to date, empty if it is.
    """

    folder: str
    path: str
    commit: str
    stale: str = ""


class State(NamedTuple):
    """What is remembered of a clone; ``checked`` in wall-clock seconds."""

    url: str = ""
    commit: str = ""
    checked: float = 0.0


class Clones:
    """The clones under ``folder``, at most ``most`` bytes of them, each looked at again when it is ``max_age`` seconds old."""

    def __init__(self, folder: str, most: int, max_age: float) -> None:
        self._folder = folder
        self._most = most
        self._max_age = max_age

    @contextmanager
    def use(self, place: Place, limits: Limits, token: str = "") -> Iterator[Clone]:
        """The clone, fetched if need be; nobody removes it within the block.

        Raises ``SourceTrouble`` when it cannot be had, ``TimeoutError`` when another process does not finish fetching it.
        """
        with self.beside(place, limits) as folder:
            yield self._current(place, folder, limits, token)

    @contextmanager
    def beside(self, place: Place, limits: Limits) -> Iterator[str]:
        """The folder for what belongs to a repository; nobody removes it within the block. Raises as ``use`` does."""
        key = _key(place)
        folder = os.path.join(self._folder, key)
        with self._lock(key, limits):
            private_folder(folder)
            try:
                yield folder
            except BaseException:
                with suppress(OSError):
                    os.rmdir(folder)  # only if it is still empty
                raise
            with suppress(OSError):
                os.utime(folder)
        self._tidy(key)

    def drop(self, place: Place) -> None:
        """Remove a clone that is damaged, unless somebody uses it."""
        key = _key(place)
        with self._unused(key) as free:
            if free:
                shutil.rmtree(os.path.join(self._folder, key), ignore_errors=True)

    def _current(self, place: Place, folder: str, limits: Limits, token: str) -> Clone:
        # What lies on this machine is looked at each time: that costs a hundredth of a second.
        max_age = 0.0 if place.protocol == "file" else self._max_age
        began = time.time()
        if _is_fresh(folder, began - max_age):
            return _clone(folder)
        with self._lock(f"{os.path.basename(folder)}.fetch", limits, alone=True):
            if _is_fresh(folder, began):  # by another process, while we waited
                return _clone(folder)
            try:
                return self._fetch(place, folder, limits, token)
            except (SourceTrouble, TimeoutError) as trouble:
                if not _read(folder).commit:
                    raise
                return _clone(folder)._replace(stale=f"{trouble}; answered from what was fetched before")

    def _fetch(self, place: Place, folder: str, limits: Limits, token: str) -> Clone:
        remote = Remote(place, self._folder, token)
        commit = remote.newest(limits)
        if commit and not os.path.isdir(_path(folder, commit)):
            draft = os.path.join(folder, f"draft-{os.getpid()}-{os.urandom(4).hex()}")
            for name in os.listdir(folder):
                if name.startswith("draft-"):  # of somebody who was killed: only one fetches at a time
                    shutil.rmtree(os.path.join(folder, name), ignore_errors=True)
            try:
                commit = remote.take(draft, limits, min(self._most, LARGEST))
                if commit and not os.path.isdir(_path(folder, commit)):
                    os.rename(draft, _path(folder, commit))
            finally:
                shutil.rmtree(draft, ignore_errors=True)
        write_private(os.path.join(folder, _STATE), json.dumps(State(place.url, commit, time.time())))
        return _clone(folder)

    def _tidy(self, used: str) -> None:
        """Remove what an update has replaced, and while there are too many bytes the clones that were least recently used."""
        keys = [entry.name for entry in os.scandir(self._folder) if entry.is_dir() and entry.name != "locks"]
        if used in keys:
            with self._unused(used) as free:
                for path in _replaced(os.path.join(self._folder, used)) if free else ():
                    shutil.rmtree(path, ignore_errors=True)
        folders = {key: os.path.join(self._folder, key) for key in keys}
        sizes = {key: folder_size(folder) for key, folder in folders.items()}
        for key in sorted(keys, key=lambda key: _used(folders[key])):
            if sum(sizes.values()) <= self._most:
                break
            with self._unused(key) as free:
                if free and key != used:
                    shutil.rmtree(folders[key], ignore_errors=True)
                    sizes[key] = 0

    @contextmanager
    def _lock(self, name: str, limits: Limits, *, alone: bool = False) -> Iterator[None]:
        handle = self._lock_file(name)
        try:
            while not _taken(handle, fcntl.LOCK_EX if alone else fcntl.LOCK_SH):
                if limits.stop.is_set() or time.monotonic() > limits.until:
                    raise Refused("another process is still fetching this repository: ask again in a moment")
                time.sleep(_STEP)
            yield
        finally:
            os.close(handle)

    @contextmanager
    def _unused(self, key: str) -> Iterator[bool]:
        """Whether nobody uses a clone; nobody can begin to within the block."""
        handle = self._lock_file(key)
        try:
            yield _taken(handle, fcntl.LOCK_EX)
        finally:
            os.close(handle)

    def _lock_file(self, name: str) -> int:
        return private_file(os.path.join(self._folder, "locks", name))


def _taken(handle: int, kind: int) -> bool:
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _key(place: Place) -> str:
    """The folder's name: readable, and another one for each address."""
    readable = re.sub(r"[^\w.-]+", "-", place.name, flags=re.ASCII)[:60].strip(".-")
    return f"{readable}-{hashlib.sha256(place.url.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def _path(folder: str, commit: str) -> str:
    return os.path.join(folder, f"{commit}.git")


def _clone(folder: str) -> Clone:
    commit = _read(folder).commit
    return Clone(folder, _path(folder, commit) if commit else "", commit)


def _read(folder: str) -> State:
    """The state; blank where there is none, where it is damaged, or where the clone itself is gone."""
    try:
        with open(os.path.join(folder, _STATE), encoding="utf-8") as file:
            url, commit, checked = json.load(file)
        state = State(str(url), str(commit), float(checked))
    except (OSError, ValueError, TypeError):
        return State()
    sound = not state.commit or (state.commit.isalnum() and os.path.isdir(_path(folder, state.commit)))
    return state if sound else State()


def _is_fresh(folder: str, since: float) -> bool:
    """Whether the clone was compared with its server since then; a time that lies ahead is a clock that was set back."""
    return since <= _read(folder).checked <= time.time()


def _replaced(folder: str) -> list[str]:
    commit = _read(folder).commit
    names = [name for name in os.listdir(folder) if name.endswith(".git") and name != f"{commit}.git"]
    return [os.path.join(folder, name) for name in names]


def _used(folder: str) -> float:
    try:
        return os.stat(folder).st_mtime
    except OSError:
        return 0.0
