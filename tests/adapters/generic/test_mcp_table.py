"""Tables of kind mcp, and what they cost at start."""

import subprocess
import sys
from pathlib import Path

import pytest

from encyclopedia.model.errors import ConfigurationError
from encyclopedia_adapters.generic.mcp import card
from encyclopedia_adapters.generic.mcp_table import read_table

ROOT = Path(__file__).parents[3]
SERVES = {"general_search": 0.3}
HTTP = {"serves": SERVES, "url": "https://example.org/mcp", "tool": "t"}
STDIO = {"serves": SERVES, "command": ["p"], "tool": "t"}
BAD = [
    ({"serves": SERVES, "tool": "t"}, "command or url"),
    ({**HTTP, "command": ["p"]}, "command or url"),
    ({"serves": SERVES, "url": "https://example.org/mcp"}, "tool is missing"),
    ({**HTTP, "url": "ftp://example.org"}, "http://"),
    ({**HTTP, "url": "https://me:pass@example.org/mcp"}, "credentials"),
    ({**HTTP, "url": "https://example.org/{query}"}, "must not hold the query"),
    ({**STDIO, "command": ["p", "{query}"]}, "must not hold the query"),
    ({**STDIO, "headers": {"A": "b"}}, "headers belongs to url"),
    ({**HTTP, "env": {"A": "b"}}, "env belongs to command"),
    ({**HTTP, "arguments": {"q": "fixed"}}, "would ask nothing"),
    ({**HTTP, "arguments": {"q": "{qeury}"}}, "not known"),
    ({**HTTP, "allow": "t"}, "list of strings"),
    ({**HTTP, "headers": {"A": "b\nc"}}, "header that can be sent"),
    ({**HTTP, "tols": "t"}, "tols is not known"),
    ({**HTTP, "results": "a[", "fields": {"title": "t"}}, "JMESPath"),
]


@pytest.mark.spec("ENC-MCP-9")
@pytest.mark.parametrize(("options", "fault"), BAD, ids=[fault + str(at) for at, (_, fault) in enumerate(BAD)])
def test_a_wrong_table_is_named(options, fault):
    with pytest.raises(ConfigurationError) as caught:
        card("x", options)
    assert "[sources.x]" in caught.value.message
    assert fault in caught.value.message


@pytest.mark.spec("ENC-MCP-9")
def test_without_arguments_the_question_is_the_argument_query():
    assert read_table("x", HTTP).arguments == {"query": "{query}"}
    table = read_table("x", {**HTTP, "arguments": {"a": {"b": ["{query}", "${A_KEY}"]}}, "headers": {"B": "${B_KEY}"}})
    assert set(table.keys) == {"A_KEY", "B_KEY"}


@pytest.mark.spec("ENC-MCP-1")
def test_cards_cost_no_library_at_start():
    code = (
        f"import sys; sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / 'adapters')!r}];"
        "from encyclopedia_adapters.generic import command, mcp;"
        f"mcp.card('x', {HTTP!r}); command.card('y', {{'serves': {SERVES!r}, 'command': ['p', '{{query}}']}});"
        "print([m for m in ('mcp', 'httpx2', 'anyio', 'asyncio', 'jmespath', 'pydantic') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
