"""The pages of a passage and of the health of all sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli.sources import standing
from encyclopedia.faces.web.html import link, text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from encyclopedia.model.outcome import Hit


def passage(corpus: str, path: str, parts: Sequence[Hit], here: int | None) -> str:
    """A document with its passages in their order; the one at ``here`` is marked, and the address leads to it."""
    shown = "".join(_part(part, marked=at == here) for at, part in enumerate(parts))
    lead = '<p><a href="#here">To the passage</a></p>' if here else ""
    head = f'<h1>{text(path)}</h1><p class="facts"><span class="by">{text(corpus)}</span></p>'
    return f'{head}{lead}<div class="parts">{shown}</div>'


def _part(part: Hit, *, marked: bool) -> str:
    lines = part.locator.lines if part.locator else None
    at = f'<p class="at">lines {lines[0]}-{lines[1]}</p>' if lines else ""
    title = (part.locator.section if part.locator else "") or part.title
    attributes = ' id="here" class="part here" tabindex="-1"' if marked else ' class="part"'
    return f"<section{attributes}><h2>{text(title)}</h2>{at}<pre>{text(part.content)}</pre></section>"


def health(rows: Sequence[Mapping[str, Any]], problems: Sequence[str]) -> str:
    """Every source with how it stands and what to do about it."""
    on = [row for row in rows if not row["reason"]]
    ill = [row for row in on if row["health"]]
    told = f"{len(on)} of {len(rows)} sources are on, {len(ill)} of them had trouble at their last call."
    complaints = "".join(f'<p class="lost">{text(problem)}</p>' for problem in problems)
    body = "".join(_row(row) for row in sorted(rows, key=lambda row: (bool(row["reason"]), row["source"])))
    heads = "".join(f'<th scope="col">{name}</th>' for name in ("Source", "Stands", "Answers for", "What to do"))
    return f"""<h1>Health</h1><p class="state">{told}</p>{complaints}
<div class="scroll" tabindex="0" role="region" aria-label="All sources"><table><caption class="hidden">All sources</caption>
<thead><tr>{heads}</tr></thead>
<tbody>{body}</tbody></table></div>
<p>{link("/metrics", "Figures for Prometheus")} · {link("/stats/errors", "Last errors as JSON")} ·
{link("/openapi.json", "Description of the service")}</p>"""


def _row(row: Mapping[str, Any]) -> str:
    kind = "off" if row["reason"] else "ill" if row["health"] else "well"
    serves = ", ".join(name.replace("_", " ") for name in row["serves"])
    return (
        f'<tr class="{kind}"><th scope="row">{text(row["source"])}<span class="at">{text(row["description"])}</span></th>'
        f"<td>{text(standing(dict(row)))}</td><td>{text(serves)}</td><td>{text(row['hint'] or row['state'] or '')}</td></tr>"
    )
