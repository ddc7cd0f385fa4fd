"""A person takes over in a call: the agent falls silent, what they write is spoken, and what is said reaches them."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Final

import pytest
from tests.e2e.calls import scripted_calls
from tests.e2e.desk import Operator
from tests.e2e.harness import CountingAgent, serving, until
from tests.e2e.lines import KINDS, SESSION, Kind, Seen, now_s

from duologue.model.agent import AgentItem, AgentRequest, Finished
from duologue.model.events import BargedIn, SpeakingFinished, SpeechBegan, TurnEnded, WordSpoken
from duologue.model.voice import VoiceRules
from duologue.testing.scripted_agent import ScriptedAgent
from duologue.testing.scripted_speech import ScriptedTextToSpeech, Segment

pytestmark = pytest.mark.anyio

RULES: Final = VoiceRules(silence_ms=100, endpoint_ms=50, min_speech_ms=200)
"""Quick ones: what takes its time here is people."""

FLUSH_MS: Final = 200
"""How soon nothing more of an answer is heard. Source: case 5."""

each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


async def counts(request: AgentRequest) -> AsyncGenerator[AgentItem, None]:
    """Begin to count, and never come to an end; later answer at once."""
    if request.turn == 1:
        yield "one two three four five six seven eight nine ten. "
        await asyncio.Event().wait()
    yield "Yes."
    yield Finished()


@each_kind
async def test_a_person_takes_over_speaks_listens_and_hands_back(kind: Kind, tmp_path: Path) -> None:
    agent, voice = CountingAgent(counts), ScriptedTextToSpeech(word_ms=200)
    heard = (Segment(text="count to ten"), Segment(text="no, wait"), Segment(text="and now?"))
    calls = scripted_calls(*heard, rules=RULES, voice=voice)
    async with (
        serving(agent, tmp_path, calls=calls) as server,
        Operator(server.port, "mia") as mia,
        kind.ring(server.port) as line,
    ):
        seen = Seen(server)
        await line.say(300, then_ms=200)
        await seen.has(WordSpoken, count=2)
        taken = (await mia.post("take-over", sessionId=SESSION)).body["handoff"]["id"]
        taken_s = now_s()
        await until(lambda: agent.closed == 1)
        await until(lambda: (now_s() - taken_s) * 1000 >= 2 * FLUSH_MS)
        assert (line.last_loud_s - taken_s) * 1000 <= FLUSH_MS
        assert ended(seen, 1) == ("interrupted", "one two")

        # What they write is spoken, and talked over as the agent's words are.
        await mia.do(taken, "say", text="Mia here, five six seven eight nine.")
        await seen.has(WordSpoken, count=4)
        await line.say(300, then_ms=300)
        await seen.has(BargedIn)
        await seen.has(TurnEnded, count=3)
        assert voice.texts[-1] == "Mia here, five six seven eight nine."
        outcome, said = ended(seen, 2)
        assert outcome == "interrupted"
        assert said.startswith("Mia here") and "nine" not in said
        assert ended(seen, 3)[0] == "passed"
        while (told := (await mia.told("said"))["said"])["text"] != "no, wait":
            pass
        assert told["role"] == "customer"

        await mia.do(taken, "say", text="All done.")
        await seen.has(SpeakingFinished)
        assert ended(seen, 4) == ("completed", "All done.")
        assert len(agent.requests) == 1

        await mia.do(taken, "hand-back", note="it was ours")
        await line.say(300, then_ms=200)
        await seen.has(SpeakingFinished, count=2)
        assert ended(seen, 5) == ("completed", "Yes.")
        asked = agent.requests[1]
        assert [(one.role, one.text, one.author, one.interrupted) for one in asked.history[1:]] == [
            ("assistant", "one two", "", True),
            ("assistant", said, "mia", True),
            ("user", "no, wait", "", False),
            ("assistant", "All done.", "mia", False),
        ]
        assert (asked.text, [one.value for one in asked.context]) == ("and now?", ["it was ours"])


@each_kind
async def test_what_is_written_waits_for_whoever_is_heard(kind: Kind, tmp_path: Path) -> None:
    """Nobody is talked over: neither the person, nor what was written before."""
    heard = (Segment(text="hello"), Segment(text="one more thing"))
    calls = scripted_calls(*heard, rules=RULES, voice=ScriptedTextToSpeech(word_ms=50))
    async with (
        serving(ScriptedAgent(["Yes."]), tmp_path, calls=calls) as server,
        kind.ring(server.port) as line,
    ):
        seen, mia = Seen(server), Operator(server.port, "mia")
        await line.say(300, then_ms=200)
        await seen.has(SpeakingFinished)
        taken = (await mia.post("take-over", sessionId=SESSION)).body["handoff"]["id"]
        for text in ("One two three four five.", "Six."):
            await mia.do(taken, "say", text=text)
        await seen.has(SpeakingFinished, count=3)
        talking = asyncio.ensure_future(line.say(400, then_ms=200))
        await seen.has(SpeechBegan, count=2)
        await mia.do(taken, "say", text="Seven.")
        await talking
        await seen.has(SpeakingFinished, count=4)
        assert not seen.all(BargedIn)
        assert [ended(seen, number) for number in range(2, 6)] == [
            ("completed", "One two three four five."),
            ("completed", "Six."),
            ("passed", ""),
            ("completed", "Seven."),
        ]


def ended(seen: Seen, number: int) -> tuple[str, str]:
    """How the so-many-th turn ended, and what was heard of its answer."""
    one = seen.all(TurnEnded)[number - 1]
    assert isinstance(one, TurnEnded)
    return one.outcome, one.answer.strip()
