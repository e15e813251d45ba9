"""The answer put together from what was verified: cited prose, what the passages disagree about, what they are silent about."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from encyclopedia.answering.words import fold, shown
from encyclopedia.model.answer import Support

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from encyclopedia.model.answer import Distillate, Link, Passage, Quote, Verdict

_ORDER = ("low", "medium", "high")
CHARS_A_TOKEN = 4
REFUSAL = "The sources in scope do not answer this"


class Cited(NamedTuple):
    """One document among the sources of an answer: its number, and the quotations with the passages that they stand in."""

    number: int
    document: str
    quotes: tuple[tuple[Quote, Passage], ...]


class Composition(NamedTuple):
    """An answer: ``paragraphs`` of statements that survived, each with the numbers of its documents.

    ``confidence`` is high, medium or low; ``gaps`` are words of the question that nothing cited speaks of. ``refusal`` says why
    there is no answer, empty if there is one.
    """

    paragraphs: tuple[tuple[tuple[str, tuple[int, ...]], ...], ...]
    cited: tuple[Cited, ...]
    divergent: tuple[tuple[int, int], ...] = ()
    insights: tuple[Link, ...] = ()
    confidence: str = "low"
    gaps: tuple[str, ...] = ()
    refusal: str = ""

    @property
    def prose(self) -> str:
        """The statements with their numbers, one paragraph for each facet; the refusal if there are none."""
        if self.refusal:
            return self.refusal
        return "\n\n".join(" ".join(_numbered(text, numbers) for text, numbers in part) for part in self.paragraphs if part)


def compose(
    distillates: Sequence[Distillate], verdicts: Sequence[Sequence[Verdict]], passages: Mapping[str, Passage]
) -> Composition:
    """Rebuild the answer: what is supported stays, what is partly supported becomes its quotation, the rest goes.

    ``verdicts`` holds those of each distillate, in their order.
    """
    numbers: dict[str, int] = {}
    quotes: dict[int, dict[tuple[str, str], tuple[Quote, Passage]]] = {}
    paragraphs, said = [], set[str]()
    for group in verdicts:
        lines = []
        for verdict in group:
            line = _line(verdict)
            if not line or fold(line).casefold() in said:
                continue
            said.add(fold(line).casefold())
            used = []
            for quote in verdict.statement.quotes:
                passage = passages[quote.passage]
                number = numbers.setdefault(passage.document, len(numbers) + 1)
                quotes.setdefault(number, {})[quote.passage, fold(quote.text)] = (quote, passage)
                used.append(number)
            lines.append((line, tuple(dict.fromkeys(used))))
        paragraphs.append(tuple(lines))
    cited = tuple(Cited(number, document, tuple(quotes[number].values())) for document, number in numbers.items())
    answered = [one for one, lines in zip(distillates, paragraphs, strict=True) if lines]
    return Composition(
        tuple(paragraphs),
        cited,
        tuple(dict.fromkeys(_pairs(distillates, passages, numbers))),
        tuple(dict.fromkeys(link for one in distillates for link in one.insights)),
        _confidence(answered, distillates),
        tuple(dict.fromkeys(word for one in distillates for word in one.gaps)),
        "" if answered else _refusal(distillates),
    )


def _line(verdict: Verdict) -> str:
    if verdict.supported is Support.YES:
        return verdict.statement.text
    if verdict.supported is Support.PARTIAL:
        return " ".join(f"“{shown(quote.text)}”" for quote in verdict.statement.quotes)
    return ""


def _pairs(
    distillates: Iterable[Distillate], passages: Mapping[str, Passage], numbers: Mapping[str, int]
) -> Iterable[tuple[int, int]]:
    for distillate in distillates:
        for one, other in distillate.divergent:
            pair = tuple(numbers.get(passages[each.quotes[0].passage].document, 0) for each in (one, other))
            if all(pair):
                yield pair[0], pair[1]


def _confidence(answered: Sequence[Distillate], asked: Sequence[Distillate]) -> str:
    """That of the weakest facet, one step lower if a facet has no answer at all."""
    if not answered:
        return "low"
    least = min(_ORDER.index(one.confidence) for one in answered)
    return _ORDER[max(0, least - (len(answered) < len(asked)))]


def _refusal(distillates: Sequence[Distillate]) -> str:
    reasons = dict.fromkeys(one.refused for one in distillates if one.refused)
    return f"{REFUSAL}: {'; '.join(reasons)}." if reasons else f"{REFUSAL}."


def _numbered(text: str, numbers: Sequence[int]) -> str:
    marks = "".join(f"[{number}]" for number in numbers)
    return f"{text} {marks}" if marks else text


def shortened(composition: Composition, max_tokens: int | None) -> Composition:
    """The composition with as many of its statements, from the first on, as ``max_tokens`` take; one always stays."""
    if max_tokens is None:
        return composition
    left, kept, first = max_tokens * CHARS_A_TOKEN, [], True
    for part in composition.paragraphs:
        lines = []
        for line in part:
            left -= len(_numbered(*line)) + 1
            if left >= 0 or first:
                lines.append(line)
            first = False
        kept.append(tuple(lines))
    used = {number for part in kept for _, numbers in part for number in numbers}
    cited = tuple(one for one in composition.cited if one.number in used)
    return composition._replace(paragraphs=tuple(kept), cited=cited)
