"""A shop with an assistant inside: one Starlette application, one process, one journal.

    uvicorn --app-dir examples embed_starlette:app

Then open http://127.0.0.1:8000, which is the shop, and http://127.0.0.1:8000/assistant/, which is Duologue: every
protocol, page and address of it is below that path. What the shop asks at /ask is seen there too, as it happens.
"""

from collections.abc import AsyncGenerator

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from duologue import GhostError, Turn, mount

PRICES = {"oat milk": 2.49, "rice": 1.99, "tea": 3.20}
"""What this shop has, in euros."""


async def answer(turn: Turn) -> AsyncGenerator[str]:
    """Answer one turn of one person."""
    asked = next((name for name in PRICES if name in turn.text.lower()), None)
    yield "I only know oat milk, rice and tea." if asked is None else f"{asked.capitalize()} is "
    if asked is not None:
        yield f"{PRICES[asked]:.2f} €."


async def home(_: Request) -> Response:
    """The shop's own page."""
    return HTMLResponse(
        '<!doctype html><title>Shop</title><link rel="icon" href="assistant/console/icon.svg">'
        '<h1>Shop</h1><a href="assistant/">Ask the assistant</a>'
    )


async def ask(request: Request) -> Response:
    """Ask in process: no HTTP between the shop and its assistant, and nothing less durable."""
    session = await assistant.session("counter")
    try:
        events = session.say(request.query_params.get("about", ""))
        words = [str(event.payload["token"]) async for event in events if event.type == "turn.token"]
    except GhostError as error:
        return PlainTextResponse(error.message, status_code=400)
    return PlainTextResponse("".join(words))


app = Starlette(routes=[Route("/", home), Route("/ask", ask)])
assistant = mount(app, "/assistant", answer)
