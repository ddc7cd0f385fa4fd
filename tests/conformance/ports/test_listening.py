"""What listens hears a real voice: when it begins and ends, and whether its sentence is whole."""

from collections.abc import Sequence

import pytest
from tests.spoken import samples

from duologue.adapters.speech_silero import load_silero
from duologue.adapters.speech_smart_turn import find_model, load_smart_turn
from duologue.engine.activity import Activity, ActivityRules, Began, Edge, Stopped
from duologue.model.audio import BYTES_PER_MS, RATE_HZ
from duologue.testing.voice_activity_suite import judged

SECOND = bytes(1_000 * BYTES_PER_MS)
WINDOW_MS = 32

CLOSE_MS = 96
"""How far from what its loudness says a begin or an end may be told: three windows."""


@pytest.fixture(scope="module")
def sentences() -> Sequence[bytes]:
    return [sample.pcm for sample in samples()]


def loud_ms(pcm: bytes) -> tuple[int, int]:
    """When sound is first and last louder than a fiftieth of its loudest."""
    samples = memoryview(pcm).cast("h").tolist()
    least = max(samples) / 50
    loud = [at for at, sample in enumerate(samples) if abs(sample) > least]
    return loud[0] * 1000 // RATE_HZ, loud[-1] * 1000 // RATE_HZ


def edges(pcm: bytes, rules: ActivityRules) -> list[tuple[int, Edge]]:
    """Hear a call; give what was told, and when, in ms from its begin."""
    model = load_silero()
    activity = Activity(rules, window_ms=WINDOW_MS, trail_ms=model.trail_ms)
    heard = [(place * WINDOW_MS, activity.hear(one)) for place, one in enumerate(judged(model, pcm), 1)]
    return [(at_ms, edge) for at_ms, edge in heard if edge is not None]


@pytest.mark.counterpart("Silero VAD")
@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("later_ms", [0, 9, 17, 25])
def test_when_a_voice_begins_and_ends_is_told(sentences: Sequence[bytes], place: int, later_ms: int) -> None:
    pcm = SECOND + bytes(later_ms * BYTES_PER_MS) + sentences[place] + SECOND
    begins_ms, ends_ms = loud_ms(pcm)
    told = edges(pcm, ActivityRules(silence_ms=500))
    (began_ms, began), (stopped_ms, stopped) = told[0], told[-1]
    assert isinstance(began, Began) and abs(began_ms - began.ago_ms - begins_ms) <= CLOSE_MS
    assert isinstance(stopped, Stopped) and abs(stopped_ms - stopped.ago_ms - ends_ms) <= CLOSE_MS
    # Never before the silence that was asked for, and never a third window after it.
    assert 500 <= stopped_ms - ends_ms < 500 + CLOSE_MS


@pytest.mark.anyio
@pytest.mark.counterpart("Smart Turn")
async def test_a_whole_sentence_is_told_from_one_that_breaks_off(sentences: Sequence[bytes]) -> None:
    """Both with the pause after which it is asked. Piper speaks differently each time, so several breaks are tried."""
    if find_model() is None:
        pytest.skip("no Smart Turn here; make test installs it where it is to be had")
    model, pause = load_smart_turn(), SECOND[: 200 * BYTES_PER_MS]
    whole = sentences[0]
    begins = [whole[: len(whole) // 20 * share // 2 * 2] for share in (4, 5, 6)]
    try:
        broken = [await model.probability(begin + pause, "") for begin in begins]
        assert min(broken) < 0.5 < await model.probability(whole + pause, "")
    finally:
        model.close()
