"""What a call's person is to hear, when it is to be sent, and how much of it they have heard.

A transport asks for what is due and sends it; nothing is sent further ahead of the person's ear than the transport's
lead. One thing plays at a time.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from duologue.model.audio import FRAME_MS
from duologue.runtime.voice.sound import Sound

MS: Final = 1000

ROUNDING_MS: Final = 1e-3
"""A time that went through seconds and back may be one bit short of itself."""


class Playout:
    """The sound that plays, and its clock.

    The clock runs from the first frame sent, stands still while paused and while there is nothing to play, and never
    passes what was sent. After a gap it goes on from where it was: what is late is not caught up in a burst. Where the
    client tells how far it is (`told`), that is believed instead.

    Args:
        lead_ms: how far ahead of the clock frames are sent: what the client, or the network, evens out.
        time_s: a monotonic clock, such as the loop's.
        wake: called when something may have become due, or not due any more, and when the first of a sound is sent.
    Attributes:
        sound: what plays; `None` for nothing.
        paused: nothing is due.
    """

    def __init__(self, *, lead_ms: int, time_s: Callable[[], float], wake: Callable[[], None]) -> None:
        self.sound: Sound | None = None
        self.paused = False
        self._lead_s, self._time_s, self._wake = lead_ms / MS, time_s, wake
        self._anchor_s = 0.0
        self._at_ms = 0
        self._told_ms: int | None = None
        self._room: asyncio.Future[None] | None = None

    def begin(self, response_id: str) -> Sound:
        """Play something else from now on; what played is dropped."""
        self.drop()
        self.sound = Sound(response_id)
        return self.sound

    def add(self, sound: Sound, pcm: bytes) -> None:
        """Add to what plays; to something that plays no more, nothing is added."""
        if sound is self.sound:
            sound.add(pcm)
            self._wake()

    def finish(self, sound: Sound) -> None:
        """Nothing more is made of it."""
        sound.whole = True
        self._wake()

    def drop(self) -> None:
        """Forget what plays: nothing of it is due any more."""
        self.sound, self.paused, self._told_ms, self._at_ms = None, False, None, 0
        self._give_room()

    async def room(self, sound: Sound) -> bool:
        """Wait until the voice may make more; false where it plays no more and nothing is wanted.

        Cancellation: safe.
        """
        while sound is self.sound and sound.crowded:
            self._room = asyncio.get_running_loop().create_future()
            await self._room
        return sound is self.sound

    def due(self, *, most: int) -> bytes:
        """Take the frames that are to be sent now, at most so many; empty where none is."""
        sound = self.sound
        if sound is None or self.paused or not sound.sendable:
            return b""
        now_s = self._time_s()
        sent_ms = sound.sent_ms
        # At the beginning, and where it has run dry, it goes on from here.
        self._anchor_s = max(self._anchor_s, now_s - sent_ms / MS) if sent_ms else now_s
        reach_ms = (now_s - self._anchor_s + self._lead_s) * MS + FRAME_MS
        frames = min(most, int((reach_ms - sent_ms + ROUNDING_MS) // FRAME_MS))
        if frames <= 0:
            return b""
        taken = sound.take(frames)
        self._give_room()
        if not sent_ms:
            self._wake()
        return taken

    def wait_s(self, *, frames: int) -> float | None:
        """How long until so many frames are due, in s; `None` where none is before something changes."""
        sound = self.sound
        if sound is None or self.paused or not sound.sendable:
            return None
        if not sound.sent_bytes:
            return 0.0
        due_s = self._anchor_s + (sound.sent_ms + (frames - 1) * FRAME_MS) / MS - self._lead_s
        return max(0.0, due_s - self._time_s())

    @property
    def played_ms(self) -> int:
        """How much of what plays has been heard, as far as is known; never less than it was."""
        sound = self.sound
        if sound is None:
            return 0
        if self._told_ms is not None:
            return self._told_ms
        if not self.paused and sound.sent_bytes:
            passed_ms = int((self._time_s() - self._anchor_s) * MS + ROUNDING_MS)
            self._at_ms = max(self._at_ms, min(sound.sent_ms, passed_ms))
        return self._at_ms

    def tell(self, played_ms: int) -> bool:
        """Believe the client's word; false where it says more than was sent, or less than before."""
        sound = self.sound
        if sound is None or not (self._told_ms or 0) <= played_ms <= sound.sent_ms:
            return False
        self._told_ms = played_ms
        return True

    @property
    def over(self) -> bool:
        """Whether all was made, sent and heard."""
        sound = self.sound
        return sound is not None and sound.whole and not sound.sendable and self.played_ms >= sound.sent_ms

    def pause(self) -> None:
        """Stand still: nothing is due until `resume`."""
        self._at_ms = self.played_ms if self._told_ms is None else self._at_ms
        self.paused = True
        self._wake()

    def resume(self) -> None:
        """Go on where it stood; what was sent ahead is taken to be still with the client."""
        if self.paused:
            self.paused = False
            self._anchor_s = self._time_s() - self._at_ms / MS
            self._wake()

    def _give_room(self) -> None:
        room, self._room = self._room, None
        if room is not None and not room.done():
            room.set_result(None)
