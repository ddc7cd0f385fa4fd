"""What happens in a call, as diagnostics: the contract has no event of its own for speech.

Each gives its category, words for people and members for programs; `state` is the state machine's after it.
"""

from typing import Final, NamedTuple, TypeAlias, assert_never

from duologue.model import events as e


class Noted(NamedTuple):
    """A diagnostic; `response_id` is empty where it belongs to no answer."""

    category: str
    message: str
    details: dict[str, object]
    response_id: str = ""


_Said: TypeAlias = (
    e.ListeningBegan | e.SpeechBegan | e.SpeechPaused | e.Transcribed | e.PauseJudged | e.NothingHeard | e.TurnExtended
)
_Spoken: TypeAlias = (
    e.WordSpoken
    | e.SpeakingPaused
    | e.SpeakingResumed
    | e.SpeechIgnored
    | e.BargedIn
    | e.SpeakingFinished
    | e.AnswerRevealed
)

WHY_NOTHING: Final = {
    "empty": "nothing was understood",
    "missing": "no transcript came",
    "cancelled": "what was said was taken back",
    "typed": "something was typed meanwhile",
}
WHY_IGNORED: Final = {
    "short": "it was too short to interrupt",
    "backchannel": "it only showed that somebody listens",
    "empty": "it held no words",
    "not_allowed": "interrupting is switched off",
}


def note(event: e.AnyVoiceEvent) -> Noted | None:
    """Say what happened in a call; `None` where nobody needs to know."""
    match event:
        case e.CallBegan():
            return Noted("call.began", "a call has begun", {"callId": event.call_id, "mode": event.mode})
        case e.CallFinished():
            details: dict[str, object] = {"callId": event.call_id, "reason": event.reason}
            return Noted("call.ended", f"the call is over: {event.reason}", details)
        case e.WordSpoken() | e.SpeakingPaused() | e.SpeakingResumed():
            return _spoken(event)
        case e.SpeechIgnored() | e.BargedIn() | e.SpeakingFinished() | e.AnswerRevealed():
            return _spoken(event)
        case e.NobodySpoke():
            message = f"nobody has spoken for {event.waited_ms / 1000:g} s"
            return Noted("voice.nobody_spoke", message, {"waitedMs": event.waited_ms, "times": event.times})
        case e.VoiceFailed():
            return Noted("voice.failed", event.message, {"part": event.part})
        case e.SpeechPrepared() | e.AnswerCompleted():
            return None
        case _:
            return _said(event)


def _said(event: _Said) -> Noted:
    match event:
        case e.ListeningBegan():
            return Noted("voice.listening", "the person may speak", _audio_turn(event.audio_turn))
        case e.SpeechBegan():
            return Noted("voice.speech_began", "somebody speaks", {"agoMs": event.ago_ms})
        case e.SpeechPaused():
            details: dict[str, object] = {"agoMs": event.ago_ms, "durationMs": event.duration_ms}
            return Noted("voice.speech_paused", "they have stopped, for now", details | _audio_turn(event.audio_turn))
        case e.Transcribed():
            return Noted("voice.transcript", event.so_far, _transcript(event))
        case e.PauseJudged():
            message = f"the pause is {'the end' if event.finished else 'no end'}"
            return Noted("voice.pause_judged", message, {"probability": event.probability, "finished": event.finished})
        case e.NothingHeard():
            return Noted(
                "voice.nothing_heard", WHY_NOTHING[event.why], {"why": event.why} | _audio_turn(event.audio_turn)
            )
        case e.TurnExtended():
            return Noted(
                "turn.extended", event.text, {"turn": event.turn, "text": event.text, "language": event.language}
            )
        case _:
            assert_never(event)


def _transcript(event: e.Transcribed) -> dict[str, object]:
    details: dict[str, object] = {
        "segment": event.segment,
        "text": event.text,
        "final": event.final,
        "soFar": event.so_far,
        "sttMs": event.stt_ms,
    }
    if event.confidence is not None:
        details["confidence"] = event.confidence
    if event.language is not None:
        details["language"] = event.language
    return details


def _spoken(event: _Spoken) -> Noted:
    match event:
        case e.WordSpoken():
            return Noted(
                "voice.word",
                event.word,
                {"begin": event.begin, "end": event.end} | _estimated(event.estimated),
                event.response_id,
            )
        case e.SpeakingPaused():
            return Noted("voice.speaking_paused", "the assistant falls silent", {}, event.response_id)
        case e.SpeakingResumed():
            return Noted("voice.speaking_resumed", "the assistant goes on", {}, event.response_id)
        case e.SpeechIgnored():
            return Noted(
                "voice.speech_ignored",
                WHY_IGNORED[event.why],
                {"why": event.why, "text": event.text},
                event.response_id,
            )
        case e.BargedIn():
            message = f"the person interrupts after {event.heard} characters of the answer"
            return Noted(
                "voice.barge_in", message, {"heard": event.heard} | _estimated(event.estimated), event.response_id
            )
        case e.SpeakingFinished():
            return Noted(
                "voice.finished", "all of the answer has been heard", {"heard": event.heard}, event.response_id
            )
        case e.AnswerRevealed():
            message = f"the answer had been prepared, {event.tokens} pieces of it"
            return Noted("voice.early_answer", message, {"tokens": event.tokens}, event.response_id)
        case _:
            assert_never(event)


def _audio_turn(turn: int) -> dict[str, object]:
    return {"audioTurn": turn} if turn else {}


def _estimated(estimated: bool) -> dict[str, object]:
    return {"estimated": True} if estimated else {}
