"""Sound at another rate is the same sound: a tone stays that tone, wherever the stream is cut."""

import math
import sys
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.model.audio import RATE_HZ
from duologue.model.errors import SpeechError
from duologue.runtime.voice.resample import Resampler

RATES = (8_000, 22_050, 24_000, 48_000)
LOUDNESS = 8_000


def tone(rate_hz: int, ms: int, *, hz: float = 440) -> bytes:
    """Make a tone."""
    count = rate_hz * ms // 1000
    return array("h", [round(LOUDNESS * math.sin(2 * math.pi * hz * at / rate_hz)) for at in range(count)]).tobytes()


def fed(resampler: Resampler, pcm: bytes, size: int) -> bytes:
    """Feed sound in pieces, to its end."""
    pieces = [resampler.feed(pcm[at : at + size]) for at in range(0, len(pcm), size)]
    return b"".join([*pieces, resampler.finish()])


def away_from_tone(pcm: bytes, rate_hz: int, *, hz: float = 440) -> float:
    """Measure how far sound is from a tone of any phase: the root of the mean square, without the edges."""
    samples = memoryview(pcm).cast("h").tolist()[rate_hz // 50 : -rate_hz // 50]
    # Whole periods, so that sine and cosine are orthogonal.
    count = len(samples) - len(samples) % (rate_hz // math.gcd(rate_hz, round(hz)))
    waves = [2 * math.pi * hz * at / rate_hz for at in range(count)]
    sine = 2 / count * sum(one * math.sin(wave) for one, wave in zip(samples, waves, strict=False))
    cosine = 2 / count * sum(one * math.cos(wave) for one, wave in zip(samples, waves, strict=False))
    assert abs(math.hypot(sine, cosine) - LOUDNESS) < LOUDNESS / 200
    errors = [one - sine * math.sin(w) - cosine * math.cos(w) for one, w in zip(samples, waves, strict=False)]
    return math.sqrt(sum(error * error for error in errors) / count)


@pytest.mark.parametrize("rate_hz", RATES)
def test_a_tone_stays_a_tone_both_ways(rate_hz: int) -> None:
    ours = fed(Resampler(rate_hz, RATE_HZ), tone(rate_hz, 500), rate_hz // 50 * 2)
    assert abs(len(ours) // 2 - RATE_HZ // 2) <= 2
    assert away_from_tone(ours, RATE_HZ) < 2
    theirs = fed(Resampler(RATE_HZ, rate_hz), tone(RATE_HZ, 500), 640)
    assert abs(len(theirs) // 2 - rate_hz // 2) <= 4
    assert away_from_tone(theirs, rate_hz) < 2


def test_what_we_cannot_hold_is_left_out_and_not_folded_down() -> None:
    high = fed(Resampler(48_000, RATE_HZ), tone(48_000, 500, hz=11_000), 1920)
    assert max(map(abs, memoryview(high).cast("h").tolist()[1_000:-1_000])) < LOUDNESS / 300


@given(st.lists(st.integers(1, 3_000), min_size=1, max_size=20), st.sampled_from(RATES))
def test_it_does_not_matter_where_the_stream_is_cut(sizes: list[int], rate_hz: int) -> None:
    pcm = tone(rate_hz, 100)
    whole = fed(Resampler(rate_hz, RATE_HZ), pcm, len(pcm))
    resampler, pieces, at = Resampler(rate_hz, RATE_HZ), list[bytes](), 0
    for size in sizes:
        pieces.append(resampler.feed(pcm[at : at + 2 * size]))
        at += 2 * size
    assert b"".join([*pieces, resampler.feed(pcm[at:]), resampler.finish()]) == whole


def test_little_is_held_back() -> None:
    resampler = Resampler(48_000, RATE_HZ)
    given = sum(len(resampler.feed(tone(48_000, 20))) for _ in range(10))
    assert RATE_HZ // 5 * 2 - given <= 2 * RATE_HZ // 1000 * 2


def test_two_channels_become_one() -> None:
    left = memoryview(tone(48_000, 200)).cast("h").tolist()
    both = array("h", [sample for one in left for sample in (one, one)]).tobytes()
    assert away_from_tone(fed(Resampler(48_000, RATE_HZ, channels=2), both, 3840), RATE_HZ) < 2
    mixed = fed(Resampler(RATE_HZ, RATE_HZ, channels=2), array("h", [1_000, 3_000] * 1_600).tobytes(), 640)
    assert len(mixed) == 3_200 and set(memoryview(mixed).cast("h").tolist()[100:-100]) == {2_000}


def test_our_own_format_passes_as_it_is() -> None:
    pcm = tone(RATE_HZ, 20)
    resampler = Resampler(RATE_HZ, RATE_HZ)
    assert resampler.feed(pcm) is pcm
    assert resampler.finish() == b""
    assert Resampler(48_000, RATE_HZ).feed(b"") == b""


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(SpeechError, match=r"pip install 'duologue\[speech\]'"):
        Resampler(48_000, RATE_HZ)
