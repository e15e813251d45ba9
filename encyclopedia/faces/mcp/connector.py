"""``search`` and ``fetch`` in the exact shape that connectors of ChatGPT are written for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from encyclopedia.faces.mcp import fetch, search
from encyclopedia.faces.mcp.fit import MOST
from encyclopedia.faces.mcp.tool import Call, Exact
from encyclopedia.stages.trim import CHARACTERS_PER_TOKEN

_LIMIT = 10
_PAGE = "#offset="
"""What follows an id whose text goes on: such a connector has no other argument."""


async def _search(call: Call) -> Exact:
    wide: dict[str, Any] = {"limit": _LIMIT, "type": search.ANY, "corpora": "", "tags": ""}
    found = await search.search(replace(call, arguments={**call.arguments, **wide}))
    call.session.shown(row.get("label", "") for row in found.rows)
    return Exact({"results": [{name: row[name] for name in ("id", "title", "url")} for row in found.rows]})


async def _fetch(call: Call) -> Exact:
    id, mark, start = call["id"].rpartition(_PAGE)
    if not mark or not start.isascii() or not start.isdigit():
        id, start = call["id"], "0"
    found, _ = await fetch.whole(call.session, call.encyclopedia, id)
    call.session.shown((found.label,))
    begin = min(int(start), len(found.text))
    end = begin + MOST * CHARACTERS_PER_TOKEN
    more = {"next_id": f"{id}{_PAGE}{end}"} if end < len(found.text) else {}
    metadata = {key: str(value) for key, value in found.metadata.items()} | more
    return Exact(
        {"id": call["id"], "title": found.title, "text": found.text[begin:end], "url": found.url, "metadata": metadata}
    )


TOOLS = {
    "search": search.TOOL._replace(parameters=(search.QUERY,), work=_search, exact=True),
    "fetch": fetch.TOOL._replace(parameters=(fetch.ID,), work=_fetch, exact=True),
}
