"""The sound of one answer: what was made of it, what was sent, and where the person is in it."""

from collections import deque
from typing import Final

from duologue.model import limits
from duologue.model.audio import BYTES_PER_MS, FRAME_BYTES

AHEAD_BYTES: Final = limits.SPEECH_AHEAD_MS * BYTES_PER_MS


class Sound:
    """Audio between the voice that makes it and the transport that sends it, PCM16 at 16,000 Hz.

    Holds `limits.SPEECH_AHEAD_MS` and what one call of the voice adds to that (policy: the voice waits).

    Attributes:
        response_id: whose answer it is.
        made_bytes: all that the voice has made.
        sent_bytes: all that has been taken to be sent.
        whole: nothing more will be made.
    """

    __slots__ = ("_at", "_parts", "made_bytes", "response_id", "sent_bytes", "whole")

    def __init__(self, response_id: str) -> None:
        self.response_id = response_id
        self.made_bytes = self.sent_bytes = 0
        self.whole = False
        self._parts: deque[bytes] = deque()
        self._at = 0

    def add(self, pcm: bytes) -> None:
        """Add whole samples to the end; they are kept and not copied."""
        if pcm:
            self._parts.append(pcm)
            self.made_bytes += len(pcm)

    def take(self, frames: int) -> bytes:
        """Take the next 20 ms frames to be sent, at most so many; each byte is copied once.

        Returns:
            Whole frames, in one piece; the last one of the answer is filled up with silence. Empty where less than
            a frame is there.
        """
        waiting = self.made_bytes - self.sent_bytes
        wanted = min(waiting, frames * FRAME_BYTES)
        if not self.whole or waiting > wanted:
            wanted -= wanted % FRAME_BYTES
        if not wanted:
            return b""
        self.sent_bytes += wanted
        taken = self._cut(wanted)
        return taken if not wanted % FRAME_BYTES else taken.ljust(-(-wanted // FRAME_BYTES) * FRAME_BYTES, b"\0")

    def _cut(self, count: int) -> bytes:
        first, at = self._parts[0], self._at
        if len(first) - at > count:
            self._at = at + count
            return first[at : self._at]
        pieces: list[bytes] = []
        while count:
            first = self._parts[0]
            piece = first[self._at : self._at + count]
            count -= len(piece)
            pieces.append(piece)
            self._at += len(piece)
            if self._at == len(first):
                self._parts.popleft()
                self._at = 0
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    @property
    def sendable(self) -> bool:
        """Whether there is a frame to be taken."""
        waiting = self.made_bytes - self.sent_bytes
        return waiting >= FRAME_BYTES or (self.whole and waiting > 0)

    @property
    def crowded(self) -> bool:
        """Whether so much is ready that the voice should wait."""
        return self.made_bytes - self.sent_bytes >= AHEAD_BYTES

    @property
    def made_ms(self) -> int:
        """How long what was made is, in ms."""
        return self.made_bytes // BYTES_PER_MS

    @property
    def sent_ms(self) -> int:
        """How long what was sent is, in ms; without the silence that filled up its last frame."""
        return self.sent_bytes // BYTES_PER_MS
