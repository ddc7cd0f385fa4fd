"""Tools of the registry under a hub, in virtual time: runs that wait for them, approvals, and restarts."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any

from duologue.adapters.agent_python import PythonAgent
from duologue.adapters.agent_python.turn import Turn
from duologue.model.agent import Observe, ToolRequested
from duologue.model.commands import Join
from duologue.model.events import AnyEvent, ToolMoved, ToolReturned, TurnEnded, TurnResumed
from duologue.model.inputs import ApprovalDecided, CancelRequested, CapabilitiesDeclared, UserTurn
from duologue.model.records import decode_records
from duologue.model.tools import ToolSpec
from duologue.ports.agent import Agent
from duologue.ports.tool import ToolContext
from duologue.runtime.hub import Hub
from duologue.runtime.hub_settings import HubSettings
from duologue.runtime.session import LiveSession
from duologue.runtime.tools.toolbox import Toolbox
from duologue.testing.memory_store import MemoryStore
from duologue.testing.scripted_agent import ScriptedAgent
from duologue.testing.virtual_time import VirtualClock, VirtualLoop

START_MS = 1_800_000_000_000


class Counted:
    """A tool that counts how often it was carried out, and takes its time."""

    def __init__(self, spec: ToolSpec, *, takes_ms: int = 50) -> None:
        self.spec = spec
        self.takes_ms = takes_ms
        self.given: list[dict[str, Any]] = []

    # JSON of the tool's own design.
    async def call(self, arguments: dict[str, Any], context: ToolContext) -> Any:  # noqa: ARG002
        self.given.append(arguments)
        await asyncio.sleep(self.takes_ms / 1000)
        return {"n": len(self.given)}


class Stage:
    """A store and tools that outlive a server."""

    def __init__(self, loop: VirtualLoop, agent: Agent) -> None:
        self.store, self.clock = MemoryStore(), VirtualClock(loop, start_ms=START_MS)
        self.agent = agent
        self.look = Counted(ToolSpec(name="look", kind="python", side_effect="read"))
        self.refund = Counted(ToolSpec(name="refund", kind="python", policy="user_confirm"))
        self.close = Counted(ToolSpec(name="close", kind="python", policy="supervisor_approve"))

    def hub(self) -> Hub:
        toolbox = Toolbox((self.look, self.refund, self.close))
        settings = HubSettings(drain_ms=0, idle_unload_ms=1_000)
        return Hub(
            store=self.store,
            agent=self.agent,
            clock=self.clock,
            log=quiet,
            settings=settings,
            toolbox=toolbox,
        )

    async def events(self) -> list[AnyEvent]:
        """All that is stored."""
        lines = await self.store.read("s", after=0, limit=10_000)
        return [event for record in decode_records(lines) for event in record.events]


def quiet(event: str, **fields: object) -> None:
    """Log nothing."""
    del event, fields


async def joined(hub: Hub) -> LiveSession:
    return await hub.join(Join(session_id="s"), subject="ada")


def played(agent: Agent, scene: Callable[[Stage], Awaitable[None]]) -> None:
    loop = VirtualLoop()
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(_played(Stage(loop, agent), scene))


async def _played(stage: Stage, scene: Callable[[Stage], Awaitable[None]]) -> None:
    await stage.store.open()
    await scene(stage)


def answer_of(events: list[AnyEvent]) -> list[str]:
    return [event.answer for event in events if isinstance(event, TurnEnded)]


def approval_of(events: list[AnyEvent]) -> str:
    return [event.approval.approval_id for event in events if isinstance(event, ToolMoved) and event.approval][-1]


async def looking(turn: Turn) -> AsyncGenerator[str, None]:
    yield "One moment. "
    found = await turn.call("look", {"q": turn.text})
    yield f"Found {found.content}. "
    unknown = await turn.call("nothing")
    yield f"{unknown.status}: {unknown.content}"


def test_a_function_waits_for_its_tools_within_its_run() -> None:
    async def scene(stage: Stage) -> None:
        async with stage.hub() as hub:
            session = await joined(hub)
            await session.submit(UserTurn(text="it"))
            await asyncio.sleep(1)
            assert answer_of(await stage.events()) == [
                "One moment. Found {\"n\":1}. failed: unknown tool: nobody has a tool 'nothing'"
            ]
            assert stage.look.given == [{"q": "it"}]

    played(PythonAgent(looking), scene)


RUNS: list[str] = []


async def refunding(turn: Turn) -> AsyncGenerator[str, None]:
    RUNS.append(turn.resumed)
    yield "Let me look. "
    await turn.call("look", {"q": 1})
    yield "I would refund it. "
    done = await turn.call("refund", {"amount": 40})
    yield f"{done.status}."


def test_a_function_that_needs_an_approval_runs_again_and_says_nothing_twice() -> None:
    async def scene(stage: Stage) -> None:
        RUNS.clear()
        async with stage.hub() as hub:
            session = await joined(hub)
            await session.submit(UserTurn(text="refund it"))
            await asyncio.sleep(1)
            assert answer_of(await stage.events()) == ["Let me look. I would refund it. "]
            assert not stage.refund.given and not len(hub.runs)
            await session.submit(UserTurn(text="yes"))
            await asyncio.sleep(1)
            assert answer_of(await stage.events())[-1] == "completed."
            assert (stage.look.given, stage.refund.given) == ([{"q": 1}], [{"amount": 40}])
            assert RUNS == ["", "approval"]

    played(PythonAgent(refunding), scene)


def test_a_pending_approval_survives_a_restart_and_is_decided_by_another_server() -> None:
    async def scene(stage: Stage) -> None:
        async with stage.hub() as hub:
            session = await joined(hub)
            await session.submit(UserTurn(text="refund it"))
            await asyncio.sleep(10)
            assert len(hub.sessions), "it is not unloaded while somebody is to decide"
        await stage.store.open()
        assert await stage.store.interrupted() == ["s"]
        async with stage.hub() as hub:
            await asyncio.sleep(1)
            session = await joined(hub)
            made = ApprovalDecided(
                approval_id=approval_of(await stage.events()), decision="approve", by="ada", via="user"
            )
            await session.submit(made)
            await asyncio.sleep(1)
            assert answer_of(await stage.events())[-1] == "completed."
            assert len(stage.refund.given) == 1
        await stage.store.open()
        assert await stage.store.interrupted() == []

    played(PythonAgent(refunding), scene)


def test_an_approval_expires_on_a_server_that_nobody_has_asked_for_the_session() -> None:
    async def scene(stage: Stage) -> None:
        async with stage.hub() as hub:
            session = await joined(hub)
            await session.submit(UserTurn(text="refund it"))
            await asyncio.sleep(1)
        async with stage.hub():
            await asyncio.sleep(901)
            assert [one.cause for one in await stage.events() if isinstance(one, TurnResumed)] == ["expired"]
            assert answer_of(await stage.events())[-1] == "timed_out."
        assert not stage.refund.given

    played(PythonAgent(refunding), scene)


def test_a_read_that_a_stop_cut_is_made_again_and_a_write_is_not() -> None:
    async def scene(stage: Stage) -> None:
        stage.look.takes_ms = stage.refund.takes_ms = 5_000
        async with stage.hub() as hub:
            session = await joined(hub)
            await session.submit(UserTurn(text="refund it"))
            await asyncio.sleep(1)
        stage.look.takes_ms = 50
        async with stage.hub() as hub:
            await asyncio.sleep(1)
            assert len(stage.look.given) == 2
            session = await joined(hub)
            await session.submit(UserTurn(text="yes"))
            await asyncio.sleep(1)
            assert len(stage.refund.given) == 1
        async with stage.hub():
            await asyncio.sleep(20)
            [returned] = [one for one in await stage.events() if isinstance(one, ToolReturned) and one.name == "refund"]
            assert (returned.status, returned.error_code) == ("failed", "outcome_unknown")
            assert answer_of(await stage.events())[-1] == "failed."
        assert len(stage.refund.given) == 1

    played(PythonAgent(refunding), scene)


def test_a_stopped_answer_lets_its_tool_finish_and_records_it() -> None:
    async def scene(stage: Stage) -> None:
        stage.look.takes_ms = 5_000
        async with stage.hub() as hub:
            session = await joined(hub)
            await session.submit(UserTurn(text="it"))
            await asyncio.sleep(1)
            await session.submit(CancelRequested())
            await asyncio.sleep(10)
            [returned] = [one for one in await stage.events() if isinstance(one, ToolReturned)]
            assert returned.status == "completed" and not session.state.tools.calls
            assert len(stage.look.given) == 1 and not len(hub.runs)

    played(PythonAgent(looking), scene)


async def closing(turn: Turn) -> AsyncGenerator[str, None]:
    if turn.resumed:
        yield f"It is {turn.tool_results[0].status}."
        return
    asked = await turn.call("close", {})
    yield asked.content


def test_what_a_supervisor_is_to_decide_does_not_hold_the_answer_up() -> None:
    async def scene(stage: Stage) -> None:
        async with stage.hub() as hub:
            session = await joined(hub)
            await session.submit(UserTurn(text="close it"))
            await asyncio.sleep(1)
            assert answer_of(await stage.events()) == ['{"status":"pending_supervisor"}']
            made = ApprovalDecided(
                approval_id=approval_of(await stage.events()), decision="approve", by="grace", via="supervisor"
            )
            await session.submit(made)
            await asyncio.sleep(1)
            assert answer_of(await stage.events())[-1] == "It is completed."

    played(PythonAgent(closing), scene)


def test_an_agent_that_yields_its_requests_gets_the_results_in_the_next_leg() -> None:
    agent = ScriptedAgent(
        lambda request: ["done"] if request.leg > 1 else [ToolRequested(call_id="c", name="look", arguments="{}")]
    )

    async def scene(stage: Stage) -> None:
        async with stage.hub() as hub:
            session = await joined(hub)
            await session.submit(UserTurn(text="it"))
            await asyncio.sleep(1)
            assert answer_of(await stage.events()) == ["done"]
            assert [request.leg for request in agent.requests] == [1, 2]
            assert {tool.name for tool in agent.requests[0].offered} == {"look", "refund", "close"}

    played(agent, scene)


def test_something_to_observe_is_given_up_on_time_after_a_restart() -> None:
    agent = ScriptedAgent(
        lambda request: [request.resumed] if request.resumed else [Observe(modality="nfc", prompt="Your badge?")]
    )

    async def scene(stage: Stage) -> None:
        async with stage.hub() as hub:
            session = await joined(hub)
            await session.submit(CapabilitiesDeclared(modalities=("nfc",)))
            await session.submit(UserTurn(text="check"))
            await asyncio.sleep(1)
        async with stage.hub():
            await asyncio.sleep(130)
            assert answer_of(await stage.events())[-1] == "expired"

    played(agent, scene)


def test_arguments_that_are_no_json_fail_the_run_that_makes_them() -> None:
    async def odd(turn: Turn) -> AsyncGenerator[str, None]:
        try:
            await turn.call("look", {"q": object()})
        except ValueError as error:
            yield str(error)

    async def scene(stage: Stage) -> None:
        async with stage.hub() as hub:
            session = await joined(hub)
            await session.submit(UserTurn(text="it"))
            await asyncio.sleep(1)
            assert answer_of(await stage.events()) == ["the arguments of 'look' are no JSON"]

    played(PythonAgent(odd), scene)
