"""What the programs about aggregators share: the searches that are timed, and what becomes of one whose leg fails."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import Any

GONE = "this leg is gone"


class Leg:
    """One stub source: its pages, after its delay, or an error."""

    def __init__(self, name: str, delay: float, pages: list[dict[str, str]]) -> None:
        self.name, self.delay, self.pages = name, delay, pages
        self.spent, self.fails = 0.0, False

    async def wait(self) -> list[dict[str, str]]:
        """Its pages; raises once it fails."""
        begun = time.perf_counter()
        await asyncio.sleep(self.delay)
        self.spent = time.perf_counter() - begun
        if self.fails:
            raise RuntimeError(GONE)
        return self.pages


def legs() -> tuple[list[Leg], dict[str, Any]]:
    """The legs that standard input describes, and the rest of what it says."""
    given = json.load(sys.stdin)
    return [Leg(name, given["delays"][name], pages) for name, pages in given["pages"].items()], given


async def measure(given: dict[str, Any], legs: list[Leg], search: Any) -> dict[str, Any]:
    """Milliseconds of each search beyond its slowest leg, of CPU of one, and the addresses found with and without a leg."""
    beyond = []
    for n in range(given["rounds"] + given["warm"]):
        if n == given["warm"]:
            computing = time.process_time()
        begun = time.perf_counter()
        found = await search(f"how to number {n}")
        ended = time.perf_counter()
        if n >= given["warm"]:
            beyond.append((ended - begun - max(leg.spent for leg in legs)) * 1000)
    spent = (time.process_time() - computing) / given["rounds"] * 1000
    legs[0].fails = True
    try:
        kept, told = await search("one leg fails"), ""
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what the caller would get
        kept, told = [], f"{type(error).__name__}: {error}".replace("\n", " ")
    return {"beyond": beyond, "cpu": spent, "found": len(set(found)), "kept": len(set(kept)), "told": told}


def tell(given: dict[str, Any], legs: list[Leg], search: Any) -> None:
    """Run the measuring and print what it found."""
    print(json.dumps(asyncio.run(measure(given, legs, search))))
