"""An assistant inside a FastAPI application, which knows its people and says who may talk.

    pip install fastapi
    uvicorn --app-dir examples embed_fastapi:app

    curl -X POST http://127.0.0.1:8000/login -H 'Content-Type: application/json' -d '{"name": "ada"}'
    curl http://127.0.0.1:8000/assistant/chat/stream -H "Authorization: Bearer $TOKEN" \
        -H 'Content-Type: application/json' -d '{"sessionId": "mine", "requestId": "1", "text": "hello"}'

The agent uses what the application opens in its lifespan: it is open before the first answer, and until after the last.
"""

import os
import secrets
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI
from pydantic import BaseModel

from duologue import Turn, load_settings, mount


class Login(BaseModel):
    """Who comes. A real application asks for more than a name."""

    name: str


class Token(BaseModel):
    """What a page or an app talks with."""

    token: str


greetings: dict[str, str] = {}
"""Stands for a database: filled by the lifespan."""


@asynccontextmanager
async def lifespan(_: FastAPI) -> AsyncGenerator[None]:
    """Open what the application needs."""
    greetings["en"] = "Good day"
    yield
    greetings.clear()


async def answer(turn: Turn) -> AsyncGenerator[str]:
    """Answer one turn of one person."""
    yield f"{greetings['en']}, {turn.subject}. "
    yield f"You said: {turn.text}"


app = FastAPI(lifespan=lifespan)

# One from the environment lets tokens outlive a restart. Duologue's own variables and duologue.toml count as well.
SECRET = os.environ.get("SHOP_SECRET") or secrets.token_urlsafe(32)
assistant = mount(
    app, "/assistant", answer, settings=load_settings(os.environ, Path.cwd(), flags={"auth.secret": SECRET})
)


@app.post("/login")
def login(login: Login) -> Token:
    """Give a person their token."""
    return Token(token=assistant.token(login.name))
