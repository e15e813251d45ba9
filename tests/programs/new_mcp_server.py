"""An MCP server made with the official package."""

from mcp.server import MCPServer
from mcp.types import ToolAnnotations

server = MCPServer("new")


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def search(query: str, limit: int) -> list[dict]:
    return [{"title": f"{query} {at}", "url": f"https://example.org/{at}", "snippet": "text"} for at in range(limit)]


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def told(query: str) -> str:
    return '{"hits": [{"name": "inside"}]}'


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def fails(query: str) -> str:
    raise RuntimeError("secret inside")


if __name__ == "__main__":
    server.run()
