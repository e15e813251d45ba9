"""All tools by name, and one call of one of them from arguments to what is sent."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia.faces.mcp import ask, fetch, search, status
from encyclopedia.faces.mcp.fit import Fitted, fit
from encyclopedia.faces.mcp.on_request import TOOLS as ON_REQUEST
from encyclopedia.faces.mcp.parameters import checked
from encyclopedia.faces.mcp.remarks import hidden_corpora, picked
from encyclopedia.faces.mcp.tool import SECONDS, Call, Exact
from encyclopedia.model.errors import ConfigurationError, EncyclopediaError, InternalError, NoSourceAnswered, NothingFound
from encyclopedia.model.nearest import nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from encyclopedia.faces.mcp.session import Session
    from encyclopedia.faces.mcp.tool import Tool
    from encyclopedia.ports import Progress

TOOLS: dict[str, Tool] = {
    "search": search.TOOL,
    "fetch": fetch.TOOL,
    "ask_corpus": ask.TOOL,
    "status": status.TOOL,
    **ON_REQUEST,
}


class Sent(NamedTuple):
    """What goes to the client; an error is a text with its cause and the next step, its JSON form beside."""

    text: str
    structured: dict[str, Any]
    error: bool = False


def served(names: Iterable[str]) -> dict[str, Tool]:
    """The tools of these names in their usual order. Raises ``ConfigurationError`` with the nearest for an unknown one."""
    wanted = tuple(names)
    for name in wanted:
        if name not in TOOLS:
            raise ConfigurationError(f"there is no tool {name!r}", nearest(name, TOOLS))
    return {name: tool for name, tool in TOOLS.items() if name in wanted}


async def call(
    session: Session,
    tools: Mapping[str, Tool],
    name: str,
    arguments: Mapping[str, Any],
    progress: Progress,
    *,
    seconds: float = SECONDS,
) -> Sent:
    """Call a tool, for so many seconds at most; whatever goes wrong is an answer too."""
    try:
        if name not in tools:
            known = nearest(name, tools)
            raise ConfigurationError(  # noqa: TRY301 - one way for all errors
                f"the tool {name!r} is not served", f"the owner adds it with --tool {name}" if name in TOOLS else known
            )
        async with asyncio.timeout(seconds):
            return await _called(session, tools[name], name, arguments, progress)
    except TimeoutError:
        told = f"{name} had no answer within {seconds:g} s"
        return failed(NoSourceAnswered(told, "narrow it: fewer results, one corpus, a shorter question"))
    except ConfigurationError as error:
        return failed(error, hidden_corpora(session))
    except EncyclopediaError as error:
        return failed(error)
    except Exception as error:  # noqa: BLE001 - no detail of a defect goes to a client
        return failed(InternalError(f"something broke in encyclopedia itself ({type(error).__name__})", "ask again otherwise"))


def failed(error: EncyclopediaError, more: str = "") -> Sent:
    """An error as the model can use it: what happened, and what to do next. That nothing was found is no error."""
    kept = picked(error.to_dict(), "status", "code", "message", "hint")
    said = [_sentence(text) for text in (error.message, f"Next: {error.hint}" if error.hint else "") if text]
    return Sent(" ".join(filter(None, (*said, more))), kept, error=not isinstance(error, NothingFound))


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


async def _called(session: Session, tool: Tool, name: str, arguments: Mapping[str, Any], progress: Progress) -> Sent:
    given = checked(tool.all_parameters, arguments)
    own = {key: value for key, value in given.items() if key not in ("offset", "max_tokens")}
    question = json.dumps([name, own])
    async with session.encyclopedia() as encyclopedia:
        kept = session.remembered(question) if given.get("offset") else None
        answer = kept or await tool.work(Call(session, encyclopedia, given, progress))
    if isinstance(answer, Exact):
        return Sent(json.dumps(answer.body, ensure_ascii=False), answer.body)
    made: Fitted = fit(session.remember(question, answer), given["offset"], given["max_tokens"])
    session.shown(row.get("label", "") for row in made.rows)
    return Sent(made.text, made.structured)
