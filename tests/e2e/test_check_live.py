"""`duologue check` finds nothing in what our own server says, in any dialect, over any transport; and it can be run."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.e2e.dialects import AGENTCALL, CHAT, DIALECTS, GHOST, Dialect
from tests.e2e.harness import CountingAgent, serving
from websockets.asyncio.client import connect

from duologue.check.findings import Frame, Protocol, Report
from duologue.check.recording import check
from duologue.model.agent import (
    AgentItem,
    AgentRequest,
    Chips,
    Citation,
    Failure,
    Finished,
    Note,
    Rich,
    Text,
    ToolCalled,
    ToolReturned,
)
from duologue.model.content import Chip
from duologue.server.check_source import Live, UnreadableError, live
from duologue.server.schemas import for_checks
from duologue.testing.scripted_agent import ScriptedAgent

pytestmark = pytest.mark.anyio

PROTOCOLS: dict[str, Protocol] = {"agentcall": "agentcall", "chat": "chat", "ghost": "ghost"}
EACH = pytest.mark.parametrize("dialect", DIALECTS.values(), ids=list(DIALECTS))


async def various(request: AgentRequest) -> AsyncGenerator[AgentItem, None]:
    """Everything that an agent can say, by what it was told."""
    match request.text:
        case "fail":
            yield Text(text="I ")
            yield Failure(message="the oven is cold")
        case "raise":
            raise ValueError("broken")
        case "cut":
            yield Text(text="I will not")
        case "wait":
            yield Text(text="Wait ")
            await asyncio.Event().wait()
        case "tool":
            yield Text(text="Let me see. ")
            yield ToolCalled(call_id="c-1", name="look_up", arguments='{"n":1}')
            yield ToolReturned(call_id="c-1", result="7")
            yield Text(text="It is 7.")
            yield Finished()
        case "show":
            yield Rich(payload_type="card", data={"n": [1, None, "é"]})
            yield Finished()
        case _:
            yield Citation(title="Hours", url="/docs/index")
            yield Text(text="Né 🙂 ")
            yield Text(text="you said ")
            yield Text(text=request.text)
            yield Note(category="c", message="m", details={"n": 1.5})
            yield Chips(chips=(Chip(label="More", text="Tell me more"),))
            yield Finished(total_tokens=7)


class Tape:
    """A client's connection, recorded: both sides' frames, in the order in which they passed it."""

    def __init__(self, dialect: Dialect, port: int) -> None:
        self.dialect, self.url = dialect, f"ws://127.0.0.1:{port}{dialect.path}"
        self.frames: list[bytes] = []
        self.last = 0

    async def __aenter__(self) -> "Tape":
        self.socket = await connect(self.url, max_size=None, proxy=None)
        await self.send(self.dialect.hello("s-1", self.last))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.socket.close()

    async def send(self, message: dict[str, object]) -> None:
        self.frames.append(json.dumps(message).encode())
        await self.socket.send(self.frames[-1].decode())

    async def read(self) -> dict[str, object]:
        async with asyncio.timeout(15):
            raw = await self.socket.recv(decode=False)
        self.frames.append(bytes(raw))
        body = json.loads(raw)
        self.last = self.dialect.number(body) or self.last
        return body

    async def say(self, text: str, number: int) -> None:
        await self.send(self.dialect.turn(text, number))

    async def over(self, *, times: int = 1) -> None:
        while times:
            body = await self.read()
            times -= bool(self.dialect.number(body)) and self.dialect.outcome(body) not in (None, "again")

    async def words(self) -> None:
        while not (self.dialect.number(body := await self.read()) and self.dialect.delta(body)):
            pass

    def report(self, *, resumed: bool = False) -> Report:
        frames = [Frame(number=n, line=n, data=data) for n, data in enumerate(self.frames, 1)]
        return check(frames, PROTOCOLS[self.dialect.name], for_checks, resumed=resumed)


@EACH
async def test_nothing_is_found_in_a_session_of_all_kinds_of_turns(dialect: Dialect, tmp_path: Path) -> None:
    async with serving(CountingAgent(various), tmp_path) as server:
        tape = Tape(dialect, server.port)
        async with tape:
            for number, text in enumerate(("hello", "fail", "raise", "cut", "show", "tool"), 1):
                await tape.say(text, number)
                await tape.over()
            await tape.say("wait", 7)
            await tape.words()
            await tape.send(dialect.cancel())
            await tape.over()
            await tape.say("wait", 8)
            await tape.words()
            await tape.say("instead", 9)
            await tape.over(times=2)
            await tape.say("instead", 9)
            await tape.read()
        async with tape:
            await tape.say("once more", 10)
            await tape.over()
            await tape.send(dialect.end())
            while not any(word in tape.frames[-1] for word in (b"session.ended", b"session_ended")):
                await tape.read()
    report = tape.report()
    assert report.findings == ()
    assert report.frames > 60


@EACH
async def test_a_connection_that_begins_in_the_middle_is_fine(dialect: Dialect, tmp_path: Path) -> None:
    async with serving(CountingAgent(various), tmp_path) as server:
        first = Tape(dialect, server.port)
        async with first:
            await first.say("wait", 1)
            await first.words()
            later = Tape(dialect, server.port)
            later.last = first.last
            async with later:
                await later.read()
                await first.send(dialect.cancel())
                await later.over()
    assert later.report().findings == ()


async def test_a_voice_session_of_ghost_is_fine(tmp_path: Path) -> None:
    async with serving(CountingAgent(various), tmp_path) as server:
        tape = Tape(GHOST, server.port)
        async with tape:
            await tape.send({"type": "user_activates_mic"})
            await tape.read()
            while b"voice.listening" not in tape.frames[-1]:
                await tape.read()
            await tape.send({"type": "speech_end"})
            while b"voice.transcribing" not in tape.frames[-1]:
                await tape.read()
            await tape.send({"type": "stt_complete", "text": "hello"})
            await tape.over()
            await tape.send({"type": "auto_resume"})
            while b"voice.listening" not in tape.frames[-1]:
                await tape.read()
            await tape.send({"type": "user_sends_text", "text": "wait"})
            await tape.words()
            await tape.send({"type": "barge_in"})
            while b"voice.barge_in" not in tape.frames[-1]:
                await tape.read()
            await tape.send({"type": "error"})
            while b'"state":"error"' not in tape.frames[-1]:
                await tape.read()
            await tape.say("hello again", 9)
            await tape.over()
    assert tape.report().findings == ()


async def test_a_trimmed_session_is_fine(tmp_path: Path) -> None:
    from duologue.server.settings import ServerSettings, Settings, StoreSettings

    settings = Settings(server=ServerSettings(drain_ms=500), store=StoreSettings(retain_events=5))
    async with serving(CountingAgent(various), tmp_path, settings) as server:
        tape = Tape(AGENTCALL, server.port)
        async with tape:
            for number in range(1, 6):
                await tape.say("hello", number)
                await tape.over()
            live_session = await server.hub.find("s-1", subject="local")
            async with asyncio.timeout(15):
                while live_session.first_seq == 1:
                    await asyncio.sleep(0.05)
        for dialect in DIALECTS.values():
            again = Tape(dialect, server.port)
            async with again:
                while again.last < tape.last:
                    await again.read()
            assert again.report().findings == (), dialect.name


@pytest.mark.parametrize("path", ["/chat/sessions/s-1/events", "/ghost/sessions/s-1/events"])
async def test_a_live_stream_is_checked_until_it_is_enough(path: str, tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["Hi ", "there"]), tmp_path) as server:
        async with (tape := Tape(CHAT, server.port)):
            await tape.say("hello", 1)
            await tape.over()
        taken = await live(Live(url=server.url + path, seconds=15, most=4))
        assert (len(taken.frames), taken.whole) == (4, False)
        protocol: Protocol = "chat" if "chat" in path else "ghost"
        assert check(taken.frames, protocol, for_checks).findings != (), "the turn was cut by the bound"


async def test_a_posted_turn_is_checked_to_its_end(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["Hi ", "there"]), tmp_path) as server:
        body = '{"requestId": "m-1", "text": "hello"}'
        taken = await live(Live(url=f"{server.url}/chat/stream", body=body, seconds=15, most=1000))
        assert taken.whole
        assert check(taken.frames, "chat", for_checks).findings == ()


async def test_a_live_socket_is_checked_with_what_is_sent(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["Hi ", "there"]), tmp_path) as server:
        start, turn = '{"type":"session.start","sessionId":"s"}', '{"type":"user.turn","turn":1,"text":"hello"}'
        sent = "\n".join((start, turn, '{"type":"session.end"}'))
        url = f"ws://127.0.0.1:{server.port}/agentcall"
        taken = await live(Live(url=url, body=sent, seconds=15, most=1000))
        assert taken.whole
        assert check(taken.frames, "agentcall", for_checks).findings == ()


async def test_what_is_no_stream_cannot_be_checked(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["Hi"]), tmp_path) as server:
        for path, why in (("/healthz", "server-sent events are checked"), ("/nothing", "it answered 404")):
            with pytest.raises(UnreadableError, match=why):
                await live(Live(url=server.url + path, seconds=5, most=10))
    with pytest.raises(UnreadableError):
        await live(Live(url=server.url, seconds=5, most=10))


async def test_the_command_asks_a_server(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["Hi ", "there"]), tmp_path) as server:
        body = '{"requestId": "m-1", "text": "hello"}'
        command = [sys.executable, "-m", "duologue.server", "check", f"{server.url}/chat/stream", "-p", "chat"]
        done = await asyncio.to_thread(
            subprocess.run, [*command, "--send", body], capture_output=True, text=True, timeout=60
        )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 errors, 0 warnings" in done.stdout


async def test_agent_events_for_backends_are_fine(tmp_path: Path) -> None:
    async with serving(CountingAgent(various), tmp_path) as server:
        async with (tape := Tape(CHAT, server.port)):
            for number, text in enumerate(("hello", "fail", "cut", "show", "tool"), 1):
                await tape.say(text, number)
                await tape.over()
            await tape.say("wait", 7)
            await tape.words()
            await tape.say("instead", 8)
            await tape.over(times=2)
        url = f"ws://127.0.0.1:{server.port}/api/sessions/s-1/agent-events"
        taken = await live(Live(url=url, seconds=2, most=1000))
    told = [json.loads(frame.data) for frame in taken.frames]
    kinds = [one["data"]["type"] for one in told if one["type"] == "agent:event"]
    assert [one["data"]["name"] for one in told if one["type"] == "agent:tool-call"] == ["look_up"]
    assert kinds.count("turn_end") == 7
    assert kinds.count("user_interruption") == 1
    assert check(taken.frames, "jambonz", for_checks).findings == ()


def run_input(run: str, text: str) -> str:
    messages = [{"id": f"message-{run}", "role": "user", "content": text}]
    body: dict[str, object] = {
        "threadId": "t-1",
        "runId": run,
        "state": {},
        "messages": messages,
        "tools": [],
        "context": [],
    }
    return json.dumps(body | {"forwardedProps": {}})


async def test_runs_over_agui_are_fine(tmp_path: Path) -> None:
    frames: list[Frame] = []
    async with serving(CountingAgent(various), tmp_path) as server:
        for number, text in enumerate(("hello", "tool", "fail", "cut", "show", "raise"), 1):
            body = run_input(f"r-{number}", text)
            taken = await live(Live(url=f"{server.url}/agui", body=body, seconds=15, most=1000))
            assert taken.whole
            assert check(taken.frames, "agui", for_checks).findings == (), text
            frames += taken.frames
    # Several runs may follow one another in one recording.
    assert check(frames, "agui", for_checks).findings == ()
