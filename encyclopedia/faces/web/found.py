"""The pieces of a search's page: how it stands, the bar of sources, the results with the reason of their place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from encyclopedia.faces.web.html import excerpt, link, marked, text, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Row = Mapping[str, Any]

NAMES = {
    "ok": "answered",
    "empty": "found nothing",
    "timeout": "took too long",
    "rate_limited": "wants us to wait",
    "auth": "does not accept the key",
    "quota": "has no calls left",
    "unavailable": "cannot be reached",
    "error": "failed",
    "refused": "left alone for now",
    "cancelled": "was stopped",
    "skipped": "was left out",
    "waiting": "is being asked",
}
FIRST = 3
"""Ordinals that have endings of their own."""


def place(locator: Row | None) -> str:
    """The address on this service of a place in a local collection."""
    from encyclopedia.faces.http.searx_body import passage_path

    return passage_path(locator) if locator else ""


def sources(outcomes: Sequence[Row], waiting: Iterable[str] = ()) -> str:
    """The bar of sources: what became of each, how much it found, and how long that took."""
    slowest = max((row["ms"] for row in outcomes), default=0) or 1
    items = [_source(row, slowest) for row in outcomes]
    items += [_source({"source": name, "status": "waiting", "results": 0, "ms": 0, "reason": ""}, 1) for name in waiting]
    return f'<ul class="sources">{"".join(items)}</ul>' if items else ""


def _source(row: Row, slowest: float) -> str:
    status = str(row["status"])
    said = NAMES.get(status, status)
    took = f"{row['ms']} ms" if row["ms"] else ""
    count = str(row["results"]) if status in ("ok", "empty") else said
    why = f": {row['reason']}" if row["reason"] else ""
    reason = f"{row['source']} {said}{why}"
    wide = max(round(100 * row["ms"] / slowest), 1) if row["ms"] else 0
    return (
        f'<li class="{text(status)}" title="{text(reason)}"><span class="name">{text(row["source"])}</span> '
        f'<span class="count">{text(count)}</span> <span class="took">{took}</span>'
        f'<span class="hidden">{text(said)}</span>'
        f'<svg class="bar" viewBox="0 0 100 3" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect width="{wide}" height="3"></rect></svg></li>'
    )


def standing(body: Row, seconds: float | None = None) -> str:
    """How a search ended: numbers, what was searched besides, what is missing."""
    count, answered = len(body["results"]), sum(row["status"] in ("ok", "empty") for row in body["outcomes"])
    took = f" in {seconds:.2f} s" if seconds is not None else ""
    kept = _kept(body) if body["cached"] else f" from {answered} of {len(body['outcomes'])} sources{took}"
    told = "Nothing was found" if not count else f"{count} result{'' if count == 1 else 's'}"
    kind = str(body["query_type"]).replace("_", " ")
    return f'<p class="state">{told}{text(kept)} · taken as {text(kind)}</p>{remarks(body)}'


def _kept(body: Row) -> str:
    age = body.get("verbose", {}).get("cache", {}).get("age")
    return f" from the cache{f', {age:.0f} s old' if age is not None else ''}"


def remarks(body: Row) -> str:
    """What a reader should know: corrections, other words, gaps, what made the answer less than it could be."""
    analysis = body.get("verbose", {}).get("query_analysis", {})
    lines = [f"Searched also for <strong>{text(one.partition(' → ')[2])}</strong>" for one in body["corrections"]]
    lines += [f"Also by other words for {text(one[0])}: {text(', '.join(one[1:]))}" for one in analysis.get("expansions", ())]
    if body["evidence_gap"] and body["results"]:
        lines.append(f"No result mentions: {text(', '.join(body['evidence_gap']))}")
    if body.get("withheld"):
        lines.append(f"Withheld: {body['withheld']} above what may be shown here")
    lines += [text(note) for note in body.get("notes", ())]
    shown = "".join(f"<li>{line}</li>" for line in lines)
    return (f'<ul class="remarks">{shown}</ul>' if shown else "") + lost(body)


def lost(body: Row) -> str:
    """In what an answer is less than it should be, as a list; nothing if it is whole."""
    rows = (*body["degradation"]["missing"], *body["degradation"]["errors"])
    lines = [f"{row['source']}: {row.get('reason') or row.get('message')}" for row in rows if not row["optional"]]
    if not body["degraded"] or not lines:
        return ""
    items = "".join(f"<li>{text(line)}</li>" for line in lines)
    told = f"This answer is less than it could be: {', '.join(dict.fromkeys(line.partition(':')[0] for line in lines))}"
    return f'<details class="lost"><summary>{text(told)}</summary><ul>{items}</ul></details>'


def results(rows: Sequence[Row], query: str, corrections: Iterable[str] = ()) -> str:
    """The list of results, best first."""
    words = [*words_of(query), *(one.partition(" → ")[2] for one in corrections)]
    return f'<ol class="results">{"".join(_result(row, words) for row in rows)}</ol>' if rows else ""


def _result(row: Row, words: Sequence[str]) -> str:
    where = row["url"] or place(row["locator"])
    facts = [f'<span class="by">{text(row["source"])}</span>', f'<span class="at">{text(_at(row))}</span>']
    facts += [f"<span>{text(row[name])}</span>" for name in ("version", "published") if row[name]]
    facts += [f'<span class="label">{text(row["label"])}</span>'] if row.get("label") else []
    return (
        f'<li class="result" tabindex="-1"><article><h2>{link(where, row["title"] or where or "(no title)")}</h2>'
        f'<p class="facts">{" ".join(facts)}</p>'
        f'<p class="text">{marked(excerpt(row["content"], words), words)}</p>{_why(row)}</article></li>'
    )


def _at(row: Row) -> str:
    """Where a result stands, in short: its host, or its place in a collection."""
    if row["url"]:
        try:
            return urlsplit(row["url"]).netloc or row["url"]
        except ValueError:
            return str(row["url"])
    locator = row["locator"]
    if not locator:
        return ""
    lines = f", lines {locator['lines'][0]}-{locator['lines'][1]}" if locator["lines"] else ""
    return f"{locator['path']}{lines}"


def _why(row: Row) -> str:
    """The shares that a score is the sum of, each with a bar."""
    shares = "".join(_share(share, row["score"]) for share in row["fused_from"])
    number = len(row["fused_from"])
    told = f"{number} source{'' if number == 1 else 's'}"
    return (
        f'<details class="why"><summary>Why here <span class="took">{told}, {row["score"]:.4f}</span></summary>'
        f'<ul class="shares">{shares}</ul></details>'
    )


def _share(share: Row, score: float) -> str:
    remark = " · found only by other words" if share.get("expansion") else ""
    remark += " · mentions little of the question" if share.get("weak") else ""
    wide = max(round(100 * share["score"] / score), 1) if score else 0
    return (
        f'<li><span class="name">{text(share["source"])}</span> its {ordinal(share["rank"])} result · weight '
        f"{share['weight']:.0%} · share {share['score']:.4f}{remark}"
        f'<svg class="bar" viewBox="0 0 100 3" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect width="{wide}" height="3"></rect></svg></li>'
    )


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th …."""
    ending = {1: "st", 2: "nd", FIRST: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number // 10 % 10 == 1 else ending}"
