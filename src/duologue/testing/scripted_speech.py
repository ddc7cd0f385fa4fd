"""Ears and a voice that do what they are told to, on the loop's time, and count. They need no model and no thread."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Final

from duologue.model.audio import BYTES_PER_MS, RATE_HZ, SAMPLE_BYTES
from duologue.model.base import Value
from duologue.model.errors import SpeechError
from duologue.model.speech import Heard, Spoken, WordTime

WINDOW_SAMPLES: Final = 512
"""How much sound is judged at once: 32 ms, as Silero does."""

LOUDNESS: Final = 8_000
"""Of the tone that stands for speech, of 32,767: a decoder that loses some of it still hears it."""

HALF_WAVE: Final = RATE_HZ // 400 // 2
"""Samples of half a wave of the tone: 400 Hz, in the middle of what telephones carry."""

QUIET: Final = 1_000
"""Up to this loudness it is silence: what a codec leaves of a tone that has ended."""

LOUD: Final = 0.98
STILL: Final = 0.01
"""What is told of speech and of silence: far from any threshold."""


def speech(ms: int) -> bytes:
    """Make sound that `ScriptedVoiceActivity` takes for speech: a tone, PCM16 at 16,000 Hz."""
    half = LOUDNESS.to_bytes(SAMPLE_BYTES, "little", signed=True) * HALF_WAVE
    wave = half + (-LOUDNESS).to_bytes(SAMPLE_BYTES, "little", signed=True) * HALF_WAVE
    count = ms * BYTES_PER_MS
    return (wave * (count // len(wave) + 1))[:count]


def silence(ms: int) -> bytes:
    """Make sound in which nobody speaks, PCM16 at 16,000 Hz."""
    return bytes(ms * BYTES_PER_MS)


def is_loud(pcm: bytes) -> bool:
    """Whether some sample of PCM16 is louder than silence."""
    return any(abs(sample) > QUIET for sample in memoryview(pcm).cast("h"))


class Windows:
    """What `ScriptedVoiceActivity` remembers of a call: how many windows it has judged."""

    def __init__(self) -> None:
        self.count = 0


class ScriptedVoiceActivity:
    """Hears speech wherever there is any sound; a `ports.voice_activity.VoiceActivity`.

    Attributes:
        batches: how many windows came at a time, in order.
    """

    def __init__(self) -> None:
        self.batches: list[int] = []

    @property
    def window_samples(self) -> int:
        """How many samples are judged at a time."""
        return WINDOW_SAMPLES

    @property
    def trail_ms(self) -> int:
        """A tone ends when it ends."""
        return 0

    def new_state(self) -> Windows:
        """Make what is remembered of a call."""
        return Windows()

    def probabilities(self, states: Sequence[Windows], windows: Sequence[bytes]) -> Sequence[float]:
        """Judge windows; see the port."""
        self.batches.append(len(windows))
        for state in states:
            state.count += 1
        return [LOUD if is_loud(window) else STILL for window in windows]


class ScriptedEndOfTurn:
    """Judges by what it is told; a `ports.end_of_turn.EndOfTurn`.

    Args:
        judge: how likely it is that the person has finished, given what was understood.
        delay_ms: how long it thinks.
    Attributes:
        asked: what was understood, each time that it was asked.
    """

    def __init__(self, judge: Callable[[str], float] = lambda _: LOUD, *, delay_ms: float = 0) -> None:
        self._judge, self._delay_ms = judge, delay_ms
        self.asked: list[str] = []

    # The port hands in the sound; a script does not listen.
    async def probability(self, audio: bytes, text: str) -> float:  # noqa: ARG002
        """Judge whether the turn is over; see the port."""
        self.asked.append(text)
        await asyncio.sleep(self._delay_ms / 1000)
        return self._judge(text)


class Partial(Value, kw_only=True):
    """What is understood once so much sound of the segment has come."""

    text: str
    at_ms: int


class Segment(Value, kw_only=True):
    """What is understood of one stretch of speech.

    Attributes:
        text: the final; empty where nothing is recognised.
        partials: before it, in order.
        after_ms: how long after `finish` the final comes; `None` for never.
        fails: the recogniser fails in place of the final.
    """

    text: str
    partials: tuple[Partial, ...] = ()
    after_ms: float | None = 50
    fails: bool = False


class ScriptedTranscription:
    """Understands a script's segments one after the other; a `ports.speech_to_text.Transcription`."""

    def __init__(self, script: Sequence[Segment]) -> None:
        self._script = script
        self._segment = 1
        self._bytes = self._told = 0
        self._queue: asyncio.Queue[Heard | SpeechError | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._timers: list[asyncio.TimerHandle] = []
        self.pushed_bytes = 0
        self.dropped = 0

    def push(self, pcm: bytes) -> None:
        """Take sound; see the port."""
        self.pushed_bytes += len(pcm)
        self._bytes += len(pcm)
        due = self._line.partials[self._told :]
        for partial in due:
            if partial.at_ms * BYTES_PER_MS > self._bytes:
                return
            self._told += 1
            self._queue.put_nowait(Heard(segment=self._segment, text=partial.text, final=False))

    def finish(self) -> int:
        """End the segment; see the port."""
        ended, line = self._segment, self._line
        self._segment += 1
        self._bytes = self._told = 0
        if line.after_ms is not None:
            final: Heard | SpeechError = Heard(
                segment=ended, text=line.text, final=True, confidence=0.9, language="en", stt_ms=int(line.after_ms)
            )
            if line.fails:
                final = SpeechError("the scripted recogniser was told to fail")
            self._timers.append(self._loop.call_later(line.after_ms / 1000, self._queue.put_nowait, final))
        return ended

    def drop(self) -> None:
        """Forget the open segment's sound; see the port."""
        self._bytes = self._told = 0
        self.dropped += 1

    async def heard(self) -> AsyncGenerator[Heard, None]:
        """Tell what is understood; see the port."""
        while (heard := await self._queue.get()) is not None:
            if isinstance(heard, SpeechError):
                raise heard
            yield heard

    async def aclose(self) -> None:
        """End `heard`."""
        for timer in self._timers:
            timer.cancel()
        self._queue.put_nowait(None)

    @property
    def _line(self) -> Segment:
        """What the script says of the open segment; beyond its end nothing is recognised."""
        at = self._segment - 1
        return self._script[at] if at < len(self._script) else Segment(text="")


class ScriptedSpeechToText:
    """Understands the script's segments in every call; a `ports.speech_to_text.SpeechToText`.

    Attributes:
        opened: every transcription, in order.
    """

    def __init__(self, script: Sequence[Segment] = ()) -> None:
        self._script = script
        self.opened: list[ScriptedTranscription] = []

    @property
    def name(self) -> str:
        """Its name in lists."""
        return "scripted"

    # The port hands in the language; a script is in its own.
    def open(self, language: str | None) -> ScriptedTranscription:  # noqa: ARG002
        """Begin to listen to somebody."""
        transcription = ScriptedTranscription(self._script)
        self.opened.append(transcription)
        return transcription

    async def warm(self) -> None:
        """There is nothing to load."""

    async def aclose(self) -> None:
        """There is nothing to let go of."""


class ScriptedTextToSpeech:
    """Speaks each word as a tone of the same length; a `ports.text_to_speech.TextToSpeech`.

    Args:
        word_ms: how long a word lasts, the space behind it included.
        first_ms: how long it thinks before a text's first word.
        next_ms: how long it takes for each further word.
        times: it tells when each word is heard.
        fails_at: the word at which it fails, counted from 0 through everything that it says; `None` for never.
    Attributes:
        texts: everything that it was asked to say, in order.
        words: how many words it has begun.
        closed: how many texts were left before their end.
    """

    def __init__(
        self,
        *,
        word_ms: int = 300,
        first_ms: float = 40,
        next_ms: float = 5,
        times: bool = True,
        fails_at: int | None = None,
    ) -> None:
        self._word_ms, self._first_ms, self._next_ms, self._times = word_ms, first_ms, next_ms, times
        self._fails_at = fails_at
        self.texts: list[str] = []
        self.words = self.closed = 0

    @property
    def name(self) -> str:
        """Its name in lists."""
        return "scripted"

    # The port hands in the language; a tone has none.
    async def speak(self, text: str, language: str | None) -> AsyncGenerator[Spoken, None]:  # noqa: ARG002
        """Speak a text; see the port."""
        self.texts.append(text)
        whole = False
        try:
            for count, (begin, end) in enumerate(_words(text)):
                await asyncio.sleep((self._next_ms if count else self._first_ms) / 1000)
                self.words += 1
                if self.words - 1 == self._fails_at:
                    raise SpeechError("the scripted voice was told to fail")
                begin_ms = count * self._word_ms
                word = WordTime(begin_char=begin, end_char=end, begin_ms=begin_ms, end_ms=begin_ms + self._word_ms)
                yield Spoken(pcm=speech(self._word_ms), words=(word,) if self._times else ())
            whole = True
        finally:
            self.closed += not whole

    async def warm(self) -> None:
        """There is nothing to load."""

    async def aclose(self) -> None:
        """There is nothing to let go of."""


def _words(text: str) -> list[tuple[int, int]]:
    """Where the words of a text are."""
    places: list[tuple[int, int]] = []
    at = 0
    for word in text.split():
        at = text.index(word, at)
        places.append((at, at + len(word)))
        at += len(word)
    return places
