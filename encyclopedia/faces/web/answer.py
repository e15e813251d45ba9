"""The page of an answer: prose whose citations open their passage, what is uncertain, where it comes from."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from encyclopedia.faces.web.found import lost, place
from encyclopedia.faces.web.html import link, text

if TYPE_CHECKING:
    from collections.abc import Mapping

    Row = Mapping[str, Any]

_NUMBERS = re.compile(r"\[(\d+(?:\s*,\s*\d+)*)\]")


def answer(body: Row) -> str:
    """The answer with its citations."""
    if body.get("code"):
        return f'<div class="answer"><p class="refusal">{text(body["message"])}</p></div>{_gaps(body)}{lost(body)}'
    addresses = {row["n"]: where(row) for row in body["citations"]}
    paragraphs = "".join(f"<p>{_cited(part, addresses)}</p>" for part in str(body["answer"]).split("\n\n") if part.strip())
    made = "rephrased by a model and checked" if body["grounded"] else "in the sentences of its sources"
    return (
        f'<div class="answer">{paragraphs}</div>'
        f'<p class="state">Confidence: <strong>{text(body["confidence"])}</strong> · {made}</p>'
        f"{_differ(body)}{_gaps(body)}{lost(body)}{_citations(body, addresses)}{_insights(body)}"
    )


def where(row: Row, number: int = 0) -> str:
    """The address of a cited place of a citation, by its number."""
    if "path" not in row:
        return str(row.get("url", ""))
    first = row["places"][number]
    section = str(first.get("section_id", ""))
    title = str(row["title"]).rpartition(" > ")[2]
    return place({"corpus": row["source"], "path": row["path"], "section": title, "lines": first.get("lines")}) + (
        f"&id={_quoted(section)}" if section else ""
    )


def _quoted(value: str) -> str:
    from urllib.parse import quote

    return quote(value, safe="")


def _cited(part: str, addresses: Mapping[int, str]) -> str:
    """A paragraph in which each number of a citation is a link to its passage."""
    pieces = _NUMBERS.split(part)
    made = []
    for at, piece in enumerate(pieces):
        if at % 2 == 0:
            made.append(text(piece).replace("\n", "<br>"))
            continue
        numbers = [int(number) for number in piece.split(",")]
        made.append(f"<sup>{' '.join(link(addresses.get(n), f'[{n}]', 'cite') for n in numbers)}</sup>")
    return "".join(made)


def _citations(body: Row, addresses: Mapping[int, str]) -> str:
    items = []
    for row in body["citations"]:
        label = f' <span class="label">{text(row["label"])}</span>' if row.get("label") else ""
        at = " · ".join(text(part) for part in (row["source"], row.get("path")) if part)
        head = link(addresses[row["n"]], row["title"])
        items.append(f'<li value="{row["n"]}">{head} <span class="at">{at}</span>{label}{_places(row)}</li>')
    return (
        f'<section aria-labelledby="cited"><h2 id="cited">Sources</h2><ol class="cited">{"".join(items)}</ol></section>'
        if items
        else ""
    )


def _places(row: Row) -> str:
    """Every cited place, where a citation has several."""
    if "path" not in row or len(row["places"]) < 2:  # noqa: PLR2004 - one is where the title leads
        return ""
    items = [f"<li>{link(where(row, number), _place(one))}</li>" for number, one in enumerate(row["places"])]
    return f'<ul class="places">{"".join(items)}</ul>'


def _place(one: Row) -> str:
    if "lines" in one:
        return f"lines {one['lines'][0]}-{one['lines'][1]}"
    return f"page {one['page']}" if "page" in one else str(one["section_id"])


def _differ(body: Row) -> str:
    lines = [f"[{one}] and [{other}] say different things" for one, other in body["divergence"]]
    return "".join(f'<p class="lost">{text(line)}</p>' for line in lines)


def _gaps(body: Row) -> str:
    return f'<p class="gaps">Not covered: {text(", ".join(body["gaps"]))}</p>' if body["gaps"] else ""


def _insights(body: Row) -> str:
    items = "".join(f"<li>{text(one)}</li>" for one in body["structural_insights"])
    return (
        f'<section aria-labelledby="related"><h2 id="related">How it hangs together</h2><ul>{items}</ul></section>'
        if items
        else ""
    )
