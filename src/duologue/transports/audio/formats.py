"""The formats that sound may have on `WS /audio`, and the one that it has inside."""

from typing import Final, Protocol

from duologue.model import limits
from duologue.model.audio import RATE_HZ, SAMPLE_BYTES
from duologue.protocols.audio import wire
from duologue.runtime.voice.opus import PACKET_BYTES, OpusReader, OpusWriter
from duologue.runtime.voice.resample import Resampler

MS: Final = 1000


class Reader(Protocol):
    """Reads one client's sound."""

    def decode(self, message: bytes) -> bytes:
        """Turn a binary message into PCM16 at 16,000 Hz; what is held back comes with the next.

        Raises:
            ValueError: it is no such sound; the message says what it has to be.
        """
        ...


class Writer(Protocol):
    """Writes sound for one client."""

    def encode(self, pcm: bytes) -> list[bytes]:
        """Turn whole 20 ms frames of PCM16 at 16,000 Hz into binary messages."""
        ...

    def reset(self) -> None:
        """Forget what has been encoded: other sound follows."""
        ...


def reader(form: wire.Format) -> Reader:
    """Make what reads a format.

    Raises:
        SpeechError: a package is missing; the message says which.
    """
    return _OpusMessages() if form.codec == "opus" else _PcmReader(form.hz)


def writer(form: wire.Format) -> Writer:
    """Make what writes a format.

    Raises:
        SpeechError: a package is missing; the message says which.
    """
    return OpusWriter() if form.codec == "opus" else _PcmWriter(form.hz)


class _PcmReader:
    def __init__(self, rate_hz: int) -> None:
        self._most_bytes = rate_hz * SAMPLE_BYTES * limits.AUDIO_MESSAGE_MS // MS
        self._resampler = None if rate_hz == RATE_HZ else Resampler(rate_hz, RATE_HZ)

    def decode(self, message: bytes) -> bytes:
        if len(message) % SAMPLE_BYTES:
            raise ValueError(f"{len(message)} bytes are no whole samples of {SAMPLE_BYTES} bytes each")
        if len(message) > self._most_bytes:
            most = f"at most {self._most_bytes} are taken ({limits.AUDIO_MESSAGE_MS} ms)"
            raise ValueError(f"the message has {len(message)} bytes of sound; {most}")
        return message if self._resampler is None else self._resampler.feed(message)


class _PcmWriter:
    def __init__(self, rate_hz: int) -> None:
        self._rate_hz = rate_hz
        self._resampler: Resampler | None = None
        self.reset()

    def encode(self, pcm: bytes) -> list[bytes]:
        if self._resampler is not None:
            pcm = self._resampler.feed(pcm)
        return [pcm] if pcm else []

    def reset(self) -> None:
        self._resampler = None if self._rate_hz == RATE_HZ else Resampler(RATE_HZ, self._rate_hz)


class _OpusMessages:
    """One Opus packet a message."""

    def __init__(self) -> None:
        self._reader = OpusReader()

    def decode(self, message: bytes) -> bytes:
        if len(message) > PACKET_BYTES:
            raise ValueError(f"the message has {len(message)} bytes; an Opus packet has at most {PACKET_BYTES}")
        return self._reader.read(message)
