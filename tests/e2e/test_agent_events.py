"""Watching a session's agent events over a WebSocket: live, resumed, and refused."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.e2e.harness import WAIT_S, serving
from tests.e2e.links import AGENTCALL_WS, CHAT_WS, connect_to
from tests.e2e.wire import Json, fetch
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from duologue.check.recording import check
from duologue.model.agent import AgentRequest, Rich
from duologue.server.schemas import for_checks
from duologue.server.settings import AuthSettings, Settings
from duologue.testing.scripted_agent import BreakOff, Line, ScriptedAgent, WaitFor

pytestmark = pytest.mark.anyio

KEY = "a-key-of-a-backend"
AUTH = Settings(auth=AuthSettings(api_keys=(KEY,), secret="s" * 40))


def address(session: str, query: str = "") -> str:
    return f"/api/sessions/{session}/agent-events{query}"


async def next_of(socket: ClientConnection) -> Json:
    async with asyncio.timeout(WAIT_S):
        return json.loads(await socket.recv())


async def read(port: int, session: str, *, ends: int, query: str = "") -> list[Json]:
    """What somebody who watches reads, until so many turns have ended."""
    frames: list[Json] = []
    async with await connect_to(port, address(session, query)) as socket:
        while sum(frame["data"]["type"] == "turn_end" for frame in frames) < ends:
            frames.append(await next_of(socket))
    return frames


async def refused(port: int, path: str, headers: Mapping[str, str] | None = None) -> tuple[str, int]:
    """The code that a socket is told, and the one that it is closed with."""
    async with await connect_to(port, path, headers=headers) as socket:
        told = await next_of(socket)
        assert told["type"] == "jambonz:error"
        with pytest.raises(ConnectionClosed) as closed:
            await next_of(socket)
        assert closed.value.rcvd is not None
        return told["data"]["code"], closed.value.rcvd.code


async def test_every_turn_is_told_with_what_was_measured(tmp_path: Path) -> None:
    waits = asyncio.Event()

    def script(request: AgentRequest) -> list[Line]:
        match request.text:
            case "stop":
                return ["part ", WaitFor(event=waits), "never"]
            case "break":
                return ["some", BreakOff()]
            case "card":
                return [Rich(payload_type="card", data={})]
            case _:
                return ["Hel", "lo."]

    async with serving(ScriptedAgent(script), tmp_path) as server, CHAT_WS.link(server.port, "s-1") as talk:
        await talk.say("hi", 1)
        await talk.over()
        async with await connect_to(server.port, address("s-1")) as socket:
            first = [await next_of(socket) for _ in range(3)]
            await talk.say("stop", 2)
            await talk.until_delta()
            # Written over; then an answer that breaks off, and one without words.
            await talk.say("break", 3)
            await talk.over()
            await talk.over()
            await talk.say("card", 4)
            await talk.over()
            rest = [await next_of(socket) for _ in range(7)]
        frames = first + rest
        said = [(frame["turn"], frame["request_id"], frame["data"]) for frame in frames]
        latencies = [data.pop("latency") for _, _, data in said if data["type"] == "turn_end"]
        assert said == [
            (1, "message-1", {"type": "user_transcript", "transcript": "hi"}),
            (1, "message-1", {"type": "llm_response", "response": "Hello."}),
            (1, "message-1", turn_end("hi", "Hello.")),
            (2, "message-2", {"type": "user_transcript", "transcript": "stop"}),
            (2, "message-2", {"type": "user_interruption"}),
            (2, "message-2", turn_end("stop", "part ", interrupted=True)),
            (3, "message-3", {"type": "user_transcript", "transcript": "break"}),
            (3, "message-3", turn_end("break", "some")),
            (4, "message-4", {"type": "user_transcript", "transcript": "card"}),
            (4, "message-4", turn_end("card", "")),
        ]
        assert [list(latency) for latency in latencies] == [["model_latency"]] * 3 + [[]]
        measured = await figures(server.port, "s-1")
        assert [latency.get("model_latency") for latency in latencies] == measured
        fresh = await read(server.port, "s-1", ends=4)
        assert fresh == [*restored(first, latencies[:1]), *restored(rest, latencies[1:])]
        report = check("\n".join(map(json.dumps, fresh)).encode(), "jambonz", for_checks)
        assert (report.frames, report.findings) == (len(fresh), ())


def turn_end(transcript: str, response: str, *, interrupted: bool = False) -> Json:
    return {"type": "turn_end", "transcript": transcript, "response": response, "interrupted": interrupted}


def restored(frames: list[Json], latencies: list[Json]) -> list[Json]:
    """Put back what was taken out."""
    left = list(latencies)
    for frame in frames:
        if frame["data"]["type"] == "turn_end":
            frame["data"]["latency"] = left.pop(0)
    return frames


async def figures(port: int, session: str) -> list[int | None]:
    """The times to the first text that the engine measured, turn by turn."""
    lines = (await fetch(port, "GET", f"/api/sessions/{session}/journal")).raw.splitlines()
    events = [event for line in lines for event in json.loads(line)["events"]]
    return [event["figures"]["ttft_ms"] for event in events if event["kind"] == "turn_ended"]


async def test_who_watches_goes_on_after_a_number(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path) as server, AGENTCALL_WS.link(server.port, "s-1") as talk:
        for number in (1, 2):
            await talk.say("hi", number)
            await talk.over()
        whole = await read(server.port, "s-1", ends=2)
        for place, frame in enumerate(whole[:-1]):
            query = f"?after={frame['sequence']}"
            ends = sum(later["data"]["type"] == "turn_end" for later in whole[place + 1 :])
            assert await read(server.port, "s-1", ends=ends, query=query) == whole[place + 1 :]


async def test_what_who_watches_sends_is_checked(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path) as server, CHAT_WS.link(server.port, "s-1") as talk:
        await talk.say("hi", 1)
        await talk.over()
        async with await connect_to(server.port, address("s-1")) as socket:
            frames = [await next_of(socket) for _ in range(3)]
            await socket.send(json.dumps({"type": "ack", "msgid": frames[0]["msgid"]}))
            await socket.send(json.dumps({"type": "ack", "msgid": "999"}))
            assert (await next_of(socket))["data"]["code"] == "ack_ahead"
            await socket.send(json.dumps({"type": "command", "command": "redirect"}))
            assert (await next_of(socket))["data"]["code"] == "unknown_type"
            await talk.send(talk.dialect.end())
            with pytest.raises(ConnectionClosed) as closed:
                await next_of(socket)
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 1000


async def test_watching_what_ended_without_a_turn_ends(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path) as server:
        async with CHAT_WS.link(server.port, "s-1") as talk:
            await talk.send(talk.dialect.end())
            await talk.gone()
        async with await connect_to(server.port, address("s-1")) as socket:
            with pytest.raises(ConnectionClosed) as closed:
                await next_of(socket)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1000


async def test_only_what_is_there_can_be_watched(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path) as server, CHAT_WS.link(server.port, "s-1") as talk:
        await talk.say("hi", 1)
        await talk.over()
        assert await refused(server.port, address("s-2")) == ("session_unknown", 1008)
        assert await refused(server.port, address("s-1", "?after=900")) == ("resume_ahead", 1008)
        assert await refused(server.port, address("s-1", "?after=x")) == ("bad_message", 1008)
        assert (await fetch(server.port, "GET", "/api/sessions/s-2")).status == 404


async def test_only_a_backend_may_watch_and_it_may_watch_anybody(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path, AUTH) as server:
        backend = {"Authorization": f"Bearer {KEY}"}
        asked = {"subject": "ada"}
        token = (await fetch(server.port, "POST", "/chat/token", body=asked, headers=backend)).body["token"]
        person = {"Authorization": f"Bearer {token}"}
        async with CHAT_WS.link(server.port, "s-1", headers=person) as talk:
            await talk.say("hi", 1)
            await talk.over()
        assert await refused(server.port, address("s-1"), person) == ("forbidden", 1008)
        assert await refused(server.port, address("s-1")) == ("auth_required", 1008)
        async with await connect_to(server.port, address("s-1"), headers=backend) as socket:
            assert (await next_of(socket))["data"] == {"type": "user_transcript", "transcript": "hi"}
