"""The tool ``ask_corpus``: a cited answer from local corpora."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from encyclopedia.faces.mcp.fit import Text
from encyclopedia.faces.mcp.parameters import Parameter
from encyclopedia.faces.mcp.remarks import picked, remarks
from encyclopedia.faces.mcp.search import SCOPE
from encyclopedia.faces.mcp.tool import Tool

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from encyclopedia.faces.mcp.tool import Call

_EACH = 8.0
"""Seconds for each of the searches that an answer needs."""
_FIELDS = (
    "status",
    "code",
    "message",
    "grounded",
    "confidence",
    "gaps",
    "divergence",
    "structural_insights",
    "degraded",
    "withheld",
)


async def ask(call: Call) -> Text:
    """The answer with its citations, in one text; the fields hold both apart if they fit."""
    wanted = {name: call[name] for name in ("corpora", "tags", "fast")}
    answer = await call.encyclopedia.ask(call["question"], **wanted, timeout=_EACH, progress=call.progress)
    body = answer.to_dict()
    call.session.shown(row.get("label", "") for row in body["citations"])
    head = picked(body, "status", "code", "grounded", "confidence", "withheld")
    text = "\n".join(_lines(body)) if not body.get("code") else str(body["message"])
    said = remarks({key: value for key, value in body.items() if key != "code"}, call.session)
    return Text(head, said, "text", text, {**picked(body, *_FIELDS), "answer": body["answer"], "citations": body["citations"]})


def _lines(body: Mapping[str, Any]) -> Iterator[str]:
    yield body["answer"]
    yield ""
    for row in body["citations"]:
        place = row["places"][0]
        lines = f" · lines {place['lines'][0]}-{place['lines'][1]}" if place.get("lines") else ""
        where = f"{row['source']}:{row['path']}{lines}" if "path" in row else row["url"]
        label = f" ({row['label']})" if row.get("label") else ""
        yield f"[{row['n']}] {row['title']} — {where}{label}"
    yield from body["structural_insights"]
    yield from (f"[{one}] and [{other}] say different things" for one, other in body["divergence"])
    gaps = f" · not covered: {', '.join(body['gaps'])}" if body["gaps"] else ""
    yield f"confidence: {body['confidence']}{gaps}"


TOOL = Tool(
    "Ask the corpora",
    "A short answer to a question from local corpora, every statement with its citation; without a model it is made of the "
    "passages' own sentences. It says what is not covered. Asks nobody on the network.",
    (
        Parameter("question", "the question, whole", needed=True),
        *SCOPE,
        Parameter("fast", "one look instead of several", False),
    ),
    ask,
)
