"""Agents elsewhere that are not there yet, go away and come back: what is told of tiers, before anybody asks them."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, asynccontextmanager

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from tests.counterparts.chat_completions import scripted
from tests.counterparts.serve import served
from tests.e2e.harness import free_port

from duologue.adapters.agent_agui import AguiAgent, AguiOptions
from duologue.adapters.agent_llm import Endpoint, LlmAgent, LlmOptions
from duologue.engine.standing import Thresholds
from duologue.model.commands import Join
from duologue.model.condition import Readings
from duologue.model.content import Tier
from duologue.ports.agent import Agent
from duologue.protocols.ghost import GhostDialect
from duologue.runtime.agents import Beside
from duologue.runtime.clock import SystemClock
from duologue.runtime.condition import ConditionWatch
from duologue.runtime.hub import Hub
from duologue.runtime.loading import Loading
from duologue.testing.memory_store import MemoryStore
from duologue.testing.scripted_agent import ScriptedAgent
from duologue.testing.scripted_sensors import ScriptedSensors

pytestmark = pytest.mark.anyio

BOTH: tuple[Tier, ...] = ("reflex", "workhorse")


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask every few ms."""
    for name, ms in (("TIER_PROBE_RETRY_MS", 5), ("TIER_REST_MS", 20), ("TIER_PROBE_EVERY_MS", 20)):
        monkeypatch.setattr(f"duologue.model.limits.{name}", ms)


def llm(address: str, *, fallback: str = "") -> LlmAgent:
    second = Endpoint(model="m", base_url=fallback) if fallback else None
    return LlmAgent(LlmOptions(endpoint=Endpoint(model="m", base_url=address), fallback=second))


@asynccontextmanager
async def watched(workhorse: Agent) -> AsyncGenerator[Hub]:
    """A hub with a reflex in this process, and a workhorse elsewhere."""
    hub = Hub(
        store=MemoryStore(),
        agent=workhorse,
        clock=SystemClock(),
        log=_quiet,
        others=(Beside(name="Quick", agent=ScriptedAgent(["Quick."]), tier="reflex"),),
    )
    loading = Loading({tier: hub.agents.find(tier=tier) for tier in hub.agents.tiers}, log=_quiet)
    hub.counting.loading = loading
    watch = ConditionWatch(
        ScriptedSensors(Readings()),
        loading=loading,
        thresholds=Thresholds(settle_ms=0),
        every_ms=60_000,
        condition=hub.condition,
        changed=hub.condition_changed,
        log=_quiet,
    )
    hub.accompany(watch)
    async with hub:
        yield hub


async def until(done: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not done():
            await asyncio.sleep(0.005)


async def ready(hub: Hub, session_id: str) -> list[str]:
    """What `agent.ready` says to Ghost in a new session."""
    session = await hub.join(Join(session_id=session_id), subject="ada")
    dialect = GhostDialect()
    frames = [dialect.project(event) for event in session.tail.after(0, limit=10) or ()]
    made = [json.loads(frame) for frame in frames if frame is not None]
    return next(one["payload"]["models_loaded"] for one in made if one["type"] == "agent.ready")


async def test_a_model_that_starts_late_dies_and_comes_back_is_told_as_it_is() -> None:
    port = free_port()
    async with watched(llm(f"http://127.0.0.1:{port}/v1")) as hub:
        await until(lambda: hub.condition.tiers == ("reflex",))
        assert hub.condition.standing.reason == "model_unloaded"
        assert await ready(hub, "early") == ["reflex"]
        for again in ("late", "back"):
            async with scripted([], port=port) as server:
                await until(lambda: hub.condition.tiers == BOTH)
                assert await ready(hub, again) == ["reflex", "workhorse"]
                assert not server.bodies, "no run was needed to know it"
            await until(lambda: hub.condition.tiers == ("reflex",))


async def test_a_server_that_still_loads_its_model_is_not_there_yet() -> None:
    async with scripted([]) as server:
        server.models = 503
        async with watched(llm(server.address)) as hub:
            await until(lambda: hub.condition.tiers == ("reflex",))
            server.models = 200
            await until(lambda: hub.condition.tiers == BOTH)


async def test_one_question_without_an_answer_says_nothing_of_a_model_that_was_there() -> None:
    async with scripted([]) as server, watched(llm(server.address)) as hub:
        seen: list[tuple[Tier, ...]] = []
        await until(lambda: server.asked > 1)
        server.models = 503
        asked = server.asked
        await until(lambda: server.asked > asked)
        server.models = 200
        asked = server.asked
        while server.asked < asked + 3:
            seen.append(hub.condition.tiers)
            await asyncio.sleep(0.002)
        assert set(seen) == {BOTH}


async def test_a_second_model_that_is_there_is_enough() -> None:
    nowhere = f"http://127.0.0.1:{free_port()}/v1"
    async with scripted([]) as server:
        async with aclosing(llm(nowhere, fallback=server.address)) as agent:
            await agent.reach()
        async with aclosing(llm(nowhere)) as agent:
            with pytest.raises(Exception, match="the connection to the model failed"):
                await agent.reach()


@pytest.mark.parametrize("status", [401, 404, 429, 500, 501])
async def test_a_model_s_server_that_gives_no_list_may_answer_runs(status: int) -> None:
    async with scripted([]) as server, aclosing(llm(server.address)) as agent:
        server.models = status
        await agent.reach()


@pytest.mark.parametrize("status", [502, 503, 504])
async def test_but_for_one_that_is_not_there_or_still_loads(status: int) -> None:
    async with scripted([]) as server, aclosing(llm(server.address)) as agent:
        server.models = status
        with pytest.raises(Exception, match=f"HTTP {status}"):
            await agent.reach()


async def test_a_real_model_is_there(llama: str) -> None:
    async with aclosing(llm(f"{llama}/v1")) as agent:
        await agent.reach()


@pytest.mark.parametrize("status", [200, 204, 401, 404, 405, 500])
async def test_whatever_an_agent_elsewhere_answers_shows_that_it_is_there(status: int) -> None:
    async with agui_server(status) as url, aclosing(AguiAgent(AguiOptions(url=url))) as agent:
        await agent.reach()


@pytest.mark.parametrize("status", [502, 503, 504])
async def test_but_for_a_gateway_that_finds_nobody(status: int) -> None:
    async with agui_server(status) as url, aclosing(AguiAgent(AguiOptions(url=url))) as agent:
        with pytest.raises(Exception, match=f"HTTP {status}"):
            await agent.reach()


async def test_an_agent_elsewhere_that_comes_later_is_told_as_it_is() -> None:
    port = free_port()
    async with watched(AguiAgent(AguiOptions(url=f"http://127.0.0.1:{port}/agui"))) as hub:
        await until(lambda: hub.condition.tiers == ("reflex",))
        async with agui_server(405, port=port):
            await until(lambda: hub.condition.tiers == BOTH)


@asynccontextmanager
async def agui_server(status: int, *, port: int = 0) -> AsyncGenerator[str]:
    """An address that answers every question but a run with a status."""

    async def answer(request: Request) -> Response:
        assert request.method == "OPTIONS"
        return Response(status_code=status)

    app = Starlette(routes=[Route("/agui", answer, methods=["OPTIONS"])])
    async with served(app, port=port) as address:
        yield f"{address}/agui"


def _quiet(event: str, **fields: object) -> None:
    del event, fields
