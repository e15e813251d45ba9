"""Rows and fields on a terminal, with every text made harmless."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encyclopedia.faces.cli.visible import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rich.console import Console


def print_table(console: Console, headers: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table without a frame; the last column takes the room that is left."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold", show_edge=False)
    for header in headers:
        table.add_column(header, overflow="fold", no_wrap=header != headers[-1])
    for row in rows:
        table.add_row(*(Text(one_line(cell)) for cell in row))
    console.print(table)


def print_fields(console: Console, fields: Mapping[str, object]) -> None:
    """One ``name  value`` a line; those without a value are left out."""
    from rich.text import Text

    width = max(map(len, fields), default=0) + 2
    for name, value in fields.items():
        if value not in ("", None):
            console.print(Text(f"{name:<{width}}", "bold").append(one_line(str(value)), "not bold"), soft_wrap=True)
