"""Configurations for programs that start MCP servers, ready to be pasted."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from encyclopedia.model.errors import ConfigurationError
from encyclopedia.model.nearest import nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

NAME = "encyclopedia"


class Program(NamedTuple):
    """A program: where its file is, under which keys servers stand in it, and what it wants beside command and arguments."""

    file: str
    keys: tuple[str, ...] = ("mcpServers",)
    more: tuple[tuple[str, Any], ...] = ()
    toml: bool = False


PROGRAMS = {
    "claude-desktop": Program("claude_desktop_config.json (Settings > Developer > Edit Config)"),
    "claude-code": Program(".mcp.json in the project, or: claude mcp add-json encyclopedia '…'", more=(("type", "stdio"),)),
    "cursor": Program("~/.cursor/mcp.json"),
    "vscode": Program(".vscode/mcp.json", ("servers",), (("type", "stdio"),)),
    "windsurf": Program("~/.codeium/windsurf/mcp_config.json"),
    "cline": Program("cline_mcp_settings.json (MCP Servers > Configure)", more=(("disabled", False),)),
    "zed": Program("~/.config/zed/settings.json", ("context_servers",), (("source", "custom"),)),
    "gemini-cli": Program("~/.gemini/settings.json"),
    "codex": Program("~/.codex/config.toml", ("mcp_servers",), toml=True),
}


def ready(client: str, home: str, arguments: Sequence[str] = ()) -> dict[str, Any]:
    """``file`` and ``configuration`` for a program, with absolute paths: it starts servers with another PATH and folder.

    Raises ``ConfigurationError`` for one that is not known.
    """
    if client not in PROGRAMS:
        raise ConfigurationError(f"unknown program {client!r}", nearest(client, PROGRAMS))
    program = PROGRAMS[client]
    start = [sys.executable, "-m", "encyclopedia", "mcp", "--client", client, *arguments]
    environment = {"ENCYCLOPEDIA_HOME": os.path.abspath(home), "PYTHONUTF8": "1"}
    server: dict[str, Any] = {"command": start[0], "args": start[1:], "env": environment} | dict(program.more)
    table: dict[str, Any] = {NAME: server}
    for key in reversed(program.keys):
        table = {key: table}
    return {"client": client, "file": program.file, "format": "toml" if program.toml else "json", "configuration": table}


def written(found: dict[str, Any]) -> str:
    """The configuration in the form of the program's file."""
    import json

    if found["format"] == "json":
        return json.dumps(found["configuration"], indent=2, ensure_ascii=False)
    ((key, servers),) = found["configuration"].items()
    server = servers[NAME]
    env = ", ".join(f"{name} = {json.dumps(value)}" for name, value in server["env"].items())
    lines = [f"[{key}.{NAME}]", f"command = {json.dumps(server['command'])}", f"args = {json.dumps(server['args'])}"]
    return "\n".join((*lines, f"env = {{ {env} }}"))
