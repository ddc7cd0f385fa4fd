"""How a call behaves, and what its turns waited for."""

from typing import Final, Literal

from duologue.model import limits
from duologue.model.base import Value

VoiceMode = Literal["open", "explicit"]
"""Who says when the person has finished: what is heard, or the client by a message of its own."""

ShortSpeech = Literal["pause", "go_on"]
"""What the assistant does from the first sound of somebody who speaks over it: fall silent and go on, or just go on."""

Preflight = Literal["hit", "miss", "pending"]
"""What became of an answer that was prepared early: it was used, thrown away, or had not begun when it was wanted."""

SpeechPart = Literal["stt", "tts", "vad", "end_of_turn"]
"""What may fail in a call."""

BACKCHANNELS: Final = (
    "ah",
    "aha",
    "alright",
    "hm",
    "hmm",
    "i see",
    "mhm",
    "mm",
    "mm hm",
    "mmhmm",
    "oh",
    "ok",
    "okay",
    "right",
    "sure",
    "uh huh",
    "yeah",
    "yep",
    "yes",
)
"""What people say to show that they listen. Compared by words alone, without case and punctuation."""


class VoiceRules(Value, kw_only=True):
    """How a call takes turns. It stands in the call's first input, so that a replay plays by the same rules.

    Attributes:
        mode: who says when the person has finished. In `explicit`, voice activity starts and ends nothing.
        silence_ms: silence after which voice activity says that speech has stopped.
        endpoint_ms: silence beyond that, before a pause is taken for the end of the turn.
        end_of_turn: probability from which a pause is the end at once; `None` where no model judges.
        unfinished_ms: silence in all, before a pause that the model does not take for the end is one after all.
        final_wait_ms: longest wait for a final transcript; then what is there has to do.
        barge_in: whether the person can interrupt the assistant by speaking.
        min_speech_ms: how long they have to speak for it; shorter speech lets the assistant go on.
        short_speech: what the assistant does while it is not known how long they will speak.
        backchannels: what may be said without interrupting.
        sticky: who has spoken for so long has interrupted, whatever they said. Else the assistant only falls silent
            until words are recognised, and goes on where there are none.
        early: whether the agent is asked while it is not sure that the turn has ended.
        no_response_ms: silence after which the clients are told that nobody speaks; `None` for never.
        nudge: what the agent is told then, as a turn of its own; empty tells it nothing.
        max_turn_ms: longest turn of the person; it ends in the middle of their speech.
        idle_ms: how long nothing may happen before the call is hung up; playback happens. `None` for ever.
        stall_ms: how long playback may make no progress before the answer counts as cut short.
    """

    mode: VoiceMode = "open"
    silence_ms: int = limits.VOICE_SILENCE_MS
    endpoint_ms: int = limits.VOICE_ENDPOINT_MS
    end_of_turn: float | None = None
    unfinished_ms: int = limits.VOICE_UNFINISHED_MS
    final_wait_ms: int = limits.VOICE_FINAL_MS
    barge_in: bool = True
    min_speech_ms: int = limits.VOICE_MIN_SPEECH_MS
    short_speech: ShortSpeech = "pause"
    backchannels: tuple[str, ...] = BACKCHANNELS
    sticky: bool = True
    early: bool = False
    no_response_ms: int | None = None
    nudge: str = ""
    max_turn_ms: int = limits.VOICE_TURN_MS
    idle_ms: int | None = limits.VOICE_IDLE_MS
    stall_ms: int = limits.VOICE_STALL_MS


class Latency(Value, kw_only=True):
    """What a turn of a call waited for, in ms; what did not happen is absent, and the parts sum to `total_ms`.

    Attributes:
        transcriber_ms: from the end of the person's speech to the final transcript.
        turn_detection_ms: from there to the end of the turn; absent where it came with the transcript.
        model_ms: from there to the agent's first words; absent where they had been prepared.
        cutting_ms: from there to the first piece that is long enough to be spoken.
        voice_ms: from there to the first sound of it.
        total_ms: all of it.
        preflight: what became of the answer that was prepared early; absent where none was to be.
        preflight_tokens: how many of its tokens waited; only where it was used.
    """

    transcriber_ms: int | None = None
    turn_detection_ms: int | None = None
    model_ms: int | None = None
    cutting_ms: int | None = None
    voice_ms: int | None = None
    total_ms: int = 0
    preflight: Preflight | None = None
    preflight_tokens: int | None = None
