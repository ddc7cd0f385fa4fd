"""What the machine's readings make of its condition."""

from itertools import pairwise

import pytest

from duologue.engine.policies import POLICIES, STATES
from duologue.engine.standing import Standing, Steps, Thresholds, judge, missing
from duologue.model.condition import ConditionReason, ConditionState, Readings
from duologue.model.content import Tier

ALL: tuple[Tier, ...] = ("gate", "reflex", "workhorse")
THRESHOLDS = Thresholds(settle_ms=10_000)
WELL = Readings(temperature_c=40, battery=0.9, plugged=False, free_memory_mb=8_000)


class Machine:
    """Judges readings one after another, as time goes on."""

    def __init__(self) -> None:
        self.standing, self.now_ms = Standing(), 0

    def reads(self, readings: Readings, *, after_ms: int = 1_000) -> ConditionState:
        self.now_ms += after_ms
        self.standing = judge(self.standing, readings, tiers=ALL, thresholds=THRESHOLDS, now_ms=self.now_ms)
        return self.standing.condition


@pytest.mark.parametrize(
    ("readings", "state", "reason"),
    [
        (Readings(temperature_c=86), "balanced", "thermal"),
        (Readings(temperature_c=90), "conservative", "thermal"),
        (Readings(temperature_c=96), "minimal", "thermal"),
        (Readings(temperature_c=120), "emergency", "thermal"),
        (Readings(battery=0.4), "balanced", "battery"),
        (Readings(battery=0.15, plugged=False), "conservative", "battery"),
        (Readings(battery=0.01), "emergency", "battery"),
        (Readings(free_memory_mb=700), "balanced", "ram"),
        (Readings(free_memory_mb=200), "minimal", "ram"),
        (Readings(unloaded=("reflex",)), "balanced", "model_unloaded"),
        (Readings(unloaded=("workhorse",)), "conservative", "model_unloaded"),
        (Readings(unloaded=("reflex", "workhorse")), "minimal", "model_unloaded"),
        (Readings(unloaded=ALL), "emergency", "model_unloaded"),
        (Readings(temperature_c=86, battery=0.15), "conservative", "battery"),
    ],
)
def test_what_is_worse_counts_at_once_and_names_its_reason(
    readings: Readings, state: ConditionState, reason: ConditionReason
) -> None:
    machine = Machine()
    assert machine.reads(readings) == state
    assert machine.standing.reason == reason


@pytest.mark.parametrize(
    "readings", [Readings(), WELL, Readings(battery=0.02, plugged=True), Readings(temperature_c=84.9)]
)
def test_a_machine_that_is_well_or_says_nothing_has_full_power(readings: Readings) -> None:
    assert Machine().reads(readings) == "full_power"


def test_what_is_better_counts_once_it_has_lasted() -> None:
    machine = Machine()
    assert machine.reads(Readings(temperature_c=91)) == "conservative"
    assert machine.reads(Readings(temperature_c=50)) == "conservative"
    assert machine.reads(Readings(temperature_c=50), after_ms=9_999) == "conservative"
    assert machine.reads(Readings(temperature_c=50), after_ms=1) == "full_power"
    assert machine.standing.reason == "thermal"


def test_a_relapse_begins_the_wait_anew() -> None:
    machine = Machine()
    machine.reads(Readings(battery=0.18))
    machine.reads(Readings(battery=0.9), after_ms=9_000)
    assert machine.reads(Readings(battery=0.18), after_ms=900) == "conservative"
    assert machine.reads(Readings(battery=0.9), after_ms=9_000) == "conservative"
    assert machine.reads(Readings(battery=0.9), after_ms=10_000) == "full_power"


def test_within_the_margin_nothing_is_better() -> None:
    machine = Machine()
    machine.reads(Readings(temperature_c=90))
    assert machine.reads(Readings(temperature_c=85.5), after_ms=60_000) == "conservative"
    assert machine.reads(Readings(temperature_c=85), after_ms=60_000) == "conservative"
    assert machine.reads(Readings(temperature_c=85), after_ms=10_000) == "balanced"


def test_it_becomes_as_good_as_its_worst_reading_allows() -> None:
    machine = Machine()
    machine.reads(Readings(temperature_c=101, battery=0.3))
    machine.reads(Readings(temperature_c=40, battery=0.3))
    assert machine.reads(Readings(temperature_c=40, battery=0.3), after_ms=10_000) == "balanced"
    assert machine.standing.reason == "battery"


def test_a_sensor_that_falls_silent_is_taken_to_be_well() -> None:
    machine = Machine()
    machine.reads(Readings(battery=0.3))
    machine.reads(Readings())
    assert machine.reads(Readings(), after_ms=10_000) == "full_power"


@pytest.mark.parametrize(
    ("unloaded", "tiers", "state"),
    [
        ((), ("workhorse",), "full_power"),
        (("gate",), ("workhorse",), "full_power"),
        (("workhorse",), ("workhorse",), "emergency"),
        (("workhorse",), ("gate", "workhorse"), "minimal"),
        (("gate",), ("gate", "workhorse"), "balanced"),
        (("workhorse",), ("reflex", "workhorse"), "conservative"),
    ],
)
def test_missing_models_count_by_what_is_left(
    unloaded: tuple[Tier, ...], tiers: tuple[Tier, ...], state: ConditionState
) -> None:
    assert STATES[missing(unloaded, tiers)] == state


def test_a_step_is_left_at_its_margin() -> None:
    rising = Steps(balanced=10, conservative=20, minimal=30, emergency=40, margin=2, falling=False)
    assert [rising.level(value, leaving=False) for value in (9, 10, 19, 20, 45)] == [0, 1, 1, 2, 4]
    assert [rising.level(value, leaving=True) for value in (8, 8.5, 18, 18.5)] == [0, 1, 1, 2]
    falling = Steps(balanced=40, conservative=30, minimal=20, emergency=10, margin=2, falling=True)
    assert [falling.level(value, leaving=False) for value in (41, 40, 5)] == [0, 1, 4]
    assert [falling.level(value, leaving=True) for value in (42, 41.5)] == [0, 1]


def test_each_state_leaves_out_what_the_one_before_leaves_out() -> None:
    policies = [POLICIES[state] for state in STATES]
    for better, worse in pairwise(policies):
        assert better != worse
        for name in better.__struct_fields__:
            if name in ("upgrade", "signals"):
                assert set(getattr(worse, name)) <= set(getattr(better, name)), name
            else:
                assert getattr(better, name) or not getattr(worse, name), name
