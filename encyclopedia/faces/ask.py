"""A grounded, cited answer to a question, from local corpora and, where asked, from remote sources."""

from __future__ import annotations

from time import time
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia.faces.answer_body import body_of, record_of
from encyclopedia.faces.requests import narrowed
from encyclopedia.model.answer import Answer
from encyclopedia.model.errors import ConfigurationError, NoSourceAnswered, UsageError
from encyclopedia.model.nearest import nearest
from encyclopedia.model.query import Scope

if TYPE_CHECKING:
    from encyclopedia.engine.consult import Consultation, Consulted
    from encyclopedia.ports import Progress
    from encyclopedia.wiring.build import Engine
    from encyclopedia.wiring.retrieval import Retrieval


class Wanted(NamedTuple):
    """What is asked besides the question. ``project`` narrows graphs to it; ``web`` adds the remote sources."""

    corpora: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    project: str = ""
    web: bool = False
    fast: bool = False
    rebuild: bool = False
    verbose: bool = False
    max_tokens: int | None = None
    timeout: float | None = None


def wanted(options: dict[str, Any]) -> Wanted:
    """The options as a value. Raises ``UsageError`` for one that is unknown or does not fit."""
    for name in options:
        if name not in Wanted._fields:
            raise UsageError(f"unknown option {name!r}", nearest(name, Wanted._fields))
    given = {name: value for name, value in options.items() if value is not None}
    for name in ("corpora", "tags"):
        given[name] = narrowed(name, given.get(name))
    return Wanted(**given)


async def ask(engine: Engine, question: str, options: dict[str, Any], progress: Progress | None = None) -> Answer:
    """The answer, with code 2 where what is in scope does not answer the question; ``progress`` hears of each step.

    Raises ``UsageError`` for a question without words, ``ConfigurationError`` for an unknown or missing corpus,
    ``NoSourceAnswered`` where nothing in scope could be asked.
    """
    from encyclopedia.answering.words import words
    from encyclopedia.stages.tokens import clean

    want, start = wanted(options), time()
    text = " ".join(clean(question)[0].split())[: engine.loaded.settings.max_query]
    if not words(text):
        raise UsageError("the question is empty", 'for example: encyclopedia ask "what is the Observer pattern?"')
    consultation, retrieval = _consultation(engine, want)
    done = await consultation.answer(text, fast=want.fast, told=progress)
    _check(retrieval)
    import asyncio

    # beside the event loop: it is written down in a store that may take its time
    return await asyncio.to_thread(_answer, engine, text, want, done, retrieval, time() - start)


def _consultation(engine: Engine, want: Wanted) -> tuple[Consultation, Retrieval]:
    from functools import partial

    from encyclopedia.answering.atomize import atomize
    from encyclopedia.answering.critic import critic
    from encyclopedia.answering.decompose import decompose
    from encyclopedia.answering.distil import distil
    from encyclopedia.answering.verify import verify
    from encyclopedia.engine.consult import Consultation
    from encyclopedia.wiring.phrasing import model_of, phraser, rewriter
    from encyclopedia.wiring.retrieval import Retrieval
    from encyclopedia.wiring.structure import structure

    corpora = _corpora(engine, want)
    scope = Scope((), () if want.web else corpora, want.tags)
    retrieval = Retrieval(
        engine.pipeline, scope, structure=structure(engine, corpora, want.project, rebuild=want.rebuild), timeout=want.timeout
    )
    model = model_of(engine, engine.sources.resources)
    return Consultation(
        partial(decompose, fast=want.fast),
        retrieval,
        distil,
        critic,
        atomize,
        verify,
        rewriter(model) if model else None,
        phraser(model, engine.loaded.settings.llm) if model else None,
    ), retrieval


def _corpora(engine: Engine, want: Wanted) -> tuple[str, ...]:
    """The corpora in scope: those named, of a project only graphs, else all of them."""
    usable = sorted(name for name in engine.sources.corpora() if not engine.catalog[name].candidate.missing)
    for name in want.corpora:
        if name not in engine.sources.corpora():
            raise ConfigurationError(f"unknown corpus {name!r}", nearest(name, usable), {"known": usable})
    if want.corpora:
        return want.corpora
    if not usable and not want.web:
        raise ConfigurationError(
            "there is no corpus to answer from", "`encyclopedia corpus add NAME PATH` registers one, --web asks remote sources"
        )
    return tuple(usable)


def _check(retrieval: Retrieval) -> None:
    """Raise ``NoSourceAnswered`` if every source of every search failed."""
    outcomes = [outcome for trace in retrieval.traces for outcome in trace.value.outcomes]
    if outcomes and not any(outcome.answered for outcome in outcomes):
        told = "; ".join(dict.fromkeys(f"{outcome.source}: {outcome.reason or outcome.status.value}" for outcome in outcomes))
        raise NoSourceAnswered(f"nothing in scope could be asked: {told}", "`encyclopedia corpus check` says what is wrong")


def _answer(engine: Engine, question: str, want: Wanted, done: Consulted, retrieval: Retrieval, seconds: float) -> Answer:
    import os

    from encyclopedia.answering.compose import compose, shortened
    from encyclopedia.wiring.recording import keep

    composition = shortened(compose(done.distillates, done.verdicts, done.passages), want.max_tokens)
    id = os.urandom(6).hex()
    body = body_of(question, done, composition, retrieval.traces, id=id, verbose=want.verbose)
    problem = keep(engine.stores, record_of(body, seconds))
    if notes := [*retrieval.notes, *([problem] if problem else [])]:
        body.setdefault("notes", []).extend(notes)
    return Answer(question, composition.prose, done.phrased and not composition.refusal, int(body.get("code", 0)), body)
