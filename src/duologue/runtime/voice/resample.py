"""Turns sound of other rates into ours and back, by FFmpeg's resampler. Needs the extra `speech`, once it is used."""

from typing import TYPE_CHECKING, Final

from duologue.model.audio import SAMPLE_BYTES
from duologue.model.errors import SpeechError

if TYPE_CHECKING:
    from av import AudioFrame

LAYOUTS: Final = {1: "mono", 2: "stereo"}
"""What FFmpeg calls the channels that somebody sends."""

FORMAT: Final = "s16"
"""What FFmpeg calls PCM16."""


class Resampler:
    """One stream of sound at another rate, as one channel; takes pieces of any size, and holds back about 1 ms.

    20 ms cost 25 µs. What goes in is in order and without gaps; after a gap or a flush, a new one is needed.

    Args:
        from_hz: samples a second of what comes in.
        to_hz: samples a second of what goes out.
        channels: of what comes in, 1 or 2; two are mixed into one.
    Raises:
        SpeechError: the extra is not installed.
    """

    def __init__(self, from_hz: int, to_hz: int, *, channels: int = 1) -> None:
        try:
            # Not at the top: who has no speech does not have it, and it takes 0.1 s.
            from av import AudioFrame, AudioResampler
        except ImportError as error:
            message = "sound of other rates needs FFmpeg; pip install 'duologue[speech]'"
            raise SpeechError(message, retryable=False) from error
        self._layout = LAYOUTS[channels]
        self._from_hz, self._frame_bytes = from_hz, channels * SAMPLE_BYTES
        self._same = from_hz == to_hz and channels == 1
        self._make = AudioFrame
        self._resampler = AudioResampler(format=FORMAT, layout=LAYOUTS[1], rate=to_hz)

    def feed(self, pcm: bytes) -> bytes:
        """Take the next sound.

        Args:
            pcm: PCM16, the channels by turns; whole samples of all of them.
        Returns:
            PCM16, one channel: what can be told of it by now, maybe nothing.
        """
        if self._same or not pcm:
            return pcm
        frame = self._make(format=FORMAT, layout=self._layout, samples=len(pcm) // self._frame_bytes)
        frame.sample_rate = self._from_hz
        frame.planes[0].update(pcm)
        return self._sound(frame)

    def finish(self) -> bytes:
        """Give what was held back; nothing may be fed any more."""
        return b"" if self._same else self._sound(None)

    def _sound(self, frame: "AudioFrame | None") -> bytes:
        pieces = [
            bytes(memoryview(made.planes[0])[: made.samples * SAMPLE_BYTES]) for made in self._resampler.resample(frame)
        ]
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)
