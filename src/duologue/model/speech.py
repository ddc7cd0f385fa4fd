"""What recognisers and voices say: words of audio, and audio of words."""

from duologue.model.base import Value


class Heard(Value, kw_only=True):
    """What a recogniser makes of a segment of somebody's speech, all of it, not only what is new.

    Attributes:
        segment: which one; the first is 1, and each `finish` ends one. A late final is known by it.
        text: what was said so far; may be empty, and a later one may take words back.
        final: nothing more comes of this segment.
        confidence: 0 to 1, how sure the recogniser is of the words; `None` where it does not say.
        language: BCP 47 tag of what was spoken, as recognised; `None` where it does not say.
        stt_ms: how long it took, from `finish` for a final, from the moment it was begun for a partial.
    """

    segment: int
    text: str
    final: bool
    confidence: float | None = None
    language: str | None = None
    stt_ms: int = 0


class WordTime(Value, kw_only=True):
    """When a word is heard. Places are in the text of its `speak`, times in the audio of that call, from its start.

    Attributes:
        begin_char: index of its first code point.
        end_char: index after its last one.
        begin_ms: when it begins.
        end_ms: when it ends; not before it begins.
    """

    begin_char: int
    end_char: int
    begin_ms: int
    end_ms: int


class Spoken(Value, kw_only=True):
    """Some more of a text as audio.

    Attributes:
        pcm: mono, signed 16-bit little-endian, `audio.RATE_HZ`; whole samples, of any number, also none.
        words: what is known of words that begin in this audio or later, in order; none where the voice does not say.
    """

    pcm: bytes
    words: tuple[WordTime, ...] = ()
