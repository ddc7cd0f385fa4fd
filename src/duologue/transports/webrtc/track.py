"""The sound that goes out: Opus packets, when they are due."""

import asyncio
from fractions import Fraction
from typing import Any, Final, TypeAlias

from aiortc import MediaStreamTrack
from aiortc.mediastreams import MediaStreamError
from av import Packet

from duologue.model.audio import FRAME_MS, SILENT_FRAME
from duologue.runtime.voice.opus import OpusWriter
from duologue.runtime.voice.playout import Playout

# Any: PyAV's packets are generic in what nobody needs.
OpusPacket: TypeAlias = "Packet[Any]"

RTP_HZ: Final = 48_000
"""The clock of Opus in RTP. Source: RFC 7587, 4.1."""

FRAME_TICKS: Final = RTP_HZ * FRAME_MS // 1000

LEAD_MS: Final = 40
"""How far ahead sound is sent: as late as the event loop may be. The receiver evens out the rest."""

TAIL_FRAMES: Final = 10
"""Silence after the last sound, so that the receiver does not take the end for a loss: 200 ms."""


class SpeechTrack(MediaStreamTrack):
    """Gives a sender its packets: those that are due of the call's playout, and nothing while it is silent.

    It encodes by itself, so that the sender need not do so in a thread for each frame. After silence the clock has
    gone on, so the receiver sees a pause and no loss.
    """

    kind = "audio"

    def __init__(self) -> None:
        super().__init__()
        self._playout: Playout | None = None
        self._writer = OpusWriter()
        self._stirred = asyncio.Event()
        self._timers = asyncio.get_running_loop()
        self._began_s = self._timers.time()
        self._next_tick = 0
        self._tail = TAIL_FRAMES

    def play(self, playout: Playout) -> None:
        """Take the sound from here."""
        self._playout = playout
        self._stirred.set()

    def stir(self) -> None:
        """Look again: something may be due."""
        self._stirred.set()

    def stop(self) -> None:
        """End."""
        super().stop()
        self._stirred.set()

    async def recv(self) -> OpusPacket:
        """Wait for the next packet; called by the sender, in its one task."""
        while self.readyState == "live":
            self._stirred.clear()
            pcm, wait_s = self._due()
            if pcm:
                return self._packet(pcm)
            await self._wait(wait_s)
        raise MediaStreamError

    def _due(self) -> tuple[bytes, float | None]:
        playout = self._playout
        if playout is not None:
            if pcm := playout.due(most=1):
                self._tail = 0
                return pcm, None
            wait_s = playout.wait_s(frames=1)
            if wait_s is not None:
                return b"", wait_s
        if self._tail >= TAIL_FRAMES:
            return b"", None
        # The silence after the sound goes out in its own time.
        ahead_s = self._next_tick / RTP_HZ - (self._timers.time() - self._began_s)
        if ahead_s > 0:
            return b"", ahead_s
        self._tail += 1
        return SILENT_FRAME, None

    async def _wait(self, wait_s: float | None) -> None:
        timer = None if wait_s is None else self._timers.call_later(wait_s, self._stirred.set)
        try:
            await self._stirred.wait()
        finally:
            if timer is not None:
                timer.cancel()

    def _packet(self, pcm: bytes) -> OpusPacket:
        """Make the packet; its time is that of the frame before it, unless there was a gap."""
        now_tick = int((self._timers.time() - self._began_s) * RTP_HZ)
        if now_tick - self._next_tick > FRAME_TICKS * 2:
            self._next_tick = now_tick
        (encoded,) = self._writer.encode(pcm)
        packet: OpusPacket = Packet(encoded)
        packet.pts, packet.time_base = self._next_tick, Fraction(1, RTP_HZ)
        self._next_tick += FRAME_TICKS
        return packet
