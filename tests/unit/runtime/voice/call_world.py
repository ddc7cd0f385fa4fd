"""What the tests of calls share: a hub on virtual time, a scripted agent, ears and voice, and a link that notes all."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from duologue.model.agent import AgentRequest
from duologue.model.audio import BYTES_PER_MS
from duologue.model.commands import Join
from duologue.model.events import AnyEvent
from duologue.model.inputs import AnyInput
from duologue.model.voice import VoiceRules
from duologue.runtime.hub import Hub
from duologue.runtime.session import LiveSession
from duologue.runtime.voice.call import Call, Ending, Speaking
from duologue.runtime.voice.calls import Calls
from duologue.runtime.voice.hearing import Hearing
from duologue.testing.memory_store import MemoryStore
from duologue.testing.scripted_agent import Script, ScriptedAgent
from duologue.testing.scripted_speech import (
    ScriptedEndOfTurn,
    ScriptedSpeechToText,
    ScriptedTextToSpeech,
    ScriptedVoiceActivity,
    Segment,
    silence,
    speech,
)
from duologue.testing.virtual_time import VirtualClock, VirtualLoop

FRAME_MS = 20


class FakeLink:
    """A link that takes the sound that is due, as a transport does, and notes what it is told.

    Attributes:
        told: what it was told, in order, each with the time in ms.
        sent_ms: how much sound it has sent.
        sends: when it sent some of it, in ms.
        ending: why the call is over.
    """

    def __init__(self, *, lead_ms: int = 40, tells: bool = False) -> None:
        self.lead_ms, self.tells = lead_ms, tells
        self.told: list[tuple[int, str, str]] = []
        self.sent_ms = 0
        self.sends: list[int] = []
        self.ending: Ending | None = None
        self.call: Call | None = None
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.Handle | None = None

    @property
    def now_ms(self) -> int:
        return round(self._loop.time() * 1000)

    def wake(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_soon(self._send)

    def begun(self, response_id: str) -> None:
        self._note("begun", response_id)

    def cleared(self, response_id: str) -> None:
        self._note("cleared", response_id)

    def paused(self, response_id: str) -> None:
        self._note("paused", response_id)

    def resumed(self, response_id: str) -> None:
        self._note("resumed", response_id)

    def hung_up(self, reason: str, message: str) -> None:
        self.ending = Ending(reason, message)
        if self._timer is not None:
            self._timer.cancel()

    def words(self) -> list[str]:
        return [word for _, word, _ in self.told]

    def at(self, word: str) -> int:
        """When it was told this first, in ms."""
        return next(at_ms for at_ms, told, _ in self.told if told == word)

    def _note(self, word: str, response_id: str) -> None:
        self.told.append((self.now_ms, word, response_id))

    def _send(self) -> None:
        self._timer = None
        if self.call is None:
            return
        while pcm := self.call.playout.due(most=1):
            self.sent_ms += len(pcm) // BYTES_PER_MS
            self.sends.append(self.now_ms)
        wait_s = self.call.playout.wait_s(frames=1)
        if wait_s is not None:
            self._timer = self._loop.call_later(wait_s, self._send)


@dataclass
class World:
    """One session and its calls."""

    hub: Hub
    calls: Calls
    session: LiveSession
    agent: ScriptedAgent
    recogniser: ScriptedSpeechToText
    voice: ScriptedTextToSpeech
    activity: ScriptedVoiceActivity
    group: asyncio.TaskGroup
    events: list[AnyEvent] = field(default_factory=list[AnyEvent])
    given: list[AnyInput] = field(default_factory=list[AnyInput])

    async def call(self, link: FakeLink | None = None) -> FakeLink:
        """Open a call."""
        used = link or FakeLink()
        began = asyncio.Event()

        def begun(call: Call) -> None:
            used.call = call
            began.set()

        self.group.create_task(self._hold(used, begun))
        await began.wait()
        await asyncio.sleep(0)
        return used

    async def _hold(self, link: FakeLink, begun: Callable[[Call], None]) -> None:
        await self.calls.hold(self.session, link, begun)

    async def hear(self, link: FakeLink, pcm: bytes) -> None:
        """Let the person be heard, frame by frame in their own time."""
        frame = FRAME_MS * BYTES_PER_MS
        assert link.call is not None
        for at in range(0, len(pcm), frame):
            link.call.hear(pcm[at : at + frame])
            await asyncio.sleep(FRAME_MS / 1000)

    async def say(self, link: FakeLink, ms: int, *, then_ms: int = 0) -> None:
        """Speak for so long, and be silent for so long."""
        await self.hear(link, speech(ms) + silence(then_ms))

    async def until(self, kind: type[AnyEvent], *, count: int = 1, patience_s: float = 30) -> None:
        """Wait for so many events of a kind, on the virtual clock."""
        async with asyncio.timeout(patience_s):
            while sum(isinstance(event, kind) for event in self.events) < count:
                await self.session.changed()

    def all(self, kind: type[AnyEvent]) -> list[Any]:
        """All events of a kind. Any: of that kind, which a type checker cannot tell from a union."""
        return [event for event in self.events if isinstance(event, kind)]


@asynccontextmanager
async def world(
    *,
    answer: Script | Callable[[AgentRequest], Script] = ("Hello there. ", "This is the answer."),
    heard: tuple[Segment, ...] = (Segment(text="what is the time"),),
    voice: ScriptedTextToSpeech | None = None,
    judge: ScriptedEndOfTurn | None = None,
    rules: VoiceRules | None = None,
) -> AsyncGenerator[World]:
    """Make a world with one session, on the virtual loop that runs."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    agent, recogniser, activity = ScriptedAgent(answer), ScriptedSpeechToText(heard), ScriptedVoiceActivity()
    speaker = voice or ScriptedTextToSpeech()
    speaking = Speaking(hearing=Hearing(activity), recogniser=recogniser, voice=speaker, judge=judge)

    async def make() -> Speaking:
        return speaking

    calls = Calls(make, rules=rules or VoiceRules(), log=_say_nothing)
    clock = VirtualClock(loop, start_ms=1_000_000)
    hub = Hub(store=MemoryStore(), agent=agent, clock=clock, log=_say_nothing, companions=(calls,))
    calls.join(hub)
    async with hub, asyncio.TaskGroup() as group:
        session = await hub.join(Join(session_id="s-1"), subject="ada")
        made = World(hub, calls, session, agent, recogniser, speaker, activity, group)
        follow = group.create_task(_follow(made))
        _note_inputs(made)
        try:
            yield made
        finally:
            for call in list(calls):
                call.hang_up("test_over")
            follow.cancel()


def _say_nothing(event: str, **fields: object) -> None:
    assert event not in ("call_failed", "voice_failed"), (event, fields)


def _note_inputs(made: World) -> None:
    """Note what the session is given."""
    session, give = made.session, made.session.give

    def noting(happened: AnyInput) -> Any:
        made.given.append(happened)
        return give(happened)

    # The one door of a live session; a subclass would have to be made by the registry.
    session.give = noting


async def _follow(made: World) -> None:
    seq = 0
    while True:
        found = made.session.tail.after(seq, limit=10_000) or []
        made.events += found
        seq = found[-1].seq if found else seq
        await made.session.changed()


# Any: what a coroutine yields to the loop is the loop's own business.
def on_virtual_time(work: Coroutine[Any, Any, None]) -> None:
    """Run on a loop on which waiting costs nothing."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(work)
