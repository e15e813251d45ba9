"""Following the folders of corpora: what changes there is indexed at once, until Ctrl-C."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli.indexing import find, index, sentence
from encyclopedia.model.errors import ConfigurationError, EncyclopediaError
from encyclopedia.wiring.requirements import Absent, load

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
    seen = {name: _identity(corpus) for name, corpus in corpora.items()}
    while True:
        for name in _changed(corpora, seen, engine.loaded.home):
            now = _identity(corpora[name])
            if now is None and seen[name] is not None:
                tell(output, "gone", {"name": name}, f"{name}: {corpora[name].path} is gone; waiting for it")
            elif now is not None:
                _bring(output, engine, name, vectors=vectors)
            seen[name] = now


def _changed(corpora: Mapping[str, Corpus], seen: Mapping[str, Identity], home: str) -> list[str]:
    """Wait until something happens, and tell to which corpora; a folder put in place of another is a change."""
    from threading import Event

    import watchfiles

    ignored = watchfiles.DefaultFilter(ignore_paths=[os.path.realpath(home)])  # our own writing is no news
    there = {name: os.path.realpath(corpus.path) for name, corpus in corpora.items() if seen[name] is not None}
    places = {path if os.path.isdir(path) else os.path.dirname(path) for path in there.values()}
    if not places:
        Event().wait(LOOK)
        return _others(corpora, seen)
    try:
        for changes in watchfiles.watch(
            *sorted(places),
            watch_filter=ignored,
            debounce=_LONGEST,
            step=_QUIET,
            rust_timeout=int(LOOK * 1000),
            yield_on_timeout=True,
            ignore_permission_denied=True,
        ):
            touched = {name for name, path in there.items() if any(_within(path, changed) for _, changed in changes)}
            if found := [name for name in corpora if name in touched or name in _others(corpora, seen)]:
                return found
    except OSError:  # a folder went between the look and the watch
        return _others(corpora, seen)
    raise KeyboardInterrupt


def _others(corpora: Mapping[str, Corpus], seen: Mapping[str, Identity]) -> list[str]:
    """The corpora whose folder went, came, or is another one now."""
    return [name for name, corpus in corpora.items() if _identity(corpus) != seen[name]]


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
