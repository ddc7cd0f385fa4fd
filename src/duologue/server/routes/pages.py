"""Pages for people: the console and the docs."""

from importlib.resources import files
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from duologue.model.errors import Refused
from duologue.server.context import Context
from duologue.server.docs_pages import docs_routes
from duologue.server.headers import HEADERS
from duologue.server.parts import built_in_docs
from duologue.server.routes.guard import refusal

PAGE_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; "
        "form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}

TALK_HEADERS = PAGE_HEADERS | {
    "Permissions-Policy": HEADERS["Permissions-Policy"].replace("microphone=()", "microphone=(self)")
}
"""The page that one talks on may ask for the microphone; no other may."""


PAGES = frozenset({"/", "/sessions", "/operator", "/console", "/docs", "/docs/{page:path}"})
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


class Visited:
    """Counts visits of pages by their address; one too many is refused."""

    def __init__(self, app: ASGIApp, context: Context) -> None:
        self._app, self._context = app, context

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a visit on."""
        try:
            self._context.visit(HTTPConnection(scope))
        except Refused as refused:
            await refusal(self._context, self._context.chat, refused.problem)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def routes(context: Context) -> list[BaseRoute]:
    """The pages."""
    settings = context.settings.agent
    folder = Path(settings.folder) if settings.kind == "knowledge" and settings.folder else built_in_docs()
    console = Path(str(files("duologue.server"))) / "console"

    async def talk(_: Request) -> Response:
        return FileResponse(console / "index.html", headers=TALK_HEADERS)

    async def sessions(_: Request) -> Response:
        return FileResponse(console / "sessions.html", headers=PAGE_HEADERS)

    async def operator(_: Request) -> Response:
        return FileResponse(console / "operator.html", headers=PAGE_HEADERS)

    counted = [Middleware(Visited, context=context)]
    return [
        Route("/", talk, middleware=counted),
        Route("/sessions", sessions, middleware=counted),
        Route("/operator", operator, middleware=counted),
        Mount("/console", ConsoleFiles(), name="console", middleware=counted),
        *docs_routes(folder, middleware=counted),
    ]
