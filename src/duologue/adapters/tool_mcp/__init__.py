"""Tools of servers that speak MCP."""

from duologue.adapters.tool_mcp.options import Listed, McpOptions, Over
from duologue.adapters.tool_mcp.source import McpSource

__all__ = ["Listed", "McpOptions", "McpSource", "Over"]
