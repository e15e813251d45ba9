"""From a question to a checked answer: facets are retrieved together, distilled, once mended, phrased, verified, rebuilt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from encyclopedia.engine.telling import steps

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from encyclopedia.model.answer import Distillate, Facet, Findings, Passage, Statement, Verdict
    from encyclopedia.ports import Progress

    Step = Callable[[str], None]
    Cut = Callable[[Statement], tuple[Statement, ...]]


@dataclass(frozen=True, slots=True)
class Consulted:
    """What a consultation came to, step by step.

    ``again`` is the facet that was retrieved a second time, with the wording of that search. ``phrased`` tells that a model's
    statements were checked instead of the passages' own sentences; ``remarks`` say what a model did not do.
    """

    facets: tuple[Facet, ...]
    found: tuple[Findings, ...]
    distillates: tuple[Distillate, ...]
    verdicts: tuple[tuple[Verdict, ...], ...]
    passages: Mapping[str, Passage]
    again: Facet | None = None
    phrased: bool = False
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Phrased:
    """A model's statements for each distillate; empty with a remark where it gave nothing that can be used.

    ``kept`` are sentences of passages that it was not shown, for each distillate too.
    """

    statements: tuple[tuple[Statement, ...], ...] = ()
    remarks: tuple[str, ...] = ()
    kept: tuple[tuple[Statement, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Consultation:
    """The steps of an answer, each passed in. ``rewrite`` and ``phrase`` are the model's; without one they are ``None``."""

    decompose: Callable[[str], tuple[Facet, ...]]
    retrieve: Callable[[Facet], Awaitable[Findings]]
    distil: Callable[[Facet, Findings], Distillate]
    critic: Callable[[Sequence[Distillate]], tuple[int, Facet] | None]
    atomize: Cut
    verify: Callable[[Statement, Mapping[str, Passage]], Verdict]
    rewrite: Callable[[tuple[Facet, ...]], Awaitable[tuple[Facet, ...]]] | None = None
    phrase: Callable[[str, Sequence[Distillate]], Awaitable[Phrased]] | None = None

    async def answer(self, question: str, *, fast: bool = False, told: Progress | None = None) -> Consulted:
        """Consult about the question; ``fast`` leaves out what a model rewrites and the second retrieval.

        ``told`` hears of each facet whose passages are there, and of what else takes time.
        """
        facets = self.decompose(question)
        rewrite = None if fast else self.rewrite
        step = steps(told, len(facets) + bool(rewrite) + bool(self.phrase))
        if rewrite:
            facets = await rewrite(facets)
            step("words to search for")
        found = await self._all(facets, step)
        distillates = [self.distil(facet, findings) for facet, findings in zip(facets, found, strict=True)]
        again = None if fast else self.critic(distillates)
        if again:
            at, facet = again
            found[at] = _together(found[at], await self._retrieved(facet, step))
            distillates[at] = _better(distillates[at], self.distil(facets[at], found[at]))
        passages = {passage.id: passage for findings in found for passage in findings.passages}
        phrased = Phrased()
        if self.phrase and any(d.statements for d in distillates):
            phrased = await self.phrase(question, distillates)
            step("an answer in a model's words")
        verdicts, spoken = self._verdicts(phrased, distillates, passages)
        remarks = phrased.remarks
        if phrased.statements and not spoken:
            remarks += ("nothing that the model wrote stands in the passages",)
        return Consulted(
            facets, tuple(found), tuple(distillates), verdicts, passages, again[1] if again else None, spoken, remarks
        )

    def _verdicts(
        self, phrased: Phrased, distillates: Sequence[Distillate], passages: Mapping[str, Passage]
    ) -> tuple[tuple[tuple[Verdict, ...], ...], bool]:
        """The verdicts of each facet, and whether any is a model's: where it said nothing that holds the passages speak."""
        quoted = self._checked([one.statements for one in distillates], passages, _as_quoted)
        written = self._checked(phrased.statements, passages, self.atomize) or ((),) * len(quoted)
        kept = self._checked(phrased.kept, passages, _as_quoted) or ((),) * len(quoted)
        verdicts, spoken = [], False
        for mine, theirs, rest in zip(quoted, written, kept, strict=True):
            holds = bool(mine) and any(verdict.supported == "yes" for verdict in theirs)
            verdicts.append((*theirs, *rest) if holds else mine)
            spoken = spoken or holds
        return tuple(verdicts), spoken

    async def _all(self, facets: Sequence[Facet], step: Step) -> list[Findings]:
        import asyncio

        return list(await asyncio.gather(*(self._retrieved(facet, step) for facet in facets)))

    async def _retrieved(self, facet: Facet, step: Step) -> Findings:
        found = await self.retrieve(facet)
        step(facet.text)
        return found

    def _checked(
        self, groups: Sequence[Sequence[Statement]], passages: Mapping[str, Passage], cut: Cut
    ) -> tuple[tuple[Verdict, ...], ...]:
        return tuple(tuple(self.verify(atom, passages) for statement in group for atom in cut(statement)) for group in groups)


def _as_quoted(statement: Statement) -> tuple[Statement, ...]:
    """A sentence of a passage is not cut: it is quoted as it stands."""
    return (statement,)


def _together(first: Findings, second: Findings) -> Findings:
    """Both findings, the second ones after the first, each passage and relation once."""
    passages = {passage.id: passage for passage in (*second.passages, *first.passages)}
    order = dict.fromkeys(passage.id for passage in (*first.passages, *second.passages))
    return first._replace(
        passages=tuple(passages[name] for name in order), links=tuple(dict.fromkeys((*first.links, *second.links)))
    )


def _better(before: Distillate, after: Distillate) -> Distillate:
    return before if after.refused and not before.refused else after
