"""The condition never flaps, whatever the readings do."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from duologue.engine.policies import STATES
from duologue.engine.standing import Standing, Thresholds, judge
from duologue.model.condition import Readings
from duologue.model.content import Tier

ALL: tuple[Tier, ...] = ("gate", "reflex", "workhorse")
THRESHOLDS = Thresholds()

READINGS = st.builds(
    Readings,
    temperature_c=st.none() | st.floats(-20, 130),
    battery=st.none() | st.floats(0, 1),
    plugged=st.none() | st.booleans(),
    free_memory_mb=st.none() | st.integers(0, 4_000),
    unloaded=st.lists(st.sampled_from(ALL), unique=True, max_size=3).map(tuple),
)
SERIES = st.lists(st.tuples(READINGS, st.integers(0, 20_000)), max_size=60)


def stands(series: list[tuple[Readings, int]]) -> list[tuple[Standing, int]]:
    standing, now_ms = Standing(), 0
    after: list[tuple[Standing, int]] = [(standing, now_ms)]
    for readings, gap_ms in series:
        now_ms += gap_ms
        standing = judge(standing, readings, tiers=ALL, thresholds=THRESHOLDS, now_ms=now_ms)
        after.append((standing, now_ms))
    return after


@given(SERIES)
def test_it_gets_better_only_after_it_was_better_for_long_enough(series: list[tuple[Readings, int]]) -> None:
    changed_ms = -THRESHOLDS.settle_ms
    after = stands(series)
    for (before, _), (now, at_ms) in pairwise(after):
        if STATES.index(now.condition) < STATES.index(before.condition):
            assert at_ms - changed_ms >= THRESHOLDS.settle_ms
        if now.condition != before.condition:
            changed_ms = at_ms


@given(SERIES)
def test_the_same_readings_make_the_same_condition(series: list[tuple[Readings, int]]) -> None:
    assert stands(series) == stands(series)


@given(
    st.floats(60, 110),
    st.lists(st.tuples(st.floats(0, 4.99), st.integers(0, 600_000)), max_size=60),
)
def test_a_reading_that_trembles_by_less_than_the_margin_never_brings_a_state_back(
    lowest_c: float, trembling: list[tuple[float, int]]
) -> None:
    series = [(Readings(temperature_c=lowest_c + more), gap_ms) for more, gap_ms in trembling]
    levels = [STATES.index(standing.condition) for standing, _ in stands(series)]
    assert levels == sorted(levels)


@given(READINGS)
def test_a_reading_that_stays_comes_to_rest(readings: Readings) -> None:
    series = [(readings, THRESHOLDS.settle_ms)] * 8
    levels = [standing.condition for standing, _ in stands(series)]
    assert len(set(levels[1:])) == 1
