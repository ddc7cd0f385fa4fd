"""Tools that are Python functions of yours."""

from duologue.adapters.tool_python.load import load_tools
from duologue.adapters.tool_python.tool import Function, PythonTool, tool

__all__ = ["Function", "PythonTool", "load_tools", "tool"]
