"""Whisper for calls: when windows are read, in which order, and what becomes of what was read."""

import asyncio
from array import array
from collections import deque
from collections.abc import Callable, Coroutine

import pytest

from duologue.adapters.speech_whisper import packaged_model
from duologue.adapters.speech_whisper.loudness import Loudness, quietest
from duologue.adapters.speech_whisper.options import PARTIAL_MS
from duologue.adapters.speech_whisper.transcription import WhisperTranscription, Window
from duologue.model import audio, limits
from duologue.model.errors import SpeechError
from duologue.model.speech import Heard
from duologue.testing.virtual_time import VirtualLoop

LOUD = array("h", [6_000, -6_000] * (audio.FRAME_SAMPLES // 2)).tobytes()
QUIET = array("h", [20, -20] * (audio.FRAME_SAMPLES // 2)).tobytes()
READ_MS = 100


def on_virtual_time(scene: Callable[[], Coroutine[None, None, None]]) -> None:
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(scene())


class Reader:
    """Reads a window in 100 ms: its text is how many loud frames it holds."""

    def __init__(self) -> None:
        self.open: deque[WhisperTranscription] = deque()
        self.windows: list[tuple[str, int]] = []
        self.fails = 0
        self._reading = False

    def make(self, name: str = "one", partial_ms: int = PARTIAL_MS) -> WhisperTranscription:
        made = WhisperTranscription(self, language=name, partial_ms=partial_ms, clock=asyncio.get_running_loop().time)
        self.open.append(made)
        return made

    async def ready(self) -> None:
        return

    def leave(self, transcription: WhisperTranscription) -> None:
        self.open.remove(transcription)

    def look(self) -> None:
        if self._reading:
            return
        finals = [window for one in self.open if (window := one.final_window()) is not None]
        partials = [one for one in self.open if one.has_partial()]
        if finals or partials:
            window = finals[0] if finals else partials[0].partial_window()
            self._reading = True
            asyncio.get_running_loop().call_later(READ_MS / 1000, self._done, window)

    def _done(self, window: Window) -> None:
        self._reading = False
        self.windows.append((window.owner.language, len(window.pcm) // audio.FRAME_BYTES))
        if self.fails:
            self.fails -= 1
            window.owner.failed(window, SpeechError("it failed"), final=False)
        else:
            loud = window.pcm.count(LOUD)
            window.owner.read(window, text=f"{loud}", confidence=0.5, language="en")
        self.look()


async def speak(transcription: WhisperTranscription, *parts: tuple[bytes, int]) -> None:
    """Push frames at the pace of speech: what, and for how many ms."""
    for frame, duration_ms in parts:
        for _ in range(duration_ms // audio.FRAME_MS):
            transcription.push(frame)
            await asyncio.sleep(audio.FRAME_MS / 1000)


class Listening:
    """What is heard of a transcription while a scene goes on."""

    def __init__(self, transcription: WhisperTranscription) -> None:
        self.heard: list[Heard] = []
        self._transcription = transcription
        self.task = asyncio.ensure_future(self._listen())

    async def _listen(self) -> None:
        async for heard in self._transcription.heard():
            self.heard.append(heard)

    def texts(self, *, final: bool) -> list[str]:
        return [heard.text for heard in self.heard if heard.final is final]

    async def end(self) -> None:
        await self._transcription.aclose()
        await self.task


def test_partials_come_while_one_speaks_and_the_final_is_there_when_asked_for() -> None:
    async def scene() -> None:
        reader = Reader()
        transcription = reader.make()
        listening = Listening(transcription)
        await speak(transcription, (LOUD, 1_000), (QUIET, 300))
        read = len(reader.windows)
        transcription.finish()
        await asyncio.sleep(0)
        (final,) = [heard for heard in listening.heard if heard.final]
        assert (final.text, final.stt_ms, final.segment, final.language) == ("50", 0, 1, "en")
        assert len(reader.windows) == read
        assert listening.texts(final=False) == ["20", "40", "50"]
        await listening.end()

    on_virtual_time(scene)


def test_a_final_is_read_once_where_speech_goes_on_to_the_end() -> None:
    async def scene() -> None:
        reader = Reader()
        transcription = reader.make(partial_ms=0)
        listening = Listening(transcription)
        await speak(transcription, (LOUD, 600))
        transcription.finish()
        await asyncio.sleep(1)
        assert [(heard.text, heard.stt_ms, heard.final) for heard in listening.heard] == [("30", READ_MS, True)]
        assert reader.windows == [("one", 30)]
        await listening.end()

    on_virtual_time(scene)


def test_a_partial_that_was_under_way_is_the_final_where_only_quiet_follows() -> None:
    async def scene() -> None:
        reader = Reader()
        transcription = reader.make()
        listening = Listening(transcription)
        await speak(transcription, (LOUD, 380), (QUIET, 100))
        transcription.finish()
        await asyncio.sleep(1)
        assert listening.texts(final=True) == ["19"]
        assert len(reader.windows) == 1
        await listening.end()

    on_virtual_time(scene)


def test_nothing_is_read_of_silence() -> None:
    async def scene() -> None:
        reader = Reader()
        transcription = reader.make()
        listening = Listening(transcription)
        await speak(transcription, (QUIET, 2_000))
        transcription.finish()
        transcription.finish()
        await asyncio.sleep(0)
        assert [(heard.segment, heard.text, heard.confidence) for heard in listening.heard] == [
            (1, "", None),
            (2, "", None),
        ]
        assert reader.windows == []
        await listening.end()

    on_virtual_time(scene)


def test_finals_go_before_partials() -> None:
    async def scene() -> None:
        reader = Reader()
        talking, asking = reader.make("talking"), reader.make("asking", partial_ms=0)
        both = Listening(talking), Listening(asking)
        for _ in range(20):
            talking.push(LOUD)
            asking.push(LOUD)
        asking.finish()
        for _ in range(20):
            talking.push(LOUD)
        await asyncio.sleep(1)
        assert [name for name, _ in reader.windows[:3]] == ["talking", "asking", "talking"]
        for listening in both:
            await listening.end()

    on_virtual_time(scene)


def test_what_is_dropped_is_not_told_even_if_it_is_being_read() -> None:
    async def scene() -> None:
        reader = Reader()
        transcription = reader.make()
        listening = Listening(transcription)
        await speak(transcription, (LOUD, 420))
        transcription.drop()
        await speak(transcription, (LOUD, 100), (QUIET, 200))
        transcription.finish()
        await asyncio.sleep(1)
        assert [(heard.segment, heard.text) for heard in listening.heard if heard.final] == [(1, "5")]
        assert listening.texts(final=False) in ([], ["5"])
        await listening.end()

    on_virtual_time(scene)


def test_long_speech_is_split_in_a_pause_and_put_together() -> None:
    async def scene() -> None:
        reader = Reader()
        transcription = reader.make()
        listening = Listening(transcription)
        await speak(transcription, (LOUD, 18_000), (QUIET, 200), (LOUD, 20_000), (QUIET, 300))
        transcription.finish()
        await asyncio.sleep(1)
        assert listening.texts(final=True) == ["900 1000"]
        assert max(frames for _, frames in reader.windows) * audio.FRAME_MS <= 24_000
        await listening.end()

    on_virtual_time(scene)


def test_sound_that_waits_is_bounded() -> None:
    async def scene() -> None:
        reader = Reader()
        transcription = reader.make(partial_ms=0)
        for _ in range(3 * limits.SEGMENT_MS // audio.FRAME_MS):
            transcription.push(LOUD)
        listening = Listening(transcription)
        transcription.finish()
        await asyncio.sleep(10)
        (final,) = listening.texts(final=True)
        assert 1_000 < sum(map(int, final.split())) * audio.FRAME_MS <= limits.SEGMENT_MS + 24_000
        await listening.end()

    on_virtual_time(scene)


def test_a_window_that_fails_is_read_again_and_then_the_transcription_fails() -> None:
    async def scene() -> None:
        reader = Reader()
        reader.fails = 1
        transcription = reader.make(partial_ms=0)
        listening = Listening(transcription)
        await speak(transcription, (LOUD, 400))
        transcription.finish()
        await asyncio.sleep(1)
        assert listening.texts(final=True) == ["20"]
        reader.fails = 2
        await speak(transcription, (LOUD, 400))
        transcription.finish()
        with pytest.raises(SpeechError, match="it failed"):
            await listening.task

    on_virtual_time(scene)


def test_of_what_nobody_takes_partials_go_first() -> None:
    async def scene() -> None:
        reader = Reader()
        transcription = reader.make()
        for _ in range(limits.HEARD_WAITING + 7):
            await speak(transcription, (LOUD, 420), (QUIET, 200))
            transcription.finish()
        await asyncio.sleep(1)
        listening = Listening(transcription)
        await asyncio.sleep(1)
        assert [heard.segment for heard in listening.heard] == list(range(8, limits.HEARD_WAITING + 8))
        assert all(heard.final for heard in listening.heard)
        await listening.end()

    on_virtual_time(scene)


def test_quiet_is_measured_against_what_was_loud() -> None:
    loudness = Loudness()
    loudness.hear(QUIET)
    assert not loudness.spoken
    loudness.hear(LOUD)
    assert loudness.spoken
    assert loudness.quiet_bytes == 0
    loudness.hear(QUIET)
    loudness.hear(QUIET)
    assert loudness.quiet_bytes == 2 * audio.FRAME_BYTES


def test_the_quietest_place_is_found_after_a_point() -> None:
    pcm = QUIET + LOUD * 5 + QUIET + LOUD * 5
    place = quietest(pcm, 3 * audio.FRAME_BYTES, audio.FRAME_BYTES)
    assert 6 * audio.FRAME_BYTES <= place < 7 * audio.FRAME_BYTES
    assert place % audio.SAMPLE_BYTES == 0


def test_the_packaged_model_is_a_folder_or_nothing() -> None:
    folder = packaged_model()
    assert folder is None or (folder / "model.bin").is_file()
