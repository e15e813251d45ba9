"""The inspector that the protocol's makers publish asks `encyclopedia mcp`, over stdio and over HTTP.

It ends with 0 whatever a tool says, so that only its JSON tells.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.scenarios.test_mcp_http import serving
from tests.scenarios.test_mcp_stdio import arranged

PACKAGE = "@modelcontextprotocol/inspector@0.22"
"""The last that runs on Node 20."""


@pytest.fixture(scope="module")
def inspector(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("inspector")
    npm = shutil.which("npm")
    assert npm, "npm is not installed"
    install = [npm, "install", "--silent", "--no-fund", "--no-audit", "--prefix", str(folder), PACKAGE]
    subprocess.run(install, check=True, capture_output=True)
    return str(folder / "node_modules" / ".bin" / "mcp-inspector")


def asked(inspector: str, env: dict[str, str], server: list[str], *arguments: str) -> dict[str, Any]:
    given = [word for name, value in env.items() for word in ("-e", f"{name}={value}")]
    done = subprocess.run(
        [inspector, "--cli", *given, *server, *arguments],
        env={"PATH": os.environ["PATH"], "HOME": env["HOME"]},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.stdout, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def check(inspector: str, env: dict[str, str], server: list[str]) -> None:
    """Every list, a result, a document, an error, and what is withheld."""
    tools = asked(inspector, env, server, "--method", "tools/list")["tools"]
    assert [tool["name"] for tool in tools] == ["search", "fetch", "ask_corpus", "status"]
    assert all(len(tool["annotations"]) == 5 for tool in tools)
    call = ["--method", "tools/call", "--tool-name"]
    found = asked(inspector, env, server, *call, "search", "--tool-arg", "query=penguins", "--tool-arg", "corpora=notes")
    assert not found.get("isError")
    assert "Penguins eat fish in the morning." in found["content"][0]["text"]
    assert found["structuredContent"]["withheld"] == 1
    assert "birthday" not in json.dumps(found)
    fetched = asked(inspector, env, server, *call, "fetch", "--tool-arg", "id=notes:feeding.md")
    assert fetched["structuredContent"]["title"] == "Feeding"
    wrong = asked(inspector, env, server, *call, "search", "--tool-arg", "qery=penguins")
    assert wrong["isError"] is True
    assert "did you mean query?" in wrong["content"][0]["text"]
    (template,) = asked(inspector, env, server, "--method", "resources/templates/list")["resourceTemplates"]
    assert template["name"] == "document"
    read = asked(inspector, env, server, "--method", "resources/read", "--uri", "encyclopedia://document/notes:feeding.md")
    assert "Penguins eat fish" in read["contents"][0]["text"]
    (prompt,) = asked(inspector, env, server, "--method", "prompts/list")["prompts"]
    assert prompt["name"] == "research"


def test_the_inspector_asks_over_stdio(inspector: str, tmp_path: Path) -> None:
    check(inspector, arranged(tmp_path), [sys.executable, "-m", "encyclopedia", "mcp"])


def test_the_inspector_asks_over_http(inspector: str, tmp_path: Path) -> None:
    env = arranged(tmp_path, plugin=False)
    with serving(env) as (port, _):
        check(inspector, env, [f"http://127.0.0.1:{port}/mcp", "--transport", "http"])
