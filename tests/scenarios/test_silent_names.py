"""A name server that does not answer, through the real command: it costs the sources their time and nothing else."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.encyclopedia.faces.cli.command import OFF, Command
from tests.upstream import UpstreamProcess

HANGS = 90
"""Seconds for which a look-up hangs: longer than anything here may take."""
SILENT = f"""
import socket, time
REAL = socket.getaddrinfo
def silent(host, *rest, **more):
    if str(host).endswith(".example"):
        time.sleep({HANGS})
        raise socket.gaierror(socket.EAI_AGAIN, "no answer")
    return REAL(host, *rest, **more)
socket.getaddrinfo = silent
"""
TABLE = """
[sources.{name}]
kind = "json"
serves = {{ general_search = 0.3 }}
url = "{url}/x?q={{query}}"
results = "results"
fields = {{ title = "title", url = "url", content = "content" }}
timeout = 2.0
"""
TOOL = """
[sources.tool]
kind = "mcp"
serves = { general_search = 0.3 }
url = "https://tool.example/mcp"
tool = "search"
timeout = 2.0
"""
LOST = [f"lost{number}" for number in range(12)]  # more than a loop has threads for what blocks


@pytest.mark.spec("ENC-HTTP-11", "ENC-GIT-10")
def test_a_silent_name_server_holds_up_neither_other_sources_nor_the_end(tmp_path: Path) -> None:
    command = Command(tmp_path, OFF | {"ENCYCLOPEDIA_ENABLE_MCP_GIT_INGEST": "1"})
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(SILENT)
    with UpstreamProcess() as up:
        up.on("/x", json={"results": [{"title": "found", "url": "https://e.example/", "content": "found"}]})
        places = {name: f"https://{name}.example" for name in LOST} | {"good": up.url}
        command.settings(TOOL + "".join(TABLE.format(name=name, url=url) for name, url in places.items()))
        begun = time.monotonic()
        body = command.json("search", "found", "--type", "general_search", PYTHONPATH=str(site))
        code = command.json("code", "https://forge.example/a/b", "what", "--timeout", "3", code=3, PYTHONPATH=str(site))
        took = time.monotonic() - begun
    assert {row["source"]: row["status"] for row in body["outcomes"]} == dict.fromkeys((*LOST, "tool"), "timeout") | {
        "good": "ok"
    }
    assert [row["status"] for row in code["outcomes"]] == ["timeout"]
    assert took < HANGS
