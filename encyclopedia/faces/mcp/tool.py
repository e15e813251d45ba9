"""What a tool of the MCP face is, and what it is called with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from encyclopedia.faces.mcp.fit import LEAST, MOST
from encyclopedia.faces.mcp.parameters import Parameter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.faces.library import Encyclopedia
    from encyclopedia.faces.mcp.fit import Rows, Text
    from encyclopedia.faces.mcp.session import Session
    from encyclopedia.ports import Progress

SECONDS = 25.0
"""What a call may take: some clients wait for 60 s, whatever progress they are told."""
BUDGET = (
    Parameter("max_tokens", f"bound on the answer, {LEAST} to {MOST} tokens of 4 characters", MOST, low=LEAST, high=MOST),
    Parameter("offset", "where to go on: the next_offset of the answer before", 0, low=0, high=10_000_000),
)


@dataclass(frozen=True, slots=True)
class Call:
    """One call: the connection, its engine, the checked arguments, and who is told how far it is."""

    session: Session
    encyclopedia: Encyclopedia
    arguments: Mapping[str, Any]
    progress: Progress

    def __getitem__(self, name: str) -> Any:
        """An argument."""
        return self.arguments[name]


class Exact(NamedTuple):
    """An answer of a shape that others have laid down, sent as it is."""

    body: dict[str, Any]


class Work(Protocol):
    """What a tool does."""

    async def __call__(self, call: Call) -> Rows | Text | Exact:
        """The answer, not yet cut. May raise any ``EncyclopediaError``."""
        ...


class Tool(NamedTuple):
    """A tool: ``opens`` tells whether it may ask sources on the network, ``exact`` that it takes no budget and no offset."""

    title: str
    description: str
    parameters: tuple[Parameter, ...]
    work: Work
    opens: bool = False
    exact: bool = False

    @property
    def all_parameters(self) -> tuple[Parameter, ...]:
        """Its own parameters, and those of the budget."""
        return self.parameters if self.exact else (*self.parameters, *BUDGET)
