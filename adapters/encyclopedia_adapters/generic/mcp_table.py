"""The table that describes a tool of an MCP server, read into a checked value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from encyclopedia_adapters.generic.answer import Described, described
from encyclopedia_adapters.generic.table import COMMON, Passed, TableReader, strings
from encyclopedia_adapters.generic.template import PLACEHOLDERS, placeholders

if TYPE_CHECKING:
    from collections.abc import Mapping

    from encyclopedia.model.query import Form, QueryType

OPTIONS = (*COMMON, "command", "url", "tool", "arguments", "env", "headers", "allow")


@dataclass(frozen=True, slots=True, repr=False)  # there may be keys in it
class McpTable:
    """One ``[sources.NAME]`` table of kind mcp: a server over stdio (``command``) or streamable HTTP (``url``).

    ``allow`` names the tools that may be called although their server does not say that they only read.
    """

    name: str
    serves: Mapping[QueryType, float]
    command: tuple[str, ...]
    url: str
    headers: Mapping[str, str]
    passed: Passed
    tool: str
    arguments: Mapping[str, object]
    allow: tuple[str, ...]
    timeout: float | None
    form: Form
    description: str
    answers: Described
    keys: tuple[str, ...]


def read_table(name: str, options: Mapping[str, object]) -> McpTable:
    """The checked table; ``ConfigurationError`` names the field at fault and the nearest that there is."""
    reader = TableReader(name, options)
    reader.known(options, OPTIONS, "")
    if ("command" in options) == ("url" in options):
        reader.fail("command", "or url must be there, and not both")
    command, url = ((), reader.url()) if "url" in options else (reader.command(), "")
    for field, other in (("headers", "url"), ("env", "command")):
        if field in options and other not in options:
            reader.fail(field, f"belongs to {other}")
    if any(placeholders(part) for part in (url, *command)):
        reader.fail("url" if url else "command", "must not hold the query", "its place is in arguments")
    arguments = reader.table("arguments") if "arguments" in options else {"query": "{query}"}
    asked = [word for text in strings(arguments) for word in placeholders(text)]
    reader.known(asked, PLACEHOLDERS, "arguments: {")
    if not set(asked) - {"limit"}:
        reader.fail("arguments", "hold none of {query}, {library}, {version} and {repository}, so that they would ask nothing")
    headers, passed = reader.headers(), reader.passed()
    return McpTable(
        name=name,
        serves=reader.serves(),
        command=command,
        url=url,
        headers=headers,
        passed=passed,
        tool=reader.text("tool"),
        arguments=arguments,
        allow=reader.names("allow"),
        timeout=reader.timeout(),
        form=reader.form(),
        description=reader.text("description", ""),
        answers=described(name, reader),
        keys=reader.environment((url, *command, *headers.values(), *passed.values.values(), *strings(arguments))),
    )
