"""The tool ``search``: one ranked list from every source that the connection may ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.engine.telling import landing
from encyclopedia.faces.mcp.fit import Rows
from encyclopedia.faces.mcp.outline import result
from encyclopedia.faces.mcp.parameters import Parameter
from encyclopedia.faces.mcp.remarks import picked, remarks
from encyclopedia.faces.mcp.session import LOCAL, Seen
from encyclopedia.faces.mcp.tool import SECONDS, Tool
from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.label import named
from encyclopedia.model.query import QueryType

if TYPE_CHECKING:
    from encyclopedia.faces.library import Encyclopedia
    from encyclopedia.faces.mcp.session import Session
    from encyclopedia.faces.mcp.tool import Call
    from encyclopedia.faces.report import Report, Result

QUERY = Parameter("query", "what to search for, in the words that it would use itself", needed=True)
LIMIT = Parameter("limit", "results in the whole list", 10, low=1, high=100)
SCOPE = (
    Parameter("corpora", "only these local corpora, with commas between"),
    Parameter("tags", "only documents with one of these tags, with commas between"),
)
ANY = "any"
_HEAD = (
    "status",
    "code",
    "message",
    "query_type",
    "sources_used",
    "degraded",
    "cached",
    "corrections",
    "evidence_gap",
    "withheld",
)
_SHARE = 0.8
"""Of the time of a call, what the sources are given."""


async def search(call: Call) -> Rows:
    """The results, each with what it can be fetched by."""
    made = await asked(
        call,
        limit=call["limit"],
        type=None if call["type"] == ANY else call["type"],
        corpora=call["corpora"],
        tags=call["tags"],
    )
    body = made.to_dict()
    corpora = call.encyclopedia.engine.sources.corpora()
    found = [_seen(call.session, one, corpora) for one in made.results]
    call.session.keep(found)
    rows = tuple(_row(one, seen) for one, seen in zip(made.results, found, strict=True))
    head = picked(body, *_HEAD)
    return Rows(head, remarks(body, call.session), "results", rows, result)


async def asked(call: Call, sources: str = "", **options: Any) -> Report:
    """The report of a search for ``query``; of a connection that has seen too much only local sources are asked."""
    encyclopedia = call.encyclopedia
    if call.session.confined and not options.get("corpora"):
        sources = ",".join(local(encyclopedia))
        if not sources:
            raise ConfigurationError(
                f"this connection has seen what is {call.session.label}: only local sources are asked, and there are none",
                "ask in a new connection",
            )
    deadline = min(encyclopedia.engine.loaded.settings.deadline, SECONDS * _SHARE)
    query, shown = encyclopedia.query(call["query"], {"sources": sources, "timeout": deadline, **options})
    trace = encyclopedia.prepare(query)
    return await encyclopedia.answer(trace, shown, landing(call.progress, len(trace.value.asks)))


def local(encyclopedia: Encyclopedia) -> list[str]:
    """The sources that are there and ask nobody on the network."""
    engine = encyclopedia.engine
    return [name for name in (*LOCAL, *sorted(engine.sources.corpora())) if _there(engine.catalog, name)]


def _there(catalog: Any, name: str) -> bool:
    return name in catalog and not catalog[name].candidate.missing


def _seen(session: Session, one: Result, corpora: frozenset[str]) -> Seen:
    place = one.locator
    mine = place is not None and place.corpus in corpora
    id = f"{place.corpus}:{place.path}" if place and mine else one.url or f"{one.source}:{one.title}"
    metadata = {"source": one.source, "published": one.published, "version": one.version}
    label = named(one.label)
    assert label is not None  # noqa: S101 - a report knows no other
    at = (place.corpus, place.path) if place and mine else ()
    url = one.url or session.address(id, *at)
    return Seen(id, one.title, url, one.content, label, {k: v for k, v in metadata.items() if v}, bool(at))


def _row(one: Result, seen: Seen) -> dict[str, Any]:
    row: dict[str, Any] = {"rank": one.rank, "id": seen.id, "title": one.title, "url": seen.url, "source": one.source}
    row |= {"score": one.score, "text": one.content}
    if one.locator and one.locator.lines:
        row["lines"] = list(one.locator.lines)
    return (
        row
        | {name: value for name, value in (("published", one.published), ("version", one.version)) if value}
        | ({"label": one.label} if seen.label else {})
    )


TOOL = Tool(
    "Search",
    "Search installed packages' documentation, local notes and corpora, documentation services, the web and code at once: one "
    "ranked list, each result with its source, an id for `fetch`, and the passage that answers. Use it first. An outcome that "
    "failed is named. Narrow with type, corpora or tags.",
    (
        QUERY,
        LIMIT,
        Parameter(
            "type", "what kind of question it is, if that is known", ANY, values=(ANY, *(kind.value for kind in QueryType))
        ),
        *SCOPE,
    ),
    search,
    opens=True,
)
