"""The two things that a model may do for an answer, and what becomes of it when the model does not."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from encyclopedia.answering import prompt, read
from encyclopedia.engine.complete import NAME, Model
from encyclopedia.engine.consult import Phrased
from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.label import NAMES, Label, named
from encyclopedia.ports import Context
from encyclopedia.wiring.agent import agent
from encyclopedia.wiring.requirements import Absent, plugin

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from encyclopedia.model.answer import Distillate, Facet, Statement
    from encyclopedia.model.settings import LlmSettings
    from encyclopedia.wiring.build import Engine
    from encyclopedia.wiring.resources import Resources

GROUP = "encyclopedia.completers"
_LEAST = 500
"""Tokens that passages get in the smallest context."""


def limit_of(settings: LlmSettings) -> Label:
    """The highest label of a passage that the model may read. Raises ``ConfigurationError`` for a label that is none."""
    if not settings.label:
        return Label.PERSONAL if _here(settings.url) else Label.INTERNAL
    limit = named(settings.label)
    if limit is None:
        raise ConfigurationError(f"llm.label: {settings.label!r} is no label", f"one of {', '.join(NAMES)}")
    return limit


def _here(url: str) -> bool:
    """Whether an address is this machine by its own word, without asking any resolver."""
    from ipaddress import ip_address
    from urllib.parse import urlsplit

    try:
        host = urlsplit(url if "//" in url else f"//{url}").hostname or ""
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def model_of(engine: Engine, resources: Resources) -> Model | None:
    """The configured model, or ``None`` where no address and name are set.

    Raises ``ConfigurationError`` if one of the two is missing, or nothing is registered that can ask it.
    """
    settings = engine.loaded.settings.llm
    if not settings.url and not settings.model:
        return None
    if not (settings.url and settings.model):
        raise ConfigurationError("llm.url and llm.model belong together", "set both, or neither")
    target = engine.groups.get(GROUP, {}).get("openai_compatible", "")
    make = plugin(target)
    if isinstance(make, Absent):
        raise ConfigurationError(f"no model can be asked: {make.reason}", make.hint)
    context = Context(
        NAME,
        engine.loaded.home,
        agent(engine.loaded.settings.contact),
        settings.timeout,
        resources,
        engine.loaded.environment.secret,
        {"url": settings.url, "model": settings.model},
    )
    return Model(lambda: make(context), engine.stores.circuit, settings.timeout, settings.max_tokens)


def rewriter(model: Model) -> Callable[[tuple[Facet, ...]], Awaitable[tuple[Facet, ...]]]:
    """Gives facets a wording for the search; they stay as they are if the model gives none."""

    async def rewrite(facets: tuple[Facet, ...]) -> tuple[Facet, ...]:
        written = await model.write(prompt.REWRITING, prompt.rewriting(facets))
        try:
            wordings = read.queries(written.text, len(facets))
        except read.Unreadable:
            return facets
        return tuple(facet._replace(search=wording) for facet, wording in zip(facets, wordings, strict=True))

    return rewrite


def phraser(model: Model, settings: LlmSettings) -> Callable[[str, Sequence[Distillate]], Awaitable[Phrased]]:
    """Asks for statements, once more if they cannot be read, and says why there are none.

    What the model may not read speaks for itself, beside its statements. Raises ``ConfigurationError`` for a wrong label.
    """
    limit = limit_of(settings)

    async def phrase(question: str, distillates: Sequence[Distillate]) -> Phrased:
        sent, kept = _parted(distillates, limit)
        if not any(kept):
            return await write(question, sent)
        told = f"what is above the label {limit} was not sent to the model"
        if not any(one.passages for one in sent):
            return Phrased(remarks=(told,))
        phrased = await write(question, sent)
        return Phrased(phrased.statements, (told, *phrased.remarks), kept)

    async def write(question: str, distillates: Sequence[Distillate]) -> Phrased:
        rules = 2 * len(prompt.RULES) // prompt.CHARS_A_TOKEN
        room = max(_LEAST, settings.context - settings.max_tokens - rules - len(question) // prompt.CHARS_A_TOKEN)
        asked = prompt.phrasing(question, distillates, secrets.token_hex(8), room)
        said, fault = asked.text, ""
        for _ in range(2):
            written = await model.write(prompt.RULES, said)
            if written.reason:
                return Phrased(remarks=(f"the model was not heard: {written.reason}",))
            try:
                statements = read.statements(written.text, asked.numbered, len(distillates))
            except read.Unreadable as unreadable:
                fault = str(unreadable)
                said = f"{asked.text}\n\n{prompt.REPAIR.format(fault=fault)}"
                continue
            return Phrased(statements, _cut(written.read, asked.tokens))
        return Phrased(remarks=(f"what the model wrote cannot be used: {fault}",))

    return phrase


def _parted(
    distillates: Sequence[Distillate], limit: Label
) -> tuple[tuple[Distillate, ...], tuple[tuple[Statement, ...], ...]]:
    """The distillates without the passages above ``limit``, and the statements of each that rest on such passages."""
    above = {one.id for found in distillates for one in found.passages if (named(one.label) or Label.PUBLIC) > limit}
    sent = tuple(one._replace(passages=tuple(p for p in one.passages if p.id not in above)) for one in distillates)
    kept = tuple(
        tuple(said for said in one.statements if any(quote.passage in above for quote in said.quotes)) for one in distillates
    )
    return sent, kept


def _cut(read_tokens: int, sent: int) -> tuple[str, ...]:
    """A remark where the endpoint says that it has read far less than was sent: local ones cut prompts in silence."""
    if read_tokens and sent > 2 * read_tokens:
        return (f"the model read only {read_tokens} of about {sent} tokens: raise its context, or lower llm.context",)
    return ()
