"""Configurations that can be pasted: absolute paths, the form of each program, and a server that starts from them."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from encyclopedia.faces.mcp.ready import NAME, PROGRAMS, ready, written
from encyclopedia.model.errors import ConfigurationError
from tests.scenarios.test_mcp_stdio import arranged


def server_of(found: dict[str, Any]) -> dict[str, Any]:
    (servers,) = found["configuration"].values()
    return dict(servers[NAME])


@pytest.mark.spec("ENC-AGENT-10")
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_form_is_that_of_the_program_and_every_path_is_absolute(program: str, tmp_path: Path) -> None:
    found = ready(program, str(tmp_path), ["--tool", "load"])
    text = written(found)
    table = tomllib.loads(text) if found["format"] == "toml" else json.loads(text)
    (key,) = PROGRAMS[program].keys
    server = table[key][NAME]
    assert os.path.isabs(server["command"])
    assert os.path.isabs(server["env"]["ENCYCLOPEDIA_HOME"])
    assert server["args"] == ["-m", "encyclopedia", "mcp", "--client", program, "--tool", "load"]


@pytest.mark.spec("ENC-AGENT-10")
def test_an_unknown_program_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        ready("cursr", str(tmp_path))
    assert caught.value.hint == "did you mean cursor?"


@pytest.mark.spec("ENC-AGENT-10")
async def test_the_configuration_starts_a_server(tmp_path: Path) -> None:
    given = server_of(ready("vscode", str(tmp_path)))
    env = arranged(tmp_path, plugin=False) | given["env"]
    started = StdioServerParameters(command=given["command"], args=given["args"], env=env)
    async with Client(started) as client:
        told = (await client.call_tool("status", {})).structured_content
        assert (told["client"], told["local"]) == ("vscode", False)
