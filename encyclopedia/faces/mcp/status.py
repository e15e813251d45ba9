"""The tool ``status``: what there is to ask, how it stands, and what this connection may see."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from encyclopedia.faces.cli.sources import source_rows, standing
from encyclopedia.faces.mcp.fit import Rows
from encyclopedia.faces.mcp.remarks import hidden_corpora
from encyclopedia.faces.mcp.tool import Tool
from encyclopedia.wiring.agent import VERSION

if TYPE_CHECKING:
    from encyclopedia.faces.mcp.tool import Call
    from encyclopedia.wiring.build import Engine


async def status(call: Call) -> Rows:
    """The sources, those that can be asked first; asks none of them."""
    engine, policy = call.encyclopedia.engine, call.session.policy
    rows, hidden = await asyncio.to_thread(_rows, engine), call.session.hidden
    head: dict[str, Any] = {"status": "success", "version": VERSION, "client": policy.client, "local": policy.local}
    head |= {"sees": str(policy.label), "connection_label": str(call.session.label)}
    head |= {"withheld_corpora": hidden} if hidden else {}
    who = f"{policy.client}{'' if policy.declared else ' (not declared)'}, sees up to {policy.label}"
    said = [f"encyclopedia {VERSION}; client {who}; this connection has seen what is {call.session.label}"]
    if hidden:
        said.append(hidden_corpora(call.session))
    return Rows(head, tuple(said), "sources", rows)


def _rows(engine: Engine) -> tuple[dict[str, Any], ...]:
    corpora = engine.sources.corpora()
    found = sorted(source_rows(engine), key=lambda row: (bool(row["reason"]), row["source"] not in corpora, row["source"]))
    return tuple(_row(row, corpus=row["source"] in corpora) for row in found)


def _row(row: dict[str, Any], *, corpus: bool) -> dict[str, Any]:
    made = {"source": row["source"], "kind": "corpus" if corpus else "source", "standing": standing(row)}
    return made | ({"state": row["state"]} if row["state"] else {}) | ({"hint": row["hint"]} if row["hint"] else {})


TOOL = Tool(
    "Status",
    "Every source and local corpus with its state, and what this connection may see. Asks nobody.",
    (),
    status,
)
