"""The state of a call, and of an answer that is spoken in it. Times in ms since 1970 where nothing else is said."""

import msgspec

from duologue.engine.routing_state import Route
from duologue.model.content import Figures, Interrupt
from duologue.model.events import TurnEnding
from duologue.model.voice import Preflight, VoiceRules


class Piece(msgspec.Struct, frozen=True, array_like=True):
    """The final transcript of a segment."""

    segment: int
    text: str


class Early(msgspec.Struct, frozen=True):
    """An answer that is being prepared.

    Attributes:
        response_id: under which it will be known, if it is used.
        words: what the agent was told, as `spoken_words.plain` makes it.
        route: which tier prepares it; `None` where turns are not routed.
    """

    response_id: str
    words: str
    route: Route | None = None


class Utterance(msgspec.Struct):
    """What the person is saying, while it is no turn.

    Attributes:
        began_ms: when they began.
        first_segment: the first segment that is theirs.
        spoke_ms: when they last began to speak, after a pause.
        speaking: they speak now; in an audio turn: it is not committed.
        stopped_ms: when the last sound was.
        longest_ms: the longest time for which they spoke without a pause; a duration.
        last_segment: the last that was ended; below `first_segment` for none.
        asked_ms: when it was.
        finals: of the segments, as they came in, in the order of the segments.
        final_ms: when the latest final came.
        partial: of the latest segment, as known so far while its final is not there.
        partial_segment: which that is.
        lost: a final was given up.
        language: as recognised.
        judged: how likely the pause after `last_segment` is the end; `None` while that is not known.
        unjudged: nobody will judge it.
        tolerated: they say what may be said without interrupting.
        forced: the turn has lasted as long as it may.
        audio_turn: the turn that a client opened for it, or 0.
        early: what is being prepared.
        early_segment: the latest pause in which something was.
        early_runs: how many answers were prepared.
        missed: the latest was thrown away.
    """

    began_ms: int
    first_segment: int
    spoke_ms: int
    speaking: bool = True
    stopped_ms: int = 0
    longest_ms: int = 0
    last_segment: int = 0
    asked_ms: int = 0
    finals: list[Piece] = []
    final_ms: int = 0
    partial: str = ""
    partial_segment: int = 0
    lost: bool = False
    language: str | None = None
    judged: float | None = None
    unjudged: bool = False
    tolerated: bool = False
    forced: bool = False
    audio_turn: int = 0
    early: Early | None = None
    early_segment: int = 0
    early_runs: int = 0
    missed: bool = False

    @property
    def waits(self) -> bool:
        """Whether a final that was asked for has not come."""
        asked = max(0, self.last_segment - self.first_segment + 1)
        return len(self.finals) < asked

    @property
    def said(self) -> str:
        """What is certain of it."""
        return " ".join(piece.text for piece in self.finals if piece.text)

    @property
    def so_far(self) -> str:
        """What is known of it, certain or not."""
        return f"{self.said} {self.partial}".strip()


class Call(msgspec.Struct):
    """The call that is on.

    Attributes:
        segments: how many the recogniser was told to end.
        settled: transcripts of segments up to this are late and mean nothing any more.
        utterance: what the person is saying.
        deaf: what is being said counts for nothing until it stops.
        paused: the assistant has fallen silent within its answer.
        active_ms: when something last happened.
        quiet_times: how often the person was found silent since.
        nudges: how often the agent was told so since they last said something.
        granted: scopes that the person has for tools; `None` for all of them.
    """

    call_id: str
    rules: VoiceRules
    segments: int = 0
    settled: int = 0
    utterance: Utterance | None = None
    deaf: bool = False
    paused: bool = False
    active_ms: int = 0
    quiet_times: int = 0
    nudges: int = 0
    granted: tuple[str, ...] | None = None


class DueWord(msgspec.Struct, frozen=True, array_like=True):
    """A word of the answer that has become sound and is not heard yet; `begin_ms` is a time in that sound."""

    word: str
    begin: int
    end: int
    begin_ms: int


class Whole(msgspec.Struct, frozen=True):
    """How an answer ends that has been made and is still being heard.

    Attributes:
        told: a `TextCompleted` has said all of its text.
    """

    outcome: TurnEnding
    figures: Figures
    interrupts: tuple[Interrupt, ...] = ()
    told: bool = True


class Speaking(msgspec.Struct):
    """How an open turn is spoken in a call, and what it waited for.

    Attributes:
        call_id: the call.
        audible: it is spoken; not once the call or the voice is gone: then it goes on as text.
        speech_end_ms: when the person had said it; `None` where they typed it.
        final_ms: when it was known what they had said.
        accepted_ms: when it became a turn.
        preflight: what became of the answer that was prepared.
        preflight_tokens: how much of it had waited; `None` while that is not known.
        first_sound_ms: when the first sound of the answer was there.
        voice_ms: how long the voice took for it; a duration.
        made: how many characters of the answer have become sound.
        words: those of them that are not heard yet.
        heard: how many characters have been heard.
        estimated: an estimate by length.
        progress_ms: when playback last made progress.
        whole: all of the answer has been made.
        held: the run was given up, as the person says more; another follows when they have.
        figures: of that run.
        extended: how often the turn grew.
    """

    call_id: str
    audible: bool = True
    speech_end_ms: int | None = None
    final_ms: int | None = None
    accepted_ms: int = 0
    preflight: Preflight | None = None
    preflight_tokens: int | None = None
    first_sound_ms: int | None = None
    voice_ms: int = 0
    made: int = 0
    words: list[DueWord] = []
    heard: int = 0
    estimated: bool = False
    progress_ms: int = 0
    whole: Whole | None = None
    held: bool = False
    figures: Figures | None = None
    extended: int = 0
