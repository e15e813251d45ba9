"""What a person is told and given after the first searches."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli import workplace

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from encyclopedia.faces.cli.output import Output
    from encyclopedia.model.plan import Plan
    from encyclopedia.wiring.build import Engine


def fresh() -> bool:
    """Whether there is no data folder yet."""
    return not os.path.isdir(workplace.home())


def tell(output: Output, plan: Plan) -> None:
    """Say in one line what is off, and the command that says how to switch it on."""
    off = [f"{declined.source} ({declined.reason})" for declined in plan.declined if not declined.refused]
    if off:
        output.remark(f"off: {', '.join(off)}; `encyclopedia sources` says how to switch each on")


def complete(output: Output, engine: Engine, outcomes: Iterable[Mapping[str, Any]]) -> None:
    """Finish the indexes that were not complete, with a progress bar; Ctrl-C keeps what is done."""
    from encyclopedia.faces.cli.indexing import index, sentence

    for row in outcomes:
        name = row["source"]
        if f"encyclopedia corpus index {name}" in row["reason"] and engine.catalog[name].card.index:
            output.remark(sentence(index(output, engine, name)))
