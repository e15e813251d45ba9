"""The documentation of one library, API or topic, from the nearest source that has it, at the version that was asked for."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from encyclopedia.faces.degradation import degradation
from encyclopedia.faces.report import corrected, locator_row, outcomes
from encyclopedia.model.errors import NothingFound
from encyclopedia.model.label import Label
from encyclopedia.model.status import Status
from encyclopedia.stages.trim import cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from encyclopedia.model.outcome import Hit, Outcome
    from encyclopedia.model.ranking import Ranking
    from encyclopedia.model.trace import Trace

NEAREST = ("packages", "manpages")
"""What is installed here speaks first; then local corpora, then these over the network, then the others by weight."""
REMOTE = ("context7", "readthedocs", "mdn")
CHARS_A_TOKEN = 4
TOKENS = 4000


@dataclass(frozen=True, slots=True)
class Lookup:
    """What is known of a topic. ``content`` is untrusted text; ``versions`` are those there are when the asked one is not.

    ``label`` is the highest of what the content is made of.
    """

    topic: str
    version: str
    content: str
    source: str
    versions: tuple[str, ...] = ()
    code: int = 0
    body: dict[str, Any] = field(default_factory=dict, repr=False)
    label: Label = Label.PUBLIC

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: ``status``, ``topic``, ``version``, ``content``, ``source``, ``versions``, ``outcomes`` and more."""
        return dict(self.body)


def lookup_from(trace: Trace[Ranking], corpora: frozenset[str], max_tokens: int | None = None) -> Lookup:
    """Read a finished search for one topic: the nearest source that has it speaks alone."""
    ranking = trace.value
    query = ranking.plan.query
    asked = query.scope.version
    library = ranking.plan.question.library
    # of sources that are equally near the plan has the heaviest first
    near = sorted(ranking.outcomes, key=lambda outcome: _distance(outcome.source, corpora))
    chosen = _nearest(near, library, asked)
    hits = _about(chosen.reply.hits, library, asked) if chosen else ()
    content = _content(hits, (max_tokens or TOKENS) * CHARS_A_TOKEN)
    version = _version(hits) or asked
    versions = () if content else _versions(near, library)
    head: dict[str, Any] = {"schema_version": 1, "status": "success" if content else "error"}
    if not content:
        head |= {"code": NothingFound.code, "message": _missing(query.text, asked, versions), "hint": _hint(asked, versions)}
    body = head | {
        "topic": query.text,
        "version": version or None,
        "content": content,
        "source": chosen.source if chosen and content else None,
        "versions": list(versions),
        "corrections": corrected(ranking),
        "passages": [_passage(hit) for hit in hits] if content else [],
        "outcomes": outcomes(ranking),
        **degradation(trace),
    }
    if ranking.withheld:
        body["withheld"] = ranking.withheld
    code = 0 if content else NothingFound.code
    label = max((hit.label for hit in hits), default=Label.PUBLIC)
    return Lookup(query.text, version, content, str(body["source"] or ""), versions, code, body, label)


def _nearest(outcomes: Sequence[Outcome], library: str, version: str) -> Outcome | None:
    """The outcome of the nearest source that has something about the library at the version."""
    having = [o for o in outcomes if o.status is Status.OK and _about(o.reply.hits, library, version)]
    return having[0] if having else None


def _distance(name: str, corpora: frozenset[str]) -> tuple[int, int]:
    if name in NEAREST:
        return 0, NEAREST.index(name)
    if name in corpora:
        return 1, 0
    return (2, REMOTE.index(name)) if name in REMOTE else (3, 0)


def _about(hits: Sequence[Hit], library: str, version: str = "") -> tuple[Hit, ...]:
    """The hits that speak of the library, if one was named, and are of the version, if one was asked for.

    A text that tells no version is of none: it cannot answer for one that was asked for.
    """
    name = re.compile(rf"(?<![a-z0-9_]){re.escape(library.replace('-', '_'))}(?![a-z0-9_])")
    named = (hit for hit in hits if name.search(f"{hit.title} {hit.url} {hit.page}".lower().replace("-", "_")))
    return tuple(hit for hit in (named if library else hits) if not version or is_version(hit.version, version))


def is_version(version: str, asked: str) -> bool:
    """Whether a version is the one that was asked for, or a closer one of it: 3.14.5 for 3.14, not 3.1 for 3.14."""
    known, wanted = (text.strip().lower().removeprefix("v") for text in (version, asked))
    return known == wanted or known.startswith(f"{wanted}.")


def _content(hits: Iterable[Hit], limit: int) -> str:
    return cut("\n\n".join(f"{hit.title}\n\n{hit.content}".strip() for hit in hits), limit)


def _passage(hit: Hit) -> dict[str, object]:
    return {"title": hit.title, "url": hit.url or None, "locator": locator_row(hit.locator), "version": hit.version or None}


def _version(hits: Iterable[Hit]) -> str:
    counted = Counter(hit.version for hit in hits if hit.version)
    return counted.most_common(1)[0][0] if counted else ""


def _versions(outcomes: Iterable[Outcome], library: str) -> tuple[str, ...]:
    """The versions that there are: those that sources list, and those of what they found."""
    found = ((*one.reply.versions, *(hit.version for hit in _about(one.reply.hits, library))) for one in outcomes)
    return tuple(dict.fromkeys(version for versions in found for version in versions if version))


def _missing(topic: str, asked: str, versions: Sequence[str]) -> str:
    if asked and versions:
        return f"{topic} {asked} is not available; there are {', '.join(versions[:20])}"
    return f"{topic} {asked} is not available" if asked else f"nothing found about {topic}"


def _hint(asked: str, versions: Sequence[str]) -> str:
    if asked and versions:
        return f"ask for one of them, for example --version {versions[0]}"
    return "`encyclopedia search` asks more widely"
