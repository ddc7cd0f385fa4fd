"""Spoken conversations, made by stepping the engine: every event in them has a cause."""

from collections.abc import Callable
from typing import Final

from tests.unit.engine.conversation import Conversation
from tests.unit.engine.voice_talk import CALL, RULES, WORD_MS, VoiceTalk

from duologue.model.content import SpeechMetadata
from duologue.model.events import AnyEvent
from duologue.model.inputs import (
    AnswerReleased,
    AudioTurnCancelled,
    AudioTurnCommitted,
    AudioTurnStarted,
    CallEnded,
    CancelRequested,
    SpeechFailed,
    UserTurn,
)
from duologue.model.voice import VoiceRules


def exchange() -> VoiceTalk:
    """Somebody asks, in two breaths, and hears the answer word by word."""
    talk = VoiceTalk(RULES)
    talk.begin(ago_ms=48, after_ms=400)
    talk.recognise("are", final=False, after_ms=300)
    talk.recognise("are you", final=False, after_ms=200, language="en")
    talk.stop(after_ms=300)
    talk.recognise("Are you", after_ms=90, language="en")
    talk.begin(after_ms=100)
    talk.recognise("open", final=False, after_ms=300)
    talk.stop(after_ms=400)
    talk.recognise("open?", after_ms=90, language="en")
    talk.wait()
    talk.speak("We ", "open ", "at ten.", after_ms=40)
    talk.voice("We", "open", "at", "ten.", after_ms=80)
    talk.played(1, after_ms=20)
    talk.finish(after_ms=30)
    for count in (1, 2, 3):
        talk.played(count * WORD_MS + 1, after_ms=WORD_MS)
    talk.heard_out(after_ms=WORD_MS)
    return talk


def interrupted(*, whole: bool) -> VoiceTalk:
    """Somebody speaks over the answer after two words, and goes on to another turn."""
    talk = VoiceTalk(RULES)
    talk.utter("Count to five.")
    talk.speak("one ", "two ", "three ", "four ", "five", after_ms=30)
    if whole:
        talk.finish()
    talk.voice("one", "two", "three", "four", "five", timed=False)
    talk.played(WORD_MS + 1, after_ms=WORD_MS)
    talk.begin(after_ms=10)
    talk.wait()
    talk.recognise("stop", final=False, after_ms=200)
    talk.stop(after_ms=100)
    talk.recognise("Stop it.", after_ms=100)
    talk.wait()
    talk.answer("Sorry.")
    return talk


def ignored() -> VoiceTalk:
    """Somebody coughs and then agrees while they are answered; the answer goes on."""
    talk = VoiceTalk(RULES)
    talk.utter("Tell me.")
    talk.speak("one ", "two", after_ms=30)
    talk.finish()
    talk.voice("one", "two")
    talk.played(1)
    talk.begin(after_ms=50)
    talk.stop(after_ms=300)
    talk.begin(after_ms=100)
    talk.recognise("mhm", final=False, after_ms=200)
    talk.wait()
    talk.stop(after_ms=300)
    talk.played(WORD_MS + 1)
    talk.heard_out()
    return talk


def nothing() -> VoiceTalk:
    """What is said is not understood, then no transcript comes at all, then nobody speaks."""
    talk = VoiceTalk(VoiceRules(final_wait_ms=4_000, no_response_ms=8_000))
    talk.begin()
    talk.stop(after_ms=800)
    talk.recognise("", after_ms=100)
    talk.begin(after_ms=100)
    talk.stop(after_ms=800)
    talk.wait()
    talk.wait()
    return talk


def extended(*, typed: bool = False) -> VoiceTalk:
    """Somebody says more before they are answered; or begins to, and types something else."""
    talk = VoiceTalk(RULES)
    talk.utter("I would like")
    talk.begin(after_ms=50)
    talk.recognise("a cake", final=False, after_ms=200)
    if typed:
        talk.say("never mind")
    else:
        talk.stop(after_ms=300)
        talk.recognise("a cake", after_ms=100)
        talk.wait()
    talk.answer("Here", "it", "is.")
    return talk


def explicit() -> VoiceTalk:
    """A client says when its turns begin and end, and takes one back."""
    talk = VoiceTalk(VoiceRules(mode="explicit"))
    talk.give(AudioTurnStarted(turn=1))
    talk.give(AudioTurnCancelled(turn=1), after_ms=500)
    talk.give(AudioTurnStarted(turn=1), after_ms=500)
    talk.give(AudioTurnCommitted(turn=1), after_ms=900)
    talk.recognise("Hello.", after_ms=100)
    talk.answer("Hi.")
    return talk


def judged() -> VoiceTalk:
    """A model judges the pause, and the answer was prepared meanwhile."""
    talk = VoiceTalk(VoiceRules(early=True, end_of_turn=0.5))
    talk.begin()
    talk.recognise("what time is it", final=False, after_ms=600)
    talk.stop(after_ms=400)
    talk.judge(0.2)
    talk.recognise("What time is it?", after_ms=100)
    talk.wait()
    talk.give(AnswerReleased(call_id=CALL, response_id=talk.response_id, tokens=2))
    talk.answer("It", "is", "noon.")
    return talk


def stopped(*, whole: bool) -> VoiceTalk:
    """The person presses stop while they hear the answer; then the voice fails, and the call ends."""
    talk = VoiceTalk(RULES)
    talk.utter("Tell me.")
    talk.speak("one ", "two", after_ms=30)
    if whole:
        talk.finish()
    talk.voice("one", "two")
    talk.played(1)
    talk.give(CancelRequested())
    talk.utter("Again.")
    talk.speak("one ", "two", after_ms=30)
    talk.give(SpeechFailed(call_id=CALL, part="tts", message="the voice is gone"))
    talk.finish()
    talk.give(CallEnded(call_id=CALL, reason="hung_up"), after_ms=100)
    return talk


def own_recogniser() -> Conversation:
    """No call: a client listens, recognises and plays by itself."""
    talk = Conversation()
    talk.pull("user_activates_mic", "speech_end")
    measured = SpeechMetadata(confidence=0.93, stt_ms=210)
    talk.give(UserTurn(text="Which states are there?", source="voice", speech=measured, language="en"))
    talk.speak("Six.", after_ms=30)
    talk.finish()
    talk.pull("tts_complete")
    return talk


SPOKEN: Final[dict[str, Callable[[], Conversation]]] = {
    "exchange": exchange,
    "interrupted": lambda: interrupted(whole=False),
    "interrupted once made": lambda: interrupted(whole=True),
    "ignored": ignored,
    "nothing": nothing,
    "extended": extended,
    "typed while more is said": lambda: extended(typed=True),
    "explicit": explicit,
    "judged": judged,
    "stopped": lambda: stopped(whole=False),
    "stopped once made": lambda: stopped(whole=True),
    "own recogniser": own_recogniser,
}
"""All of them, by name."""


def events(name: str) -> list[AnyEvent]:
    """The events of one."""
    return SPOKEN[name]().events
