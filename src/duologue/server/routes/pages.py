"""Pages for people: the console and the docs."""

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

import msgspec
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from duologue.model.errors import Refused
from duologue.server.context import Context
from duologue.server.docs_pages import docs_routes
from duologue.server.frame import CONVERSATION_STYLES, Framed, frame
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


BELOW: Final = "<!-- below the bar -->\n"
"""Stands in the file of a page between what goes into the bar and what comes below it."""

CONSOLE: Final = (
    Framed(
        name="talk",
        address="",
        title="Talk",
        about="Talk with the agent of this Duologue server.",
        skip=("#message", "Skip to the message"),
        styles=(*CONVERSATION_STYLES, "composer"),
        body="",
    ),
    Framed(
        name="sessions",
        address="sessions",
        title="Sessions",
        about="The conversations of this Duologue server: what was said, and how long it took.",
        skip=("#search", "Skip to the search"),
        styles=(*CONVERSATION_STYLES, "session-list", "recording", "player"),
        body="",
    ),
    Framed(
        name="operator",
        address="operator",
        title="Operator",
        about="Who waits for a person, and what waits for a decision, on this Duologue server.",
        skip=("#desk-title", "Skip to who waits"),
        styles=(*CONVERSATION_STYLES, "composer", "desk", "context"),
        body="",
    ),
)
"""The pages of the console; their bodies are in files of their names."""


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
    counted = [Middleware(Visited, context=context)]
    return [
        *(Route(f"/{page.address}", _shown(page), middleware=counted) for page in CONSOLE),
        Mount("/console", ConsoleFiles(), name="console", middleware=counted),
        *docs_routes(folder, middleware=counted),
    ]


def _shown(page: Framed) -> Callable[[Request], Response]:
    """Show a page of the console; a plain function, which Starlette calls in a thread: no file holds up the loop."""

    @cache
    def document() -> str:
        written = (Path(str(files("duologue.server"))) / "console" / f"{page.name}.html").read_text("utf-8")
        corner, body = written.split(BELOW)
        return frame(msgspec.structs.replace(page, corner=corner, body=body))

    def show(_: Request) -> Response:
        return HTMLResponse(document(), headers=TALK_HEADERS if page.name == "talk" else PAGE_HEADERS)

    return show
