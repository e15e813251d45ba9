"""Clients that others publish for SearXNG, unchanged, against our service: LangChain's wrapper and an MCP server."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from tests.encyclopedia.faces.cli.command import Command
from tests.serving import Served, serving

NOTE = "# Signing keys\n\n## Rotate\n\nRotate the signing keys every quarter; tell the release manager first.\n"
QUERY = "rotate the signing keys"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    command = Command(tmp_path_factory.mktemp("served")).with_notes(keys=NOTE)
    with serving(command) as running:
        yield running


@pytest.mark.filterwarnings("ignore:.*langchain-community.*:DeprecationWarning")
def test_langchains_wrapper_asks_the_base_address(served: Served) -> None:
    from langchain_community.utilities import SearxSearchWrapper

    wrapper = SearxSearchWrapper(searx_host=served.url, k=3)
    assert "Rotate the signing keys every quarter" in wrapper.run(QUERY)
    (first, *_) = wrapper.results(QUERY, num_results=2, engines=["notes", "google"], categories=["general", "nonsense"])
    assert first["engines"] == ["notes"]
    assert first["category"] == "general"
    assert first["link"].startswith(f"{served.url}/passage?corpus=notes&path=keys.md")
    assert served.get(first["link"].removeprefix(served.url))[0] == 200
    assert wrapper.run("zzzqqq") == "No good search result found"


def text(result: Any) -> str:
    return "\n".join(part.text for part in result.content)


def server(command: str, arguments: list[str], url: str) -> StdioServerParameters:
    return StdioServerParameters(command=command, args=arguments, env={"PATH": os.environ["PATH"], "SEARXNG_URL": url})


async def test_the_node_bridge_searches_suggests_and_reads_the_instance(served: Served, tmp_path: Path) -> None:
    """It wants a newer Node than many systems have, which comes with it from the registry."""
    install = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(tmp_path), "mcp-searxng@2", "node@22"]
    subprocess.run(install, check=True, capture_output=True)
    node = tmp_path / "node_modules/node/bin/node"
    script = tmp_path / "node_modules/mcp-searxng/dist/cli.js"
    async with Client(server(str(node), [str(script)], served.url), mode="legacy") as client:
        names = {tool.name: tool for tool in (await client.list_tools()).tools}
        search = next(name for name in names if "web_search" in name)
        found = text(
            await client.call_tool(search, {"query": QUERY, "min_score": 0.5, "categories": "general", "engines": "notes"})
        )
        about = next(name for name in names if "instance_info" in name)
        told = text(await client.call_tool(about, {}))
        suggest = next(name for name in names if "suggestions" in name)
        words = text(await client.call_tool(suggest, {"query": "rotate the"}))
    assert "Rotate the signing keys every quarter" in found
    assert "/passage?corpus=notes" in found
    assert json.loads(told)["available"]
    assert "general" in json.dumps(json.loads(told)["categories"])
    assert QUERY in words


def test_searxng_itself_could_ask_us_as_an_engine(served: Served) -> None:
    """Its engine of that kind posts a form to the address of the instance and reads four lists."""
    form = [
        "-d",
        f"q={QUERY}",
        "-d",
        "pageno=1",
        "-d",
        "language=all",
        "-d",
        "time_range=",
        "-d",
        "category=general",
        "-d",
        "format=json",
    ]
    done = subprocess.run(["curl", "-sf", *form, served.url], capture_output=True, check=True)
    body = json.loads(done.stdout)
    assert all(isinstance(body[name], list) for name in ("results", "answers", "infoboxes", "suggestions"))
    assert body["results"][0]["engines"] == ["notes"]
