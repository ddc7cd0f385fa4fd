"""What goes wrong in a call: a server that stops, dies or has no disk, a link that is cut, a voice that dies."""

import asyncio
import os
import resource
import signal
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

import psutil
import pytest
from tests.e2e.calls import Caller, calling, scripted_calls
from tests.e2e.harness import AGENTS, Server, search_path, serving
from tests.e2e.lines import KINDS, SESSION, Kind, Seen
from tests.e2e.links import journal, kinds
from tests.e2e.wire import Json, fetch
from tests.spoken import piper
from websockets.exceptions import ConnectionClosed

from duologue.model.events import (
    AnyEvent,
    CallBegan,
    CallFinished,
    SpeakingFinished,
    TurnAccepted,
    TurnEnded,
    WordSpoken,
)
from duologue.model.voice import VoiceRules
from duologue.ports.text_to_speech import TextToSpeech
from duologue.server import voice_parts
from duologue.server.settings import ServerSettings, Settings
from duologue.server.settings_voice import VoiceSettings
from duologue.testing.scripted_agent import ScriptedAgent
from duologue.testing.scripted_speech import ScriptedTextToSpeech, Segment

pytestmark = pytest.mark.anyio

ROOT: Final = Path(__file__).parents[2]

RULES: Final = VoiceRules(silence_ms=100, endpoint_ms=50, min_speech_ms=200)
"""Quick ones: what takes its time here is people."""

TEN: Final = "one two three four five six seven eight nine ten"

WORD_MS: Final = 100

UNLIMITED: Final = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)

RESTART_S: Final = 60.0
"""How long a voice may take to be there again, and a fault to be noticed, on a busy machine."""

each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


@each_kind
@pytest.mark.parametrize(("drain_ms", "outcome"), [(5_000, "completed"), (150, "interrupted")], ids=["long", "short"])
async def test_a_server_that_stops_lets_an_answer_be_heard(
    kind: Kind, drain_ms: int, outcome: str, tmp_path: Path
) -> None:
    calls = scripted_calls(Segment(text="count"), rules=RULES, voice=ScriptedTextToSpeech(word_ms=WORD_MS))
    settings = Settings(server=ServerSettings(drain_ms=drain_ms))
    events: list[AnyEvent] = []
    async with (
        serving(ScriptedAgent([TEN]), tmp_path, settings, calls=calls) as server,
        kind.ring(server.port) as line,
    ):
        seen = Seen(server)
        await line.say(300, then_ms=200)
        await seen.has(WordSpoken, count=2)
        session = seen.session
        server.server.should_exit = True
        # WebRTC has no words for it: other clients of the session are told.
        assert await line.over() in ("draining", "")
        events += session.tail.after(0, limit=1_000) or []
    (ended,) = (event for event in events if isinstance(event, TurnEnded))
    assert ended.outcome == outcome
    assert (ended.answer == TEN) == (outcome == "completed")
    assert TEN.startswith(ended.answer)
    (finished,) = (event for event in events if isinstance(event, CallFinished))
    assert finished.reason == "draining"


async def test_a_server_that_stops_hangs_up_who_is_not_answered(tmp_path: Path) -> None:
    settings = Settings(server=ServerSettings(drain_ms=5_000))
    async with (
        serving(ScriptedAgent([TEN]), tmp_path, settings, calls=scripted_calls()) as server,
        calling(server.port) as caller,
    ):
        await caller.start(SESSION)
        server.server.should_exit = True
        assert (await caller.until("hangup", within_s=4))["reason"] == "draining"
        assert await caller.until_closed() == (1012, "draining")


@each_kind
async def test_who_was_cut_off_in_the_middle_of_a_sentence_calls_again(kind: Kind, tmp_path: Path) -> None:
    """Of what was heard of an answer nothing is said twice; of what was said before the cut nothing hangs over."""
    calls = scripted_calls(
        *(Segment(text=text) for text in ("count", "count on")),
        rules=RULES,
        voice=ScriptedTextToSpeech(word_ms=WORD_MS),
    )
    agent = ScriptedAgent([TEN])
    async with serving(agent, tmp_path, calls=calls) as server:
        seen = Seen(server)
        async with calling(server.port) as caller:
            await caller.start(SESSION)
            await caller.say(300, then_ms=200)
            await seen.has(WordSpoken, count=2)
            # In the middle of both's.
            await caller.say(60)
            caller.cut()
            ended = await seen.has(CallFinished)
            assert isinstance(ended, CallFinished)
            assert ended.reason == "lost"
        cut = await seen.has(TurnEnded)
        assert isinstance(cut, TurnEnded)
        assert cut.outcome == "interrupted"
        assert cut.answer.startswith("one two") and "ten" not in cut.answer
        async with kind.ring(server.port) as line:
            await seen.has(CallBegan, count=2)
            assert line.loud_ms == 0
            await line.say(300, then_ms=200)
            await seen.has(TurnAccepted, count=2)
            await seen.has(SpeakingFinished)
        assert [request.text for request in agent.requests] == ["count", "count"]
        assert agent.requests[1].history[-1].text == cut.answer


# --- a process that can be killed


@pytest.fixture
def scripted(tmp_path: Path) -> Iterator[Server]:
    """A server of scripted callers, as a process of its own; each call begins with "hello"."""
    path = os.pathsep.join((str(AGENTS), search_path(ROOT)))
    environment = {"PYTHONPATH": path}
    server = Server(arguments=[], data=tmp_path / "data", environment=environment, program=("-m", "scripted_server"))
    server.start()
    yield server
    server.kill()


async def turns(port: int) -> list[tuple[str, str]]:
    """How the turns ended, and what was heard of their answers."""
    ended = kinds(await journal(port, SESSION), "turn_ended")
    return [(event["outcome"], event["answer"]) for event in ended]


async def speak_and_hear(caller: Caller) -> Json:
    """Say something and hear the whole answer; gives what was told of its sound."""
    await caller.say(300, then_ms=200)
    return await caller.until("speech.sent")


async def test_a_server_that_is_killed_in_a_call_goes_on_with_the_next(scripted: Server) -> None:
    async with calling(scripted.port) as caller:
        await caller.start(SESSION)
        await caller.say(300, then_ms=200)
        await caller.until_heard(500)
        await asyncio.to_thread(scripted.kill)
        await caller.until_closed()
    await asyncio.to_thread(scripted.start)
    # What was made of the answer is remembered as far as it was heard, before anybody calls.
    ((outcome, answer),) = await turns(scripted.port)
    assert outcome == "interrupted"
    assert answer.startswith("0 one two") and "ten" not in answer
    assert kinds(await journal(scripted.port, SESSION), "call_finished")[0]["reason"] == "server_restarted"
    async with calling(scripted.port) as caller:
        await caller.start(SESSION)
        sent = await speak_and_hear(caller)
        assert caller.heard_ms(sent["responseId"]) == 11 * WORD_MS
        await caller.send({"type": "hangup"})
        await caller.until_closed()
    # Two messages came before.
    assert (await turns(scripted.port))[1][1].startswith("2 one two")


async def test_a_full_disk_ends_the_call_and_once_there_is_room_it_goes_on(scripted: Server) -> None:
    async with calling(scripted.port) as caller:
        await caller.start(SESSION)
        await speak_and_hear(caller)
        # No file can grow: a full disk, as a process sees one.
        resource.prlimit(scripted.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        await asyncio.gather(caller.until_closed(RESTART_S), _speak_until_closed(caller))
        assert caller.closed == (1011, "store_failed")
        hung_up = caller.told[-1]
        assert (hung_up["type"], hung_up["reason"]) == ("hangup", "store_failed")
        assert hung_up["message"] == "the store failed; call again"
    resource.prlimit(scripted.pid, resource.RLIMIT_FSIZE, UNLIMITED)
    async with calling(scripted.port) as caller:
        await caller.start(SESSION)
        await speak_and_hear(caller)
    assert (await fetch(scripted.port, "GET", "/readyz")).status == 200


async def _speak_until_closed(caller: Caller) -> None:
    while caller.closed is None:
        try:
            # What is stored is moved, and not only noted, once nothing has happened for a second.
            await caller.say(100, then_ms=2_800)
        except ConnectionClosed:
            return


# --- what speaks is a process as well


@pytest.mark.slow
@pytest.mark.timeout(180)
@pytest.mark.counterpart("piper-tts")
async def test_a_voice_whose_process_is_killed_goes_on_in_every_call(tmp_path: Path) -> None:
    await piper().aclose()
    answer = "The server keeps its data in a folder. It was made when it was started first. Nobody removes it."
    calls = scripted_calls(Segment(text="where is it"), rules=RULES, voice=packaged_voice())
    async with serving(ScriptedAgent([answer]), tmp_path, calls=calls) as server, AsyncExitStack() as stack:
        callers = [await stack.enter_async_context(calling(server.port)) for _ in range(2)]
        for number, caller in enumerate(callers):
            await caller.send({"type": "start", "sessionId": f"s-{number}", "language": "en"})
            await caller.until("ready", within_s=RESTART_S)
        await asyncio.gather(*(caller.say(300, then_ms=200) for caller in callers))
        for caller in callers:
            await caller.until("speech", within_s=RESTART_S)
            await caller.until_heard(200, within_s=RESTART_S)
        first = worker()
        os.kill(first.pid, signal.SIGKILL)
        for caller in callers:
            await caller.until("speech.sent", within_s=RESTART_S)
        assert worker().pid != first.pid
        for number in range(len(callers)):
            while not (ended := kinds(await journal(server.port, f"s-{number}"), "turn_ended")):
                await asyncio.sleep(0.1)
            assert [(event["outcome"], event["answer"]) for event in ended] == [("completed", answer)]
            events = await journal(server.port, f"s-{number}")
            assert not kinds(events, "voice_failed")
            assert len(kinds(events, "word_spoken")) == len(answer.split())


def packaged_voice() -> TextToSpeech:
    """The voice that a server without better ones has."""
    return voice_parts.voices(VoiceSettings(tts=("piper",)))


def worker() -> psutil.Process:
    """The process that speaks."""
    children = psutil.Process().children()
    (found,) = (child for child in children if any("speech_piper.worker" in part for part in child.cmdline()))
    return found
