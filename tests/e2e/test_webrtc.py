"""`POST /webrtc` with a real peer: an offer answered, words said and heard, hanging up, and coming back."""

import asyncio
import re
import time
from pathlib import Path

import pytest
from tests.e2e.calls import scripted_calls
from tests.e2e.harness import Live, serving, until
from tests.e2e.peers import SDP, Person, person
from tests.e2e.test_audio_socket import SECURED, bearer
from tests.e2e.wire import fetch

from duologue.model.audio import FRAME_MS
from duologue.model.events import AnyEvent, CallFinished, SpeakingFinished, TurnEnded
from duologue.runtime.voice.link import IceServer
from duologue.testing.scripted_agent import ScriptedAgent
from duologue.testing.scripted_speech import Segment

CANDIDATE = b"a=candidate:1 1 udp 2130706431 127.0.0.1 9 typ host\r\n"
VIDEO = "\r\n".join(
    (
        "v=0",
        "o=- 1 1 IN IP4 0.0.0.0",
        "s=-",
        "t=0 0",
        "m=video 9 UDP/TLS/RTP/SAVPF 96",
        "a=rtpmap:96 VP8/90000",
        "",
    )
).encode()

HELD_UP_S = 0.3
LEAD_MS = 40
"""How far ahead a server sends over WebRTC."""

pytestmark = [pytest.mark.anyio, pytest.mark.counterpart("aiortc")]


def events(server: Live, session_id: str) -> list[AnyEvent]:
    """What has happened in a session that is in memory."""
    session = next(one for one in server.hub.sessions if one.state.session_id == session_id)
    return session.tail.after(0, limit=10_000) or []


async def has(server: Live, session_id: str, kind: type[AnyEvent], *, count: int = 1) -> None:
    """Wait for so many events of a kind."""
    await until(lambda: sum(isinstance(event, kind) for event in events(server, session_id)) >= count)


async def test_somebody_calls_and_is_answered_aloud(tmp_path: Path) -> None:
    calls = scripted_calls(Segment(text="what is the time"))
    agent = ScriptedAgent(["It is ", "ten. ", "Good night."])
    async with serving(agent, tmp_path, calls=calls) as server, person(server.port, "?session=s-1") as caller:
        assert caller.session_id == "s-1"
        await until(lambda: len(calls) == 1)
        await caller.say(700, then_ms=600)
        await has(server, "s-1", SpeakingFinished)
        assert [request.text for request in agent.requests] == ["what is the time"]
        ended = [event for event in events(server, "s-1") if isinstance(event, TurnEnded)]
        assert [event.answer for event in ended] == ["It is ten. Good night."]
        # Five words of 300 ms, less what the codec makes of their edges.
        await until(lambda: caller.loud_ms >= 1_400)
        assert caller.loud_ms <= 1_600
        hung_up = await fetch(server.port, "DELETE", caller.location)
        assert (hung_up.status, hung_up.body) == (200, {"hungUp": True})
        await caller.closed.wait()
        assert len(calls) == 0
        assert (await fetch(server.port, "DELETE", caller.location)).status == 404
        finished = [event for event in events(server, "s-1") if isinstance(event, CallFinished)]
        assert [event.reason for event in finished] == ["hung_up"]


async def test_opus_is_answered_also_where_another_codec_is_offered_first(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path, calls=scripted_calls()) as server:
        offer = re.sub(rb"(m=audio \d+ \S+) 96 (.*) 0 8", rb"\1 0 \2 8 96", await _offer())
        assert b" 0 9 8 96\r\n" in offer
        answer = await fetch(server.port, "POST", "/webrtc", body=offer, headers=SDP)
        assert answer.status == 201, answer.raw
        assert [line for line in answer.raw.splitlines() if line.startswith(b"a=rtpmap")] == [
            b"a=rtpmap:96 opus/48000/2"
        ]
        assert (await fetch(server.port, "DELETE", answer.headers["location"])).status == 200


async def _offer(*, video: bool = False, data: bool = False) -> bytes:
    """What a client offers that has more than its microphone."""
    async with Person() as caller:
        return await caller.offer(video=video, data=data)


def _with(offer: bytes, lines: bytes) -> bytes:
    return offer + lines


def _only(offer: bytes, kind: str) -> bytes:
    """Leave one codec, by its static number. Source: RFC 3551, 6."""
    named = re.sub(rb"(m=audio \d+ \S+) .*\r\n", rb"\1 " + kind.encode() + b"\r\n", offer)
    return re.sub(rb"a=(rtpmap|fmtp|rtcp-fb):(?!%b ).*\r\n" % kind.encode(), b"", named)


async def test_a_new_offer_takes_over_and_the_conversation_goes_on(tmp_path: Path) -> None:
    calls = scripted_calls(Segment(text="hello"))
    agent = ScriptedAgent(["Yes."])
    async with serving(agent, tmp_path, calls=calls) as server, person(server.port) as first:
        await first.say(600, then_ms=600)
        await has(server, first.session_id, SpeakingFinished)
        async with person(server.port, f"?session={first.session_id}") as second:
            await first.closed.wait()
            await second.say(600, then_ms=600)
            await has(server, first.session_id, SpeakingFinished, count=2)
            assert len(calls) == 1
        assert agent.requests[1].history[-1].text == "Yes."
        assert calls.figures.ended["taken_over"] == 1


async def test_a_peer_that_leaves_ends_its_call(tmp_path: Path) -> None:
    calls = scripted_calls()
    async with serving(ScriptedAgent(["yes"]), tmp_path, calls=calls) as server:
        async with person(server.port):
            await until(lambda: len(calls) == 1)
        await until(lambda: len(calls) == 0)


async def test_what_is_no_offer_is_refused(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path, calls=scripted_calls()) as server:
        for body, headers, told in (
            (b"{}", {"Content-Type": "application/json"}, "application/sdp"),
            (b"zzz", SDP, "offer"),
            (b"", SDP, "offer"),
            (VIDEO, SDP, "no stream of sound"),
            (b"v=0\r\n" + b"a=x\r\n" * 20_000, SDP, "larger than"),
            (await _offer(video=True), SDP, "2 streams"),
            (await _offer(data=True), SDP, "2 streams"),
            (_with(await _offer(), CANDIDATE * 70), SDP, "addresses"),
            (_only(await _offer(), "0"), SDP, "sound in Opus"),
            (_only(await _offer(), "13"), SDP, "sound in Opus"),
            (_with(await _offer(), b"a=candidate:x\r\n"), SDP, "offer"),
        ):
            answer = await fetch(server.port, "POST", "/webrtc", body=body, headers=headers)
            assert answer.status in (400, 413), body
            assert told in answer.body["message"], answer.body
        for query in ("?turns=zzz", "?language=!"):
            async with Person() as caller:
                answer = await fetch(server.port, "POST", f"/webrtc{query}", body=await caller.offer(), headers=SDP)
                assert answer.status == 400
        # Nothing is left of them.
        metrics = (await fetch(server.port, "GET", "/metrics")).raw.decode()
        assert 'transport="webrtc"} 0.0' in metrics


async def test_a_token_calls_and_hangs_up_in_its_own_session_alone(tmp_path: Path) -> None:
    async with (
        serving(ScriptedAgent(["yes"]), tmp_path, SECURED, calls=scripted_calls()) as server,
        person(server.port, headers=bearer("ada", "s-1")) as caller,
    ):
        assert caller.session_id == "s-1"
        for headers in ({}, bearer("bob"), bearer("ada", "s-2")):
            answer = await fetch(server.port, "DELETE", caller.location, headers=headers)
            assert answer.status in (401, 404)
        async with Person() as other:
            answer = await fetch(
                server.port,
                "POST",
                "/webrtc?session=s-1",
                body=await other.offer(),
                headers=SDP | bearer("bob"),
            )
            assert answer.status == 403
        assert (await fetch(server.port, "DELETE", caller.location, headers=bearer("ada"))).status == 200


def test_an_ice_server_is_named_in_the_answer() -> None:
    from duologue.server.routes.calls import link_of

    plain = IceServer(urls=("stun:stun.example.com",))
    assert link_of(plain) == '<stun:stun.example.com>; rel="ice-server"'
    turn = IceServer(urls=("turn:turn.example.com",), username="u", credential="c")
    assert link_of(turn) == (
        '<turn:turn.example.com>; rel="ice-server"; username="u"; credential="c"; credential-type="password"'
    )


def hold_up() -> None:
    """Keep the event loop from its work, as a busy machine does."""
    time.sleep(HELD_UP_S)


async def test_sound_that_is_late_is_not_sent_in_a_burst(tmp_path: Path) -> None:
    calls = scripted_calls(Segment(text="go"))
    async with (
        serving(ScriptedAgent(["one two three four five six."]), tmp_path, calls=calls) as server,
        person(server.port, "?session=s-1") as caller,
    ):
        await caller.say(600, then_ms=600)
        await until(lambda: caller.loud_ms >= 300)
        (call,) = calls
        sound = call.playout.sound
        assert sound is not None
        hold_up()
        before_ms, began_s = sound.sent_ms, asyncio.get_running_loop().time()
        await until(lambda: asyncio.get_running_loop().time() - began_s > 0.2)
        passed_ms = (asyncio.get_running_loop().time() - began_s) * 1000
        # What is sent ahead of the ear, and two frames.
        assert 0 < sound.sent_ms - before_ms <= passed_ms + LEAD_MS + 2 * FRAME_MS < passed_ms + HELD_UP_S * 1000
