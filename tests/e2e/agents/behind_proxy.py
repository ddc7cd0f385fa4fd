"""The whole server as it is seen through a proxy that takes a path away: it is told nothing of that path."""

from starlette.types import Receive, Scope, Send
from tests.e2e.agents.console_agent import answer

from duologue import Settings, make_app

inner = make_app(Settings(), agent=answer)


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Pass on what is below `/behind`."""
    if scope["type"] == "lifespan":
        await inner(scope, receive, send)
        return
    path: str = scope["path"]
    assert path.startswith("/behind/"), f"a page asked for {path}"
    below = path.removeprefix("/behind")
    await inner({**scope, "path": below, "raw_path": below.encode()}, receive, send)
