"""An agent of Pydantic AI, served over AG-UI, for Duologue to answer with.

    pip install "pydantic-ai-slim[ag-ui,openai]" uvicorn
    python examples/agui_pydantic_ai.py

and in another terminal:

    DUOLOGUE_AGENT__KIND=agui DUOLOGUE_AGUI__URL=http://127.0.0.1:8001/ duologue chat

It needs no key: by itself it only calls its tools and shows what they return. MODEL=openai:gpt-5-mini, with
OPENAI_API_KEY, makes it talk.
"""

import os
import sys

import uvicorn
from pydantic_ai import Agent
from pydantic_ai.ui.ag_ui import AGUIAdapter
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

PRICES = {"tea": 3.20, "rice": 1.99}

agent = Agent(os.environ.get("MODEL", "test"), instructions="You help customers of a small shop. Be brief.")


@agent.tool_plain
def price_list() -> dict[str, float]:
    """Say what everything costs, in euros."""
    return PRICES


async def run(request: Request) -> Response:
    return await AGUIAdapter.dispatch_request(request, agent=agent, include_usage=True)


app = Starlette(routes=[Route("/", run, methods=["POST"])])

if __name__ == "__main__":
    uvicorn.run(app, port=int(sys.argv[1]) if len(sys.argv) > 1 else 8001, log_level="warning")
