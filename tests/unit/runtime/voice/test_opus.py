"""Opus there and back: a tone stays a tone, as long as it was; what is no Opus is refused."""

import pytest

from duologue.model.audio import BYTES_PER_MS
from duologue.testing.scripted_speech import is_loud, silence, speech

pytest.importorskip("av", reason="PyAV is not installed: the extra speech or webrtc")

from duologue.runtime.voice.opus import PACKET_BYTES, OpusReader, OpusWriter


def test_a_tone_is_the_same_tone_afterwards() -> None:
    writer, reader = OpusWriter(), OpusReader()
    packets = writer.encode(speech(400) + silence(200))
    assert len(packets) == 30
    assert all(len(packet) <= PACKET_BYTES for packet in packets)
    pcm = b"".join(reader.read(packet) for packet in packets)
    assert abs(len(pcm) // BYTES_PER_MS - 600) <= 20
    assert is_loud(pcm[100 * BYTES_PER_MS : 120 * BYTES_PER_MS])
    assert not is_loud(pcm[-100 * BYTES_PER_MS :])


def test_other_sound_begins_anew() -> None:
    writer = OpusWriter()
    writer.encode(speech(100))
    writer.reset()
    reader = OpusReader()
    pcm = b"".join(reader.read(packet) for packet in writer.encode(silence(100)))
    assert not is_loud(pcm)


def test_what_is_no_packet_is_refused() -> None:
    reader = OpusReader()
    assert reader.read(b"") == b""
    with pytest.raises(ValueError, match="no Opus packet"):
        reader.read(b"\xff\x00\x01zzz")
    assert reader.read(OpusWriter().encode(speech(20))[0])
