"""The MCP face: what an agent is shown, within a budget, under the rules of the owner."""
