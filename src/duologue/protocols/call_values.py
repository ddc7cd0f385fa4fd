"""What happens in a call, as values of AG-UI's CUSTOM events: AG-UI has them, and AgentCall, which carries AG-UI.

The schemas `agui-custom` and `agentcall-server` have these values too.
"""

from typing import TypeAlias, assert_never

import msgspec

from duologue.model import events as e
from duologue.model.kinds import State
from duologue.model.voice import SpeechPart, VoiceMode
from duologue.model.voice_events import WhyIgnored, WhyNothing


class _Value(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """The base of all; a member that says nothing is left out."""

    state: State


class CallBegan(_Value, frozen=True, kw_only=True):
    """Of `duologue.call.began`: there is a live link of sound."""

    call_id: str
    mode: VoiceMode


class CallEnded(_Value, frozen=True, kw_only=True):
    """Of `duologue.call.ended`: the link is gone."""

    call_id: str
    reason: str


class Listening(_Value, frozen=True, kw_only=True):
    """Of `duologue.voice.listening`: the person may speak."""

    audio_turn: int = 0


class SpeechBegan(_Value, frozen=True, kw_only=True):
    """Of `duologue.voice.speech_began`: somebody speaks."""

    ago_ms: int
    response_id: str = ""


class SpeechPaused(_Value, frozen=True, kw_only=True):
    """Of `duologue.voice.speech_paused`: they have stopped for now, and what they said is being recognised."""

    ago_ms: int
    duration_ms: int
    segment: int = 0
    audio_turn: int = 0
    forced: bool = False


class Transcript(_Value, frozen=True, kw_only=True):
    """Of `duologue.voice.transcript`: what was recognised of a segment so far."""

    segment: int
    text: str
    final: bool
    so_far: str
    confidence: float | None = None
    language: str | None = None
    stt_ms: int


class PauseJudged(_Value, frozen=True, kw_only=True):
    """Of `duologue.voice.pause_judged`: a model has judged a pause."""

    segment: int
    probability: float
    finished: bool


class NothingHeard(_Value, frozen=True, kw_only=True):
    """Of `duologue.voice.nothing_heard`: what was said became no turn."""

    why: WhyNothing
    audio_turn: int = 0


class TurnExtended(_Value, frozen=True, kw_only=True):
    """Of `duologue.turn.extended`: the person said more before they were answered; another run of the turn follows."""

    text: str
    language: str


class Prepared(_Value, frozen=True, kw_only=True):
    """Of `duologue.voice.prepared`: a piece of the answer has become sound."""

    response_id: str
    begin: int
    end: int
    begin_ms: int
    duration_ms: int
    estimated: bool = False


class Word(_Value, frozen=True, kw_only=True):
    """Of `duologue.voice.word`: a word of the answer begins to be heard."""

    response_id: str
    word: str
    begin: int
    end: int
    language: str
    estimated: bool = False


class SpeakingPaused(_Value, frozen=True, kw_only=True):
    """Of `duologue.voice.speaking_paused`: the assistant falls silent, as somebody may be interrupting."""

    response_id: str


class SpeakingResumed(_Value, frozen=True, kw_only=True):
    """Of `duologue.voice.speaking_resumed`: the assistant goes on where it fell silent."""

    response_id: str


class SpeechIgnored(_Value, frozen=True, kw_only=True):
    """Of `duologue.voice.speech_ignored`: somebody spoke over the assistant, and it goes on."""

    response_id: str
    why: WhyIgnored
    text: str = ""


class BargeIn(_Value, frozen=True, kw_only=True):
    """Of `duologue.voice.barge_in`: the person interrupts the assistant; what it had still to say is dropped."""

    response_id: str
    heard: int
    estimated: bool = False


class Made(_Value, frozen=True, kw_only=True):
    """Of `duologue.voice.made`: all of the answer has been made, and the rest of it is still to be heard."""

    response_id: str


class Finished(_Value, frozen=True, kw_only=True):
    """Of `duologue.voice.finished`: all of the answer has been heard."""

    response_id: str
    heard: int


class EarlyAnswer(_Value, frozen=True, kw_only=True):
    """Of `duologue.voice.early_answer`: the answer had been prepared before the person had finished."""

    response_id: str
    tokens: int


class NobodySpoke(_Value, frozen=True, kw_only=True):
    """Of `duologue.voice.nobody_spoke`: the person says nothing."""

    waited_ms: int
    times: int


class Failed(_Value, frozen=True, kw_only=True):
    """Of `duologue.voice.failed`: something that speaks or listens failed."""

    part: SpeechPart
    message: str


VoiceValue: TypeAlias = (
    CallBegan
    | CallEnded
    | Listening
    | SpeechBegan
    | SpeechPaused
    | Transcript
    | PauseJudged
    | NothingHeard
    | TurnExtended
    | Prepared
    | Word
    | SpeakingPaused
    | SpeakingResumed
    | SpeechIgnored
    | BargeIn
    | Made
    | Finished
    | EarlyAnswer
    | NobodySpoke
    | Failed
)
"""The values of what happens in a call; all have the state after it."""


_Speaking: TypeAlias = (
    e.SpeechPrepared
    | e.WordSpoken
    | e.SpeakingPaused
    | e.SpeakingResumed
    | e.SpeechIgnored
    | e.BargedIn
    | e.AnswerCompleted
    | e.SpeakingFinished
    | e.AnswerRevealed
)
"""What happens to an answer that is spoken."""


def custom(event: e.AnyVoiceEvent) -> tuple[str, VoiceValue]:
    """Name what happened in a call and say its value; the names are documented and never change."""
    match event:
        case e.CallBegan():
            return "duologue.call.began", CallBegan(
                state=event.state,
                call_id=event.call_id,
                mode=event.mode,
            )
        case e.CallFinished():
            return "duologue.call.ended", CallEnded(
                state=event.state,
                call_id=event.call_id,
                reason=event.reason,
            )
        case e.ListeningBegan():
            return "duologue.voice.listening", Listening(
                state=event.state,
                audio_turn=event.audio_turn,
            )
        case e.SpeechBegan():
            return "duologue.voice.speech_began", SpeechBegan(
                state=event.state,
                ago_ms=event.ago_ms,
                response_id=event.response_id,
            )
        case e.SpeechPaused():
            return "duologue.voice.speech_paused", SpeechPaused(
                state=event.state,
                ago_ms=event.ago_ms,
                duration_ms=event.duration_ms,
                segment=event.segment,
                audio_turn=event.audio_turn,
                forced=event.forced,
            )
        case e.Transcribed():
            return "duologue.voice.transcript", Transcript(
                state=event.state,
                segment=event.segment,
                text=event.text,
                final=event.final,
                so_far=event.so_far,
                confidence=event.confidence,
                language=event.language,
                stt_ms=event.stt_ms,
            )
        case e.PauseJudged():
            return "duologue.voice.pause_judged", PauseJudged(
                state=event.state,
                segment=event.segment,
                probability=event.probability,
                finished=event.finished,
            )
        case e.NothingHeard():
            return "duologue.voice.nothing_heard", NothingHeard(
                state=event.state,
                why=event.why,
                audio_turn=event.audio_turn,
            )
        case e.TurnExtended():
            return "duologue.turn.extended", TurnExtended(
                state=event.state,
                text=event.text,
                language=event.language,
            )
        case e.NobodySpoke():
            return "duologue.voice.nobody_spoke", NobodySpoke(
                state=event.state,
                waited_ms=event.waited_ms,
                times=event.times,
            )
        case e.VoiceFailed():
            return "duologue.voice.failed", Failed(
                state=event.state,
                part=event.part,
                message=event.message,
            )
        case _:
            return _speaking(event)


def _speaking(event: _Speaking) -> tuple[str, VoiceValue]:
    """Name what happened to an answer that is spoken."""
    match event:
        case e.SpeechPrepared():
            return "duologue.voice.prepared", Prepared(
                state=event.state,
                response_id=event.response_id,
                begin=event.begin,
                end=event.end,
                begin_ms=event.begin_ms,
                duration_ms=event.duration_ms,
                estimated=event.estimated,
            )
        case e.WordSpoken():
            return "duologue.voice.word", Word(
                state=event.state,
                response_id=event.response_id,
                word=event.word,
                begin=event.begin,
                end=event.end,
                language=event.language,
                estimated=event.estimated,
            )
        case e.SpeakingPaused():
            return "duologue.voice.speaking_paused", SpeakingPaused(
                state=event.state,
                response_id=event.response_id,
            )
        case e.SpeakingResumed():
            return "duologue.voice.speaking_resumed", SpeakingResumed(
                state=event.state,
                response_id=event.response_id,
            )
        case e.SpeechIgnored():
            return "duologue.voice.speech_ignored", SpeechIgnored(
                state=event.state,
                response_id=event.response_id,
                why=event.why,
                text=event.text,
            )
        case e.BargedIn():
            return "duologue.voice.barge_in", BargeIn(
                state=event.state,
                response_id=event.response_id,
                heard=event.heard,
                estimated=event.estimated,
            )
        case e.AnswerCompleted():
            return "duologue.voice.made", Made(
                state=event.state,
                response_id=event.response_id,
            )
        case e.SpeakingFinished():
            return "duologue.voice.finished", Finished(
                state=event.state,
                response_id=event.response_id,
                heard=event.heard,
            )
        case e.AnswerRevealed():
            return "duologue.voice.early_answer", EarlyAnswer(
                state=event.state,
                response_id=event.response_id,
                tokens=event.tokens,
            )
        case _:
            assert_never(event)
