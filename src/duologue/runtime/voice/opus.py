"""Opus, in the event loop: a frame takes 0.1 ms, and a hop to another thread costs about as much and comes later.

By PyAV's binding of libopus, which aiortc brings. Imported only where somebody speaks Opus.
"""

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from duologue.model.audio import FRAME_BYTES, FRAME_SAMPLES, RATE_HZ
from duologue.model.errors import SpeechError

if TYPE_CHECKING:
    from av import AudioFrame, AudioResampler

PACKET_BYTES: Final = 7_662
"""Largest packet. Source: RFC 6716, 3.2.5: 120 ms in six frames of 1,275 bytes, and what is said of them."""

BIT_RATE: Final = 32_000
"""Bits a second: speech at 16,000 Hz in full quality. Source: RFC 6716, 2.1.1: 16 to 20 kbit/s are enough."""

MISSING: Final = "Opus needs an extra on the server: pip install 'duologue[webrtc]'; send pcm16 without it"


class OpusReader:
    """Decodes the packets of one stream into PCM16 at 16,000 Hz.

    Raises:
        SpeechError: PyAV is not installed.
    """

    def __init__(self) -> None:
        try:
            import av
            from av.error import FFmpegError
        except ImportError as error:
            raise SpeechError(MISSING, retryable=False) from error
        codec = av.CodecContext.create("libopus", "r")
        assert isinstance(codec, av.AudioCodecContext), "libopus is a codec of sound"
        codec.layout, codec.sample_rate = "mono", 48_000
        # Any: PyAV's packets are generic in what nobody needs.
        self._codec: Any = codec
        self._resampler: AudioResampler = av.AudioResampler(format="s16", layout="mono", rate=RATE_HZ)
        self._packet = av.Packet
        self._error = FFmpegError

    def read(self, packet: bytes) -> bytes:
        """Decode one packet.

        Raises:
            ValueError: it is no Opus.
        """
        if not packet:
            return b""
        try:
            frames: list[AudioFrame] = self._codec.decode(self._packet(packet))
        except self._error as error:
            raise ValueError("the message is no Opus packet") from error
        return b"".join(
            bytes(out.planes[0])[: out.samples * 2] for frame in frames for out in self._resampler.resample(frame)
        )


class OpusWriter:
    """Encodes PCM16 at 16,000 Hz, 20 ms a packet.

    Raises:
        SpeechError: PyAV is not installed.
    """

    def __init__(self) -> None:
        try:
            import av
        except ImportError as error:
            raise SpeechError(MISSING, retryable=False) from error
        self._av = av
        self.reset()

    def encode(self, pcm: bytes) -> list[bytes]:
        """Encode whole frames."""
        frame = self._frame
        packets: list[bytes] = []
        for at in range(0, len(pcm), FRAME_BYTES):
            frame.planes[0].update(pcm[at : at + FRAME_BYTES])
            frame.pts, self._samples = self._samples, self._samples + FRAME_SAMPLES
            packets += [bytes(packet) for packet in self._codec.encode(frame)]
        return packets

    def reset(self) -> None:
        """Begin anew: other sound follows."""
        av = self._av
        codec = av.CodecContext.create("libopus", "w")
        assert isinstance(codec, av.AudioCodecContext), "libopus is a codec of sound"
        codec.format, codec.layout, codec.sample_rate = "s16", "mono", RATE_HZ
        codec.bit_rate, codec.time_base = BIT_RATE, Fraction(1, RATE_HZ)
        codec.options = {"application": "voip"}
        # Any: PyAV's packets are generic in what nobody needs.
        self._codec: Any = codec
        self._frame = av.AudioFrame(format="s16", layout="mono", samples=FRAME_SAMPLES)
        self._frame.sample_rate, self._frame.time_base = RATE_HZ, Fraction(1, RATE_HZ)
        self._samples = 0
