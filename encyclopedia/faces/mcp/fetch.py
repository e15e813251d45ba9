"""The tool ``fetch``: the whole text of what a search found, page by page."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from encyclopedia.faces.document import document
from encyclopedia.faces.mcp.fit import Text
from encyclopedia.faces.mcp.parameters import Parameter
from encyclopedia.faces.mcp.session import SCHEME, Seen
from encyclopedia.faces.mcp.tool import Tool
from encyclopedia.model.errors import ConfigurationError, NothingFound

if TYPE_CHECKING:
    from encyclopedia.faces.library import Encyclopedia
    from encyclopedia.faces.mcp.session import Session
    from encyclopedia.faces.mcp.tool import Call

ID = Parameter("id", "the id of a result of `search`, or the address of a document", needed=True)


async def fetch(call: Call) -> Text:
    """The document or result of that id. Raises ``NothingFound``."""
    found, withheld = await whole(call.session, call.encyclopedia, call["id"])
    call.session.shown((found.label,))
    told = f"Withheld: {withheld} passage{'' if withheld == 1 else 's'} above what this client may see."
    head: dict[str, Any] = {"id": found.id, "title": found.title, "url": found.url, "metadata": dict(found.metadata)}
    head |= {"label": str(found.label)} if found.label else {}
    head |= {"withheld": withheld} if withheld else {}
    return Text(head, (f"{found.title} — {found.url}", *((told,) if withheld else ())), "text", found.text)


async def whole(session: Session, encyclopedia: Encyclopedia, id: str) -> tuple[Seen, int]:
    """What the id names: a document as its file stands now, else a result as it was shown; and the passages left out of it.

    Nothing is asked over the network: only what a search has found can be fetched. Raises ``NothingFound``.
    """
    name = unquote(id.removeprefix(SCHEME)) if id.startswith(SCHEME) else id
    kept = session.kept(name)
    corpus, _, path = name.partition(":")
    if corpus in encyclopedia.engine.sources.corpora() and path:
        try:
            return await _document(session, encyclopedia, corpus, path)
        except ConfigurationError:
            if kept is None:
                raise
        except NothingFound:
            if kept is None or kept.document:
                raise
    if kept is None:
        raise NothingFound(f"nothing that was shown has the id {name[:200]!r}", "`search` first, and fetch one of its ids")
    return kept, 0


async def _document(session: Session, encyclopedia: Encyclopedia, corpus: str, path: str) -> tuple[Seen, int]:
    found = await asyncio.to_thread(document, encyclopedia.engine, corpus, path)
    id = f"{corpus}:{path}"
    url = found.url or session.address(id, corpus, path)
    if not found.text:
        raise NothingFound(f"{id} is withheld: all of it is above what this client may see", "its owner can read it")
    return Seen(id, found.title, url, found.text, found.label, {"corpus": corpus, "path": path}), found.withheld


TOOL = Tool(
    "Fetch",
    "The whole text behind an id of `search`: a local document as it is now, or a result as its source gave it, page by page. "
    "Reads nothing that a search has not found.",
    (ID,),
    fetch,
)
