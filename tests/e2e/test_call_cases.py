"""Cases of a spoken conversation over real links, with scripted speech: what was heard, what was not."""

import asyncio
import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.e2e.calls import calling, scripted_calls
from tests.e2e.dialects import AGENTCALL
from tests.e2e.harness import serving, until
from tests.e2e.lines import KINDS, SESSION, Kind, Seen, now_s
from tests.e2e.links import AGENTCALL_WS
from tests.e2e.wire import fetch

from duologue.model.agent import AgentItem, AgentRequest, Finished, ToolCalled, ToolReturned
from duologue.model.errors import Code
from duologue.model.events import (
    BargedIn,
    ListeningBegan,
    NothingHeard,
    ResponseFailed,
    SpeakingFinished,
    SpeakingResumed,
    TurnAccepted,
    TurnEnded,
    WordSpoken,
)
from duologue.model.events import ToolCalled as ToolWasCalled
from duologue.model.voice import VoiceRules
from duologue.ports.agent import Files
from duologue.testing.scripted_agent import Pause, ScriptedAgent
from duologue.testing.scripted_speech import Partial, ScriptedTextToSpeech, Segment

pytestmark = pytest.mark.anyio

COUNTING = "one two three four five"
FLUSH_MS = 200
"""How soon the flush reaches the client. Source: case 5."""


def counting(request: AgentRequest) -> list[str]:
    return [COUNTING] if "count" in request.text else ["Yes."]


each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


@each_kind
async def test_what_was_heard_is_remembered_and_not_what_was_made(kind: Kind, tmp_path: Path) -> None:
    """Case 5 (a): playback has reached `two` when the person begins to talk over it."""
    agent = ScriptedAgent(counting)
    voice = ScriptedTextToSpeech(word_ms=700)
    calls = scripted_calls(Segment(text="count to five"), Segment(text="stop that please"), voice=voice)
    async with serving(agent, tmp_path, calls=calls) as server, kind.ring(server.port) as line:
        seen = Seen(server)
        await line.say(600, then_ms=500)
        await seen.has(WordSpoken, count=2)
        talking = asyncio.ensure_future(line.say(900, then_ms=900))
        await seen.has(BargedIn)
        flushed_s = now_s()
        await until(lambda: (now_s() - flushed_s) * 1000 >= FLUSH_MS)
        loud_ms = line.loud_ms
        # They go on talking, and nothing is heard over them.
        await until(lambda: (now_s() - flushed_s) * 1000 >= 2 * FLUSH_MS)
        assert line.loud_ms == loud_ms
        await talking
        ended = seen.all(TurnEnded)[0]
        assert isinstance(ended, TurnEnded)
        assert (ended.outcome, ended.answer) == ("interrupted", "one two")
        await seen.has(TurnAccepted, count=2)
        await until(lambda: agent.runs == 2)
        told = agent.requests[1].history[-1]
        assert (told.text, told.interrupted) == ("one two", True)
        assert COUNTING not in json.dumps([message.text for message in agent.requests[1].history])


async def test_all_sound_is_sent_and_the_clients_word_says_what_was_heard(tmp_path: Path) -> None:
    """Case 5 (b): only a socket's client can hold sound that it has not played."""
    agent = ScriptedAgent(counting)
    voice = ScriptedTextToSpeech(word_ms=30)
    calls = scripted_calls(Segment(text="count to five"), Segment(text="stop that please"), voice=voice)
    async with serving(agent, tmp_path, calls=calls) as server, calling(server.port) as caller:
        await caller.start(SESSION, playback=True)
        await caller.say(600, then_ms=500)
        sent = await caller.until("speech.sent")
        response_id = sent["responseId"]
        # The last frame is filled up.
        assert (sent["durationMs"], caller.heard_ms(response_id)) == (150, 160)
        for played_ms in (0, 20, 50):
            await caller.send({"type": "playback", "responseId": response_id, "playedMs": played_ms})
        await caller.say(900, then_ms=900)
        seen = Seen(server)
        barged = await seen.has(BargedIn)
        clear = await caller.until("clear")
        assert clear["responseId"] == response_id
        assert barged
        ended = await seen.has(TurnEnded)
        assert isinstance(ended, TurnEnded)
        assert ended.answer == "one two"
        for played_ms, wrong in ((10_000, "late words are let be"), (1, "so are these")):
            await caller.send({"type": "playback", "responseId": response_id, "playedMs": played_ms})
            assert "error" not in caller.kinds(), wrong
        await until(lambda: agent.runs == 2)
        assert agent.requests[1].history[-1].text == "one two"


@each_kind
async def test_before_any_sound_nothing_was_said(kind: Kind, tmp_path: Path) -> None:
    """Case 5 (c): the voice is still thinking when the person goes on."""
    agent = ScriptedAgent(counting)
    voice = ScriptedTextToSpeech(first_ms=4_000)
    calls = scripted_calls(Segment(text="count to five"), Segment(text="no, never mind"), voice=voice)
    async with serving(agent, tmp_path, calls=calls) as server, kind.ring(server.port) as line:
        seen = Seen(server)
        await line.say(600, then_ms=500)
        await seen.has(TurnAccepted)
        await line.say(900, then_ms=700)
        await until(lambda: agent.runs >= 2)
        assert not seen.all(WordSpoken)
        assert not seen.all(ResponseFailed)
        assert not [message for message in agent.requests[-1].history if message.role == "assistant"]


@each_kind
async def test_a_short_sound_lets_the_assistant_go_on(kind: Kind, tmp_path: Path) -> None:
    agent = ScriptedAgent(counting)
    calls = scripted_calls(Segment(text="count to five"), Segment(text=""), voice=ScriptedTextToSpeech(word_ms=500))
    async with serving(agent, tmp_path, calls=calls) as server, kind.ring(server.port) as line:
        seen = Seen(server)
        await line.say(600, then_ms=500)
        await seen.has(WordSpoken, count=2)
        await line.say(160, then_ms=400)
        await seen.has(SpeakingResumed)
        await seen.has(SpeakingFinished)
        ended = await seen.has(TurnEnded)
        assert isinstance(ended, TurnEnded)
        assert (ended.outcome, ended.answer) == ("completed", COUNTING)
        assert agent.runs == 1


@each_kind
@pytest.mark.parametrize("after_ms", [50, None], ids=["empty", "missing"])
async def test_nothing_was_recognised(kind: Kind, after_ms: float | None, tmp_path: Path) -> None:
    """Case 6 (b) and (c): no run; the clients are told; listening again within 5 s."""
    agent = ScriptedAgent(["Yes."])
    calls = scripted_calls(Segment(text="", after_ms=after_ms))
    async with serving(agent, tmp_path, calls=calls) as server, kind.ring(server.port) as line:
        seen = Seen(server)
        await line.say(600, then_ms=300)
        said_s = now_s()
        await seen.has(NothingHeard, within_s=6)
        assert now_s() - said_s <= 5
        assert seen.session.state.state == "listening"
        assert agent.runs == 0


@each_kind
async def test_a_late_final_is_used_once_in_its_own_turn(kind: Kind, tmp_path: Path) -> None:
    """Case 6 (a): 800 ms after the end of the turn."""
    agent = ScriptedAgent(["Yes."])
    calls = scripted_calls(Segment(text="first", after_ms=800), Segment(text="second"))
    async with serving(agent, tmp_path, calls=calls) as server, kind.ring(server.port) as line:
        seen = Seen(server)
        await line.say(600, then_ms=1_500)
        await seen.has(SpeakingFinished)
        await line.say(600, then_ms=700)
        await seen.has(SpeakingFinished, count=2)
        assert [request.text for request in agent.requests] == ["first", "second"]


class Cancelling:
    """Cancels orders at the first word of it, by a tool; counts what it was asked and did."""

    name = "cancelling"

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.executed = 0

    async def run(self, request: AgentRequest, files: Files) -> AsyncGenerator[AgentItem, None]:
        """Answer; see `ports.agent.Agent`."""
        del files
        self.asked.append(request.text)
        if "don't" in request.text:
            yield "I leave it as it is."
        else:
            yield "Cancelling your order. "
            yield ToolCalled(call_id="c-1", name="cancel_order")
            self.executed += 1
            yield ToolReturned(call_id="c-1", result="done")
            yield "Done."
        yield Finished()


@each_kind
async def test_speculation_does_not_leak(kind: Kind, tmp_path: Path) -> None:
    """Case 7: what was prepared for a part of the words is neither seen nor heard nor done."""
    agent = Cancelling()
    heard = (
        Segment(text="cancel my order", partials=(Partial(text="cancel my order", at_ms=300),)),
        Segment(text="no, don't"),
    )
    rules = VoiceRules(early=True, endpoint_ms=700)
    calls = scripted_calls(*heard, rules=rules)
    async with serving(agent, tmp_path, calls=calls) as server, kind.ring(server.port) as line:
        seen = Seen(server)
        await line.say(700, then_ms=500)
        await until(lambda: agent.asked == ["cancel my order"])
        assert line.loud_ms == 0
        await line.say(600, then_ms=1_000)
        await seen.has(SpeakingFinished)
        assert agent.asked[-1] == "cancel my order no, don't"
        assert agent.executed == 0
        assert not seen.all(ToolWasCalled)
        ended = seen.all(TurnEnded)
        assert [event.answer for event in ended if isinstance(event, TurnEnded)] == ["I leave it as it is."]
        journal = (await fetch(server.port, "GET", f"/api/sessions/{SESSION}/journal")).raw.decode()
        assert "Cancelling" not in journal
        assert calls.figures.preflights["miss"] == 1


@each_kind
async def test_an_answer_that_was_prepared_is_let_out(kind: Kind, tmp_path: Path) -> None:
    agent = Cancelling()
    heard = (Segment(text="cancel my order", partials=(Partial(text="cancel my order", at_ms=300),)),)
    calls = scripted_calls(*heard, rules=VoiceRules(early=True, endpoint_ms=500))
    async with serving(agent, tmp_path, calls=calls) as server, kind.ring(server.port) as line:
        seen = Seen(server)
        await line.say(700, then_ms=1_000)
        await seen.has(SpeakingFinished)
        assert agent.asked == ["cancel my order"]
        assert agent.executed == 1
        ended = seen.all(TurnEnded)[0]
        assert isinstance(ended, TurnEnded)
        assert ended.answer == "Cancelling your order. Done."
        assert ended.latency is not None
        assert ended.latency.preflight == "hit"
        assert calls.figures.preflights == {"hit": 1}


async def test_a_client_says_itself_when_its_turn_is_over(tmp_path: Path) -> None:
    agent = ScriptedAgent(["Yes."])
    calls = scripted_calls(Segment(text="push to talk"), Segment(text="again"))
    async with serving(agent, tmp_path, calls=calls) as server, calling(server.port) as caller:
        ready = await caller.start(SESSION, turns="explicit")
        assert ready["turns"] == "explicit"
        seen = Seen(server)
        await caller.send({"type": "turn.start", "turn": 1})
        await caller.say(300, then_ms=900)
        # Silence ends nothing here.
        assert agent.runs == 0
        await caller.send({"type": "turn.commit", "turn": 1})
        await seen.has(SpeakingFinished)
        await caller.send({"type": "turn.start"})
        await caller.say(200)
        await caller.send({"type": "turn.cancel"})
        await seen.has(NothingHeard)
        await caller.send({"type": "turn.commit", "turn": 9})
        error = await caller.until("error")
        assert error["code"] in {code.value for code in Code}
        assert [request.text for request in agent.requests] == ["push to talk"]


@each_kind
async def test_who_types_during_a_call_is_answered_too(kind: Kind, tmp_path: Path) -> None:
    agent = ScriptedAgent(["Typed ", Pause(ms=50), "answer."])
    async with serving(agent, tmp_path, calls=scripted_calls()) as server, kind.ring(server.port):
        seen = Seen(server)
        said = {"sessionId": SESSION, "requestId": "r-1", "text": "hello"}
        await fetch(server.port, "POST", "/chat/stream", body=said)
        ended = await seen.has(TurnEnded)
        assert isinstance(ended, TurnEnded)
        assert ended.answer == "Typed answer."


async def test_a_client_of_another_protocol_says_when_turns_are_over(tmp_path: Path) -> None:
    """AgentCall 0.1: `audioTurnControl` explicit, and `audio.turn.*`; the sound comes over its own link."""
    agent = ScriptedAgent(["Yes."])
    calls = scripted_calls(Segment(text="push to talk"))
    explicit = AGENTCALL.hello(SESSION, 0) | {"clientCapabilities": {"audioTurnControl": {"mode": "explicit"}}}
    async with serving(agent, tmp_path, calls=calls) as server:
        link = await AGENTCALL_WS.open(server.port, SESSION, hello=explicit)
        await link.up_to(1)
        await link.send({"type": "audio.turn.start", "turn": 1})
        assert (await link.refused())["code"] == "no_audio"
        async with calling(server.port) as caller:
            assert (await caller.start(SESSION))["turns"] == "explicit"
            seen = Seen(server)
            await link.send({"type": "audio.turn.start", "turn": 1})
            await until(lambda: bool(seen.all(ListeningBegan)))
            await caller.say(300, then_ms=700)
            assert agent.runs == 0
            await link.send({"type": "audio.turn.commit", "turn": 1})
            await seen.has(SpeakingFinished)
            assert [request.text for request in agent.requests] == ["push to talk"]
            await caller.send({"type": "hangup"})
            await caller.until_closed()
        await link.drop()
