"""A question answered from the packages index, which is first brought up to date as far as the time allows."""

from __future__ import annotations

import os
import threading
import time
from functools import partial
from typing import TYPE_CHECKING

from encyclopedia.model.outcome import Hit, Locator, Reply
from encyclopedia_adapters.local import dist_sources, package_rank
from encyclopedia_adapters.local.distributions import fold, library_names
from encyclopedia_adapters.local.package_index import PackageIndex, Stopped
from encyclopedia_adapters.local.versions import version_fits
from encyclopedia_adapters.shared.sanitize import clean_line, clean_text, clean_url
from encyclopedia_adapters.shared.text_index import IndexBusy
from encyclopedia_adapters.shared.text_index.coverage import ENOUGH, term_set

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from encyclopedia.model.plan import Request
    from encyclopedia_adapters.local.dist_units import Unit
    from encyclopedia_adapters.local.package_index import State
    from encyclopedia_adapters.local.package_rank import Wanted
    from encyclopedia_adapters.shared.text_index import Match

NAMED_SHARE = 0.6
"""Part of the time limit that may go into reading the libraries that a question names."""
SPARE_SECONDS = 1.0
"""Seconds that a question gives to the libraries that it does not name, within ``ALL_SHARE`` of the time limit."""
ALL_SHARE = 0.75
LARGE = 1_200_000
"""Bytes of Python from which a distribution is not read in passing: it would be begun and thrown away each time.

About two megabytes are read in a second.
"""
CANDIDATES = 60
CALLED = 20
CALLED_TITLE = 5.0
"""Candidates by a name that the question has in two words, and what a word in their title then counts."""
CONTENT = 4000
WITHOUT_GRIFFE = "docstrings are not searched: griffe is not installed"


class PackageSearch:
    """Answers from ``index``; meant for a thread, for it reads files and holds the processor."""

    def __init__(self, index: PackageIndex, corpus: str = "packages", paths: Sequence[str] | None = None) -> None:
        self.index = index
        self._corpus = corpus
        self._paths = paths
        self._writing = threading.Lock()

    def answer(self, request: Request, stop: threading.Event) -> Reply:
        """The reply to ``request`` within its time limit; stops early when ``stop`` is set."""
        began = time.monotonic()
        units = self.index.units()
        words = f"{request.text} {request.library}"
        trouble = self._read_named(units, words, _until(stop, began + NAMED_SHARE * request.timeout))
        spare = min(time.monotonic() + SPARE_SECONDS, began + ALL_SHARE * request.timeout)
        trouble = self._read_others(units, _until(stop, spare)) or trouble
        states = self.index.states()
        question = package_rank.wanted(request.text, _owners(units, states), request.library)
        hits = self._found(request.text, question, units, request)
        others: list[Hit] = []
        if request.expanded:
            seen = {hit.id for hit in hits}
            wider = question._replace(terms=question.terms | term_set(request.expanded))
            others = [hit for hit in self._found(request.expanded, wider, units, request) if hit.id not in seen]
        stale = self.index.changes(units, states).stale
        unread = _unread(units, stale)
        # what the question names has been read, so that the rest could only add mentions of it
        enough = bool(question.documents) and question.documents.isdisjoint(unit.document for unit in stale)
        reduced = "; ".join(filter(None, (self._reduced(trouble), "" if enough else unread)))
        other = _other_versions(question, units, request.version)
        installed = f"{', '.join(' '.join(pair) for pair in other)} is installed here, not {request.version}" if other else ""
        note = "; ".join(filter(None, (installed, unread if enough else "")))
        return Reply(tuple(hits), tuple(others), reduced, note, versions=tuple(version for _, version in other))

    def _read_named(self, units: Mapping[str, Unit], words: str, check: Callable[[], None]) -> str:
        states = self.index.states()
        stale = {unit.document: unit for unit in self.index.changes(units, states).stale}
        named = _named(words, units, states, stale, self._paths) if stale else []
        return self._bring([stale[document] for document in named if document in stale], check)

    def _read_others(self, units: Mapping[str, Unit], check: Callable[[], None]) -> str:
        changes = self.index.changes(units, self.index.states())
        costs = {unit.document: _cost(unit) for unit in changes.stale}
        cheap = [unit for unit in changes.stale if costs[unit.document] < LARGE]
        return self._bring(sorted(cheap, key=lambda unit: (costs[unit.document], unit.document)), check, changes.removed)

    def _bring(self, units: Sequence[Unit], check: Callable[[], None], removed: Sequence[str] = ()) -> str:
        """Read ``units`` as far as ``check`` allows; what kept the result from being stored, if anything did."""
        if not (units or removed) or not self._writing.acquire(blocking=False):
            return ""
        try:
            self.index.forget(removed, wait=0.1)
            self.index.bring(units, check, done=lambda _: None, wait=0.5)
        except (Stopped, IndexBusy):
            return ""  # how much is still missing is told anyway
        except (OSError, ValueError) as error:
            return f"the packages index cannot be written: {error}"
        finally:
            self._writing.release()
        return ""

    def _found(self, text: str, question: Wanted, units: Mapping[str, Unit], request: Request) -> list[Hit]:
        index = self.index.text
        coverage = index.coverage(request.text, request.stands_for)
        shares: dict[str, float] = {}

        def share(match: Match) -> float:
            if match.id not in shares:
                shares[match.id] = coverage.share(match.title, match.body)
            return shares[match.id]

        matches = [m for m in self._candidates(text, question, request.limit) if _is_current(m, units, request.version)]
        scale = ENOUGH / coverage.enough
        answers = package_rank.answers(matches, question, lambda m: scale * share(m), sure=bool(request.library))
        return [self._hit(match) for match in package_rank.ranked(answers, question, share)[: request.limit]]

    def _candidates(self, text: str, question: Wanted, limit: int) -> list[Match]:
        """Passages by their words, those of the named libraries, and those called by two neighbouring words made one."""
        search = partial(self.index.text.search, limit=max(CANDIDATES, 3 * limit), title=package_rank.TITLE)
        matches = [*search(text)]
        if question.documents:
            matches += search(text, documents=tuple(sorted(question.documents)))
        if names := [name for name in sorted(question.joined) if self.index.text.knows(name)]:
            called = search(f"{text} {' '.join(names)}", limit=CALLED, title=CALLED_TITLE)
            found = {match.id for match in matches}
            scale = max((match.score for match in matches), default=1.0) / max((match.score for match in called), default=1.0)
            matches += [match._replace(score=scale * match.score) for match in called if match.id not in found]
        return matches

    def _hit(self, match: Match) -> Hit:
        data = match.data
        first, last = _lines(data.get("lines"))
        return Hit(
            title=clean_line(match.title),
            url=clean_url(str(data.get("url", ""))),
            content=clean_text(match.body, CONTENT),
            locator=Locator(
                self._corpus, str(data.get("path", "")), str(data.get("section", "")), (first, last) if first else None
            ),
            version=str(data.get("version", "")),
            id=match.id,
            page=str(data.get("page", "")),
        )

    def _reduced(self, trouble: str) -> str:
        return "; ".join(filter(None, ("" if self.index.docstrings else WITHOUT_GRIFFE, trouble)))


def _unread(units: Mapping[str, Unit], stale: Iterable[Unit]) -> str:
    """How much of what is installed could not be searched, and the remedy; empty if nothing."""
    missing, total = {unit.library for unit in stale}, len({unit.library for unit in units.values()})
    done = f"{total - len(missing)} of {total} installed packages are indexed so far"
    return f"{done}; `encyclopedia corpus index packages` completes it" if missing else ""


def _until(stop: threading.Event, end: float) -> Callable[[], None]:
    def check() -> None:
        if stop.is_set() or time.monotonic() > end:
            raise Stopped

    return check


def _owners(units: Mapping[str, Unit], states: Mapping[str, State]) -> dict[str, set[str]]:
    """The documents behind each library name and import name, lower case."""
    owners: dict[str, set[str]] = {}
    for unit in units.values():
        state = states.get(unit.document)
        for name in (unit.document, unit.document.replace("-", "_"), *(state.imports if state else ())):
            owners.setdefault(name.lower(), set()).add(unit.document)
    return owners


def _named(
    words: str, units: Mapping[str, Unit], states: Mapping[str, State], stale: Mapping[str, Unit], paths: Sequence[str] | None
) -> list[str]:
    """The documents that a question names; what has never been read is asked for its import names first."""
    owners = _owners(units, states)
    bare = [word.strip("?!,;:()'\"`").lower() for word in words.split()]
    tops = {word.partition(".")[0] for word in bare}
    names = tops.union(*({fold(word), fold(word.partition(".")[0])} for word in bare))
    found = {document for name in names for document in (*owners.get(name, ()), f"python/{name}")}
    strange = (tops & library_names(paths)) - owners.keys()
    for unit in stale.values() if strange else ():
        if unit.item and strange & {name.lower() for name in dist_sources.import_names(dist_sources.source_files(unit.item))}:
            found.add(unit.document)
    return sorted(found)


def _cost(unit: Unit) -> int:
    """The bytes of Python in a distribution; a module of the standard library is never large."""
    if unit.item is None:
        return LARGE // 10
    return sum(map(_size, dist_sources.source_files(unit.item)))


def _size(file: dist_sources.SourceFile) -> int:
    try:
        return os.stat(file.path).st_size
    except OSError:
        return 0


def _lines(value: object) -> tuple[int, int]:
    match value:
        case [int(first), int(last)]:
            return first, last
    return 0, 0


def _is_current(match: Match, units: Mapping[str, Unit], asked: str) -> bool:
    """Whether the passage is of what is installed now, and of the version asked for."""
    unit = units.get(match.document)
    version = str(match.data.get("version", ""))
    return unit is not None and unit.version in ("", version) and version_fits(asked, version)


def _other_versions(question: Wanted, units: Mapping[str, Unit], asked: str) -> list[tuple[str, str]]:
    """Name and version of what the question names and is installed in another version than the one asked for."""
    named: Iterable[Unit] = (units[document] for document in sorted(question.documents) if document in units)
    return list(dict.fromkeys((unit.library, unit.version) for unit in named if not version_fits(asked, unit.version)))
