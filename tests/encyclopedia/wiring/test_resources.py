from __future__ import annotations

from encyclopedia.wiring.resources import Resources


class Thing:
    def __init__(self, name: str, closed: list[str]) -> None:
        self.name, self.closed = name, closed

    async def aclose(self) -> None:
        self.closed.append(self.name)


async def test_a_resource_is_made_once_and_closed_in_reverse() -> None:
    resources, closed = Resources(), list[str]()
    first = resources.get("a", lambda: Thing("a", closed))
    assert resources.get("a", lambda: Thing("other", closed)) is first
    resources.get("b", lambda: Thing("b", closed))
    resources.get("plain", object)
    await resources.aclose()
    assert closed == ["b", "a"]
    assert resources.get("a", lambda: Thing("a", closed)) is not first
