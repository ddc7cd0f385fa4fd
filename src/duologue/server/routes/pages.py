"""Pages for people: the console and the docs."""

from importlib.resources import files
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from duologue.server.context import Context
from duologue.server.docs_pages import docs_routes
from duologue.server.parts import built_in_docs

PAGE_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; "
        "form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


PAGES = frozenset({"/", "/sessions", "/console", "/docs", "/docs/{page:path}"})
"""Addresses for people, which are no operations of the API."""


class ConsoleFiles(StaticFiles):
    """The console's modules and styles. Its page has an address of its own, with headers of its own."""

    def __init__(self) -> None:
        super().__init__(packages=[("duologue.server", "console")])

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Answer with a file; never with a page."""
        if path.endswith(".html"):
            raise HTTPException(404)
        response = await super().get_response(path, scope)
        response.headers.update(PAGE_HEADERS)
        return response


def routes(context: Context) -> list[BaseRoute]:
    """The pages."""
    settings = context.settings.agent
    folder = Path(settings.folder) if settings.kind == "knowledge" and settings.folder else built_in_docs()
    console = Path(str(files("duologue.server"))) / "console"

    async def talk(_: Request) -> Response:
        return FileResponse(console / "index.html", headers=PAGE_HEADERS)

    async def sessions(_: Request) -> Response:
        return FileResponse(console / "sessions.html", headers=PAGE_HEADERS)

    return [
        Route("/", talk),
        Route("/sessions", sessions),
        Mount("/console", ConsoleFiles(), name="console"),
        *docs_routes(folder),
    ]
