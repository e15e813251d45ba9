"""A corpus that goes elsewhere, or away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli import workplace
from encyclopedia.model.errors import ConfigurationError

if TYPE_CHECKING:
    from encyclopedia.faces.cli.output import Output
    from encyclopedia.model.corpus import Corpus
    from encyclopedia.wiring.settings import Loaded

EMBEDDED = "embedded"
"""What ``--to`` calls the folder of a corpus in the data folder."""


def move(output: Output, arguments: Any) -> int:
    """Copy passages and vectors to another place, register that, and only then remove them where they were."""
    from time import perf_counter

    from encyclopedia.faces.cli.progress import bar
    from encyclopedia.faces.cli.tables import counted
    from encyclopedia.wiring.kinds import corpus_kind
    from encyclopedia.wiring.plugins import entry_points

    loaded, start = workplace.loaded(), perf_counter()
    corpus, address = _corpus(loaded, arguments.name), "" if arguments.to == EMBEDDED else arguments.to
    kind = corpus_kind(entry_points(), corpus.kind)
    _check(kind, corpus, address)
    try:
        with bar(output, f"moving {corpus.name}") as progress:
            done = kind.move(corpus, address, progress)
    except KeyboardInterrupt:
        again = f"encyclopedia corpus move {corpus.name} --to '{arguments.to}'"
        output.remark(f"{corpus.name}: interrupted; it is where it was, `{again}` goes on")
        raise
    notes = _registered(loaded, kind, corpus, address)
    row: dict[str, Any] = {"name": corpus.name, "engine": address or EMBEDDED, **done._asdict()}
    row["ms"] = round((perf_counter() - start) * 1000)
    numbers = ", ".join(counted(number, noun.removesuffix("s")) for noun, number in done._asdict().items())
    told = "\n".join([f"{corpus.name}: {numbers} now at {address or loaded.home} in {row['ms'] / 1000:.1f} s", *notes])
    body: dict[str, Any] = {"schema_version": 1, "status": "success", "moved": row} | ({"notes": notes} if notes else {})
    output.show(body, lambda console: console.print(told, soft_wrap=True))
    return 0


def _check(kind: Any, corpus: Corpus, address: str) -> None:
    """Raise ``ConfigurationError`` if there is nothing to move, or no way to the other place."""
    from encyclopedia.wiring.requirements import unmet

    if not hasattr(kind, "move"):
        raise ConfigurationError(f"corpora of kind {corpus.kind} live in a folder", "only other kinds can be moved")
    if corpus.engine == address:
        raise ConfigurationError(f"{corpus.name} is there already: {address or EMBEDDED}", "`encyclopedia corpus list`")
    if address:
        kind.check_engine(address, "--to")
    for place in (corpus.engine, address):
        if missing := unmet(kind.card(corpus._replace(engine=place)), {}, corpus.secret):
            raise ConfigurationError(f"{corpus.name} cannot be moved: {missing.reason}", missing.hint)


def _registered(loaded: Loaded, kind: Any, corpus: Corpus, address: str) -> list[str]:
    """Let the corpus be searched there, and remove what is left behind; notes on what of that cannot be done."""
    from encyclopedia.wiring import corpora

    if corpus.name in loaded.settings.corpora:
        line = f'set engine = "{address}"' if address else "delete engine"
        return [f"{line} under [corpora.{corpus.name}] in the configuration file; until then it is searched where it was"]
    corpora.moved(corpus, address)
    try:
        kind.forget(corpus)
    except ConfigurationError as error:
        return [f"what was there is left: {error.message}"]
    return []


def _corpus(loaded: Loaded, name: str) -> Corpus:
    from encyclopedia.model.nearest import nearest
    from encyclopedia.wiring.corpora import registered

    found = {corpus.name: corpus for corpus in registered(loaded)}
    if name not in found:
        raise ConfigurationError(f"unknown corpus {name!r}", nearest(name, found))
    return found[name]


def remove(output: Output, arguments: Any) -> int:
    """Forget a corpus and what was made of it."""
    from encyclopedia.faces.cli.indexing import forgotten
    from encyclopedia.wiring import corpora

    loaded, name = workplace.loaded(), arguments.name
    if name in loaded.settings.corpora:
        raise ConfigurationError(f"{name} stands in the configuration file", f"delete [corpora.{name}] there")
    _emptied(loaded, name)
    corpora.remove(loaded.home, name)
    body: dict[str, Any] = {"schema_version": 1, "status": "success", "removed": name}
    if problem := forgotten(name):
        body["notes"] = [problem]
    told = "\n".join([f"forgot {name}; its documents were not touched", *filter(None, [problem])])
    output.show(body, lambda console: console.print(told, soft_wrap=True))
    return 0


def _emptied(loaded: Loaded, name: str) -> None:
    """Let the engine of a corpus forget it, if it lives on one. Raises ``ConfigurationError`` if that cannot be done."""
    from encyclopedia.wiring.corpora import registered
    from encyclopedia.wiring.kinds import corpus_kind
    from encyclopedia.wiring.plugins import entry_points

    for corpus in registered(loaded):
        if corpus.name == name and corpus.engine:
            corpus_kind(entry_points(), corpus.kind).forget(corpus)
