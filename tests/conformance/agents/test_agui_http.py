"""The AG-UI agent against servers that answer with something else than a stream of events."""

import asyncio
from contextlib import aclosing

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from tests.conformance.agents.test_agui_plain import Shelf, request
from tests.counterparts.serve import served

from duologue.adapters.agent_agui import AguiAgent, AguiOptions
from duologue.model.agent import Failure

pytestmark = pytest.mark.anyio


async def answered(response: Response) -> Failure:
    """What comes of a server that answers so."""

    async def run(_: Request) -> Response:
        return response

    app = Starlette(routes=[Route("/", run, methods=["POST"])])
    async with asyncio.timeout(30), served(app) as address:
        options = AguiOptions(url=f"{address}/", headers=(("Authorization", "Bearer hunter2"),))
        async with aclosing(AguiAgent(options)) as agent:
            (failure,) = [item async for item in agent.run(request(), Shelf())]
    assert isinstance(failure, Failure)
    assert "hunter2" not in f"{failure} {options} {agent!r}"
    return failure


@pytest.mark.parametrize(
    ("status", "message", "retryable"),
    [
        (302, "the agent sends us elsewhere, where we do not follow (HTTP 302)", False),
        (400, "the agent refused the request (HTTP 400)", False),
        (401, "the agent does not accept our credentials (HTTP 401)", False),
        (403, "the agent does not accept our credentials (HTTP 403)", False),
        (404, "there is no agent at the address (HTTP 404)", False),
        (422, "the agent refused the request (HTTP 422)", False),
        (429, "the agent is asked too often at present (HTTP 429)", True),
        (500, "the agent failed (HTTP 500)", True),
        (503, "the agent failed (HTTP 503)", True),
    ],
)
async def test_another_status_is_told(status: int, message: str, retryable: bool) -> None:
    headers = {"location": "/elsewhere"} if status == 302 else None
    failure = await answered(Response("secret", status_code=status, headers=headers))
    assert failure == Failure(message=message, retryable=retryable)


@pytest.mark.parametrize(
    ("kind", "shown"), [("text/html", "text/html"), ("application/json; charset=utf-8", "application/json"), ("", "…")]
)
async def test_another_kind_of_content_is_told(kind: str, shown: str) -> None:
    response = Response(b"data: {}\n\n", headers={"content-type": kind})
    assert await answered(response) == Failure(
        message=f"the agent broke the AG-UI protocol: it answered with {shown} and not with text/event-stream",
        retryable=False,
    )
