"""Loaded entities as framed blocks that a person scans and a program cites, and the summary of a catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli.visible import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

WIDEST = 100
_KILO = 1000


def print_load(console: Console, body: dict[str, Any]) -> None:
    """The head, a frame for each entity, and what was loaded in all."""
    from rich.text import Text

    width = min(console.width, WIDEST)
    near = sum(row["via"] is not None for row in body["matches"])
    around = f"  ({len(body['matches']) - near} matched + {near} via graph expansion)" if near else ""
    console.print(Text(_ruled(f"KG LOAD: {one_line(body['topic'])}", width), "bold"), soft_wrap=True)
    console.print(
        f"Loaded {len(body['matches'])}/{body['entities']} entities from {one_line(body['catalog'])}{around}", soft_wrap=True
    )
    console.print(f"(catalog generated {one_line(body['catalog_generated'] or 'at an unknown time')})\n", soft_wrap=True)
    for row in body["matches"]:
        console.print(Text(_top(row, width), "bold cyan"), soft_wrap=True)
        for line in _lines(row, width):
            console.print(Text(line), soft_wrap=True)
        console.print(Text(f"╰{'─' * (width - 2)}╯\n", "cyan"), soft_wrap=True)
    size = body["context"]
    console.print(
        Text(_ruled(f"Total context loaded: {size['bytes'] / 1024:.1f} KB (~{_tokens(size['tokens'])} tokens)", width), "bold"),
        soft_wrap=True,
    )


def _tokens(number: int) -> str:
    return f"{number / _KILO:.1f}k" if number >= _KILO else str(number)


def _ruled(text: str, width: int) -> str:
    return f"═══ {text} {'═' * max(width - len(text) - 5, 3)}"


def _top(row: dict[str, Any], width: int) -> str:
    via = f" ↳ via {row['via']}" if row["via"] else ""
    score = row["relevance_score"]
    told = score if isinstance(score, int) else f"{score:.3f}"
    text = one_line(f"╭─ #{row['rank']} · score {told} ──── {row['slug']} [{row['type']}·{row['status']}]{via}")
    return f"{text} {'─' * max(width - len(text) - 2, 1)}╮"


def _lines(row: dict[str, Any], width: int) -> Iterator[str]:
    """The lines of a frame; what is too long for it is left open, not cut."""
    from rich.cells import cell_len

    for line in _content(row, width):
        room = width - 4 - cell_len(line)
        yield f"│ {line}{' ' * room} │" if room >= 0 else f"│ {line}"


def _content(row: dict[str, Any], width: int) -> Iterator[str]:
    yield f"Source: {one_line(row['path'])}"
    if "trace" in row:
        signals = " ".join(f"{part['signal']}(+{_points(part['points'])})" for part in row["trace"] if part["signal"] != "body")
        of = " catalog" if isinstance(row["relevance_score"], int) else ""  # as kg says what its second tier adds to
        yield one_line(f"explain: {signals or '(no signal)'} = {_points(_sum(row))}{of}")
        yield from (
            f"         +{_points(part['points'])} tier-2 body grep" for part in row["trace"] if part["signal"] == "body"
        )
    yield "─" * (width - 4)
    if row["body"] is not None:
        yield from (visible(line.expandtabs(4)) for line in row["body"].split("\n"))
        return
    yield one_line(row["claim"])
    yield from (f"{mark} {one_line(', '.join(row[name]))}" for mark, name in (("→", "out_links"), ("#", "tags")) if row[name])


def _sum(row: dict[str, Any]) -> float:
    total: float = sum(part["points"] for part in row["trace"] if part["signal"] != "body")
    return total


def _points(number: float) -> str:
    return str(number) if isinstance(number, int) else f"{number:.3f}"


def print_summary(console: Console, body: dict[str, Any]) -> None:
    """Numbers, types and hubs of a catalog."""
    from encyclopedia.faces.cli.tables import print_fields

    print_fields(
        console,
        {
            "catalog": body["catalog"],
            "generated": body["catalog_generated"],
            "schema": body["schema"],
            "entities": body["entities"],
            "types": ", ".join(f"{type} {count}" for type, count in body["types"].items()),
            "top hubs": ", ".join(f"{hub['slug']} ({hub['in_degree']})" for hub in body["hubs"]),
            "missing pages": ", ".join(f"{page['slug']} ({page['in_degree']})" for page in body["dangling"]),
        },
    )
