"""How far long work is: told step by step, seldom enough for whoever is told, and on the event loop."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from encyclopedia.engine.pipeline import Watch

if TYPE_CHECKING:
    from collections.abc import Callable

    from encyclopedia.model.outcome import Outcome
    from encyclopedia.ports import Progress

MOST = 100
"""How often work in a thread is told."""


def steps(told: Progress | None, total: int) -> Callable[[str], None]:
    """A function that is called with the name of each of ``total`` steps when it is done; one step more raises the total."""
    done = 0

    def step(name: str) -> None:
        nonlocal done
        done += 1
        if told is not None:
            told(name, done, max(total, done))

    return step


def landing(told: Progress | None, sources: int) -> Watch:
    """Tells each of so many sources as it lands: ``exa: ok``."""
    step = steps(told, sources)

    def seen(outcome: Outcome) -> None:
        step(f"{outcome.source}: {outcome.status.value.replace('_', ' ')}")

    return Watch(seen if told is not None else None)


def from_thread(told: Progress | None) -> Progress:
    """The same for work in a thread: ``told`` is called on the event loop that runs now.

    It is told further each time, and at most ``MOST`` times.
    """
    loop = asyncio.get_running_loop()
    least = 0.0  # of the work, which must be done before it is worth telling again

    def tell(name: str, done: int, total: int) -> None:
        nonlocal least
        part = min(done / max(total, 1), 1.0)
        if told is not None and part >= least:
            least = part + 1 / MOST
            loop.call_soon_threadsafe(told, name, done, total)

    return tell
