"""What is said in a call, and when: the same for both sides.

A person says a sentence, hears the answer out, and says it again; sound comes in frames of 20 ms, in real time. What
recognises, answers and speaks are stand-ins with fixed delays, so that all other time is the software's own. Uses
nothing but Python, so that the peer's interpreter runs it as well.
"""

import asyncio
import time
import wave
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path

RATE_HZ = 16_000
FRAME_S = 0.02
FRAME_BYTES = 640
SILENCE = bytes(FRAME_BYTES)

SENTENCE = "I would like to move my appointment with the dentist to Thursday morning at a quarter past nine"
"""What the person says."""

ANSWER = " can move it to Thursday at a quarter past nine; is there anything else that you would like?"
TOKENS = ("Of course. I", *(f" {word}" for word in ANSWER.split()))
"""What the agent says, after an opening that can be spoken at once by who waits for the end of a sentence."""

RECOGNISE_S = 0.05
"""From the end of speech to its text."""

FIRST_TOKEN_S = 0.1
"""From the question to the first token of the answer."""

TOKEN_S = 0.02
"""From one token to the next."""

VOICE_S = 0.05
"""From the first text to its sound."""

SPOKEN_S = 2.0
"""How long the answer's sound is."""

SILENCE_S = 0.2
"""After so much silence, speech has stopped."""

START_WINDOWS = 2
"""So many windows of speech are a beginning."""

PROBABILITY = 0.5
"""From here on a window is one of speech."""

CONFIGURED_S = RECOGNISE_S + FIRST_TOKEN_S + VOICE_S
"""What passes from the end of speech to the answer's first sound if nothing else takes time."""

BEFORE_S, AFTER_S = 1.0, 4.0
"""Silence before the sentence, and for the answer."""

TURNS = 2
INTERRUPT_S = 0.5
"""So long after the answer's first sound an interruption begins."""

WAIT_S = 6.0
"""An answer that has not begun by then is none."""

now = time.perf_counter


def tone(seconds: float) -> bytes:
    """Sound that stands for a voice."""
    half = RATE_HZ // 1000
    period = (1500).to_bytes(2, "little", signed=True) * half + (-1500).to_bytes(2, "little", signed=True) * half
    wanted = round(seconds * RATE_HZ) * 2
    return (period * (wanted // len(period) + 1))[:wanted]


def frames_of(path: Path) -> list[bytes]:
    """Read a recording of whole frames."""
    with wave.open(str(path), "rb") as recording:
        form = recording.getframerate(), recording.getnchannels(), recording.getsampwidth()
        assert form == (RATE_HZ, 1, 2), "the recording is in our format"
        pcm = recording.readframes(recording.getnframes())
    return [pcm[at : at + FRAME_BYTES] for at in range(0, len(pcm), FRAME_BYTES)]


@dataclass(slots=True)
class Moments:
    """When things happened in one exchange, in s; `None` for what did not.

    Attributes:
        said: the last frame of the sentence was handed over; of an interruption, its first one.
        decided: voice activity decided that speech stopped; of an interruption, that it began.
        accepted: of an interruption: the policy decided that it is one.
        heard: the text of it was there.
        asked: the agent was asked.
        worded: it gave its first token.
        voiced: the voice was asked.
        made: it gave its first sound.
        sounded: that was sent.
        last: the latest sound that was sent has been heard, at the earliest.
        cleared: of an interruption, over a socket: the person's side was told to drop what it holds.
    """

    said: float | None = None
    decided: float | None = None
    accepted: float | None = None
    heard: float | None = None
    asked: float | None = None
    worded: float | None = None
    voiced: float | None = None
    made: float | None = None
    sounded: float | None = None
    last: float | None = None
    cleared: float | None = None


@dataclass(slots=True)
class Talk:
    """One person on one call.

    Args:
        sentence: the frames of what they say.
        shift: frames of silence before everything, so that calls differ in where frames and windows meet.
    Attributes:
        exchanges: one for each sentence so far.
        late_s: by how much each frame was handed over late.
        sounds: how many frames of the answer were sent.
    """

    sentence: Sequence[bytes]
    shift: int = 0
    exchanges: list[Moments] = field(default_factory=list[Moments])
    late_s: list[float] = field(default_factory=list[float])
    sounds: int = 0

    def mark(self, moment: str, *, at: float | None = None) -> None:
        """Note that something happens, or happened at that time, for the first time since the last sentence."""
        if self.exchanges and getattr(self.exchanges[-1], moment) is None:
            setattr(self.exchanges[-1], moment, now() if at is None else at)

    def sound(self, frames: int = 1) -> None:
        """Note that sound was sent."""
        self.sounds += frames
        self.mark("sounded")
        if self.exchanges:
            self.exchanges[-1].last = now() + frames * FRAME_S

    async def converse(self, hand_over: Callable[[bytes], Awaitable[None]], *, start: float) -> None:
        """Say the sentence `TURNS` times, with time for the answer."""
        due = self._beats(start)
        await self._say(hand_over, due, repeat(SILENCE, self.shift))
        for _ in range(TURNS):
            await self._say(hand_over, due, repeat(SILENCE, round(BEFORE_S / FRAME_S)))
            await self._say(hand_over, due, self.sentence)
            self.exchanges.append(Moments(said=now()))
            await self._say(hand_over, due, repeat(SILENCE, round(AFTER_S / FRAME_S)))

    async def interrupt(self, hand_over: Callable[[bytes], Awaitable[None]], *, start: float) -> None:
        """Say the sentence, and say it again over the answer; the second exchange is the interruption."""
        due = self._beats(start)
        await self._say(hand_over, due, repeat(SILENCE, round(BEFORE_S / FRAME_S) + self.shift))
        await self._say(hand_over, due, self.sentence)
        first = Moments(said=now())
        self.exchanges.append(first)
        for _ in range(round(WAIT_S / FRAME_S)):
            await self._say(hand_over, due, (SILENCE,))
            if first.sounded is not None and now() - first.sounded >= INTERRUPT_S:
                break
        self.exchanges.append(Moments(said=now(), last=first.last))
        await self._say(hand_over, due, self.sentence)
        # What is heard and said of the interruption itself is another matter.
        self.exchanges.append(Moments())
        await self._say(hand_over, due, repeat(SILENCE, round(BEFORE_S / FRAME_S)))

    def _beats(self, start: float) -> Iterator[float]:
        return (start + index * FRAME_S for index in range(10**9))

    async def _say(
        self, hand_over: Callable[[bytes], Awaitable[None]], due: Iterator[float], frames: Iterable[bytes]
    ) -> None:
        for frame in frames:
            beat = next(due)
            wait_s = beat - now()
            if wait_s > 0:
                await asyncio.sleep(wait_s)
            self.late_s.append(now() - beat)
            await hand_over(frame)
