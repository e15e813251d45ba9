"""The JSON form of an answer: the prose with its citations, what is uncertain, and where it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.answering.words import shown
from encyclopedia.faces.degradation import degradation
from encyclopedia.model.errors import NothingFound
from encyclopedia.model.label import Label, named

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from encyclopedia.answering.compose import Cited, Composition
    from encyclopedia.engine.consult import Consulted
    from encyclopedia.model.answer import Distillate, Findings, Link, Passage, Verdict
    from encyclopedia.model.ranking import Ranking
    from encyclopedia.model.trace import Trace

QUOTE = 25
"""Words of a quotation in the record of a facet."""


def body_of(
    question: str,
    done: Consulted,
    composition: Composition,
    traces: Sequence[Trace[Ranking]],
    *,
    id: str,
    verbose: bool = False,
) -> dict[str, Any]:
    """The answer as it is printed; ``verbose`` adds the record of each facet, with passages, verdicts and the critic."""
    head: dict[str, Any] = {"schema_version": 1, "status": "success"}
    if composition.refusal:
        hint = "ask in other words, or widen the scope: --corpus, --web"
        head |= {"status": "error", "code": NothingFound.code, "message": composition.refusal, "hint": hint}
    lost = _lost(traces)
    body = head | {
        "question": question,
        "answer": composition.prose,
        "grounded": done.phrased and not composition.refusal,
        "citations": [_citation(cited) for cited in composition.cited],
        "structural_insights": [_insight(link) for link in composition.insights],
        "divergence": [list(pair) for pair in composition.divergent],
        "confidence": composition.confidence,
        "gaps": list(composition.gaps),
        "provenance": {"sources": [_name(cited) for cited in composition.cited], "consultation_id": id},
        **lost,
    }
    if withheld := max((trace.value.withheld for trace in traces), default=0):
        body["withheld"] = withheld
    notes = list(dict.fromkeys((*done.remarks, *_notes(traces))))
    if notes:
        body["notes"] = notes
    if verbose:
        body["verbose"] = {"facets": [_facet(done, at) for at in range(len(done.facets))], "critic": _critic(done)}
    return body


def record_of(body: Mapping[str, Any], seconds: float) -> dict[str, object]:
    """The record of a consultation, to be opened again by its id; of a secret passage it keeps the place only."""
    from datetime import UTC, datetime

    secret = any(named(row.get("label", "")) is Label.SECRET for row in body["citations"])
    return {
        "id": body["provenance"]["consultation_id"],
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "query": body["question"],
        "query_type": "ask",
        "code": body.get("code", 0),
        "degraded": body["degraded"],
        "cached": False,
        "ms": round(seconds * 1000),
        "answer": "" if secret else body["answer"],
        "confidence": body["confidence"],
        "gaps": body["gaps"],
        "outcomes": [],
        "results": [
            {"title": _kept(row), "url": row.get("url"), "source": row["source"], "locator": _located(row)}
            for row in body["citations"]
        ],
    }


def _kept(row: Mapping[str, Any]) -> str:
    """The title of a citation; a secret passage may have its secret there, and keeps its path or address alone."""
    secret = named(row.get("label", "")) is Label.SECRET
    return str(row.get("path") or row.get("url")) if secret else str(row["title"])


def _located(row: Mapping[str, Any]) -> dict[str, Any] | None:
    """Where the first cited place of a citation stands, as results of a search say it."""
    lines = row["places"][0].get("lines")
    return {"corpus": row["source"], "path": row["path"], "section": None, "lines": lines} if "path" in row else None


def _citation(cited: Cited) -> dict[str, Any]:
    """A document with the places that are cited; its quotations stand in the answer, word for word."""
    passages = list(dict.fromkeys(passage for _, passage in cited.quotes))
    first, place = passages[0], passages[0].locator
    row: dict[str, Any] = {"n": cited.number, "source": first.corpus or first.url, "title": first.title}
    row |= {"path": place.path} if place else {"url": first.url}
    row["places"] = [_place(passage) for passage in passages]
    label = max(named(passage.label) or Label.PUBLIC for passage in passages)
    return row | ({"label": str(label)} if label else {})


def _place(passage: Passage) -> dict[str, Any]:
    place = passage.locator
    row: dict[str, Any] = {"section_id": passage.id.removeprefix(f"{passage.corpus}:")}
    row |= {"lines": list(place.lines)} if place and place.lines else {}
    return row | ({"page": place.page} if place and place.page else {})


def _name(cited: Cited) -> str:
    first = cited.quotes[0][1]
    return first.name or first.document


def _insight(link: Link) -> str:
    return f"{link.source} {link.type.replace('_', ' ')} {link.target}"


def _lost(traces: Sequence[Trace[Ranking]]) -> dict[str, Any]:
    """Degradation over all searches, each row once."""
    rows = [degradation(trace) for trace in traces]
    merged: dict[str, list[Any]] = {"missing": [], "errors": []}
    for row in rows:
        for part, found in merged.items():
            lost: Any = row["degradation"]
            found += [one for one in lost[part] if one not in found]
    return {"degraded": any(row["degraded"] for row in rows), "degradation": merged}


def _notes(traces: Sequence[Trace[Ranking]]) -> list[str]:
    return [f"{one.source}: {one.reply.note}" for trace in traces for one in trace.value.outcomes if one.reply.note]


def _facet(done: Consulted, at: int) -> dict[str, Any]:
    """The compact record of one facet, with what stands behind it."""
    distillate = done.distillates[at]
    documents = list(dict.fromkeys(passage.document for passage in distillate.passages))
    return {
        "facet": distillate.facet.text,
        "intent": distillate.facet.intent.value,
        "retrieval_query": distillate.facet.wording,
        "answer": " ".join(statement.text for statement in distillate.statements),
        "key_concepts": _concepts(distillate),
        "structural_insights": [_insight(link) for link in distillate.insights],
        "citations": [
            _quoted(quote.text, done.passages[quote.passage]) for one in distillate.statements for quote in one.quotes
        ],
        "cross_book": _across(distillate, documents),
        "confidence": distillate.confidence,
        "gaps": ", ".join(distillate.gaps),
        "refused": distillate.refused or None,
        "passages": _passages(done.found[at]),
        "verdicts": [_verdict(verdict) for verdict in (done.verdicts[at] if at < len(done.verdicts) else ())],
    }


def _concepts(distillate: Distillate) -> list[dict[str, str]]:
    rows: dict[str, dict[str, str]] = {}
    for link in distillate.insights:
        for name, role in ((link.source, f"{link.type.replace('_', ' ')} {link.target}"), (link.target, f"of {link.source}")):
            rows.setdefault(name, {"name": name, "role": role, "book_id": link.document})
    return list(rows.values())


def _quoted(quote: str, passage: Passage) -> dict[str, Any]:
    words = shown(quote).split()
    place = passage.locator
    return {
        "book_id": passage.name or passage.document,
        "section_id": passage.id,
        "section": place.section if place else None,
        "pages": place.page if place else None,
        "quote": " ".join(words[:QUOTE]),
    } | ({"label": passage.label} if passage.label else {})


def _across(distillate: Distillate, documents: Sequence[str]) -> str:
    if len(documents) < 2:  # noqa: PLR2004 - it takes two to agree
        return "single-book"
    return "they differ" if distillate.divergent else f"{len(documents)} documents, none against another"


def _passages(findings: Findings) -> list[dict[str, Any]]:
    return [{"id": passage.id, "title": passage.title, "chars": len(passage.text)} for passage in findings.passages]


def _verdict(verdict: Verdict) -> dict[str, str]:
    return {"statement": verdict.statement.text, "supported": verdict.supported.value, "note": verdict.note}


def _critic(done: Consulted) -> dict[str, Any] | None:
    return {"facet": done.again.text, "retrieval_query": done.again.wording} if done.again else None
