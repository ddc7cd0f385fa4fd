"""`WS /audio`: how a call begins and ends, what is refused, and in which formats sound may come."""

import json
import time
from pathlib import Path
from typing import Any

import jwt
import pytest
from tests.e2e.calls import calling, scripted_calls
from tests.e2e.harness import serving, until
from tests.e2e.wire import fetch

from duologue.model.audio import FRAME_BYTES, FRAME_MS
from duologue.server.settings import LimitsSettings, ServerSettings, Settings
from duologue.server.settings_auth import AuthSettings
from duologue.server.settings_voice import VoiceSettings
from duologue.testing.scripted_agent import ScriptedAgent
from duologue.testing.scripted_speech import Segment, is_loud, silence, speech

pytestmark = pytest.mark.anyio

SECRET = "s" * 40
KEY = "a-key-of-a-backend"
SECURED = Settings(auth=AuthSettings(secret=SECRET), server=ServerSettings(drain_ms=500))


def bearer(subject: str, session_id: str | None = None) -> dict[str, str]:
    claims: dict[str, Any] = {"iss": "duologue", "aud": "duologue", "sub": subject, "exp": int(time.time()) + 60}
    if session_id is not None:
        claims["sid"] = session_id
    return {"Authorization": f"Bearer {jwt.encode(claims, SECRET, 'HS256')}"}


async def test_a_call_begins_in_a_new_session_and_ends_when_the_person_hangs_up(tmp_path: Path) -> None:
    calls = scripted_calls()
    async with serving(ScriptedAgent(["yes"]), tmp_path, calls=calls) as server, calling(server.port) as caller:
        ready = await caller.start()
        assert ready["callId"].startswith("call-")
        assert ready["sessionId"]
        assert ready["turns"] == "open"
        assert ready["input"] == ready["output"] == {"rateHz": 16_000}
        assert ready["leadMs"] == 200
        assert len(calls) == 1
        await caller.send(silence(20))
        await caller.send({"type": "hangup", "reason": "bye"})
        assert (await caller.until("hangup"))["reason"] == "hung_up"
        assert await caller.until_closed() == (1000, "hung_up")
        await until(lambda: len(calls) == 0)
        assert calls.figures.ended == {"hung_up": 1}
        metrics = (await fetch(server.port, "GET", "/metrics")).raw.decode()
        assert "duologue_calls_total 1.0" in metrics
        assert 'duologue_calls_ended_total{reason="hung_up"} 1.0' in metrics


async def test_a_newer_call_of_a_session_takes_over(tmp_path: Path) -> None:
    async with (
        serving(ScriptedAgent(["yes"]), tmp_path, calls=scripted_calls()) as server,
        calling(server.port) as first,
        calling(server.port) as second,
    ):
        await first.start("s-1")
        await second.start("s-1")
        assert (await first.until("hangup"))["reason"] == "taken_over"
        assert await first.until_closed() == (1000, "taken_over")
        assert second.closed is None


async def test_a_server_that_stops_hangs_up_and_says_so(tmp_path: Path) -> None:
    async with (
        serving(ScriptedAgent(["yes"]), tmp_path, calls=scripted_calls()) as server,
        calling(server.port) as caller,
    ):
        await caller.start("s-1")
        server.server.should_exit = True
        assert (await caller.until("hangup"))["reason"] == "draining"
        assert await caller.until_closed() == (1012, "draining")


async def test_a_session_that_ends_ends_its_call(tmp_path: Path) -> None:
    async with (
        serving(ScriptedAgent(["yes"]), tmp_path, calls=scripted_calls()) as server,
        calling(server.port) as caller,
    ):
        await caller.start("s-1")
        await fetch(server.port, "POST", "/chat/end", body=b'{"sessionId": "s-1"}')
        assert (await caller.until("hangup"))["reason"] == "session_ended"


async def test_what_is_refused_changes_nothing(tmp_path: Path) -> None:
    async with (
        serving(ScriptedAgent(["yes"]), tmp_path, calls=scripted_calls()) as server,
        calling(server.port) as caller,
    ):
        for number, (sent, code, path) in enumerate(
            (
                (b"\x00\x00", "not_open", ""),
                ("{", "bad_json", ""),
                ('{"type": "zzz"}', "unknown_type", "$.type"),
                ('{"type": "hangup"}', "not_open", ""),
                ('{"type": "start", "input": {"rateHz": 44101}}', "bad_message", "$.input.rateHz"),
                ('{"type": "start", "color": 1}', "bad_message", "$"),
            ),
            1,
        ):
            await caller.send(sent)
            error = await caller.until("error", count=number)
            assert (error["code"], error.get("path", "")) == (code, path), sent
        ready = await caller.start("s-1")
        for sent, code in (
            (b"\x00", "bad_message"),
            (silence(1_020), "bad_message"),
            ('{"type": "start"}', "already_open"),
            ('{"type": "playback", "responseId": "response-1", "playedMs": 1}', "bad_message"),
            ('{"type": "turn.start"}', None),
        ):
            number = caller.kinds().count("error") + 1
            await caller.send(sent)
            error = await caller.until("error", count=number)
            assert code in (None, error["code"]), (sent, error)
        assert caller.closed is None
        assert ready["sessionId"] == "s-1"


@pytest.mark.parametrize("rate", [8_000, 24_000, 48_000])
async def test_other_rates_are_taken(rate: int, tmp_path: Path) -> None:
    pytest.importorskip("av", reason="PyAV is not installed: the extra speech")
    async with (
        serving(ScriptedAgent(["yes"]), tmp_path, calls=scripted_calls()) as server,
        calling(server.port) as caller,
    ):
        ready = await caller.start("s-1", input={"rateHz": rate}, output={"codec": "opus"})
        assert ready["input"]["rateHz"] == rate
        assert ready["output"] == {"codec": "opus", "rateHz": 48_000}
        await caller.send(bytes(2 * rate // 50))
        await caller.send({"type": "hangup"})
        await caller.until_closed()
        assert "error" not in caller.kinds()


async def test_both_may_speak_opus(tmp_path: Path) -> None:
    pytest.importorskip("av", reason="PyAV is not installed: the extra speech")
    from duologue.runtime.voice.opus import OpusReader, OpusWriter

    agent = ScriptedAgent(["So it is."])
    async with (
        serving(agent, tmp_path, calls=scripted_calls(Segment(text="hello"))) as server,
        calling(server.port) as caller,
    ):
        await caller.start("s-1", input={"codec": "opus"}, output={"codec": "opus"})
        await caller.send(b"\xff\x00\x01zzz")
        assert (await caller.until("error"))["code"] == "bad_message"
        await caller.stream(OpusWriter().encode(speech(600) + silence(700)))
        assert (await caller.until("speech.sent"))["durationMs"] == 900
        assert [request.text for request in agent.requests] == ["hello"]
        reader = OpusReader()
        pcm = b"".join(map(reader.read, caller.messages))
        frames = [pcm[at : at + FRAME_BYTES] for at in range(0, len(pcm), FRAME_BYTES)]
        # Three words of 300 ms, less what the codec makes of their edges.
        assert 840 <= FRAME_MS * sum(map(is_loud, frames)) <= 920


async def test_a_token_opens_its_own_session_alone(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path, SECURED, calls=scripted_calls()) as server:
        async with calling(server.port) as caller:
            assert (await caller.until("error"))["code"] == "auth_required"
            assert (await caller.until_closed())[0] == 1008
        async with calling(server.port, headers=bearer("ada", "s-1")) as caller:
            await caller.send({"type": "start", "sessionId": "s-2"})
            assert (await caller.until("error"))["code"] == "forbidden"
        async with calling(server.port, headers=bearer("ada", "s-1")) as caller:
            assert (await caller.start())["sessionId"] == "s-1"
        async with calling(server.port, headers=bearer("bob")) as caller:
            await caller.send({"type": "start", "sessionId": "s-1"})
            assert (await caller.until("error"))["code"] == "forbidden"
        body = json.dumps({"path": "/audio", "sessionId": "s-1"}).encode()
        ticket = (await fetch(server.port, "POST", "/api/ticket", body=body, headers=bearer("ada"))).body["ticket"]
        async with calling(server.port, query=f"?ticket={ticket}") as caller:
            assert (await caller.start())["sessionId"] == "s-1"
        async with calling(server.port, headers=bearer("ada") | {"Origin": "https://evil.example"}) as caller:
            assert (await caller.until("error"))["code"] == "origin_refused"


async def test_words_that_come_too_fast_are_left_waiting_and_sound_is_not(tmp_path: Path) -> None:
    auth, bounds = AuthSettings(secret=SECRET, api_keys=(KEY,)), LimitsSettings(frames_per_person=120)
    settings = Settings(auth=auth, server=SECURED.server, limits=bounds)
    calls = scripted_calls()
    async with (
        serving(ScriptedAgent(["yes"]), tmp_path, settings, calls=calls) as server,
        calling(server.port, headers=bearer("ada")) as caller,
    ):

        async def held() -> bool:
            shown = await fetch(server.port, "GET", "/metrics", headers={"Authorization": f"Bearer {KEY}"})
            return 'limited_total{asked="frames"}' in shown.raw.decode()

        await caller.start("s-1")
        for _ in range(200):
            await caller.send(b"\0")
        await caller.until("error", count=200)
        assert not await held()
        for _ in range(120):
            await caller.send("{")
        await caller.until("error", count=320)
        assert await held()


async def test_one_connection_too_many_is_refused(tmp_path: Path) -> None:
    settings = Settings(auth=SECURED.auth, server=SECURED.server, limits=LimitsSettings(connections_per_person=1))
    async with (
        serving(ScriptedAgent(["yes"]), tmp_path, settings, calls=scripted_calls()) as server,
        calling(server.port, headers=bearer("ada")) as first,
        calling(server.port, headers=bearer("ada")) as second,
    ):
        await first.start()
        assert (await second.until("error"))["code"] == "rate_limited"


async def test_a_server_without_speech_says_so(tmp_path: Path) -> None:
    settings = Settings(voice=VoiceSettings(enabled="off"), server=SECURED.server)
    async with serving(ScriptedAgent(["yes"]), tmp_path, settings) as server:
        async with calling(server.port) as caller:
            error = await caller.until("error")
            assert error["code"] == "no_audio"
            assert (await caller.until_closed())[0] == 1008
        offer = await fetch(server.port, "POST", "/webrtc", body=b"v=0", headers={"Content-Type": "application/sdp"})
        assert (offer.status, offer.body["reason"]) == (400, "no_audio")
        card = (await fetch(server.port, "GET", "/.well-known/agent-card.json")).body
        agui = card["capabilities"]["extensions"][0]["params"]["agui"]
        assert agui["webrtc"] == {"available": False, "supportsExplicitTurns": False}


async def test_the_card_names_the_addresses(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path, calls=scripted_calls()) as server:
        card = (await fetch(server.port, "GET", "/.well-known/agent-card.json")).body
        agui = card["capabilities"]["extensions"][0]["params"]["agui"]
        assert agui["audio"]["url"].endswith("/audio")
        assert agui["webrtc"]["supportsExplicitTurns"]


async def test_a_backend_gets_a_token_and_the_addresses_to_call_with_it(tmp_path: Path) -> None:
    key = "a-key-of-a-backend"
    settings = Settings(auth=AuthSettings(secret=SECRET, api_keys=(key,)), server=SECURED.server)
    asked: dict[str, Any] = {"subject": "ada", "sessionId": "s-1"}
    backend = {"Authorization": f"Bearer {key}"}
    async with serving(ScriptedAgent(["yes"]), tmp_path / "on", settings, calls=scripted_calls()) as server:
        answer = await fetch(server.port, "POST", "/chat/voice-token", body=asked, headers=backend)
        assert answer.status == 200
        assert answer.headers["cache-control"] == "no-store"
        assert answer.body["audioUrl"].endswith("/audio")
        assert answer.body["tokenType"] == "Bearer"
        token = {"Authorization": f"Bearer {answer.body['token']}"}
        async with calling(server.port, headers=token) as caller:
            assert (await caller.start())["sessionId"] == "s-1"
        assert (await fetch(server.port, "POST", "/chat/voice-token", body=asked, headers=token)).status == 403
    async with serving(ScriptedAgent(["yes"]), tmp_path / "off", settings) as server:
        answer = await fetch(server.port, "POST", "/chat/voice-token", body=asked, headers=backend)
        assert (answer.status, answer.body["reason"]) == (400, "no_audio")
