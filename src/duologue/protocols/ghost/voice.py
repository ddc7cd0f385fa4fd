"""What happens in a call, in ghost's words: the contract's own where it has one, else `ghost.voice`."""

from typing import Final, TypeAlias, assert_never

from duologue.model import events as e
from duologue.protocols.ghost import wire
from duologue.protocols.ghost.endings import Said, complete

UNDETERMINED: Final = "und"
"""The language of speech that nobody has recognised yet. Source: BCP 47, ISO 639-2."""

UNTOLD: Final = 0.0
"""The confidence of a recogniser that tells none: the contract wants a number, and this one claims nothing."""

NOTHING: Final = wire.Nothing()

_Decided: TypeAlias = (
    e.PauseJudged
    | e.NothingHeard
    | e.TurnExtended
    | e.SpeakingPaused
    | e.SpeakingResumed
    | e.SpeechIgnored
    | e.AnswerRevealed
    | e.NobodySpoke
    | e.VoiceFailed
)
"""What the contract has no event for, and shows in no state."""


def say(event: e.AnyVoiceEvent) -> Said | None:
    """Say what happened in a call; `None` where it is of no interest to who hears and sees it."""
    match event:
        case e.ListeningBegan():
            return "voice.listening", NOTHING
        case e.SpeechBegan():
            return "voice.speech_start", NOTHING
        case e.SpeechPaused():
            return _paused(event)
        case e.Transcribed():
            return _transcribed(event)
        case e.WordSpoken():
            spoken = wire.VoiceSpeaking(
                word=event.word, language=event.language, begin=event.begin, end=event.end, estimated=event.estimated
            )
            return "voice.speaking", spoken
        case e.BargedIn():
            return "voice.barge_in", NOTHING
        case e.SpeakingFinished():
            return "voice.finished", NOTHING
        case e.CallBegan():
            return _own(wire.GhostVoice(kind="call_began", mode=event.mode))
        case e.CallFinished():
            return _own(wire.GhostVoice(kind="call_ended", reason=event.reason))
        case e.AnswerCompleted():
            return "turn.complete", complete(event)
        case e.SpeechPrepared():
            return None
        case _:
            return _decided(event)


def _paused(event: e.SpeechPaused) -> Said:
    """What is of no interest any more is not recognised."""
    if not event.segment:
        return _own(wire.GhostVoice(kind="speech_ended"))
    return "voice.transcribing", wire.VoiceTranscribing(event.language or UNDETERMINED)


def _transcribed(event: e.Transcribed) -> Said:
    """The contract's transcript is final; a partial one is ours."""
    language = event.language or UNDETERMINED
    if not event.final:
        return _own(wire.GhostVoice(kind="partial", text=event.so_far, language=language))
    return "voice.transcript", wire.VoiceTranscript(
        text=event.text,
        confidence=UNTOLD if event.confidence is None else event.confidence,
        language=language,
        stt_ms=event.stt_ms,
    )


def _decided(event: _Decided) -> Said:
    match event:
        case e.PauseJudged():
            return _own(wire.GhostVoice(kind="pause_judged", probability=event.probability, finished=event.finished))
        case e.NothingHeard():
            return _own(wire.GhostVoice(kind="nothing_heard", why=event.why))
        case e.TurnExtended():
            return _own(wire.GhostVoice(kind="turn_extended", text=event.text, language=event.language))
        case e.SpeakingPaused():
            return _own(wire.GhostVoice(kind="speaking_paused"))
        case e.SpeakingResumed():
            return _own(wire.GhostVoice(kind="speaking_resumed"))
        case e.SpeechIgnored():
            return _own(wire.GhostVoice(kind="speech_ignored", why=event.why, text=event.text))
        case e.AnswerRevealed():
            return _own(wire.GhostVoice(kind="early_answer", tokens=event.tokens))
        case e.NobodySpoke():
            return _own(wire.GhostVoice(kind="nobody_spoke", waited_ms=event.waited_ms, times=event.times))
        case e.VoiceFailed():
            return _own(wire.GhostVoice(kind="failed", part=event.part, text=event.message))
        case _:
            assert_never(event)


def _own(said: wire.GhostVoice) -> Said:
    return "ghost.voice", said
