"""What a person is told and given after the first searches."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli import workplace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.faces.cli.output import Output
    from encyclopedia.wiring.build import Engine


def fresh() -> bool:
    """Whether there is no data folder yet."""
    return not os.path.isdir(workplace.home())


def tell(output: Output, engine: Engine) -> None:
    """Say in one line what is off, and the command that says how to switch it on."""
    off = [f"{name} ({entry.candidate.missing})" for name, entry in sorted(engine.catalog.items()) if entry.candidate.missing]
    if off:
        output.remark(f"off: {', '.join(off)}; `encyclopedia sources` says how to switch each on")


def complete(output: Output, engine: Engine, body: Mapping[str, Any]) -> None:
    """Finish the indexes that made an answer less than it can be, with a bar; Ctrl-C ends it and keeps what is done."""
    from encyclopedia.faces.cli.indexing import index, sentence

    for name, reason in unfinished(body).items():
        if name not in engine.catalog or not engine.catalog[name].card.index:
            continue
        output.remark(f"reading {rest(name, reason)} so that the next answer is whole; Ctrl-C stops, what is done is kept")
        try:
            output.remark(sentence(index(output, engine, name)))
        except KeyboardInterrupt:  # the answer has been given, and this was offered
            return


def unfinished(body: Mapping[str, Any]) -> dict[str, str]:
    """The sources whose index made the answer less than it can be, each with what it said; a note makes nobody wait."""
    told = {row["source"]: row["reason"] for row in body["outcomes"]}
    return {name: said for name, said in told.items() if f"`encyclopedia corpus index {name}`" in said}


def rest(name: str, reason: str) -> str:
    """What is still to be read: ``the other 206 packages`` after ``28 of 234 …``."""
    import re

    counts = re.match(r"(\d+) of (\d+) ", reason)
    left = int(counts[2]) - int(counts[1]) if counts else 0
    return f"the other {left} {name}" if left > 1 else f"the rest of {name}"
