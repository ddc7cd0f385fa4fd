"""What one person said so far: segments in parts, each no longer than a window of Whisper. No I/O."""

from typing import Final

from duologue.adapters.speech_whisper.loudness import Loudness, quietest
from duologue.model import audio

_LONGEST_BYTES: Final = 24_000 * audio.BYTES_PER_MS
"""From here on a part is split: Whisper's window is 30 s, and has to end with silence."""

_SPLIT_FROM_BYTES: Final = 14_000 * audio.BYTES_PER_MS
"""The split is made at the quietest place after this one."""

_SPLIT_STEP_BYTES: Final = 100 * audio.BYTES_PER_MS
"""How long that place is: the gap between two words."""


class Part:
    """A stretch of a segment's sound, and what was read in it so far."""

    def __init__(self, segment: int, pcm: bytes = b"") -> None:
        self.segment = segment
        self.pcm = bytearray(pcm)
        self.covered_bytes = 0
        self.text = ""
        self.confidence: float | None = None
        self.language: str | None = None
        self.closed = False
        self.settled = False
        self.dropped = False
        self.attempts = 0

    def read(self, covered_bytes: int, *, text: str, confidence: float | None, language: str | None) -> None:
        """Note what was read in the first so many bytes."""
        self.covered_bytes = covered_bytes
        self.text, self.confidence, self.language = text, confidence, language

    def settle(self) -> None:
        """Nothing more will be read in it; its sound is not needed any more."""
        self.settled = True
        self.pcm.clear()


class Segment:
    """From one `finish` to the next."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.parts = [Part(number)]
        self.loudness = Loudness()
        self.finished_at: float | None = None

    @property
    def open(self) -> Part:
        """The part that grows."""
        return self.parts[-1]

    @property
    def settled(self) -> bool:
        """Whether its final is known."""
        return self.finished_at is not None and all(part.settled for part in self.parts)

    def push(self, pcm: bytes) -> None:
        """Take more sound in."""
        self.loudness.hear(pcm)
        self.open.pcm += pcm
        if len(self.open.pcm) >= _LONGEST_BYTES:
            self._split()

    def new_bytes(self) -> int:
        """How much sound there is in the open part in which nothing was read yet; 0 where all of that is quiet."""
        new = len(self.open.pcm) - self.open.covered_bytes
        return new if new > self.loudness.quiet_bytes else 0

    def finish(self, now: float) -> None:
        """Close it. Where only silence follows what was read, that is all there is."""
        self.finished_at = now
        self.open.closed = True
        self.settle_if_read(self.open)

    def settle_if_read(self, part: Part) -> None:
        """Settle a closed part in which everything but a quiet end was read, or in which nothing is to be heard."""
        if not part.closed or part.settled:
            return
        rest = len(part.pcm) - part.covered_bytes
        quiet = self.loudness.quiet_bytes if part is self.open else 0
        if (part.covered_bytes and rest <= quiet) or not part.pcm or not self.loudness.spoken:
            part.settle()

    def drop(self) -> None:
        """Forget all of it."""
        for part in self.parts:
            part.dropped = True
        self.parts = [Part(self.number)]
        self.loudness = Loudness()

    def unsettled_bytes(self) -> int:
        """How much sound waits."""
        return sum(len(part.pcm) for part in self.parts)

    def text(self) -> str:
        """What was said so far; empty while an earlier part of it is not known."""
        if not all(part.settled for part in self.parts[:-1]):
            return ""
        return " ".join(part.text for part in self.parts if part.text)

    def confidence(self) -> float | None:
        """How sure Whisper is, over all parts by their length; `None` where there are no words."""
        weighed = [(len(part.text), part.confidence) for part in self.parts if part.text]
        known = [(length, confidence) for length, confidence in weighed if confidence is not None]
        letters = sum(length for length, _ in known)
        return sum(length * confidence for length, confidence in known) / letters if letters else None

    def language(self) -> str | None:
        """The language of the longest part."""
        said = [part for part in self.parts if part.text]
        return max(said, key=lambda part: len(part.text)).language if said else None

    def _split(self) -> None:
        """Close what there is at a quiet place; what follows is a new part."""
        part = self.open
        cut = quietest(bytes(part.pcm), _SPLIT_FROM_BYTES, _SPLIT_STEP_BYTES)
        rest = Part(self.number, bytes(part.pcm[cut:]))
        del part.pcm[cut:]
        part.closed = True
        part.covered_bytes = 0
        self.parts.append(rest)
