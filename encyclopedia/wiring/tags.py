"""Whether any local collection knows the tags that a question is restricted to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.nearest import nearest
from encyclopedia.wiring.corpora import visible
from encyclopedia.wiring.requirements import Absent, load

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.model.corpus import Corpus
    from encyclopedia.model.query import Scope
    from encyclopedia.wiring.settings import Loaded


def check_tags(scope: Scope, loaded: Loaded, kinds: Mapping[str, str]) -> None:
    """Raise ``ConfigurationError`` with the nearest tag for one that no corpus in scope has.

    Nothing is refused while documents are not read yet: one of them may have it.
    """
    known, whole = set[str](), False
    for corpus in visible(loaded):
        if scope.corpora and corpus.name not in scope.corpora:
            continue
        tags, all_read = tags_of(corpus, kinds)
        if not all_read:
            return
        known, whole = known | tags, True
    for tag in scope.tags:
        if whole and _folded(tag) not in known:
            raise ConfigurationError(f"no document has the tag {tag!r}", nearest(tag, known), {"known": sorted(known)})


def tags_of(corpus: Corpus, kinds: Mapping[str, str]) -> tuple[set[str], bool]:
    """The tags of a corpus and of its documents, those above nested ones too, and whether all documents have been read."""
    kind: Any = load(kinds[corpus.kind]) if corpus.kind in kinds else Absent("")
    # Who asks this has not decided yet whom to ask, or is typing: no engine is waited for then.
    report = None if isinstance(kind, Absent) or corpus.engine else kind.report(corpus)
    found: set[str] = set()
    for tag in map(_folded, (*corpus.tags, *(name for name, _ in (report.tags if report else ())))):
        parts = tag.split("/")
        found |= {"/".join(parts[:depth]) for depth in range(1, len(parts) + 1)}
    return found, report is not None and not (report.added or report.changed)


def _folded(tag: str) -> str:
    return tag.strip().lstrip("#").casefold()
