"""Following a thread over AG-UI: what is said on other channels, and what a call tells."""

import asyncio
import re
from pathlib import Path

import pytest
from tests.e2e.agui import Json, Stream, agui_input, follow, run, start, user
from tests.e2e.calls import calling, scripted_calls
from tests.e2e.harness import serving
from tests.e2e.links import journal, kinds
from tests.e2e.wire import fetch

from duologue.testing.scripted_agent import ScriptedAgent, WaitFor
from duologue.testing.scripted_speech import ScriptedTextToSpeech, Segment

pytestmark = pytest.mark.anyio


async def say(port: int, session: str, text: str) -> None:
    """Say something over another protocol."""
    body = {"sessionId": session, "requestId": f"m-{text}", "text": text}
    answer = await fetch(port, "POST", "/chat/stream", body=body)
    assert answer.status == 200


def said(stream: Stream) -> list[tuple[str, str]]:
    """What the person said in a run."""
    return [(one["messageId"], one["delta"]) for one in stream.of("TEXT_MESSAGE_CHUNK")]


async def test_a_turn_of_another_channel_is_a_run_of_who_follows(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["One ", "two."]), tmp_path) as server:
        first = await follow(server.port, agui_input("t-1", "look-1"))
        begun: Json = await first.until("RUN_STARTED")
        assert begun["metadata"]["duologue"] == {"state": "idle", "inCall": False}
        assert begun["runId"] == "look-1"
        await say(server.port, "t-1", "hello")
        await first.over()
        assert said(first) == [("m-hello", "hello")]
        assert first.text == "One two."
        assert (first.last["type"], first.last["runId"]) == ("RUN_FINISHED", "look-1")

        # The next one begins with all of it.
        second = await follow(server.port, agui_input("t-1", "look-2"))
        shown = await second.until("MESSAGES_SNAPSHOT")
        assert [one["content"] for one in shown["messages"]] == ["hello", "One two."]
        second.drop()


async def test_a_run_asked_for_behind_its_own_end_ends_all_the_same(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["One ", "two."]), tmp_path) as server:
        body = agui_input("t-1", "r-1", user("hello", "u-1"))
        first = await run(server.port, body)
        await run(server.port, agui_input("t-1", "r-2", user("and?", "u-2")))
        last = (await journal(server.port, "t-1"))[-1]["seq"]
        for after in range(1, last + 1):
            async with asyncio.timeout(5):
                again = await run(server.port, body, after=after)
            assert again.last == first.last


async def test_streams_of_a_thread_that_is_deleted_say_so(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["One ", WaitFor(event=asyncio.Event())]), tmp_path) as server:
        idle = await follow(server.port, agui_input("t-2", "look-1"))
        await idle.until("MESSAGES_SNAPSHOT")
        running = await start(server.port, agui_input("t-1", "r-1", user("hello", "u-1")))
        await running.until("TEXT_MESSAGE_CONTENT")
        watching = await follow(server.port, agui_input("t-1", "look-1"))
        await watching.until("TEXT_MESSAGE_CONTENT")
        for thread in ("t-1", "t-2"):
            assert (await fetch(server.port, "DELETE", f"/api/sessions/{thread}")).status == 200
        for stream in (idle, running, watching):
            await stream.over()
            assert stream.kinds.count("RUN_ERROR") == 1
            assert (stream.last["type"], stream.last["code"]) == ("RUN_ERROR", "session_unknown")


async def test_who_follows_in_the_middle_of_a_turn_gets_all_of_it(tmp_path: Path) -> None:
    go_on = asyncio.Event()
    async with serving(ScriptedAgent(["One ", WaitFor(event=go_on), "two."]), tmp_path) as server:
        watching = await follow(server.port, agui_input("t-1", "look-1"))
        talking = asyncio.create_task(say(server.port, "t-1", "hello"))
        await watching.until("TEXT_MESSAGE_CONTENT")
        late = await follow(server.port, agui_input("t-1", "look-2"))
        await late.until("TEXT_MESSAGE_CONTENT")
        go_on.set()
        await talking
        for stream in (watching, late):
            await stream.over()
            assert (said(stream), stream.text) == ([("m-hello", "hello")], "One two.")


async def test_a_spoken_turn_is_a_run_of_who_follows(tmp_path: Path) -> None:
    calls = scripted_calls(Segment(text="hello there"), voice=ScriptedTextToSpeech(word_ms=60))
    async with (
        serving(ScriptedAgent(["One ", "two."]), tmp_path, calls=calls) as server,
        calling(server.port) as caller,
    ):
        await caller.start("t-1")
        stream = await follow(server.port, agui_input("t-1", "look-1"))
        begun: Json = await stream.until("RUN_STARTED")
        assert begun["metadata"]["duologue"] == {"state": "listening", "inCall": True}
        await caller.say(600, then_ms=900)
        await stream.over()
        assert [text for _, text in said(stream)] == ["hello there"]
        assert stream.text == "One two."
        names = [one["name"] for one in stream.of("CUSTOM")]
        assert names.index("duologue.voice.speech_began") < names.index("duologue.voice.transcript")
        assert [one["value"]["word"] for one in stream.of("duologue.voice.word")] == ["One", "two."]
        assert stream.last["outcome"] == {"type": "success"}
        (turn,) = kinds(await journal(server.port, "t-1"), "turn_ended")
        waited = stream.last["metadata"]["duologue"]["latency"]
        assert {snake(name): ms for name, ms in waited.items()} == turn["latency"]
        assert waited["modelMs"] + waited["voiceMs"] <= waited["totalMs"]


def snake(name: str) -> str:
    """A member's name as the journal spells it."""
    return re.sub("([A-Z])", r"_\1", name).lower()


async def test_a_session_that_ends_ends_the_run(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path) as server:
        stream = await follow(server.port, agui_input("t-1", "look-1"))
        await stream.until("RUN_STARTED")
        await fetch(server.port, "POST", "/chat/end", body={"sessionId": "t-1"})
        await stream.over()
        assert stream.last["outcome"] == {"type": "success"}
