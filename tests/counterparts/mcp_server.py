"""A real MCP server, on the official SDK: over stdio, or over streamable HTTP where a port is given."""

import os
import sys
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

server = MCPServer("shop")
calls: list[str] = []


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def stock(item: str) -> dict[str, int]:
    """How much of an item is left.

    Args:
        item: its name.
    """
    calls.append(item)
    return {"left": len(item)}


@server.tool(annotations=ToolAnnotations(destructive_hint=False))
def note(text: str) -> str:
    """Write something down."""
    calls.append(text)
    return f"noted: {text}"


@server.tool()
def empty(shelf: int) -> str:
    """Throw away all of a shelf."""
    if shelf > 9:
        raise ToolError("there are nine shelves")
    return f"shelf {shelf} is empty"


@server.tool(name="made.calls")
def made_calls() -> list[str]:
    """What this server was called for."""
    return calls


@server.tool()
def die() -> str:
    """End this server in the middle of a call."""
    os._exit(1)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        given: dict[str, Any] = {"host": "127.0.0.1", "port": int(sys.argv[1])}
        server.run("streamable-http", **given)
    else:
        server.run("stdio")
