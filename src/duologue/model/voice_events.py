"""Events of a call. All of them are journaled; none of them holds sound."""

from typing import Literal, TypeAlias

from duologue.model.content import Figures, Interrupt, Tier
from duologue.model.kinds import Event
from duologue.model.voice import SpeechPart, VoiceMode

WhyNothing = Literal["empty", "missing", "cancelled", "typed"]
"""Why speech became no turn: nothing was recognised, nothing came, it was taken back, or something was typed."""

WhyIgnored = Literal["short", "backchannel", "empty", "not_allowed"]
"""Why speech over the assistant interrupted nothing."""


class VoiceEvent(Event, kw_only=True):
    """The base of all events of a call; `call_id` names it."""

    call_id: str


class CallBegan(VoiceEvent, kw_only=True):
    """There is a live link of sound."""

    mode: VoiceMode


class CallFinished(VoiceEvent, kw_only=True):
    """The link is gone; `reason` is for programs."""

    reason: str


class ListeningBegan(VoiceEvent, kw_only=True):
    """The person may speak. `audio_turn`: the turn that a client opened for it, 0 where voice activity decides."""

    audio_turn: int = 0


class SpeechBegan(VoiceEvent, kw_only=True):
    """Somebody speaks, since `ago_ms` before this. `response_id`: the answer that they speak over, or empty."""

    ago_ms: int
    response_id: str = ""


class SpeechPaused(VoiceEvent, kw_only=True):
    """They have stopped, and what they said is being recognised.

    Attributes:
        ago_ms: how long before this the last sound was.
        duration_ms: how long they spoke.
        segment: what they said will be known by this number; 0 where it is not of interest.
        audio_turn: the turn that a client committed, 0 where voice activity decides.
        forced: they have not stopped, but spoke for as long as a turn may last.
        language: BCP 47 tag of what they said before, as recognised; `None` while nothing is.
    """

    ago_ms: int
    duration_ms: int
    segment: int = 0
    audio_turn: int = 0
    forced: bool = False
    language: str | None = None


class Transcribed(VoiceEvent, kw_only=True):
    """What was recognised of a segment so far; `final` where that is all of it, which need not be the turn's end.

    Attributes:
        segment: 0 where a client recognised it itself; `call_id` is empty then.
        text: of the segment.
        so_far: of all that the person is saying, earlier segments first.
        stt_ms: how long recognising took.
    """

    segment: int
    text: str
    final: bool
    so_far: str = ""
    confidence: float | None = None
    language: str | None = None
    stt_ms: int = 0


class PauseJudged(VoiceEvent, kw_only=True):
    """A model has judged a pause: `finished` where it takes it for the end."""

    segment: int
    probability: float
    finished: bool


class NothingHeard(VoiceEvent, kw_only=True):
    """What was said became no turn. `audio_turn`: the turn that a client had opened for it, or 0."""

    why: WhyNothing
    audio_turn: int = 0


class TurnExtended(VoiceEvent, kw_only=True):
    """The person said more before they were answered: the open turn's text is now this. Another response follows."""

    text: str
    language: str


class SpeechPrepared(VoiceEvent, kw_only=True):
    """A piece of the answer has become sound, characters `begin` to `end` of it.

    Attributes:
        begin_ms: where it begins in the response's sound.
        duration_ms: how long it is.
        estimated: when its words are heard is an estimate by length.
    """

    response_id: str
    begin: int
    end: int
    begin_ms: int
    duration_ms: int
    estimated: bool = False


class WordSpoken(VoiceEvent, kw_only=True):
    """A word of the answer begins to be heard.

    Attributes:
        word: with its punctuation; where words are not written apart, a character.
        begin: index of its first character in the answer.
        end: index after its last one; up to there the answer has been heard.
        estimated: the moment is an estimate by length.
        language: BCP 47 tag of the conversation.
    """

    response_id: str
    word: str
    begin: int
    end: int
    language: str
    estimated: bool = False


class SpeakingPaused(VoiceEvent, kw_only=True):
    """The assistant falls silent, as somebody may be interrupting."""

    response_id: str


class SpeakingResumed(VoiceEvent, kw_only=True):
    """The assistant goes on where it fell silent."""

    response_id: str


class SpeechIgnored(VoiceEvent, kw_only=True):
    """Somebody spoke over the assistant, and it goes on. `text` is what was understood of it."""

    response_id: str
    why: WhyIgnored
    text: str = ""


class BargedIn(VoiceEvent, kw_only=True):
    """The person interrupts the assistant: all that it would still have said is thrown away, wherever it is.

    Attributes:
        heard: how many characters of the answer they heard.
        estimated: an estimate by length.
    """

    response_id: str
    heard: int
    estimated: bool = False


class AnswerCompleted(VoiceEvent, kw_only=True):
    """All of the answer has been made; the person still has to hear the rest of it.

    `figures` and `interrupts` are those that its end will repeat.
    """

    response_id: str
    tier: Tier
    figures: Figures
    interrupts: tuple[Interrupt, ...] = ()


class SpeakingFinished(VoiceEvent, kw_only=True):
    """All of the answer has been heard; `heard` is its length."""

    response_id: str
    heard: int


class AnswerRevealed(VoiceEvent, kw_only=True):
    """The answer had been prepared early, and `tokens` of it had waited."""

    response_id: str
    tokens: int


class NobodySpoke(VoiceEvent, kw_only=True):
    """The person says nothing for `waited_ms`, for the `times`-th time in a row."""

    waited_ms: int
    times: int


class VoiceFailed(VoiceEvent, kw_only=True):
    """Something that speaks or listens failed."""

    part: SpeechPart
    message: str


AnyVoiceEvent: TypeAlias = (
    CallBegan
    | CallFinished
    | ListeningBegan
    | SpeechBegan
    | SpeechPaused
    | Transcribed
    | PauseJudged
    | NothingHeard
    | TurnExtended
    | SpeechPrepared
    | WordSpoken
    | SpeakingPaused
    | SpeakingResumed
    | SpeechIgnored
    | BargedIn
    | AnswerCompleted
    | SpeakingFinished
    | AnswerRevealed
    | NobodySpoke
    | VoiceFailed
)
"""Everything that happens in a call."""
