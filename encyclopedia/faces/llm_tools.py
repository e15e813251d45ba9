"""A plug-in of the command line ``llm``: the tools of the MCP face, under the same rules, for the models that it runs."""

from __future__ import annotations

import os
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import llm

from encyclopedia.faces.at_once import at_once
from encyclopedia.faces.mcp import tools
from encyclopedia.faces.mcp.opening import session_of
from encyclopedia.faces.mcp.parameters import schema
from encyclopedia.wiring import places

if TYPE_CHECKING:
    from collections.abc import Callable

    from encyclopedia.faces.mcp.session import Session

CLIENT = "llm"
"""What ``governance.toml`` calls it."""


@llm.hookimpl
def register_tools(register: Callable[[llm.Tool], None]) -> None:
    """Register ``encyclopedia_search`` and its like."""
    for name, tool in tools.served(("search", "fetch", "ask_corpus", "lookup")).items():
        register(
            llm.Tool(
                name=f"encyclopedia_{name}",
                description=tool.description,
                input_schema=schema(tool.all_parameters),
                implementation=partial(_call, name),
            )
        )


def _call(name: str, **arguments: Any) -> str:
    session = _session()

    async def call() -> str:
        try:
            sent = await tools.call(session, tools.TOOLS, name, arguments, lambda *_: None)
        finally:
            await session.aclose()
        return sent.text

    return at_once(call)


@cache
def _session() -> Session:
    """What one process of ``llm`` has seen is one connection."""
    return session_of(places.home(os.environ), CLIENT)
