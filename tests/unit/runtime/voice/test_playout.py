"""What is due when, how far the person is, and that nothing is sent in a burst."""

import asyncio

import pytest

from duologue.model import limits
from duologue.model.audio import BYTES_PER_MS, FRAME_BYTES
from duologue.runtime.voice.playout import Playout
from duologue.runtime.voice.sound import Sound

SECOND = bytes(1000 * BYTES_PER_MS)


class Ear:
    """A playout on a clock that is moved by hand."""

    def __init__(self, *, lead_ms: int = 0) -> None:
        self.now_ms = 5_000
        self.playout = Playout(lead_ms=lead_ms, time_s=lambda: self.now_ms / 1000, wake=lambda: None)

    def begin(self, pcm: bytes = SECOND) -> Sound:
        sound = self.playout.begin("response-1")
        self.playout.add(sound, pcm)
        return sound

    def due_ms(self, *, most: int = 1_000) -> int:
        return len(self.playout.due(most=most)) // BYTES_PER_MS


def test_a_frame_is_due_every_20_ms() -> None:
    ear = Ear()
    ear.begin()
    sent: list[int] = []
    for _ in range(10):
        sent.append(ear.due_ms())
        ear.now_ms += 10
    assert sent == [20, 0, 20, 0, 20, 0, 20, 0, 20, 0]


def test_what_the_lead_allows_is_due_at_once() -> None:
    ear = Ear(lead_ms=200)
    ear.begin()
    assert ear.due_ms() == 220
    assert ear.due_ms() == 0
    ear.now_ms += 60
    assert ear.due_ms() == 60


def test_it_tells_how_long_to_wait_for_so_many_frames() -> None:
    ear = Ear(lead_ms=200)
    assert ear.playout.wait_s(frames=1) is None
    ear.begin()
    assert ear.playout.wait_s(frames=1) == 0.0
    ear.due_ms()
    assert ear.playout.wait_s(frames=1) == pytest.approx(0.02)
    assert ear.playout.wait_s(frames=3) == pytest.approx(0.06)
    ear.now_ms += 60
    assert ear.playout.wait_s(frames=3) == 0.0
    assert ear.due_ms() == 60


def test_after_a_gap_it_goes_on_without_a_burst() -> None:
    ear = Ear()
    ear.begin()
    assert ear.due_ms() == 20
    ear.now_ms += 700
    assert ear.due_ms() == 20
    assert ear.due_ms() == 0
    ear.now_ms += 20
    assert ear.due_ms() == 20


def test_the_person_is_where_the_clock_is_and_never_past_what_was_sent() -> None:
    ear = Ear(lead_ms=200)
    ear.begin()
    assert ear.playout.played_ms == 0
    ear.due_ms()
    ear.now_ms += 130
    assert ear.playout.played_ms == 130
    ear.now_ms += 500
    assert ear.playout.played_ms == 220


def test_it_stands_still_while_paused() -> None:
    ear = Ear(lead_ms=100)
    ear.begin()
    ear.due_ms()
    ear.now_ms += 60
    ear.playout.pause()
    ear.now_ms += 900
    assert ear.due_ms() == 0
    assert ear.playout.played_ms == 60
    ear.playout.resume()
    assert ear.playout.played_ms == 60
    ear.now_ms += 20
    assert ear.playout.played_ms == 80
    assert ear.due_ms() == 80


def test_the_clients_word_is_believed_within_what_was_sent() -> None:
    ear = Ear(lead_ms=200)
    ear.begin()
    ear.due_ms()
    assert ear.playout.tell(150)
    ear.now_ms += 5_000
    assert ear.playout.played_ms == 150
    assert not ear.playout.tell(149)
    assert not ear.playout.tell(221)
    assert ear.playout.tell(220)


def test_it_is_over_when_all_is_made_sent_and_heard() -> None:
    ear = Ear()
    sound = ear.begin(bytes(30 * BYTES_PER_MS))
    assert ear.due_ms() == 20
    ear.now_ms += 20
    # Ten more milliseconds are no frame, as long as more may come.
    assert ear.due_ms() == 0
    ear.playout.finish(sound)
    assert not ear.playout.over
    assert ear.playout.due(most=5) == bytes(FRAME_BYTES)
    assert not ear.playout.over
    ear.now_ms += 10
    assert ear.playout.over
    assert ear.playout.played_ms == 30


def test_what_was_dropped_is_never_due_and_takes_nothing_more() -> None:
    ear = Ear()
    sound = ear.begin()
    ear.playout.drop()
    ear.playout.add(sound, SECOND)
    assert ear.due_ms() == 0
    assert ear.playout.wait_s(frames=1) is None
    assert ear.playout.played_ms == 0


def test_pieces_of_any_length_come_out_as_they_went_in() -> None:
    ear = Ear(lead_ms=10_000)
    pcm = bytes(index % 251 for index in range(10 * FRAME_BYTES))
    sound = ear.playout.begin("response-1")
    for begin, end in ((0, 2), (2, 700), (700, 702), (702, 4_000), (4_000, len(pcm))):
        ear.playout.add(sound, pcm[begin:end])
    assert ear.playout.due(most=1) + ear.playout.due(most=3) + ear.playout.due(most=100) == pcm


@pytest.mark.anyio
async def test_the_voice_waits_for_room() -> None:
    ear = Ear()
    sound = ear.begin(bytes(limits.SPEECH_AHEAD_MS * BYTES_PER_MS))
    waiting = asyncio.ensure_future(ear.playout.room(sound))
    await asyncio.sleep(0)
    assert not waiting.done()
    ear.due_ms()
    assert await waiting


@pytest.mark.anyio
async def test_the_voice_that_waits_is_told_that_nothing_is_wanted() -> None:
    ear = Ear()
    sound = ear.begin(bytes(limits.SPEECH_AHEAD_MS * BYTES_PER_MS))
    waiting = asyncio.ensure_future(ear.playout.room(sound))
    await asyncio.sleep(0)
    ear.playout.drop()
    assert not await waiting
