"""Bringing an index up to date with a progress bar; an interruption keeps what is done."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli.progress import bar
from encyclopedia.faces.cli.tables import counted
from encyclopedia.model.errors import ConfigurationError
from encyclopedia.wiring import places

if TYPE_CHECKING:
    from encyclopedia.faces.cli.output import Output
    from encyclopedia.model.corpus import Corpus, Indexed
    from encyclopedia.ports import Embedder
    from encyclopedia.wiring.build import Engine


def indexable(engine: Engine) -> list[str]:
    """The names of everything that has an index and can be asked: corpora first, then other sources."""
    usable = [name for name, entry in engine.catalog.items() if entry.card.index and not entry.candidate.missing]
    return sorted(usable, key=lambda name: (not engine.catalog[name].card.corpus, name))


def index(output: Output, engine: Engine, name: str, *, rebuild: bool = False, vectors: bool = True) -> dict[str, Any]:
    """Index one corpus or source, its ``vectors`` too, telling on stderr; the row of its JSON form.

    Raises ``KeyboardInterrupt``.
    """
    entry, start = engine.catalog[name], perf_counter()
    if entry.candidate.missing and (entry.card.index or entry.card.corpus):
        raise ConfigurationError(f"{name} cannot be indexed: {entry.candidate.missing}", entry.candidate.hint)
    if entry.card.index is None:
        raise ConfigurationError(f"{name} has no index", f"these have one: {', '.join(indexable(engine))}")
    try:
        with bar(output, f"indexing {name}") as progress:
            if entry.card.corpus:
                embedder = engine.embedder.bulk() if vectors else None
                done = _corpus(engine, name, progress, rebuild=rebuild, embedder=embedder)
            else:
                if rebuild:
                    _forget(engine, name)
                done = entry.card.index(engine.sources.context(name), progress)
    except KeyboardInterrupt:
        output.remark(f"{name}: interrupted; what is done is kept, `encyclopedia corpus index {name}` goes on")
        raise
    if done.removed or done.changed:  # what is stored quotes texts that are no longer there
        engine.stores.forget(name)
    return {"name": name, **indexed_row(done), "ms": round((perf_counter() - start) * 1000)}


def indexed_row(done: Indexed) -> dict[str, Any]:
    """The JSON form of an indexing run; ``vectors`` stands there if some were made."""
    row = {
        "added": done.added,
        "changed": done.changed,
        "moved": done.moved,
        "removed": done.removed,
        "unchanged": done.unchanged,
        "passages": done.passages,
        "skipped": [{"path": path, "reason": reason} for path, reason in done.skipped],
    }
    return row | ({"vectors": done.vectors} if done.vectors else {})


def sentence(row: dict[str, Any]) -> str:
    """An indexing run in words: ``notes: 3 documents added, 40 unchanged, 120 passages in 0.4 s``."""
    numbers = [(row[word], word) for word in ("added", "changed", "moved", "removed", "unchanged") if row[word]]
    counts = [
        f"{number} {word}" if rank else f"{counted(number, 'document')} {word}" for rank, (number, word) in enumerate(numbers)
    ]
    vectors = [f"{row['vectors']} of them given vectors"] if row.get("vectors") else []
    told = ", ".join([*(counts or ["nothing to do"]), counted(row["passages"], "passage"), *vectors])
    return f"{row['name']}: {told} in {row['ms'] / 1000:.1f} s"


def _corpus(engine: Engine, name: str, progress: Any, *, rebuild: bool, embedder: Embedder | None) -> Indexed:
    from encyclopedia.wiring.kinds import corpus_kind

    corpus = find(engine, name)
    kind = corpus_kind(engine.groups, corpus.kind)
    done: Indexed = kind.index(corpus, progress, rebuild=rebuild, embedder=embedder)
    return done


def find(engine: Engine, name: str) -> Corpus:
    """The registered corpus of that name. Raises ``ConfigurationError`` if another process has just removed it."""
    from encyclopedia.wiring.corpora import registered

    found = {corpus.name: corpus for corpus in registered(engine.loaded)}
    if name not in found:
        raise ConfigurationError(
            f"the corpus {name} was removed meanwhile", "`encyclopedia corpus list` shows those that are left"
        )
    return found[name]


def _forget(engine: Engine, name: str) -> None:
    """Delete the index of a source; it is made of nothing but what is installed here."""
    import shutil

    shutil.rmtree(places.index(engine.loaded.home, name), ignore_errors=True)


def forgotten(name: str) -> str:
    """Let the stored answers go that quote a corpus; why that was not possible, or nothing."""
    from encyclopedia.faces.library import Encyclopedia

    try:
        return Encyclopedia().engine.stores.forget(name)
    except ConfigurationError as error:  # another part of the configuration is broken: the corpus is removed all the same
        return f"stored answers were not looked at: {error.message}"
