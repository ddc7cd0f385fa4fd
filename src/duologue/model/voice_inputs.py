"""Inputs of a call: what was heard, what was played, and what a client says of its audio turns.

All of them name their call; one of another call than the present one changes nothing.
"""

from typing import TypeAlias

from duologue.model.kinds import Input
from duologue.model.speech import WordTime
from duologue.model.voice import SpeechPart, VoiceRules


class CallStarted(Input, kw_only=True):
    """A live link of sound was opened; an earlier one of the session is over.

    Attributes:
        granted: scopes that the person has for tools; `None` for all of them.
    """

    call_id: str
    rules: VoiceRules = VoiceRules()
    granted: tuple[str, ...] | None = None


class CallEnded(Input, kw_only=True):
    """The link is gone; `reason` is for programs, such as `hung_up` or `lost`."""

    call_id: str
    reason: str


class SpeechStarted(Input, kw_only=True):
    """Voice activity: somebody speaks. `ago_ms`: how long before now it began."""

    call_id: str
    ago_ms: int = 0


class SpeechStopped(Input, kw_only=True):
    """Voice activity: they have stopped. `ago_ms`: how long before now the last sound was."""

    call_id: str
    ago_ms: int = 0


class TranscriptHeard(Input, kw_only=True):
    """What was recognised of a segment so far, all of it. Source: `model/speech.py`, `Heard`.

    Attributes:
        segment: the first is 1, and each `FinishTranscript` ends one.
        final: nothing more comes of the segment; then an empty text says that nothing was recognised.
    """

    call_id: str
    segment: int
    text: str
    final: bool
    confidence: float | None = None
    language: str | None = None
    stt_ms: int = 0


class EndJudged(Input, kw_only=True):
    """A model has judged the pause that ended a segment: how likely it is that the person has finished, 0 to 1."""

    call_id: str
    segment: int
    probability: float


class SpeechMade(Input, kw_only=True):
    """A piece of the answer has become sound, the pieces in order.

    Attributes:
        begin: index of its first character in the answer, that is all text of the response.
        end: index after its last one.
        begin_ms: where it begins in the response's sound.
        duration_ms: how long it is.
        words: when each word is heard: places in the answer, times in the response's sound. Where there are none they
            are estimated by length.
        estimated: `words` are an estimate of the caller's.
        latency_ms: from the moment in which the voice was given the piece to its first sound.
    """

    call_id: str
    response_id: str
    begin: int
    end: int
    begin_ms: int
    duration_ms: int
    words: tuple[WordTime, ...] = ()
    estimated: bool = False
    latency_ms: int = 0


class Played(Input, kw_only=True):
    """So much of the response's sound has been heard, in ms. Best given as each word begins."""

    call_id: str
    response_id: str
    played_ms: int


class PlaybackEnded(Input, kw_only=True):
    """All of the response has been heard, as far as it can be spoken; its text is complete."""

    call_id: str
    response_id: str


class SpeechFailed(Input, kw_only=True):
    """Something that speaks or listens failed, and nothing took its place. `message` is for people."""

    call_id: str
    part: SpeechPart
    message: str


class AnswerReleased(Input, kw_only=True):
    """An answer that was prepared is let out; `tokens` of it had waited. What they are follows as from any run."""

    call_id: str
    response_id: str
    tokens: int


class AudioTurnStarted(Input, kw_only=True):
    """The client begins an audio turn; what was not committed is discarded. Source: AgentCall 0.1, `audioTurnStart`."""

    turn: int


class AudioTurnCommitted(Input, kw_only=True):
    """The audio turn is complete, and to be answered at once. Source: AgentCall 0.1, `audioTurnCommit`."""

    turn: int


class AudioTurnCancelled(Input, kw_only=True):
    """The audio turn never was. Source: AgentCall 0.1, `audioTurnCancel`."""

    turn: int


CallInput: TypeAlias = (
    CallStarted
    | CallEnded
    | SpeechStarted
    | SpeechStopped
    | TranscriptHeard
    | EndJudged
    | SpeechMade
    | Played
    | PlaybackEnded
    | SpeechFailed
    | AnswerReleased
)
"""What a call tells."""

AudioTurnInput: TypeAlias = AudioTurnStarted | AudioTurnCommitted | AudioTurnCancelled
"""What a client says of its audio turns."""
