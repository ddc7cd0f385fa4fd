"""What waits at the desk has an end: seen by the customer in two protocols, on a clock that is set forward."""

import asyncio
import socket
from collections.abc import AsyncGenerator, Generator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.e2e.desk import Operator, steps, until_step
from tests.e2e.harness import CountingAgent, Live, serving, until
from tests.e2e.links import AGENTCALL_WS, CHAT_WS, Link, connect_to
from tests.e2e.test_handoff import hands_over, passed
from tests.e2e.wire import Json, ask

from duologue.model import limits
from duologue.model.handoff import HandOff
from duologue.runtime.desk.acting import Acting
from duologue.runtime.desk.rounds import LOOK_MS
from duologue.runtime.desk.rules import Card
from duologue.server.settings import ServerSettings, Settings
from duologue.server.settings_handoff import HandoffSettings
from duologue.testing.virtual_time import VirtualClock, VirtualLoop

pytestmark = pytest.mark.anyio

EVENT_STREAM = {"Accept": "text/event-stream"}
START_MS = 1_800_000_000_000


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    """Run on a loop whose time can be set forward; sockets take the time that they take."""
    return "asyncio", {"loop_factory": VirtualLoop}


class Scene(NamedTuple):
    """A server, an operator without a page, and a customer with two clients."""

    server: Live
    agent: CountingAgent
    clock: VirtualClock
    mia: Operator
    chat: Link
    call: Link

    async def jump(self, ms: int, *, seen_by: Operator | None = None) -> None:
        """Let time pass at once, and what is due then happen; whoever sees it is there, usually Mia."""
        self.clock.jump_to(self.clock.now_ms() + ms)
        await (seen_by or self.mia).get()
        # Sockets are asked whether they are still there, and have no time to answer if the next jump follows at once.
        await until(lambda: not any(map(_is_asked, self.server.server.server_state.connections)))

    async def followed_by(self, count: int) -> None:
        """Wait until so many clients of the customer's are known to be there."""
        session = self.server.hub.live("s")
        assert session is not None
        await until(lambda: session.readers == count)

    async def both(self, status: str) -> tuple[Json, Json]:
        """What both clients are told of the next step of that status."""
        return await until_step(self.chat, status), await until_step(self.call, status)

    async def money(self) -> Json:
        """The customer asks for what the agent hands over; gives the handoff, which waits."""
        await self.chat.say("money", 1)
        await self.both("queued")
        return await self.mia.waiting("s")


@asynccontextmanager
async def playing(folder: Path, *, wait_ms: int = limits.HANDOFF_WAIT_MS) -> AsyncGenerator[Scene]:
    """Serve, with the usual limits, and let the customer come."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    clock, agent = VirtualClock(loop, start_ms=START_MS), CountingAgent(hands_over)
    settings = Settings(server=ServerSettings(drain_ms=500), handoff=HandoffSettings(wait_ms=wait_ms))
    async with AsyncExitStack() as stack:
        stack.enter_context(_really(loop))
        server = await stack.enter_async_context(serving(agent, folder, settings, clock=clock))
        chat = await stack.enter_async_context(CHAT_WS.link(server.port, "s"))
        call = await stack.enter_async_context(AGENTCALL_WS.link(server.port, "s"))
        yield Scene(server, agent, clock, Operator(server.port, "mia"), chat, call)


@contextmanager
def _really(loop: VirtualLoop) -> Generator[None]:
    """Have all waiting take its time: the store's threads are not known to the loop, sockets are."""
    ours, others = socket.socketpair()
    loop.add_reader(ours, _nothing)
    try:
        yield
    finally:
        loop.remove_reader(ours)
        ours.close()
        others.close()


def _nothing() -> None:
    pass


def _is_asked(connection: object) -> bool:
    return getattr(connection, "pending_ping_payload", None) is not None


async def test_who_waits_too_long_is_told_and_the_agent_goes_on(tmp_path: Path) -> None:
    async with playing(tmp_path) as scene:
        await scene.money()
        await scene.jump(limits.HANDOFF_WAIT_MS - 1_000)
        assert (await scene.mia.waiting("s"))["position"] == 1
        await scene.jump(1_000)
        chat, call = await scene.both("failed")
        assert chat["failureReason"] == call["failure"] == "nobody took it within 30 min"
        await scene.chat.say("and now?", 2)
        await scene.chat.over()
        assert scene.chat.text.endswith("You said and now?.")
        told = [item.value for item in scene.agent.requests[-1].context]
        assert told == ["Nobody could take the conversation over: nobody took it within 30 min."]


async def test_a_handoff_that_never_connects_waits_again_for_somebody_else(tmp_path: Path) -> None:
    async with playing(tmp_path) as scene:
        bob = Operator(scene.server.port, "bob")
        row = await scene.money()
        await scene.mia.do(row["id"], "connect")
        chat, call = await scene.both("connecting")
        assert chat["operator"] == call["operator"] == {"name": "mia"}
        assert await bob.refused(row["id"], "take") == "handoff_state"
        await scene.jump(limits.HANDOFF_CONNECT_MS)
        chat, call = await scene.both("queued")
        assert (chat["queuePosition"], call["position"]) == (1, 1)
        assert "operator" not in chat
        await bob.do(row["id"], "take")
        chat, call = await scene.both("connected")
        assert chat["operator"] == call["operator"] == {"name": "bob"}
        assert await scene.mia.refused(row["id"], "take") == "handoff_state"


async def test_what_somebody_reads_before_it_has_a_place_gets_one_when_they_do_not_take_it(tmp_path: Path) -> None:
    async with playing(tmp_path) as scene:
        await scene.chat.say("hello", 1)
        await scene.chat.over()
        assert scene.server.hub.desk is not None
        acting = Acting(scene.server.hub.desk)
        asked = await acting.request("s", HandOff(reason="wanted"), cause="api", by="backend")
        await acting.connect(asked.entry.handoff_id, Card(operator_id="mia", name="Mia"))
        assert asked.entry.queue == "", "she was quicker than the desk"
        await scene.jump(limits.HANDOFF_CONNECT_MS)
        while "routeDecision" not in (step := await until_step(scene.chat, "queued")):
            await scene.chat.next()
        assert (step["routeDecision"]["target"], step["queuePosition"]) == ("default", 1)
        assert step["warmContext"]["reason"] == "wanted"


async def test_a_customer_who_has_left_is_not_waited_for_and_one_who_comes_back_is(tmp_path: Path) -> None:
    async with playing(tmp_path, wait_ms=4 * limits.HANDOFF_WAIT_MS) as scene:
        row = await scene.money()
        last = scene.chat.last
        await scene.chat.drop()
        await scene.jump(limits.HANDOFF_AWAY_MS + LOOK_MS)
        await scene.jump(LOOK_MS)
        assert (await scene.mia.waiting("s"))["id"] == row["id"], "another client of theirs is there"
        await scene.call.drop()
        await scene.followed_by(0)
        await scene.jump(LOOK_MS)
        await scene.jump(limits.HANDOFF_AWAY_MS - LOOK_MS)
        async with AGENTCALL_WS.link(scene.server.port, "s"):
            await scene.followed_by(1)
            await scene.jump(LOOK_MS)
            assert (await scene.mia.waiting("s"))["id"] == row["id"]
        await scene.followed_by(0)
        await scene.jump(LOOK_MS)
        await scene.jump(limits.HANDOFF_AWAY_MS)
        assert (await scene.mia.over("s"))["status"] == "cancelled"
        async with CHAT_WS.link(scene.server.port, "s", last) as chat:
            assert (await until_step(chat, "cancelled"))["reason"] == "the customer left"
        async with AGENTCALL_WS.link(scene.server.port, "s") as call:
            assert (await until_step(call, "cancelled"))["reason"] == "the customer left"


async def test_who_looks_on_does_not_stand_for_the_customer(tmp_path: Path) -> None:
    """An operator who reads along, a page that looks at sessions, and a backend that watches its turns."""
    async with playing(tmp_path) as scene, AsyncExitStack() as stack:
        row, port = await scene.money(), scene.server.port
        for path in (f"/api/handoffs/{row['id']}/conversation", "/api/sessions/s/events"):
            looking = await ask(port, "GET", path, headers=EVENT_STREAM)
            stack.callback(looking.drop)
            assert looking.status == 200
        watching = await connect_to(port, "/api/sessions/s/agent-events")
        stack.push_async_callback(watching.wait_closed)
        stack.callback(watching.transport.abort)
        await scene.followed_by(5)
        await scene.chat.drop()
        await scene.call.drop()
        await scene.followed_by(3)
        await scene.jump(LOOK_MS)
        await scene.jump(limits.HANDOFF_AWAY_MS)
        assert (await scene.mia.over("s"))["status"] == "cancelled"


async def test_an_operator_who_has_gone_leaves_nobody_alone(tmp_path: Path) -> None:
    async with playing(tmp_path) as scene:
        bob, row = Operator(scene.server.port, "bob"), await scene.money()
        async with scene.mia as mia:
            await mia.do(row["id"], "take")
            await mia.do(row["id"], "say", text="Mia here")
            for link in (scene.chat, scene.call):
                # What nobody reads fills a socket, and then it answers no ping.
                while not link.text.endswith("Mia here"):
                    await link.next()
            # Whoever has their page open is there, however long they say nothing.
            await scene.jump(2 * limits.HANDOFF_OPERATOR_AWAY_MS, seen_by=bob)
            assert (await bob.waiting("s", status="connected"))["operator"]["id"] == "mia"
        await scene.chat.say("hello?", 2)
        await passed(scene.server.port, "s", 1)
        runs = len(scene.agent.requests)
        await scene.jump(limits.HANDOFF_OPERATOR_AWAY_MS - 1_000, seen_by=bob)
        assert (await bob.waiting("s", status="connected"))["id"] == row["id"]
        # A program that follows the conversation has no page, and is there.
        address = f"/api/handoffs/{row['id']}/conversation"
        following = await ask(scene.server.port, "GET", address, headers=mia.headers | EVENT_STREAM)
        await scene.jump(limits.HANDOFF_OPERATOR_AWAY_MS, seen_by=bob)
        assert (await bob.waiting("s", status="connected"))["id"] == row["id"]
        following.drop()
        await scene.followed_by(2)
        await scene.jump(limits.HANDOFF_OPERATOR_AWAY_MS, seen_by=bob)
        for link in (scene.chat, scene.call):
            gone = await until_step(link, "transferred")
            assert (gone["reason"], gone["operator"]) == ("mia has gone", {"name": "mia"})
            await until_step(link, "queued")
            assert [one["status"] for one in steps(link)][-3:] == ["transferred", "requested", "queued"]
            # What she has not answered, the agent does.
            while not link.text.endswith("You said hello?."):
                await link.next()
        assert len(scene.agent.requests) == runs + 1
        again = await bob.waiting("s")
        assert (again["transfer"], again["reason"], again["queue"]) == ("blind", "mia has gone", row["queue"])
        assert await scene.mia.refused(row["id"], "say", text="still me") == "handoff_unknown"
        assert (await scene.mia.do(again["id"], "take"))["operator"]["id"] == "mia"
        await scene.both("connected")
