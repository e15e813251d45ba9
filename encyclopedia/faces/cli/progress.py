"""Long work on a terminal: a bar on stderr, nothing in a pipe."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from encyclopedia.faces.cli.visible import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from encyclopedia.faces.cli.output import Output
    from encyclopedia.ports import Progress


@contextmanager
def bar(output: Output, title: str) -> Iterator[Progress]:
    """A function that takes what is being worked on, how many are done, and how many there are."""
    if not output.progress:
        yield lambda _label, _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
    from rich.text import Text

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[label]}", markup=False),
    )
    with Progress(*columns, console=Console(file=output.stderr, highlight=False), transient=True) as progress:
        task = progress.add_task(title, total=None, label="")

        def told(label: str, done: int, total: int) -> None:
            shown = Text(one_line(label))
            shown.truncate(30, overflow="ellipsis")
            progress.update(task, completed=done, total=total, label=shown.plain)

        yield told


@contextmanager
def waiting(output: Output, sentence: str) -> Iterator[None]:
    """A sign of life on stderr while a search is under way."""
    if not output.interactive:
        yield
        return
    from rich.console import Console
    from rich.status import Status
    from rich.text import Text

    with Status(Text(one_line(sentence)), console=Console(file=output.stderr, highlight=False)):
        yield
