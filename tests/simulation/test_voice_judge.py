"""The judge of calls: whatever a broken engine could do in one is noticed."""

import msgspec
import pytest
from tests.simulation.tampering import (
    Steps,
    Tampering,
    added,
    altered,
    doubled,
    judge,
    not_ordered,
    ordered_otherwise,
    ordered_twice,
    repeated,
    replaced,
    without,
)
from tests.unit.engine.voice_talk import CALL, RULES, VoiceTalk

from duologue.engine.step import Stepped
from duologue.model import events as e
from duologue.model.content import Message
from duologue.model.effects import (
    FinishTranscript,
    FlushSpeech,
    PauseSpeech,
    PrepareAnswer,
    ReleaseAnswer,
    ResumeSpeech,
    StartSpeaking,
)
from duologue.model.inputs import AnswerReleased, AnyInput, Played
from duologue.model.voice import Latency, VoiceRules

EXTENDED, RESUMED, BARGED_IN, TURN_2, LET_OUT, MADE_2, HEARD_2 = 10, 17, 20, 23, 24, 28, 29
"""Places of steps in the script."""

HEARD = "This 👍🏽"


class _Script(VoiceTalk):
    """A call, of which every step is kept."""

    def __init__(self, rules: VoiceRules) -> None:
        self.steps: Steps = []
        super().__init__(rules)

    def give(self, happened: AnyInput, *, after_ms: int = 0) -> Stepped:
        stepped = super().give(happened, after_ms=after_ms)
        self.steps.append((happened, stepped))
        return stepped


def played() -> Steps:
    """Turn 1 is extended, paused and interrupted; turn 2 had been prepared; then nothing is said, then turn 3."""
    talk = _Script(msgspec.structs.replace(RULES, early=True))
    talk.utter("Which one?")
    talk.begin(after_ms=20)
    talk.recognise("the small one", final=False, after_ms=30)
    talk.stop(after_ms=600)
    talk.recognise("the small one", after_ms=20)
    talk.wait()
    talk.speak("This 👍🏽", " one ", "here.", after_ms=30)
    talk.voice("This", "👍🏽", "one", after_ms=50)
    talk.played(1, after_ms=5)
    talk.begin()
    talk.stop(after_ms=300)
    talk.played(301, after_ms=50)
    talk.begin()
    talk.wait()
    talk.stop(after_ms=300)
    talk.recognise("no", after_ms=20)
    talk.wait()
    talk.give(AnswerReleased(call_id=CALL, response_id=talk.response_id, tokens=1))
    talk.speak("Fine.")
    talk.voice("Fine", after_ms=20)
    talk.played(1)
    talk.finish()
    talk.heard_out(after_ms=500)
    talk.begin()
    talk.stop(after_ms=300)
    talk.recognise("", after_ms=9)
    talk.utter("Bye.")
    talk.answer("Bye.")
    return talk.steps


def happening(place: int, kind: type[e.AnyEvent]) -> e.AnyEvent:
    """An event of the script."""
    (event,) = (event for event in played()[place][1].events if isinstance(event, kind))
    return event


def spoken_later() -> e.AnyEvent:
    """The next word of the answer that was interrupted."""
    ended = happening(BARGED_IN, e.TurnEnded)
    return e.WordSpoken(
        seq=0,
        at_ms=ended.at_ms,
        state="listening",
        turn=0,
        request_id="",
        call_id=CALL,
        response_id="response-2",
        word="one",
        begin=8,
        end=11,
        language="en",
        estimated=False,
    )


def told(text: str) -> Tampering:
    """The agent is told something else of the first answer."""

    def alter(steps: Steps) -> Steps:
        (release,) = (one for one in steps[TURN_2][1].effects if isinstance(one, ReleaseAnswer))
        history = tuple(_said(one, text) if one.role == "assistant" else one for one in release.request.history)
        request = msgspec.structs.replace(release.request, history=history)
        return ordered_otherwise(ReleaseAnswer, nth=1, request=request)(steps)

    return alter


def _said(message: Message, text: str) -> Message:
    return msgspec.structs.replace(message, text=text)


def latency(**parts: int) -> Latency:
    """What the first turn waited for, otherwise."""
    ended = happening(BARGED_IN, e.TurnEnded)
    assert isinstance(ended, e.TurnEnded) and ended.latency is not None
    return msgspec.structs.replace(ended.latency, **parts)


def test_what_the_engine_does_in_a_call_is_right() -> None:
    steps = played()
    judge(steps)
    kinds = {type(event) for _, stepped in steps for event in stepped.events}
    assert {e.TurnExtended, e.SpeakingResumed, e.BargedIn, e.AnswerRevealed, e.NothingHeard} <= kinds
    ended = happening(BARGED_IN, e.TurnEnded)
    assert isinstance(ended, e.TurnEnded)
    assert ended.answer == HEARD


ONE_REPLY = [
    pytest.param(repeated(TURN_2), id="what was said becomes two turns"),
    pytest.param(repeated(EXTENDED), id="a turn that was extended is answered twice"),
    pytest.param(repeated(HEARD_2), id="a turn is ended twice"),
    pytest.param(doubled(e.ResponseStarted), id="two answers begin"),
    pytest.param(doubled(e.TurnEnded), id="a turn has two ends"),
    pytest.param(ordered_twice(ReleaseAnswer), id="two runs for one turn"),
    pytest.param(altered(e.ResponseEnded, superseded=False), id="two answers that both count"),
    pytest.param(without(e.TurnExtended), id="an answer anew for the same words"),
    pytest.param(without(e.ResponseEnded), id="an answer that nobody gave up"),
    pytest.param(altered(e.Transcribed, segment=9), id="a final of a segment that nobody ended"),
    pytest.param(doubled(e.Transcribed), id="two finals of one segment"),
    pytest.param(altered(e.TurnAccepted, text="What?"), id="a turn of words that nobody said"),
    pytest.param(altered(e.TurnExtended, text="Which one? no"), id="a turn extended by words that nobody said"),
    pytest.param(altered(e.TurnAccepted, source="typed"), id="a typed turn that nobody typed"),
]

FLUSHED = [
    pytest.param(not_ordered(FlushSpeech, nth=1), id="an interrupted answer goes on"),
    pytest.param(not_ordered(FlushSpeech), id="an answer that was given up goes on"),
    pytest.param(ordered_twice(FlushSpeech), id="flushed twice"),
    pytest.param(ordered_otherwise(FlushSpeech, response_id="response-9"), id="something else is flushed"),
    pytest.param(ordered_otherwise(StartSpeaking, nth=1, response_id="response-1"), id="what was flushed begins anew"),
    pytest.param(ordered_otherwise(ResumeSpeech, response_id="response-1"), id="what was flushed goes on"),
    pytest.param(ordered_otherwise(PauseSpeech, nth=1, response_id="response-1"), id="what was flushed falls silent"),
    pytest.param(
        added(BARGED_IN, Played(call_id=CALL, response_id="response-2", played_ms=700), spoken_later()),
        id="a word after the flush",
    ),
    pytest.param(doubled(e.SpeakingPaused), id="silent twice"),
    pytest.param(without(e.SpeakingPaused), id="goes on without having been silent"),
    pytest.param(doubled(e.SpeakingFinished), id="finished twice"),
    pytest.param(altered(e.WordSpoken, response_id="response-1"), id="a word of what was flushed"),
    pytest.param(altered(e.SpeechPrepared, response_id="response-1"), id="sound of what was flushed"),
    pytest.param(altered(e.SpeechPrepared, end=99), id="sound of what was not said"),
]

AS_HEARD = [
    pytest.param(told("This 👍🏽 one here."), id="the agent is told all that it made"),
    pytest.param(told("This"), id="the agent is told less than was heard"),
    pytest.param(altered(e.TurnEnded, answer="This 👍🏽 one here."), id="all that was made at the end"),
    pytest.param(altered(e.TurnEnded, answer="This"), id="less than was heard at the end"),
    pytest.param(altered(e.TurnEnded, heard=16), id="a wrong measure at the end"),
    pytest.param(altered(e.TurnEnded, heard=None), id="no measure at the end"),
    pytest.param(altered(e.ResponseEnded, nth=1, heard=16), id="a wrong measure at the answer's end"),
    pytest.param(altered(e.TextCompleted, text="This 👍🏽 one here."), id="all that was made in the message"),
    pytest.param(altered(e.BargedIn, heard=0), id="cut elsewhere"),
    pytest.param(altered(e.WordSpoken, nth=1, end=6, word="👍"), id="a character parted"),
    pytest.param(altered(e.WordSpoken, word="That"), id="a word that was not said"),
    pytest.param(doubled(e.WordSpoken), id="a word heard twice"),
    pytest.param(without(e.WordSpoken), id="words that nobody told"),
    pytest.param(altered(e.SpeakingFinished, heard=1), id="finished before all was heard"),
    pytest.param(without(e.AnswerCompleted), id="finished before it was whole"),
]

MEASURED = [
    pytest.param(altered(e.TurnEnded, latency=None), id="not measured"),
    pytest.param(altered(e.TurnEnded, latency=latency(total_ms=641)), id="the parts are not the whole"),
    pytest.param(altered(e.TurnEnded, latency=latency(model_ms=31)), id="a part too long"),
    pytest.param(altered(e.TurnEnded, latency=latency(model_ms=-1, total_ms=609)), id="less than no time"),
    pytest.param(altered(e.TurnEnded, latency=latency(preflight_tokens=2)), id="tokens of what was no hit"),
    pytest.param(altered(e.AnswerRevealed, tokens=0), id="a hit where nothing waited"),
    pytest.param(without(e.AnswerRevealed), id="a hit that nobody let out"),
    pytest.param(altered(e.AnswerRevealed, response_id="response-1"), id="a hit of another answer"),
]

LEGAL = [
    pytest.param(altered(kind, state=state), id=f"{kind.__name__} in {state}")
    for kind, state in (
        (e.CallBegan, "listening"),
        (e.ListeningBegan, "idle"),
        (e.SpeechBegan, "speaking"),
        (e.SpeechPaused, "thinking"),
        (e.Transcribed, "thinking"),
        (e.TurnAccepted, "transcribing"),
        (e.TurnExtended, "speaking"),
        (e.ResponseStarted, "listening"),
        (e.SpeechPrepared, "listening"),
        (e.WordSpoken, "thinking"),
        (e.SpeakingPaused, "listening"),
        (e.SpeechIgnored, "listening"),
        (e.SpeakingResumed, "idle"),
        (e.BargedIn, "speaking"),
        (e.AnswerCompleted, "listening"),
        (e.SpeakingFinished, "speaking"),
        (e.NothingHeard, "transcribing"),
    )
]

THE_CALL = [
    pytest.param(altered(e.SpeechBegan, call_id="call-2"), id="an event of another call"),
    pytest.param(doubled(e.CallBegan), id="a call within a call"),
    pytest.param(without(e.CallBegan), id="a call out of nothing"),
    pytest.param(ordered_otherwise(FinishTranscript, segment=3), id="segments miscounted"),
    pytest.param(ordered_twice(PrepareAnswer), id="two answers prepared at a time"),
    pytest.param(not_ordered(PrepareAnswer), id="let out without having been prepared"),
    pytest.param(replaced(LET_OUT, events=()), id="what was let out is not told"),
    pytest.param(replaced(RESUMED, events=()), id="effects without events"),
    pytest.param(altered(e.AnswerCompleted, turn=9), id="an answer of another turn"),
    pytest.param(repeated(MADE_2), id="an answer made twice"),
]


@pytest.mark.parametrize("alter", [*ONE_REPLY, *FLUSHED, *AS_HEARD, *MEASURED, *LEGAL, *THE_CALL])
def test_a_promise_that_is_broken_in_a_call_is_noticed(alter: Tampering) -> None:
    with pytest.raises(AssertionError):
        judge(alter(played()))
