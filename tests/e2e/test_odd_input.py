"""Case 11: odd input gets a precise answer, changes nothing, and disturbs nobody."""

import asyncio
import json
from pathlib import Path
from urllib.parse import unquote

import pytest
from tests.e2e.harness import serving
from tests.e2e.links import CHANNELS, SOCKETS, Channel, channel_name, connect_to, journal
from tests.e2e.wire import Json, fetch
from websockets.exceptions import ConnectionClosed

from duologue.server.settings import ServerSettings, Settings
from duologue.testing.scripted_agent import Line, ScriptedAgent, WaitFor

pytestmark = pytest.mark.anyio

FRAME_BYTES = 4_096
SETTINGS = Settings(server=ServerSettings(frame_bytes=FRAME_BYTES, upload_bytes=FRAME_BYTES))


def odd(turn: Json) -> list[tuple[str, str | bytes, set[str]]]:
    """What is wrong, and the codes that say so."""
    whole = json.dumps(turn)
    nested = "[" * 1_500
    return [
        ("broken JSON", whole[:-1], {"bad_json"}),
        ("no JSON", "hello", {"bad_json"}),
        ("empty", "", {"bad_json"}),
        ("an array", "[]", {"bad_message"}),
        ("a number", "17", {"bad_message"}),
        ("text of the wrong type", json.dumps(turn | {"text": 5}), {"bad_message"}),
        ("no text", json.dumps({name: turn[name] for name in turn if name != "text"}), {"bad_message"}),
        ("twice the same member", whole[:-1] + ', "text": "other"}', {"bad_json"}),
        ("context of the wrong type", json.dumps(turn | {"context": {"a": 1}}), {"bad_message"}),
        ("nested too deeply", whole[:-1] + f', "context": {nested}', {"bad_json", "bad_message"}),
        ("nested deeply", whole[:-1] + f', "x": {nested}{"]" * 1_500}}}', {"bad_json", "bad_message"}),
        ("half a surrogate pair", whole.replace("valid", "\\ud800"), {"bad_json"}),
        ("too large", json.dumps(turn | {"text": "x" * FRAME_BYTES}), {"too_large"}),
    ]


def odd_on_a_socket(channel: Channel) -> list[tuple[str, str | bytes, set[str]]]:
    """What else a socket can be sent."""
    return [
        ("no type", "{}", {"bad_message"}),
        ("a type of the wrong type", '{"type": 1}', {"bad_message"}),
        ("an unknown type", '{"type": "dance"}', {"unknown_type"}),
        ("a binary frame", json.dumps(channel.dialect.turn("valid", 1)).encode(), {"binary_frame"}),
        ("opened again", json.dumps(channel.dialect.hello("s-2", 0)), {"already_open"}),
    ]


@pytest.mark.parametrize("channel", CHANNELS, ids=channel_name)
async def test_case_11_odd_input(channel: Channel, tmp_path: Path) -> None:
    go_on = asyncio.Event()

    def script(request: object) -> list[Line]:
        del request
        return ["before ", WaitFor(event=go_on), "after"]

    async with (
        serving(ScriptedAgent(script), tmp_path, SETTINGS) as server,
        channel.link(server.port, "s-1") as link,
        channel.link(server.port, "other") as other,
    ):
        await other.say("hello", 1)
        await other.until_delta()
        # Chat over HTTP has no session before its first turn.
        await link.say("valid", 1)
        await link.until_delta()
        before = await journal(server.port, "s-1")
        turn = channel.dialect.turn("valid", 2)
        cases = odd(turn) + (odd_on_a_socket(channel) if channel.is_socket else [])
        for what, message, codes in cases:
            await link.send(message)
            refusal = await link.refused()
            assert channel.dialect.refusal(refusal) in codes, (what, refusal)
            assert len(refusal["message"]) > 10, what
            if codes == {"too_large"}:
                assert refusal["limit"] == FRAME_BYTES
                assert str(FRAME_BYTES) in refusal["message"]
            if what == "text of the wrong type":
                assert refusal["path"] == "$.text"
        assert await journal(server.port, "s-1") == before
        go_on.set()
        await link.over()
        await other.over()
        await link.say("valid", 2)
        await link.over()
        assert link.text == "before after" * 2
        assert other.text == "before after"
        assert other.refusals == []
        whole = await channel.read(server.port, "s-1", up_to=link.last)
        assert link.frames == [frame for frame in whole if frame.seq >= link.frames[0].seq]


@pytest.mark.parametrize("channel", SOCKETS, ids=channel_name)
async def test_case_11_odd_input_before_the_session_is_open(channel: Channel, tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path, SETTINGS) as server:
        socket = await connect_to(server.port, channel.dialect.path)
        for what, message, codes in [*odd(channel.dialect.turn("valid", 1)), *odd_on_a_socket(channel)[:-1]]:
            await socket.send(message)
            refusal = json.loads(await socket.recv())
            assert channel.dialect.refusal(refusal) in codes, what
        await socket.send(json.dumps(channel.dialect.turn("too early", 1)))
        assert channel.dialect.refusal(json.loads(await socket.recv())) == "not_open"
        await socket.send(json.dumps(channel.dialect.hello("x" * 129, 0)))
        assert channel.dialect.refusal(json.loads(await socket.recv())) == "bad_message"
        assert (await fetch(server.port, "GET", "/api/sessions")).body["sessions"] == []
        await socket.send(json.dumps(channel.dialect.hello("s-1", 0)))
        assert json.loads(await socket.recv())["type"] == "session.opened"
        socket.transport.abort()
        await socket.wait_closed()


@pytest.mark.parametrize("channel", SOCKETS, ids=channel_name)
async def test_case_11_what_is_far_too_large_ends_the_connection_and_not_the_session(
    channel: Channel, tmp_path: Path
) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path, SETTINGS) as server:
        async with channel.link(server.port, "s-1") as link, channel.link(server.port, "s-1") as other:
            await link.say("one", 1)
            await link.over()
            await link.send(json.dumps(channel.dialect.turn("x" * 3 * FRAME_BYTES, 2)))
            assert (await link.gone()).code == 1009
            await other.over()
            await other.say("two", 2)
            await other.over()
        async with channel.link(server.port, "s-1", link.last) as again:
            await again.say("three", 3)
            await again.over()
            await again.over()
        assert [channel.dialect.asked(frame.body) for frame in again.frames].count("three") == 1


@pytest.mark.parametrize("channel", SOCKETS, ids=channel_name)
async def test_case_11_text_that_is_no_text_ends_the_connection_and_not_the_session(
    channel: Channel, tmp_path: Path
) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path, SETTINGS) as server:
        socket = await connect_to(server.port, channel.dialect.path)
        await socket.send(json.dumps(channel.dialect.hello("s-1", 0)))
        await socket.send(b'{"type": "\xff\xfe"}', text=True)
        with pytest.raises(ConnectionClosed) as closed:
            while True:
                await socket.recv()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1007
        async with channel.link(server.port, "s-1") as link:
            await link.say("still there", 1)
            await link.over()
            assert link.text == "yes"


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("/chat/stream", {"text": "no id"}, 400, "bad_message"),
        ("/chat/stream", {"requestId": "r", "text": ""}, 400, "bad_message"),
        ("/chat/stream", {"requestId": "r" * 257, "text": "x"}, 400, "bad_message"),
        ("/chat/stream", {"requestId": "r", "text": "x", "sessionId": ""}, 400, "bad_message"),
        ("/chat/stream", {"requestId": "r", "text": "x" * FRAME_BYTES}, 413, "too_large"),
        ("/chat/cancel", {"sessionId": "nobody's"}, 404, "session_unknown"),
        ("/chat/end", {}, 400, "bad_message"),
        ("/chat/token", {"subject": 5}, 400, "bad_message"),
        ("/ghost/sessions/s-1/triggers", {"type": "session.open"}, 400, "already_open"),
        ("/ghost/sessions/s-1/triggers", {"type": "dance"}, 400, "unknown_type"),
        ("/ghost/sessions/s-1/triggers", {"type": "tts_complete"}, 409, "illegal_trigger"),
    ],
)
async def test_odd_posts(path: str, body: Json, status: int, code: str, tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path, SETTINGS) as server:
        answer = await fetch(server.port, "POST", path, body=body)
        assert answer.status == status
        assert answer.body.get("reason", answer.body["code"]) == code


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/chat/sessions/nobody/events", {}, 404),
        ("/ghost/sessions/s-1/events", {"Last-Event-ID": "seven"}, 400),
        ("/ghost/sessions/s-1/events", {"Last-Event-ID": "-1"}, 400),
        ("/ghost/sessions/s-1/events", {"Last-Event-ID": "7"}, 404),
        (f"/ghost/sessions/{'x' * 129}/events", {}, 400),
        ("/nowhere", {}, 404),
        ("/chat/stream", {}, 405),
        ("/api/sessions/nobody", {}, 404),
        ("/api/sessions?after=yesterday", {}, 400),
        ("/api/sessions/nobody/journal", {}, 404),
    ],
)
async def test_odd_gets(path: str, headers: dict[str, str], status: int, tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path, SETTINGS) as server:
        answer = await fetch(server.port, "GET", path, headers=headers)
        assert answer.status == status
        assert isinstance(answer.body, dict)
        # Nothing was made by asking.
        assert (await fetch(server.port, "GET", "/api/sessions")).body["sessions"] == []


@pytest.mark.parametrize("session", ["a\r\nX-Evil: 1", "ключ", "50%", " padded ", "\x00\x7f", "plain:id/1"])
async def test_a_session_id_stays_within_its_header(session: str, tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path) as server:
        for accept in ("text/event-stream", "application/json"):
            body = {"sessionId": session, "requestId": "r-1", "text": "hello"}
            answer = await fetch(server.port, "POST", "/chat/stream", body=body, headers={"Accept": accept})
            assert answer.status == 200
            assert "x-evil" not in answer.headers
            assert unquote(answer.headers["duologue-session"]) == session
            if session == "plain:id/1":
                assert answer.headers["duologue-session"] == session
