"""The tools that are served on request: catalogs, curated tables, graphs of books, documentation of a library, code."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from encyclopedia.faces import graph, ground, load
from encyclopedia.faces.code import DEPTHS
from encyclopedia.faces.code_place import repository
from encyclopedia.faces.mcp.fit import Rows, Text
from encyclopedia.faces.mcp.parameters import Parameter
from encyclopedia.faces.mcp.remarks import picked, remarks
from encyclopedia.faces.mcp.tool import SECONDS, Tool
from encyclopedia.faces.requests import names
from encyclopedia.model.errors import ConfigurationError
from encyclopedia.wiring.kinds import chosen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.faces.mcp.tool import Call

CORPUS = Parameter("corpus", "the corpus to ask, if there are several of its kind")
PROJECT = Parameter("project_id", "a project of the graph, to see its concepts as it joins them")
_DEADLINE = SECONDS - 5
_LISTS = {
    "list_books": ("books",),
    "match_concepts": ("matched_concepts",),
    "get_subgraph": ("edges", "nodes"),
    "ask_book": ("passages",),
}
"""What a verb of a graph gives as rows."""
_COUNTS = ("total_edges_found", "truncated", "consultation_id", "passage_count")


def _corpus(call: Call, kind: str) -> str:
    """The name of the corpus that is asked; the connection has then seen what is as sensitive as that."""
    found = chosen(call.encyclopedia.engine.loaded, kind, call["corpus"])
    call.session.shown((found.label,))
    return found.name


def _rows(call: Call, body: Mapping[str, Any], *keys: str, more: tuple[str, ...] = ()) -> Rows:
    """A body as rows: the lists under ``keys`` one after the other."""
    head = picked(body, "status", "code", "message", "corpus", *more)
    rows = tuple(picked(row, *row) for key in keys for row in body.get(key, ()))
    return Rows(head, remarks(body, call.session), keys[0], rows)


async def _load(call: Call) -> Rows:
    name = _corpus(call, load.KIND)
    body = await call.encyclopedia.load(call["topic"], corpus=name, n=call["n"], expand=call["expand"], progress=call.progress)
    keys = ("matches",) if call["topic"] else ("hubs",)
    return _rows(call, body, *keys, more=("topic", "entities", "types"))


async def _ground(call: Call) -> Rows:
    """The choices for a decision, one row for each table."""
    body = await call.encyclopedia.ground(call["query"], corpus=_corpus(call, ground.KIND))
    rows = tuple({"table": name, **picked(found, *found)} for name, found in body["selections"].items())
    head = picked(body, "status", "code", "message", "domain", "category", "rule", "confidence", "evidence_gap")
    return Rows(head, remarks(body, call.session), "selections", rows)


async def _of_graph(call: Call, verb: str) -> Rows:
    """A verb of a graph of books with the arguments that it takes."""
    name = _corpus(call, graph.KIND)
    given = {key: value for key, value in call.arguments.items() if key in graph.VERBS[verb] and value != ""}
    if "concept_ids" in given:
        given["concept_ids"] = list(names(given["concept_ids"]))
    body = await call.encyclopedia.graph(verb, corpus=name, **given)
    return _rows(call, body, *_LISTS[verb], more=_COUNTS)


async def _lookup(call: Call) -> Text:
    _open(call)
    found = await call.encyclopedia.lookup(
        call["topic"], version=call["version"], timeout=_DEADLINE, max_tokens=20_000, progress=call.progress
    )
    body = found.to_dict()
    head = picked(body, "status", "code", "message", "topic", "version", "source", "versions", "withheld")
    call.session.shown((found.label,))
    return Text(head, remarks(body, call.session), "content", found.content)


async def _code(call: Call) -> Rows:
    _open(call)
    if repository(call["repository"]).folder and not call.session.policy.local:
        raise ConfigurationError(
            "a folder of this machine is read only for clients that are declared local", "name a repository as owner/name"
        )
    wanted = {"depth": call["depth"], "limit": call["limit"], "timeout": _DEADLINE, "progress": call.progress}
    found = await call.encyclopedia.code(call["repository"], call["question"], **wanted)
    return _rows(call, found.to_dict(), "files", more=("repository", "commit", "analysis", "degraded"))


def _open(call: Call) -> None:
    """Raise ``ConfigurationError`` where the words of the connection may not leave this machine any more."""
    if call.session.confined:
        raise ConfigurationError(
            f"this connection has seen what is {call.session.label}: sources on the network are asked no more",
            "`search` and `ask_corpus` answer from what is here; or ask in a new connection",
        )


TOOLS = {
    "load": Tool(
        "Load a topic",
        "The pages of a knowledge catalog about a topic, best first, whole; without a topic its hubs.",
        (
            Parameter("topic", "a few words; empty for a summary"),
            Parameter("n", "pages at most", 5, low=1, high=50),
            Parameter("expand", "1 adds the pages that the best one links to", 0, low=0, high=1),
            CORPUS,
        ),
        _load,
    ),
    "ground": Tool(
        "Ground a decision",
        "Choices from curated tables for something that is about to be decided, each with its confidence and what it lacks.",
        (Parameter("query", "what is about to be decided", needed=True), CORPUS),
        _ground,
    ),
    "list_books": Tool(
        "List the books", "The books of a graph with their size.", (CORPUS,), partial(_of_graph, verb="list_books")
    ),
    "match_concepts": Tool(
        "Match concepts",
        "The concepts of the books that a description is about, each with an id for `get_subgraph` and `ask_book`.",
        (
            Parameter("project_description", "what it is about, in a sentence or two", needed=True),
            Parameter("limit", "concepts at most", 10, low=1, high=50),
            PROJECT,
            CORPUS,
        ),
        partial(_of_graph, verb="match_concepts"),
    ),
    "get_subgraph": Tool(
        "Get a subgraph",
        "The relations around concepts with their confidence, the surest first, and the concepts that they lead to.",
        (
            Parameter("concept_ids", "ids of `match_concepts`, with commas between", needed=True),
            Parameter("max_hops", "steps from the concepts", 2, low=1, high=3),
            Parameter("max_edges", "relations at most", 50, low=1, high=200),
            PROJECT,
            CORPUS,
        ),
        partial(_of_graph, verb="get_subgraph"),
    ),
    "ask_book": Tool(
        "Ask a book",
        "The passages of the books that answer a question, with book and place.",
        (
            Parameter("question", "the question", needed=True),
            Parameter("book_id", "only this book"),
            Parameter("concept_ids", "only passages about these concepts, with commas between"),
            Parameter("max_passages", "passages at most", 5, low=1, high=20),
            PROJECT,
            CORPUS,
        ),
        partial(_of_graph, verb="ask_book"),
    ),
    "lookup": Tool(
        "Look up",
        "The documentation of a library, API or topic: what is installed first. A version that is not there is never replaced.",
        (
            Parameter("topic", "a library, a dotted name, or a few words", needed=True),
            Parameter("version", "exactly this version"),
        ),
        _lookup,
        opens=True,
    ),
    "code": Tool(
        "Read code",
        "What stands in a repository about a question: files with lines, best first.",
        (
            Parameter("repository", "owner/name, or an address", needed=True),
            Parameter("question", "what is looked for", needed=True),
            Parameter("depth", "deep adds who calls whom", DEPTHS[0], values=DEPTHS),
            Parameter("limit", "places at most", 5, low=1, high=20),
        ),
        _code,
        opens=True,
    ),
}
