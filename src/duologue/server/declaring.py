"""What modules of tools are written with, under the names that `duologue` gives them."""

from duologue.adapters.tool_python import PythonTool, tool
from duologue.model.tools import Idempotency
from duologue.ports.tool import ToolContext, ToolFailed

__all__ = ["Idempotency", "PythonTool", "ToolContext", "ToolFailed", "tool"]
