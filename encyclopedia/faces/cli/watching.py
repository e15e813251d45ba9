"""Following the folders of corpora: what changes there is indexed at once, until Ctrl-C."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli.indexing import find, index, sentence
from encyclopedia.model.errors import ConfigurationError, EncyclopediaError
from encyclopedia.wiring.requirements import Absent, load

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from encyclopedia.faces.cli.output import Output
    from encyclopedia.model.corpus import Corpus
    from encyclopedia.wiring.build import Engine

INTERRUPTED = 130
LOOK = 1.0
"""Seconds after which a folder is looked for that has gone, or may have been put in place of another."""
_QUIET, _LONGEST = 200, 2000
"""Milliseconds without a change after which changes are indexed together, and how long they are gathered at most."""
_COUNTS = ("added", "changed", "moved", "removed")

Identity = tuple[int, int] | None


def requirement() -> None:
    """Raise ``ConfigurationError`` if the library that watches is missing."""
    found = load("watchfiles")
    if isinstance(found, Absent):
        raise ConfigurationError(found.reason, "pip install 'encyclopedia-search[watch]'")


def watch(output: Output, engine: Engine, names: Sequence[str], *, vectors: bool = True) -> int:
    """Index what changes in the folders of these corpora, telling each time; ends with 130 by Ctrl-C.

    A folder that goes away is told and waited for.
    """
    corpora = {name: find(engine, name) for name in names}
    tell(output, "watching", {"corpora": list(corpora)}, f"watching {', '.join(corpora)}; Ctrl-C ends it")
    try:
        _follow(output, engine, corpora, vectors=vectors)
    except KeyboardInterrupt:
        output.remark("stopped watching; what was indexed is kept")
    return INTERRUPTED


def _follow(output: Output, engine: Engine, corpora: Mapping[str, Corpus], *, vectors: bool) -> None:
    there = dict.fromkeys(corpora, True)
    for name in _news(corpora, engine.loaded.home):
        before, there[name] = there[name], _identity(corpora[name]) is not None
        if there[name]:
            _bring(output, engine, name, vectors=vectors)
        elif before:
            tell(output, "gone", {"name": name}, f"{name}: {corpora[name].path} is gone; waiting for it")


def _news(corpora: Mapping[str, Corpus], home: str) -> Iterator[str]:
    """The corpora in which something may have happened, for ever; all of them whenever the watch begins anew."""
    while True:
        seen = {name: _identity(corpus) for name, corpus in corpora.items()}
        paths = {name: os.path.realpath(corpus.path) for name, corpus in corpora.items() if seen[name] is not None}
        yield from (name for name in corpora if name not in paths)
        started = False
        for changed in _changes(paths, home) if paths else _pauses():
            names = [name for name, path in paths.items() if not started or any(_within(path, each) for each in changed)]
            started = True  # what happened before the watch began is found now
            yield from names
            if any(_identity(corpus) != seen[name] for name, corpus in corpora.items()):
                break  # a folder went, came, or was put in place of another


def _pauses() -> Iterator[set[str]]:
    """Time that passes while there is nothing to watch."""
    from threading import Event

    while True:
        Event().wait(LOOK)
        yield set()


def _changes(paths: Mapping[str, str], home: str) -> Iterator[set[str]]:
    """What has changed below the paths, some of it at a time; an empty set after a while without any."""
    import watchfiles

    places = {path if os.path.isdir(path) else os.path.dirname(path) for path in paths.values()}
    news = watchfiles.watch(
        *sorted(places),
        watch_filter=watchfiles.DefaultFilter(ignore_paths=[os.path.realpath(home)]),  # our own writing is no news
        debounce=_LONGEST,
        step=_QUIET,
        rust_timeout=int(LOOK * 1000),
        yield_on_timeout=True,
        ignore_permission_denied=True,
    )
    with suppress(FileNotFoundError):  # a folder went between the look and the watch
        yield from ({path for _, path in changes} for changes in news)


def _identity(corpus: Corpus) -> Identity:
    """What tells a folder from another in its place; a single file is often replaced, and is the same corpus all the same."""
    try:
        status = os.stat(corpus.path)
    except OSError:
        return None
    return (status.st_dev, status.st_ino) if os.path.isdir(corpus.path) else (0, 0)


def _within(root: str, path: str) -> bool:
    return path == root or path.startswith(root + os.sep)


def _bring(output: Output, engine: Engine, name: str, *, vectors: bool) -> None:
    try:
        row = index(output, engine, name, vectors=vectors)
    except EncyclopediaError as error:  # such as a writer that does not end: the next change tries again
        tell(output, "error", error.to_dict() | {"name": name}, f"{name}: {error.message}")
        return
    if any(row[count] for count in _COUNTS):
        tell(output, "indexed", row, sentence(row))


def tell(output: Output, event: str, body: dict[str, Any], words: str) -> None:
    """One line for what happened, at once."""
    if output.json:
        output.event(event, body)
    else:
        output.show(body, lambda console: console.print(words, soft_wrap=True))
        output.stdout.flush()
