"""Books that the tests of graphs are about: two real ones, and one small one of markdown made for them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from encyclopedia.model.corpus import Corpus
from encyclopedia_adapters.local.graph import KIND, texts
from encyclopedia_adapters.local.graph.store import Store
from encyclopedia_adapters.local.graph.verbs import Graph

FIXTURES = Path(__file__).parent / "fixtures"
PATTERNS = FIXTURES / "books-patterns"
AGENTIC = FIXTURES / "concept-graph-agentic"

PRIMER = """\
---
title: Resilience Primer
---
# Resilience Primer

A small book about staying up.

## Glossary

- **Timeout**: The longest time that a caller waits for an answer.
- **Bulkhead** — a kind of isolation that keeps one failing part from sinking the others.

Idempotency Key
: A token by which a server recognises a request that it has seen before.

## Stability Patterns

### Circuit Breaker

A circuit breaker stops calling a service that keeps failing. It is also known as a **fuse**.
It requires a Timeout. A circuit breaker does not use a Bulkhead.

#### When to use

When calls fail slowly.

### Retry

Tries a failed operation again. Retry uses an Idempotency Key and conflicts with Fail Fast.
See [the breaker](#circuit-breaker).

### Fail Fast

Fail Fast is an alternative to Retry.

## Creational Patterns

### Singleton

One instance of a class, and one place to get it from.
"""


def corpus(folder: Path, books: Path, name: str = "books") -> Corpus:
    """A corpus over ``books`` whose index lies in ``folder``."""
    return Corpus(name, str(books), "graph", str(folder / "index"), {})


def copied(folder: Path, source: Path = PATTERNS) -> Path:
    """The books of a fixture in a folder of their own, beside which others may be put."""
    shelf = folder / "shelf"
    shutil.copytree(source, shelf / source.name)
    return shelf


def indexed(made: Corpus, **options: Any) -> Graph:
    """The graph of the corpus, brought up to date."""
    KIND.index(made, lambda *_: None, **options)
    return KIND.graph(made)


def dump(made: Corpus) -> dict[str, Any]:
    """Everything that is kept of a graph, in no particular order: all tables, and all passages of the text indexes."""
    store, found = Store(made.folder), dict[str, Any]()
    for (table,) in store.rows("SELECT name FROM sqlite_master WHERE type = 'table'"):
        rows = [list(map(str, row)) for row in store.rows(f"SELECT * FROM {table}")]  # noqa: S608 - a table of ours
        if table == "project":
            rows = [row[:4] + row[5:] for row in rows]  # without the time
        if table == "unit":
            rows = [row[:3] for row in rows]  # without whether it was read in the tick in which it was written
        found[table] = sorted(rows)
    for index in (texts.sections_of(made.folder), texts.concepts_of(made.folder)):
        states = dict(index.documents())
        passages = [match for book in states for match in index.passages(book)]
        found[index.folder] = [states, sorted((match.id, match.title, match.body, match.also) for match in passages)]
    return found


def rows(path: Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON Lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def bundle(folder: Path, **files: list[Any]) -> Path:
    """A bundle with these rows; texts are written as they are."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in files.items():
        told = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
        (folder / f"{name}.jsonl").write_text(told + "\n", encoding="utf-8")
    return folder
