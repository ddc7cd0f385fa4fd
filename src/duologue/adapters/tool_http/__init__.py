"""Tools that are HTTP endpoints."""

from duologue.adapters.tool_http.endpoint import Endpoint
from duologue.adapters.tool_http.shared import SharedClient
from duologue.adapters.tool_http.tool import HttpTool

__all__ = ["Endpoint", "HttpTool", "SharedClient"]
