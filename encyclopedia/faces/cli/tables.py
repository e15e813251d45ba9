"""Rows and fields on a terminal, with every text made harmless."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.faces.cli.visible import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rich.console import Console


LEAST_ROOM = 24
"""Columns that the last column of a table needs; with less, its cells stand below their rows."""


def print_table(console: Console, headers: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table without a frame; the last column takes the room that is left, or a line of its own where that is too little."""
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    cells = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(headers, *cells, strict=True)]
    if sum(widths[:-1]) + 2 * len(widths) + min(LEAST_ROOM, widths[-1]) > console.width:
        return _print_narrow(console, [headers, *cells], widths)
    table = Table(box=None, pad_edge=False, header_style="bold", show_edge=False)
    for header in headers:
        table.add_column(header, overflow="fold", no_wrap=header != headers[-1])
    for row in cells:
        table.add_row(*map(Text, row))
    return console.print(table)


def _print_narrow(console: Console, rows: Sequence[Sequence[str]], widths: Sequence[int]) -> None:
    from rich.cells import cell_len
    from rich.text import Text

    for number, (*front, last) in enumerate(rows):
        line = "  ".join(cell + " " * (width - cell_len(cell)) for cell, width in zip(front, widths, strict=False))
        style = "" if number else "bold"
        console.print(Text(line.rstrip(), style), soft_wrap=True)
        if last:
            console.print(Text(f"    {last}", style), soft_wrap=True)


def flow(items: Iterable[str], width: int, between: str = " · ") -> Iterator[str]:
    """Items joined to lines of at most ``width`` columns, broken between items only."""
    from rich.cells import cell_len

    line = ""
    for item in map(one_line, items):
        if line and cell_len(line) + cell_len(between) + cell_len(item) > width:
            yield line
            line = item
        else:
            line = f"{line}{between}{item}" if line else item
    if line:
        yield line


def counted(number: int, noun: str) -> str:
    """``1 problem``, ``2 problems``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def print_fields(console: Console, fields: Mapping[str, object]) -> None:
    """One ``name  value`` a line; those without a value are left out."""
    from rich.text import Text

    width = max(map(len, fields), default=0) + 2
    for name, value in fields.items():
        if value not in ("", None):
            console.print(Text(f"{name:<{width}}", "bold").append(one_line(str(value)), "not bold"), soft_wrap=True)
