"""The one format of sound: its numbers agree with one another."""

from duologue.model import audio


def test_a_frame_is_twenty_milliseconds_of_whole_samples() -> None:
    assert audio.FRAME_SAMPLES * 1000 == audio.RATE_HZ * audio.FRAME_MS
    assert audio.FRAME_BYTES == audio.FRAME_MS * audio.BYTES_PER_MS == audio.FRAME_SAMPLES * audio.SAMPLE_BYTES
    assert len(audio.SILENT_FRAME) == audio.FRAME_BYTES and not any(audio.SILENT_FRAME)
