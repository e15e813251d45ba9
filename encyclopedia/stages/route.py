"""Routing: whom to ask, in which words, how long and with what weight, and who is left out and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from encyclopedia.model.errors import ConfigurationError, UsageError
from encyclopedia.model.plan import Ask, Declined, Health, Plan, Request, Role
from encyclopedia.model.query import QueryType

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from encyclopedia.model.plan import Candidate, StandsFor
    from encyclopedia.model.query import Query, Question
    from encyclopedia.model.settings import Settings

MOST_RESULTS = 100
FALLBACK_FACTOR = 0.5
NAMED_FACTOR = 2.0
"""What a source counts whose name stands in the question: its first two results come before those of any other."""
FAIR = 0.75
"""The share of the time that a source is ever given from which on it is to blame for not having answered."""
BEFORE = 0.05
"""Seconds by which a source's own time ends before the deadline."""
KEYLESS = "*keyless"
FALLBACKS = {
    QueryType.LIBRARY_DOCS: ("exa", "perplexity", KEYLESS),
    QueryType.GENERAL_SEARCH: ("exa", "perplexity", "kagi", KEYLESS),
    QueryType.CODE_CONTEXT: ("exa", "context7"),
    QueryType.REPOSITORY: ("exa",),
}
_REFUSALS = {"open": "circuit open", "rate_limited": "rate limited"}


class _Choice(NamedTuple):
    """A source that this configuration would ask, with the weight before normalising."""

    candidate: Candidate
    weight: float
    role: Role


def route(
    question: Question,
    *,
    candidates: tuple[Candidate, ...],
    health: Mapping[str, Health],
    settings: Settings,
    state: str = "",
) -> Plan:
    """The plan for a question, the same for any order of ``candidates``; without asks if there is nobody to ask.

    ``state`` is a digest of settings and corpora. Raises ``UsageError`` for options out of range, ``ConfigurationError`` for
    a named source or corpus that is unknown or cannot be asked.
    """
    _check_options(question.query)
    named = bool(question.query.scope.sources or question.query.scope.corpora)
    eligible, declined = _named(question, candidates) if named else _open(question, candidates, settings)
    asked, refused = _by_health(eligible, health)
    taken = {choice.candidate.name for choice in eligible} | {left.source for left in declined}
    replaced = not named and not any(choice.role is Role.PRIMARY for choice in asked)
    fallback = _by_health(_fallback(question, candidates, taken), health)[0] if replaced else []
    return Plan(
        question=question,
        asks=_asks(question, [*asked, *fallback], settings),
        declined=tuple(sorted((*declined, *refused), key=lambda left: left.source)),
        deadline=_deadline(question.query, settings),
        depth=max(settings.depth, question.query.limit),
        fallback_used=bool(fallback),
        widened=any(choice.role is Role.WIDENED for choice in asked),
        primaries=named or any(c.serves.get(question.type, 0.0) > 0 and not c.missing for c in candidates),
        health={name: health.get(name, Health()) for name in sorted(taken | {c.candidate.name for c in fallback})},
        cache_key=_cache_key(question, eligible, settings, state),
        stale=bool(eligible) and all(choice.candidate.stale for choice in eligible),
    )


def _check_options(query: Query) -> None:
    if not 1 <= query.limit <= MOST_RESULTS:
        raise UsageError(f"limit must be from 1 to {MOST_RESULTS}, not {query.limit}")
    if query.timeout is not None and not 0 < query.timeout < float("inf"):
        raise UsageError(f"timeout must be a number of seconds above 0, not {query.timeout}")
    if query.max_tokens is not None and query.max_tokens < 1:
        raise UsageError(f"max_tokens must be at least 1, not {query.max_tokens}")


def _deadline(query: Query, settings: Settings) -> float:
    return settings.deadline if query.timeout is None else query.timeout


def _by_health(choices: list[_Choice], health: Mapping[str, Health]) -> tuple[list[_Choice], list[Declined]]:
    """Those that may be asked now, and those that their breaker holds back."""
    asked, refused = [], []
    for choice in choices:
        name = choice.candidate.name
        known = health.get(name, Health())
        if known.admits:
            asked.append(choice)
        else:
            hint = f"last error: {known.last_error}" if known.last_error else ""
            refused.append(Declined(name, _REFUSALS.get(known.state, known.state), hint, optional=False, refused=True))
    return asked, refused


def _named(question: Question, candidates: tuple[Candidate, ...]) -> tuple[list[_Choice], list[Declined]]:
    """Exactly the sources and corpora that the scope names."""
    scope = question.query.scope
    known = {c.name: c for c in candidates}
    corpora = {c.name: c for c in candidates if c.corpus}
    chosen = {name: _find(name, known, "source") for name in scope.sources}
    chosen |= {name: _find(name, corpora, "corpus") for name in scope.corpora}
    eligible, declined = [], []
    for candidate in chosen.values():
        if candidate.missing and not candidate.on_demand:
            raise ConfigurationError(candidate.missing, candidate.hint)
        candidate = candidate._replace(missing="")  # noqa: PLW2901 - naming it switches it on
        weight = candidate.serves.get(question.type, 0.0) or max(candidate.serves.values(), default=0.0)
        obstacle = _obstacle(candidate, weight, question)
        if obstacle is None:
            eligible.append(_Choice(candidate, weight * _mentioned(candidate, question), Role.NAMED))
        else:
            declined.append(obstacle)
    return eligible, declined


def _find(name: str, known: Mapping[str, Candidate], kind: str) -> Candidate:
    if name in known:
        return known[name]
    from encyclopedia.model.nearest import nearest

    hint = nearest(name, known) if known else f"there is no {kind} yet"
    raise ConfigurationError(f"unknown {kind} {name!r}", hint, {"known": sorted(known)})


def _open(question: Question, candidates: tuple[Candidate, ...], settings: Settings) -> tuple[list[_Choice], list[Declined]]:
    """All that serve the question's type; of an unsure question the general sources too, at less weight."""
    eligible, declined = _serving(question, candidates, question.type, Role.PRIMARY, 1.0)
    if question.unsure and settings.widen_weight > 0:
        taken = {c.candidate.name for c in eligible} | {d.source for d in declined}
        others = tuple(c for c in candidates if c.name not in taken)
        more = _serving(question, others, QueryType.GENERAL_SEARCH, Role.WIDENED, settings.widen_weight)
        return eligible + more[0], declined + more[1]
    return eligible, declined


def _serving(
    question: Question, candidates: Iterable[Candidate], kind: QueryType, role: Role, factor: float
) -> tuple[list[_Choice], list[Declined]]:
    eligible, declined = [], []
    for candidate in candidates:
        weight = candidate.serves.get(kind)
        if weight is None:
            continue
        obstacle = _obstacle(candidate, weight, question)
        if obstacle is None:
            eligible.append(_Choice(candidate, weight * factor * _mentioned(candidate, question), role))
        else:
            declined.append(obstacle)
    return eligible, declined


def _mentioned(candidate: Candidate, question: Question) -> float:
    """The factor on the weight of a source whose name is a word of the question, or the library that it is about."""
    words = (question.library, *(token.text.lower() for token in question.tokens))
    return NAMED_FACTOR if candidate.name.lower() in words else 1.0


def _obstacle(candidate: Candidate, weight: float, question: Question) -> Declined | None:
    """What keeps a source out of the plan, whatever its health."""
    name = candidate.name
    if not weight > 0:
        return Declined(name, "weight 0", "give it a weight above 0 to ask it")
    if candidate.missing:
        return Declined(name, candidate.missing, candidate.hint, optional=candidate.optional)
    if question.query.scope.tags and not candidate.tags:
        return Declined(name, f"{name} cannot be restricted to tags")
    if candidate.repository and not question.repository:
        return Declined(name, "the question names no repository", "add repo:owner/name")
    return None


def _fallback(question: Question, candidates: tuple[Candidate, ...], taken: set[str]) -> list[_Choice]:
    """The sources of other types that stand in when no primary can be asked, each at half its largest weight."""
    table = FALLBACKS[question.type]
    choices = []
    for candidate in candidates:
        listed = candidate.name in table or (candidate.keyless and KEYLESS in table)
        weight = max(candidate.serves.values(), default=0.0)
        if listed and candidate.name not in taken and _obstacle(candidate, weight, question) is None:
            choices.append(_Choice(candidate, weight * FALLBACK_FACTOR, Role.FALLBACK))
    return choices


def _asks(question: Question, chosen: list[_Choice], settings: Settings) -> tuple[Ask, ...]:
    """The heaviest first; weights add up to 1."""
    ordered = sorted(chosen, key=lambda c: (-c.weight, c.candidate.name))
    total = sum(c.weight for c in ordered)
    return tuple(Ask(c.candidate.name, _request(question, c.candidate, settings), c.weight / total, c.role) for c in ordered)


def _request(question: Question, candidate: Candidate, settings: Settings) -> Request:
    query = question.query
    return Request(
        text=question.wording(candidate.form),
        type=question.type,
        limit=max(settings.depth, query.limit),
        timeout=_timeout(candidate, query, settings),
        expanded=question.expanded if candidate.alternatives and query.expand else "",
        library=question.library,
        version=query.scope.version,
        repository=question.repository,
        tags=query.scope.tags,
        stands_for=_stands_for(question),
        folder=query.scope.folder,
        passages=query.passages,
    )


def _timeout(candidate: Candidate, query: Query, settings: Settings) -> float:
    """Seconds for a source; where it has about all that it is ever given its own time ends first, so that its breaker hears.

    Who asks in a hurry says nothing of the source: then the deadline cuts it off, which counts for nothing.
    """
    deadline = _deadline(query, settings)
    if deadline >= FAIR * min(candidate.timeout, settings.deadline):
        deadline -= min(BEFORE, deadline / 10)
    return min(candidate.timeout, deadline)


def _stands_for(question: Question) -> StandsFor:
    corrected = tuple((made.original, (made.replacement,)) for made in question.corrections)
    return (*corrected, *((made.term, made.alternatives) for made in question.expansions))


def _cache_key(question: Question, eligible: list[_Choice], settings: Settings, state: str) -> str:
    """Everything but the words that changes a whole answer.

    Health is left out: a degraded answer is never stored, and a whole one serves also while a circuit is open.
    """
    query = question.query
    scope = query.scope
    sources = sorted((c.candidate.name, c.weight, c.role.value) for c in eligible)
    listed = (sorted(set(scope.sources)), sorted(set(scope.corpora)), sorted(set(scope.tags)))
    named = (*listed, scope.version, scope.folder, query.passages)
    depth = max(settings.depth, query.limit)
    return repr((question.type.value, named, question.repository, query.correct, query.expand, depth, sources, state))
