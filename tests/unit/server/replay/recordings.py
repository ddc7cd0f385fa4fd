"""Sessions recorded in virtual time, over the real hub and relay."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Final, NamedTuple

import msgspec

from duologue.model.agent import (
    AgentItem,
    AgentRequest,
    Asked,
    Chips,
    Citation,
    Failure,
    Finished,
    Note,
    Rich,
    Text,
    ToolCalled,
    ToolRequested,
    ToolReturned,
)
from duologue.model.commands import Join
from duologue.model.content import Attachment, Chip, Interrupt
from duologue.model.inputs import CancelRequested, EndRequested, UserTurn, VoiceTriggered
from duologue.ports.agent import Agent, Files
from duologue.ports.store import Blob
from duologue.runtime.agents import Beside
from duologue.runtime.desk.desk import Desk
from duologue.runtime.desk.rules import DeskRules
from duologue.runtime.hub import Hub
from duologue.runtime.hub_settings import HubSettings
from duologue.runtime.portable import export_session
from duologue.runtime.session import LiveSession
from duologue.runtime.tools.toolbox import Toolbox
from duologue.testing.memory_store import MemoryStore
from duologue.testing.virtual_time import VirtualClock, VirtualLoop

START_MS: Final = 1_767_323_045_678
NOTE: Final = Attachment(upload_id="u-1", name="note.txt", media_type="text/plain", size_bytes=2, sha256="0" * 64)

Script = Callable[["Stage"], Awaitable[None]]


def quiet(event: str, **fields: object) -> None:
    """A log that nobody reads."""
    del event, fields


class Various:
    """Says everything that an agent can, by what it was told; `better` says some of it otherwise."""

    def __init__(self, name: str = "various", *, better: bool = False, asks: bool = True, pace_s: float = 0.02) -> None:
        self.name, self._better, self._asks, self._pace_s = name, better, asks, pace_s

    async def run(self, request: AgentRequest, files: Files) -> AsyncGenerator[AgentItem, None]:
        """Answer; see `ports.agent.Agent`."""
        await asyncio.sleep(self._pace_s)
        match request.text:
            case "fail":
                yield Text(text="I ")
                yield Failure(message="the oven is cold")
            case "raise":
                raise ValueError("broken")
            case "cut":
                yield Text(text="I will not")
                return
            case "silent":
                await asyncio.sleep(3600)
            case "odd":
                yield Citation(title="t", url="nowhere")
            case "odd text":
                yield Text(text="\ud800")
            case "odd note":
                # No type keeps an agent from this.
                yield Note(category="c", message="m", details={"x": {1}})
            case "odd rich":
                yield Rich(payload_type="card", data={}, version=0)
            case "slow":
                for number in range(50):
                    yield Text(text=f"{number} ")
                    await asyncio.sleep(1)
            case "show":
                yield Rich(payload_type="card", data={"n": [1, None, "é"]})
            case "tool":
                yield ToolCalled(call_id="c-1", name="look_up", arguments='{"n":1}', repeatable=True)
                yield ToolReturned(call_id="c-1", result="better" if self._better else "7")
                yield Text(text="It is 7")
            case "ask" if self._asks:
                yield Asked(interrupts=(Interrupt(interrupt_id="i-1", reason="approval"),))
                return
            case "odd arguments":
                yield ToolCalled(call_id="c-1", name="it's", arguments="[]")
            case "odd interrupt":
                yield Asked(interrupts=(Interrupt(interrupt_id="", reason=""),))
            case "odd tool":
                yield ToolRequested(call_id="", name="look_up")
            case "odd result":
                yield ToolReturned(call_id="c-1", name="x", result="\ud800")
            case "read":
                yield Text(text=(await files.read("u-1")).decode())
            case _:
                yield Citation(title="Hours", url="/docs/index")
                yield Text(text="You said ")
                await asyncio.sleep(self._pace_s)
                yield Text(text=request.text + ("!" if self._better else ""))
                yield Chips(chips=(Chip(label="More", text="Tell me more"),))
        yield Finished(total_tokens=7)


class Stage:
    """What a script has: a session, and time."""

    def __init__(self, hub: Hub, session: LiveSession) -> None:
        self.hub, self.session = hub, session

    async def say(self, text: str, *, attachments: tuple[Attachment, ...] = ()) -> None:
        """Say something, and wait until the answer is over."""
        await self.begin(text, attachments=attachments)
        await self.over()

    async def begin(self, text: str, *, attachments: tuple[Attachment, ...] = ()) -> None:
        """Say something."""
        await self.session.submit(UserTurn(text=text, attachments=attachments))

    async def over(self) -> None:
        """Wait until the answer is over."""
        while self.session.state.open is not None or self.session.stored_seq < self.session.state.seq:
            await self.session.changed()


class World(NamedTuple):
    """What a recorded session has around it, besides its agent."""

    toolbox: Toolbox | None = None
    others: tuple[Beside, ...] = ()
    settings: HubSettings = HubSettings(drain_ms=0)
    desk: bool = False


def record(script: Script, *, agent: Agent | None = None, retain_events: int = 0, world: World | None = None) -> bytes:
    """Play a script, and export its session."""
    loop = VirtualLoop()
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        return runner.run(_record(script, loop, agent or Various(), retain_events, world or World()))


async def _record(script: Script, loop: VirtualLoop, agent: Agent, retain_events: int, world: World) -> bytes:
    store = MemoryStore()
    await store.open()
    await store.put_blob(Blob(attachment=NOTE, subject="ada", session_id="s-1", at_ms=START_MS, data=b"hi"))
    clock = VirtualClock(loop, start_ms=START_MS)
    settings = msgspec.structs.replace(world.settings, retain_events=retain_events, drain_ms=0)
    for again in (False, True):
        desk = Desk(DeskRules(), clock=clock, log=quiet) if world.desk else None
        hub = Hub(
            store=store,
            agent=agent,
            clock=clock,
            log=quiet,
            settings=settings,
            toolbox=world.toolbox,
            others=world.others,
            companions=() if desk is None else (desk,),
        )
        if desk is not None:
            desk.join(hub)
            hub.desk = desk
        async with hub:
            session = await hub.join(Join(session_id="s-1"), subject="ada")
            stage = Stage(hub, session)
            await (stage.over() if again else script(stage))
            if session.state.open is None:
                await asyncio.sleep(5)
                return b"".join([piece async for piece in export_session(store, "s-1")])
    raise AssertionError("the turn that was cut is answered after the next start")


async def everything(stage: Stage) -> None:
    """Turns of all kinds, with pauses."""
    odd = ("odd", "odd text", "odd note", "odd rich", "odd arguments", "odd interrupt", "odd tool", "odd result")
    for text in ("hello", "fail", "raise", "cut", "silent", *odd, "show", "tool", "ask"):
        await stage.say(text)
        await asyncio.sleep(13.5)
    await stage.say("read", attachments=(NOTE,))
    await stage.begin("slow")
    await asyncio.sleep(3.3)
    await stage.session.submit(CancelRequested())
    await asyncio.sleep(86_400)
    await stage.begin("slow")
    await asyncio.sleep(2.2)
    await stage.say("instead")
    for trigger in ("user_activates_mic", "speech_end"):
        await asyncio.sleep(1)
        await stage.session.submit(VoiceTriggered(trigger=trigger))
    await stage.session.submit(UserTurn(text="spoken", source="voice"))
    await stage.over()
    await stage.session.submit(VoiceTriggered(trigger="tts_complete"))
    await stage.session.submit(EndRequested())


async def cut_by_a_crash(stage: Stage) -> None:
    """A turn that the end of the server cuts, and that is taken up on the next start."""
    await stage.say("hello")
    await stage.begin("slow")
    await asyncio.sleep(2.5)


async def long(stage: Stage) -> None:
    """So many turns that retention removes some."""
    for number in range(8):
        await stage.say(f"turn {number}")
        await asyncio.sleep(10)
