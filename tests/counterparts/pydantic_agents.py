"""Agents of Pydantic AI behind its own AG-UI adapter. Their models are functions, and all else is real."""

from collections.abc import AsyncIterator
from typing import Any

from pydantic_ai import Agent, DeferredToolRequests
from pydantic_ai.messages import ModelMessage, ModelRequest, ToolReturnPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel
from pydantic_ai.ui.ag_ui import AGUIAdapter
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route


def said(messages: list[ModelMessage]) -> list[str]:
    """What the person wrote, oldest first."""
    parts = [part for message in messages if isinstance(message, ModelRequest) for part in message.parts]
    return [str(part.content) for part in parts if isinstance(part, UserPromptPart)]


def returned(messages: list[ModelMessage]) -> str | None:
    """What a tool returned last, if nothing came after it."""
    parts = messages[-1].parts
    return next((str(part.content) for part in parts if isinstance(part, ToolReturnPart)), None)


async def echo(messages: list[ModelMessage], _: AgentInfo) -> AsyncIterator[str]:
    """Says what the person wrote, in two pieces, with how many messages of theirs there were."""
    yield f"{len(said(messages))}: "
    yield said(messages)[-1]


async def asks_a_tool(messages: list[ModelMessage], _: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
    """Says something, calls the tool that the person named, and says what it returned."""
    if (result := returned(messages)) is not None:
        yield f"It says: {result}"
        return
    yield "Let me look. "
    yield {0: DeltaToolCall(name=said(messages)[-1], json_args='{"shelf": 4}', tool_call_id=f"call-{len(messages)}")}


async def breaks(_: list[ModelMessage], __: AgentInfo) -> AsyncIterator[str]:
    """Says something and fails."""
    yield "So far"
    raise RuntimeError("secret detail of the agent")


def application() -> Starlette:
    """All of them, each at its own path."""
    shop = Agent(FunctionModel(stream_function=asks_a_tool), output_type=[str, DeferredToolRequests])

    @shop.tool_plain
    def stock(shelf: int) -> dict[str, int]:
        """Say how much there is."""
        return {"shelf": shelf, "left": 3}

    @shop.tool_plain(requires_approval=True)
    def order(shelf: int) -> str:
        """Order more."""
        return f"ordered for shelf {shelf}"

    del stock, order
    agents: dict[str, Agent[None, Any]] = {
        "echo": Agent(FunctionModel(stream_function=echo)),
        "shop": shop,
        "breaks": Agent(FunctionModel(stream_function=breaks)),
    }

    async def run(request: Request) -> Response:
        agent = agents[request.path_params["name"]]
        return await AGUIAdapter[None, Any].dispatch_request(request, agent=agent, include_usage=True)

    return Starlette(routes=[Route("/{name}", run, methods=["POST"])])
