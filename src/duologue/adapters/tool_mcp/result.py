"""What a tool of an MCP server gave. Source: MCP 2025-11-25, server tools."""

from typing import Any

from mcp.types import CallToolResult, ContentBlock, EmbeddedResource, ResourceLink, TextContent, TextResourceContents

from duologue.model import limits
from duologue.ports.tool import ToolFailed


# JSON of the tool's own design.
def read_result(result: CallToolResult) -> Any:
    """Give the structured result, else the text, else what kinds of content there are.

    Raises:
        ToolFailed: the tool says that it failed, and why.
    """
    if result.is_error:
        said = "\n".join(str(_block(block)) for block in result.content)
        raise ToolFailed(said[: limits.TOOL_FAULT_CHARS] or "the tool failed")
    if result.structured_content is not None:
        return result.structured_content
    blocks = [_block(block) for block in result.content]
    if all(isinstance(block, str) for block in blocks):
        return "\n".join(map(str, blocks))
    return blocks


def _block(block: ContentBlock) -> str | dict[str, Any]:
    """Text as it is; of pictures and sound only what they are: a result is kept in the journal."""
    match block:
        case TextContent(text=text):
            return text
        case EmbeddedResource(resource=TextResourceContents(text=text)):
            return text
        case ResourceLink(uri=uri, name=name):
            return {"type": "resource_link", "uri": str(uri), "name": name}
        case EmbeddedResource(resource=resource):
            return {"type": "resource", "uri": str(resource.uri), "left_out": True}
        case _:
            return {"type": block.type, "mimeType": block.mime_type, "left_out": True}
