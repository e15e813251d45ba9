"""Indexing everything that is installed, and telling how the index stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.model.corpus import CorpusReport, Indexed
from encyclopedia.model.errors import ConfigurationError
from encyclopedia_adapters.local.package_search import WITHOUT_GRIFFE
from encyclopedia_adapters.shared.text_index import IndexBusy

if TYPE_CHECKING:
    from encyclopedia.ports import Progress
    from encyclopedia_adapters.local.dist_units import Unit
    from encyclopedia_adapters.local.package_index import PackageIndex


def index_all(index: PackageIndex, progress: Progress) -> Indexed:
    """Bring ``index`` up to date, telling ``progress`` of each document that is done."""
    units = index.units()
    changes = index.changes(units, index.states())
    done = 0

    def count(unit: Unit) -> None:
        nonlocal done
        done += 1
        progress(unit.document, done, len(changes.stale))

    try:
        index.forget(changes.removed)
        index.bring(changes.stale, lambda: None, done=count)
    except IndexBusy as error:
        raise ConfigurationError(str(error), hint="wait for the other run to finish, then try again") from error
    states = index.states()
    return Indexed(
        added=len(changes.added),
        changed=len(changes.changed),
        removed=len(changes.removed),
        unchanged=len(units) - len(changes.stale),
        passages=index.text.count(),
        skipped=tuple(
            problem for unit in changes.stale if unit.document in states for problem in states[unit.document].skipped
        ),
    )


def report(index: PackageIndex) -> CorpusReport:
    """The numbers of the index: a document is a distribution, or one module of the standard library."""
    states = index.states()
    changes = index.changes(index.units(), states)
    return CorpusReport(
        documents=len(states),
        passages=index.text.count(),
        indexed_at=index.text.changed_at(),
        added=len(changes.added),
        changed=len(changes.changed),
        removed=len(changes.removed),
        problems=(index.text.problem,) if index.text.problem else (),
        skipped=tuple(problem for state in states.values() for problem in state.skipped),
    )


def standing(index: PackageIndex) -> str:
    """One sentence: how many installed packages are in the index, and what keeps it from being whole."""
    if index.text.problem:
        return f"{index.text.problem}; `encyclopedia corpus index packages` makes it anew"
    units = index.units()
    libraries = {unit.library for unit in units.values()}
    missing = {unit.library for unit in index.changes(units, index.states()).stale}
    read = f"{len(libraries) - len(missing)} of {len(libraries)} installed packages indexed"
    sentence = f"{read} ({len(index.states())} documents, {index.text.count()} passages)"
    return sentence if index.docstrings else f"{sentence}; {WITHOUT_GRIFFE}"
