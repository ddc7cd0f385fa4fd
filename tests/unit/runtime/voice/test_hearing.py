"""Ears of many calls, one inference: what is judged together, what is told, and what happens when sound stays away."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence

import pytest

from duologue.engine.activity import ActivityRules, Began, Edge, Stopped
from duologue.model import limits
from duologue.model.audio import FRAME_BYTES, SILENT_FRAME
from duologue.model.errors import SpeechError
from duologue.runtime.voice.hearing import Ear, Hearing
from duologue.testing.virtual_time import VirtualLoop

WINDOW_BYTES = 1024
LOUD, QUIET = b"\x7f" * FRAME_BYTES, SILENT_FRAME
RULES = ActivityRules(start_windows=1, silence_ms=64)


class Loudness:
    """Takes sound that is not zero for speech; counts what it judged of each call, and how much at once."""

    def __init__(self, *, trail_ms: int = 0) -> None:
        self.window_samples, self.trail_ms = WINDOW_BYTES // 2, trail_ms
        self.batches: list[int] = []
        self.breaks = False

    def new_state(self) -> list[bytes]:
        return []

    def probabilities(self, states: Sequence[list[bytes]], windows: Sequence[bytes]) -> Sequence[float]:
        if self.breaks:
            raise SpeechError("no more")
        assert len({id(state) for state in states}) == len(windows) and {len(one) for one in windows} == {WINDOW_BYTES}
        self.batches.append(len(windows))
        for state, window in zip(states, windows, strict=True):
            state.append(window)
        return [float(window.strip(b"\0") != b"") for window in windows]


class Heard:
    """Keeps what it is told, with the time."""

    def __init__(self) -> None:
        self.edges: list[tuple[int, Edge]] = []
        self.errors: list[SpeechError] = []

    def speech(self, edge: Edge) -> None:
        self.edges.append((round(asyncio.get_running_loop().time() * 1000), edge))

    def deaf(self, error: SpeechError) -> None:
        self.errors.append(error)


async def play(ear: Ear, *frames: bytes) -> None:
    """Hand in frames at the pace of speech."""
    for frame in frames:
        ear.hear(frame)
        await asyncio.sleep(0.02)


def on_virtual_time(scene: Callable[[], Coroutine[None, None, None]]) -> None:
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(scene())


def test_a_call_alone_is_judged_at_once() -> None:
    async def scene() -> None:
        model, heard = Loudness(), Heard()
        ear = Hearing(model).open(RULES, heard)
        ear.hear(LOUD)
        ear.hear(LOUD)
        assert heard.edges == []
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        # The window ended 256 bytes, 8 ms, before the sound that came with it.
        assert [edge for _, edge in heard.edges] == [Began(ago_ms=16 + 8)]
        assert model.batches == [1]

    on_virtual_time(scene)


def test_windows_that_cannot_show_anything_yet_wait_for_one_another() -> None:
    async def scene() -> None:
        model = Loudness()
        hearing = Hearing(model)
        rules = ActivityRules(start_windows=2, silence_ms=64)
        ears = [hearing.open(rules, Heard()) for _ in range(5)]
        for ear in ears:
            ear.hear(QUIET * 2)
            await asyncio.sleep(0.002)
        assert model.batches == []
        await asyncio.sleep(limits.HEARING_GATHER_MS / 1000 - 0.009)
        assert model.batches == [5]

    on_virtual_time(scene)


def test_a_window_that_may_show_something_is_judged_at_once_with_those_that_wait() -> None:
    async def scene() -> None:
        model = Loudness()
        hearing = Hearing(model)
        waiting = [hearing.open(ActivityRules(start_windows=2), Heard()) for _ in range(3)]
        for ear in waiting:
            ear.hear(LOUD * 2)
        hearing.open(RULES, heard := Heard()).hear(LOUD * 2)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert model.batches == [4]
        assert [edge for _, edge in heard.edges] == [Began(ago_ms=16 + 8)]

    on_virtual_time(scene)


def test_nothing_is_told_later_for_being_gathered() -> None:
    """Five calls at once hear the same as each of them alone, at the same times."""

    async def call(hearing: Hearing, late_ms: int) -> list[tuple[int, Edge]]:
        ear = hearing.open(ActivityRules(silence_ms=200), heard := Heard())
        await asyncio.sleep(late_ms / 1000)
        began_ms = round(asyncio.get_running_loop().time() * 1000)
        await play(ear, *[QUIET] * 9, *[LOUD] * 21, *[QUIET] * 20, *[LOUD] * 14, *[QUIET] * 20)
        ear.close()
        return [(at_ms - began_ms, edge) for at_ms, edge in heard.edges]

    async def scene() -> None:
        alone = await call(Hearing(Loudness()), 0)
        hearing = Hearing(model := Loudness())
        together = await asyncio.gather(*[call(hearing, late_ms) for late_ms in (0, 3, 7, 11, 18)])
        assert len(alone) == 4 and together == [alone] * 5
        assert sum(model.batches) / len(model.batches) > 2.5

    on_virtual_time(scene)


def test_a_batch_is_bounded_and_the_rest_comes_right_after() -> None:
    async def scene() -> None:
        model = Loudness()
        hearing = Hearing(model)
        for _ in range(limits.HEARING_BATCH + 3):
            hearing.open(ActivityRules(), Heard()).hear(QUIET * 2)
        await asyncio.sleep(0.02)
        assert model.batches == [limits.HEARING_BATCH, 3]

    on_virtual_time(scene)


def test_the_rest_of_a_batch_does_not_wait_where_calls_have_more() -> None:
    """Else so many calls as two batches hold would fall ever further behind."""

    async def scene() -> None:
        model = Loudness()
        hearing = Hearing(model)
        for _ in range(2 * limits.HEARING_BATCH):
            hearing.open(ActivityRules(), Heard()).hear(QUIET * 4)
        await asyncio.sleep((limits.HEARING_GATHER_MS + 1) / 1000)
        assert model.batches == [limits.HEARING_BATCH] * 4

    on_virtual_time(scene)


def test_sound_of_any_size_makes_the_same_windows() -> None:
    async def scene() -> None:
        hearing = Hearing(model := Loudness())
        sound = bytes(number % 251 for number in range(WINDOW_BYTES * 7 + 100))
        for size in (2, 100, FRAME_BYTES, WINDOW_BYTES, WINDOW_BYTES * 3 + 2, len(sound)):
            ear = hearing.open(RULES, Heard())
            for at in range(0, len(sound), size):
                ear.hear(sound[at : at + size])
                await asyncio.sleep(0.001)
            await asyncio.sleep(0.05)
            assert ear.state == [sound[at : at + WINDOW_BYTES] for at in range(0, WINDOW_BYTES * 7, WINDOW_BYTES)]
            ear.close()
        assert set(model.batches) == {1}

    on_virtual_time(scene)


def test_when_speech_really_began_and_ended_is_told() -> None:
    async def scene() -> None:
        ear = Hearing(Loudness()).open(RULES, heard := Heard())
        # Speech from 160 to 480 ms: whole windows, both of them.
        await play(ear, *[QUIET] * 8, *[LOUD] * 16, *[QUIET] * 16)
        (began_ms, began), (stopped_ms, stopped) = heard.edges
        # A frame comes when it begins to be played here: it ends 20 ms later.
        assert isinstance(began, Began) and began_ms + 20 - began.ago_ms == 160 + 16
        assert isinstance(stopped, Stopped) and stopped_ms + 20 - stopped.ago_ms == 480 - 16
        assert not ear.speaking

    on_virtual_time(scene)


def test_what_the_model_trails_behind_is_counted_as_silence() -> None:
    async def scene() -> None:
        ear = Hearing(Loudness(trail_ms=40)).open(ActivityRules(silence_ms=200), heard := Heard())
        await play(ear, *[LOUD] * 16, *[QUIET] * 16)
        stopped = heard.edges[1][1]
        # Five windows, half a window and the trail are 216 ms; without the trail it would be six.
        assert isinstance(stopped, Stopped) and 216 <= stopped.ago_ms < 216 + 20

    on_virtual_time(scene)


def test_sound_that_stays_away_is_silence_after_a_while() -> None:
    async def scene() -> None:
        ear = Hearing(Loudness()).open(RULES, heard := Heard())
        await play(ear, *[LOUD] * 8)
        assert ear.speaking
        await asyncio.sleep(limits.HEARING_STALL_MS / 1000 + 0.001)
        (_, _), (stopped_ms, stopped) = heard.edges
        assert stopped_ms == 160 + limits.HEARING_STALL_MS
        assert stopped == Stopped(ago_ms=limits.HEARING_STALL_MS + 20 + 16)
        # A new beginning, also for the model, which never heard the gap.
        assert ear.state == []
        await play(ear, *[LOUD] * 2)
        assert isinstance(heard.edges[2][1], Began)
        ear.close()

    on_virtual_time(scene)


def test_a_pause_of_the_network_is_no_silence() -> None:
    async def scene() -> None:
        ear = Hearing(Loudness()).open(RULES, heard := Heard())
        for _ in range(5):
            await play(ear, *[LOUD] * 8)
            await asyncio.sleep((limits.HEARING_STALL_MS - 50) / 1000)
        assert len(heard.edges) == 1
        ear.close()

    on_virtual_time(scene)


def test_sound_that_comes_in_large_pieces_is_not_missed_between_them() -> None:
    async def scene() -> None:
        ear = Hearing(Loudness()).open(RULES, heard := Heard())
        for _ in range(4):
            ear.hear(LOUD * 40)
            await asyncio.sleep(0.8)
        assert len(heard.edges) == 1
        ear.close()

    on_virtual_time(scene)


def test_of_a_burst_the_end_is_judged() -> None:
    async def scene() -> None:
        ear = Hearing(model := Loudness()).open(RULES, heard := Heard())
        ear.hear(LOUD * 500 + QUIET * 16)
        await asyncio.sleep(0.01)
        windows = (500 + 16) * FRAME_BYTES // WINDOW_BYTES
        assert sum(model.batches) == limits.HEARING_BACKLOG_WINDOWS
        assert ear.dropped_windows == windows - limits.HEARING_BACKLOG_WINDOWS
        assert [type(edge) for _, edge in heard.edges] == [Began, Stopped]
        # Speech ended 16 frames before the end, wherever windows begin.
        assert abs(heard.edges[1][1].ago_ms - 320) <= 16

    on_virtual_time(scene)


def test_a_model_that_fails_is_told_to_each_of_its_calls_once() -> None:
    async def scene() -> None:
        hearing = Hearing(model := Loudness())
        calls = [(hearing.open(RULES, heard := Heard()), heard) for _ in range(2)]
        for ear, _ in calls:
            ear.hear(LOUD * 2)
        model.breaks = True
        await asyncio.sleep(0.01)
        for ear, heard in calls:
            assert ear.closed and [str(error) for error in heard.errors] == ["no more"]
            ear.hear(LOUD * 4)
        model.breaks = False
        hearing.open(RULES, heard := Heard()).hear(LOUD * 2)
        await asyncio.sleep(0.01)
        assert model.batches == [1] and len(heard.edges) == 1

    on_virtual_time(scene)


def test_a_listener_that_fails_harms_nobody_else() -> None:
    async def scene() -> None:
        class Broken(Heard):
            def speech(self, edge: Edge) -> None:
                raise RuntimeError(str(edge))

        problems: list[object] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, what: problems.append(what["exception"]))
        hearing = Hearing(Loudness())
        ears = [hearing.open(RULES, Broken()), hearing.open(RULES, heard := Heard())]
        for ear in ears:
            ear.hear(LOUD * 2)
        await asyncio.sleep(0.01)
        assert len(problems) == 1 and len(heard.edges) == 1

    on_virtual_time(scene)


@pytest.mark.parametrize("when", ["before", "waiting"])
def test_a_closed_ear_hears_nothing(when: str) -> None:
    async def scene() -> None:
        hearing = Hearing(model := Loudness())
        ear = hearing.open(RULES, heard := Heard())
        if when == "waiting":
            ear.hear(LOUD * 2)
        ear.close()
        ear.close()
        ear.hear(LOUD * 2)
        await asyncio.sleep(0.01)
        assert model.batches == [] and heard.edges == []

    on_virtual_time(scene)
