"""A Python program holds a whole conversation with no server."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path

import pytest
from tests.e2e.conftest import Serve
from websockets.asyncio.client import connect

import duologue
from duologue import Chip, Chips, Citation, Finished, Rich
from duologue.ghost import Code, Ghost, GhostError, GhostEvent, Said, Turn
from duologue.model.errors import SettingsError, StoreLocked
from duologue.server.settings import AgentSettings
from duologue.testing.scripted_agent import ScriptedAgent, WaitFor

pytestmark = pytest.mark.anyio


async def echo(turn: Turn) -> AsyncGenerator[Said, None]:
    yield "you said "
    yield turn.text
    yield Citation(title="Page", url="/docs/page")
    yield Rich(payload_type="card", data={"n": 1})
    yield Chips(chips=(Chip(label="More", text="more"),))


async def types(events: AsyncIterator[GhostEvent]) -> list[str]:
    return [event.type async for event in events]


async def test_an_iterator_gives_the_events_of_one_turn() -> None:
    async with Ghost(echo) as ghost:
        session = await ghost.session("kitchen")
        events = [event async for event in session.say("hello", turn_id="t-1")]
    assert [event.type for event in events] == [
        "turn.start",
        "turn.thinking",
        "turn.thinking",
        "turn.token",
        "turn.token",
        "ghost.citation",
        "ghost.rich",
        "ghost.suggestions",
        "turn.complete",
    ]
    assert "".join(event.payload["token"] for event in events if event.type == "turn.token") == "you said hello"
    start, complete = events[0], events[-1]
    assert (start.state, start.payload["turn_id"]) == ("thinking", "t-1")
    assert (complete.state, complete.payload["quality_pass"]) == ("idle", True)
    assert set(complete.payload) >= {"ttft_ms", "tps", "total_tokens", "language"}
    assert [event.sequence for event in events] == sorted({event.sequence for event in events})


async def test_a_callback_gets_everything_and_leaving_waits_for_the_answer() -> None:
    events: list[GhostEvent] = []
    async with Ghost(echo) as ghost:
        session = await ghost.session(on_event=events.append)
        assert await session.send("hello") == 1
    assert events[0].type == "agent.ready"
    assert events[-1].type == "turn.complete"


async def test_the_frames_are_those_of_the_socket(serve: Serve, tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    async with Ghost(echo, data=folder) as ghost:
        session = await ghost.session("kitchen")
        async for _ in session.say("hello"):
            pass
        frames = [event.frame async for event in _until_quiet(session.events())]
    server = await asyncio.to_thread(serve, "--data", str(folder))
    received: list[bytes] = []
    async with connect(f"ws://127.0.0.1:{server.port}/ghost", proxy=None) as socket:
        await socket.send(json.dumps({"type": "session.open", "session_id": "kitchen"}))
        assert json.loads(await socket.recv())["type"] == "session.opened"
        while len(received) < len(frames):
            received.append(await socket.recv(decode=False))
    assert received == frames


async def _until_quiet(events: AsyncGenerator[GhostEvent, None]) -> AsyncGenerator[GhostEvent, None]:
    async for event in events:
        yield event
        if event.type == "turn.complete":
            return


async def test_a_conversation_goes_on_in_the_next_program(tmp_path: Path) -> None:
    asked: list[int] = []

    async def remember(turn: Turn) -> str:
        asked.append(len(turn.history))
        return "yes"

    for _ in range(2):
        async with Ghost(remember, data=tmp_path) as ghost:
            session = await ghost.session("kitchen")
            assert "turn.complete" in await types(session.say("do you remember me?"))
    assert asked == [0, 2]


async def test_a_repeated_turn_runs_once_and_shows_its_events_again() -> None:
    agent = ScriptedAgent(["hello"])
    async with Ghost(agent) as ghost:
        session = await ghost.session()
        first = [event async for event in session.say("hi", turn_id="t")]
        again = [event async for event in session.say("hi", turn_id="t")]
        assert again == first
        with pytest.raises(GhostError) as caught:
            await types(session.say("something else", turn_id="t"))
    assert agent.runs == 1
    assert (caught.value.code, caught.value.retryable) == (Code.TURN_CONFLICT, False)


async def test_an_answer_is_stopped() -> None:
    never = asyncio.Event()
    agent = ScriptedAgent(["well ", WaitFor(event=never)])
    async with Ghost(agent) as ghost:
        session = await ghost.session()
        seen: list[GhostEvent] = []
        async for event in session.say("tell me"):
            seen.append(event)
            if event.type == "turn.token":
                assert await session.cancel()
        assert not await session.cancel()
    assert seen[-1].type == "turn.error"
    assert seen[-1].payload == {"error": "cancelled", "recoverable": True}
    assert agent.cancelled == 1


async def test_voice_triggers_move_the_machine() -> None:
    async with Ghost(echo) as ghost:
        session = await ghost.session()
        states: list[str] = []
        following = session.events()
        await session.trigger("user_activates_mic")
        await session.trigger("speech_end")
        await session.trigger("stt_complete", text="hello", confidence=0.9, language="de")
        async for event in _until_quiet(following):
            states.append(event.state)
        assert list(dict.fromkeys(states)) == ["idle", "listening", "transcribing", "thinking", "speaking"]
        assert await session.trigger("auto_resume")
        with pytest.raises(GhostError, match="possible here: speech_end") as caught:
            await session.trigger("tts_complete")
        assert caught.value.code == Code.ILLEGAL_TRIGGER


async def test_a_session_ends_and_takes_no_more() -> None:
    async with Ghost(echo) as ghost:
        session = await ghost.session("kitchen")
        await session.end()
        assert (await types(session.events()))[-1] == "ghost.session_ended"
        with pytest.raises(GhostError) as caught:
            await session.send("hello?")
    assert caught.value.code == Code.SESSION_ENDED


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"after": 99}, Code.SESSION_UNKNOWN),
        ({"session_id": "x" * 129}, Code.BAD_MESSAGE),
        ({"session_id": ""}, Code.BAD_MESSAGE),
        ({"language": "not a language"}, Code.BAD_MESSAGE),
        ({"after": -1}, Code.BAD_MESSAGE),
    ],
)
async def test_a_session_that_cannot_be_opened_is_told(fields: dict[str, object], code: Code) -> None:
    async with Ghost(echo) as ghost:
        with pytest.raises(GhostError) as caught:
            # Wrong on purpose, which the types would not let pass.
            await ghost.session(**fields)  # pyright: ignore[reportArgumentType]
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("name", "fields", "code"),
    [
        ("jump", {}, Code.UNKNOWN_TYPE),
        ("user_sends_text", {"text": ""}, Code.BAD_MESSAGE),
        ("user_sends_text", {"text": "a", "tone": "loud"}, Code.BAD_MESSAGE),
        ("user_sends_text", {"text": object()}, Code.BAD_JSON),
        ("session.open", {"session_id": "other"}, Code.ALREADY_OPEN),
    ],
)
async def test_a_bad_message_is_told(name: str, fields: dict[str, object], code: Code) -> None:
    async with Ghost(echo) as ghost:
        session = await ghost.session()
        with pytest.raises(GhostError) as caught:
            await session.trigger(name, **fields)
    assert caught.value.code == code


async def test_sessions_belong_to_people(tmp_path: Path) -> None:
    async with Ghost(echo, data=tmp_path, subject="ada") as ghost:
        await ghost.session("hers")
    async with Ghost(echo, data=tmp_path, subject="bob") as ghost:
        with pytest.raises(GhostError) as caught:
            await ghost.session("hers")
    assert caught.value.code == Code.FORBIDDEN


async def test_an_exception_of_the_block_goes_on_as_it_is_and_stops_the_answer() -> None:
    agent = ScriptedAgent(["well ", WaitFor(event=asyncio.Event())])

    async def fail() -> None:
        async with Ghost(agent) as ghost:
            session = await ghost.session()
            async for event in session.say("hello"):
                if event.type == "turn.token":
                    raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        await fail()
    assert agent.cancelled == 1


async def test_an_exception_of_a_callback_ends_the_block() -> None:
    def fail(event: GhostEvent) -> None:
        raise LookupError(event.type)

    async def wait() -> None:
        async with Ghost(echo) as ghost:
            await ghost.session(on_event=fail)
            await asyncio.Event().wait()

    with pytest.raises(LookupError, match=r"agent\.ready"):
        await wait()


async def test_a_block_that_is_cancelled_leaves_nothing_behind() -> None:
    entered = asyncio.Event()

    async def hold() -> None:
        async with Ghost(echo):
            entered.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(hold())
    await entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_two_of_them_cannot_have_one_folder(tmp_path: Path) -> None:
    async with Ghost(echo, data=tmp_path):
        with pytest.raises(StoreLocked):
            await Ghost(echo, data=tmp_path).__aenter__()


async def test_without_an_agent_it_answers_from_the_docs() -> None:
    async with Ghost() as ghost:
        session = await ghost.session()
        events = [event async for event in session.say("Which port does it listen on? server.port")]
    assert "ghost.citation" in [event.type for event in events]


async def test_what_is_no_agent_is_refused() -> None:
    with pytest.raises(TypeError):
        Ghost(lambda: "nothing")  # pyright: ignore[reportArgumentType, reportCallIssue]
    wrong = AgentSettings(kind="python", function="nothing_of_that_name:answer")
    with pytest.raises(SettingsError):
        Ghost(settings=duologue.Settings(agent=wrong))


async def test_an_agent_that_does_not_know_does_not_pass() -> None:
    async def unsure(turn: Turn) -> AsyncGenerator[Said, None]:
        yield f"no idea about {turn.text}"
        yield Finished(confident=False)

    async with Ghost(unsure) as ghost:
        session = await ghost.session()
        events = [event async for event in session.say("this")]
    assert events[-1].payload["quality_pass"] is False


def test_importing_the_package_loads_nothing_else() -> None:
    code = "import sys, duologue; print([n for n in sys.modules if n.startswith(('duologue.', 'msgspec'))])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_is_there() -> None:
    assert all(getattr(duologue, name) is not None for name in duologue.__all__)
    assert set(dir(duologue)) == set(duologue.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        duologue.nothing  # noqa: B018  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
