"""A whole call on virtual time: speech in, words recognised, the agent asked, the answer spoken, and interrupted."""

import pytest
from tests.unit.runtime.voice.call_world import FakeLink, on_virtual_time, world

from duologue.model.events import (
    BargedIn,
    CallBegan,
    CallFinished,
    NothingHeard,
    SpeakingFinished,
    SpeechBegan,
    SpeechPaused,
    Transcribed,
    TurnAccepted,
    TurnEnded,
    WordSpoken,
)
from duologue.model.voice import VoiceRules
from duologue.testing.scripted_agent import Pause
from duologue.testing.scripted_speech import (
    Partial,
    ScriptedTextToSpeech,
    ScriptedTranscription,
    Segment,
    silence,
)


def test_somebody_asks_and_is_answered_aloud() -> None:
    async def work() -> None:
        heard = (Segment(text="what is the time", partials=(Partial(text="what is", at_ms=400),)),)
        async with world(heard=heard, answer=("It is ", "ten. ", "Good night.")) as here:
            link = await here.call()
            await here.say(link, 800, then_ms=700)
            await here.until(SpeakingFinished)
            assert here.agent.requests[0].text == "what is the time"
            assert here.agent.requests[0].source == "voice"
            assert here.agent.runs == 1
            (accepted,) = here.all(TurnAccepted)
            assert (accepted.text, accepted.source) == ("what is the time", "voice")
            assert [event.text for event in here.all(Transcribed)] == ["what is", "what is the time"]
            assert [event.word for event in here.all(WordSpoken)] == ["It", "is", "ten.", "Good", "night."]
            assert here.voice.texts == ["It is ten.", "Good night."]
            assert link.sent_ms == 5 * 300
            (ended,) = here.all(TurnEnded)
            assert (ended.outcome, ended.answer) == ("completed", "It is ten. Good night.")
            assert here.session.state.state == "listening"
            kinds = [type(event) for event in here.events]
            assert kinds.index(CallBegan) < kinds.index(SpeechBegan) < kinds.index(SpeechPaused)

    on_virtual_time(work())


def test_the_reaction_is_the_configured_delays_and_a_window() -> None:
    async def work() -> None:
        async with world(heard=(Segment(text="hello", after_ms=50),), answer=("Yes.",)) as here:
            link = await here.call()
            said_from_ms = link.now_ms
            await here.say(link, 640, then_ms=900)
            await here.until(SpeakingFinished)
            (ended,) = here.all(TurnEnded)
            # The silence of the end, recognition, and the voice's own time, of which the last two are scripted.
            assert link.at("begun") - (said_from_ms + 640) <= 500 + 64
            parts = ended.latency
            assert parts is not None
            assert parts.voice_ms == 40

    on_virtual_time(work())


def test_the_person_interrupts_and_only_what_was_heard_is_remembered() -> None:
    async def work() -> None:
        heard = (Segment(text="count to five"), Segment(text="stop that please"))
        answers = {"count to five": ("one two three four five",)}
        async with world(heard=heard, answer=lambda request: answers.get(request.text, ("Yes.",))) as here:
            link = await here.call()
            await here.say(link, 600, then_ms=600)
            await here.until(WordSpoken, count=2)
            began_ms = link.now_ms
            await here.say(link, 900, then_ms=900)
            await here.until(BargedIn)
            assert "cleared" in link.words()
            cleared_ms = link.at("cleared")
            assert cleared_ms - began_ms <= 500 + 2 * 32 + 20
            await here.until(TurnAccepted, count=2)
            first = here.all(TurnEnded)[0]
            assert first.outcome == "interrupted"
            assert "one two three four five".startswith(first.answer)
            assert first.answer != "one two three four five"
            told = here.agent.requests[1].history[-1]
            assert (told.role, told.text, told.interrupted) == ("assistant", first.answer, True)
            await here.until(SpeakingFinished)
            assert here.agent.runs == 2
            # From the moment in which the interruption was accepted, nothing was sent but the next answer.
            begun_ms = [at_ms for at_ms, word, _ in link.told if word == "begun"]
            assert not [at_ms for at_ms in link.sends if cleared_ms < at_ms < begun_ms[1]]

    on_virtual_time(work())


def test_a_short_sound_pauses_the_assistant_and_lets_it_go_on() -> None:
    async def work() -> None:
        heard = (Segment(text="count to five"), Segment(text=""))
        async with world(heard=heard, answer=("one two three four five",)) as here:
            link = await here.call()
            await here.say(link, 600, then_ms=600)
            await here.until(WordSpoken, count=1)
            await here.say(link, 200, then_ms=1500)
            await here.until(SpeakingFinished)
            assert [word for word in link.words() if word != "begun"] == ["paused", "resumed"]
            assert link.sent_ms == 5 * 300
            assert here.all(TurnEnded)[0].answer == "one two three four five"

    on_virtual_time(work())


def test_all_sound_is_sent_already_and_the_clients_word_decides_what_was_heard() -> None:
    async def work() -> None:
        heard = (Segment(text="count to five"), Segment(text="stop that please"))
        async with world(heard=heard, answer=lambda _: ("one two three four five",)) as here:
            link = await here.call(FakeLink(lead_ms=60_000, tells=True))
            assert link.call is not None
            await here.say(link, 600, then_ms=1000)
            assert link.sent_ms == 5 * 300
            response_id = here.agent.requests[0].response_id
            assert link.call.played(response_id, 0)
            assert link.call.played(response_id, 590)
            assert not link.call.played(response_id, 100)
            assert not link.call.played(response_id, 1_501)
            await here.say(link, 700)
            await here.until(BargedIn)
            assert "cleared" in link.words()
            ended = here.all(TurnEnded)[0]
            assert ended.answer.strip() == "one two"

    on_virtual_time(work())


def test_nothing_recognised_asks_nobody() -> None:
    for after_ms in (50, None):

        async def work(after_ms: float | None = after_ms) -> None:
            async with world(heard=(Segment(text="", after_ms=after_ms),)) as here:
                link = await here.call()
                said_ms = link.now_ms + 600
                await here.say(link, 600, then_ms=600)
                await here.until(NothingHeard, patience_s=6)
                assert link.now_ms - said_ms <= 5_100
                assert here.agent.runs == 0
                assert here.session.state.state == "listening"

        on_virtual_time(work())


def test_a_late_final_is_used_once_in_its_own_turn() -> None:
    async def work() -> None:
        heard = (Segment(text="hello", after_ms=800), Segment(text="again"))
        async with world(heard=heard, answer=("Yes.",)) as here:
            link = await here.call()
            await here.say(link, 600, then_ms=1600)
            await here.until(SpeakingFinished)
            await here.say(link, 600, then_ms=1600)
            await here.until(SpeakingFinished, count=2)
            assert [request.text for request in here.agent.requests] == ["hello", "again"]

    on_virtual_time(work())


def test_a_voice_that_fails_leaves_the_text_and_the_call() -> None:
    async def work() -> None:
        heard = (Segment(text="hello"), Segment(text="again"))
        voice = ScriptedTextToSpeech(fails_at=2)
        async with world(heard=heard, answer=("one two three.",), voice=voice) as here:
            link = await here.call()
            await here.say(link, 600, then_ms=1800)
            await here.until(TurnEnded)
            await here.say(link, 600, then_ms=1800)
            await here.until(TurnEnded, count=2)
            assert here.agent.runs == 2

    on_virtual_time(work())


def test_a_recogniser_that_fails_is_opened_again() -> None:
    async def work() -> None:
        heard = (Segment(text="", fails=True), Segment(text="never"))
        async with world(heard=heard) as here:
            link = await here.call()
            for _ in range(3):
                await here.say(link, 600, then_ms=1500)
            assert link.ending is not None
            assert link.ending.reason == "recogniser_failed"
            assert len(here.recogniser.opened) == 3
            assert here.all(CallFinished)[-1].reason == "recogniser_failed"

    on_virtual_time(work())


def test_speech_that_goes_on_while_the_agent_thinks_extends_the_turn() -> None:
    async def work() -> None:
        heard = (Segment(text="book a table"), Segment(text="for two"))
        rules = VoiceRules(endpoint_ms=0)
        async with world(heard=heard, answer=(Pause(ms=3_000), "Done."), rules=rules) as here:
            link = await here.call()
            await here.say(link, 600, then_ms=500)
            await here.say(link, 600, then_ms=1500)
            await here.until(SpeakingFinished)
            assert here.agent.requests[-1].text == "book a table for two"
            assert len(here.all(TurnAccepted)) == 1

    on_virtual_time(work())


def test_messages_without_sound_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[bytes] = []

    def push(_: ScriptedTranscription, pcm: bytes) -> None:
        kept.append(pcm)

    monkeypatch.setattr(ScriptedTranscription, "push", push)

    async def work() -> None:
        async with world(rules=VoiceRules(mode="explicit")) as here:
            link = await here.call()
            assert link.call is not None
            for pcm in (b"", silence(20), b""):
                link.call.hear(pcm)
            assert kept == [silence(20)]

    on_virtual_time(work())
