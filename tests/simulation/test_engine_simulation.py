"""The engine alone, under schedules that nobody would think of: `make sim` plays a million steps and more.

`SIM_SEEDS` says how many schedules; `SIM_SEED` plays one of them again.
"""

import multiprocessing
import os
from collections import Counter
from typing import Final, get_args

import pytest
from tests.simulation.world import SimulationError, play

from duologue.engine import deadlines
from duologue.engine.progress import Progress
from duologue.model.effects import VoiceEffect
from duologue.model.errors import Code
from duologue.model.events import AnyActingEvent, AnyEvent, HistoryTrimmed, LegEnded, ToolMoved, TurnResumed
from duologue.model.inputs import (
    AgentHandedOff,
    AnyInput,
    ComplexityJudged,
    ConditionChanged,
    HandoffInput,
    MemoryInput,
    SignalsEstimated,
    UpgradeAsked,
)

STEPS: Final = 250
"""Inputs of one schedule: enough for some thirty turns and two crashes."""

LONG_STEPS: Final = 4_000
"""Inputs of the long schedule: more turns than are recognised, and more messages than are remembered."""

SEEDS: Final = int(os.environ.get("SIM_SEEDS", "240"))
ONE_SEED: Final = os.environ.get("SIM_SEED")

KEPT: Final = (1470, 1649, 1737, 1929, 2109, 2487, 2556, 2779, 3183, 3184, 3553, 3837, 3903, 3926, 4006, 4636)
"""Schedules that once broke a promise, beyond those that are played each time."""

POOLED: Final = 1_000
"""From so many schedules on, starting processes is worth its time."""

MILLION: Final = 1_000_000
MILLION_SEEDS: Final = MILLION // STEPS

REFUSALS: Final = {
    Code.TURN_CONFLICT,
    Code.TURN_STALE,
    Code.BUSY,
    Code.BAD_MESSAGE,
    Code.UNKNOWN_INTERACTION,
    Code.INTERRUPTS_OPEN,
    Code.INTERRUPT_UNKNOWN,
    Code.INTERRUPT_CLOSED,
    Code.INTERRUPT_EXPIRED,
    Code.TOOL_CALL_UNKNOWN,
    Code.TOOL_CALL_CLOSED,
    Code.APPROVAL_UNKNOWN,
    Code.APPROVAL_DECIDED,
    Code.APPROVAL_CHANGED,
    Code.APPROVAL_EXPIRED,
    Code.FORBIDDEN,
    Code.ILLEGAL_TRIGGER,
    Code.SESSION_ENDED,
}
ELSEWHERE: Final = {
    *get_args(HandoffInput),
    *get_args(MemoryInput),
    *(set(get_args(AnyActingEvent)) - {ToolMoved, LegEnded, TurnResumed}),
    SignalsEstimated,
    ComplexityJudged,
    ConditionChanged,
    AgentHandedOff,
    UpgradeAsked,
}
"""What happens beside the answers, of which these schedules have nothing: it is judged where it is made."""

FAILURES: Final = {
    Code.AGENT_FAILED,
    Code.AGENT_TRUNCATED,
    Code.AGENT_BAD_ITEM,
    Code.AGENT_SILENT,
    Code.AGENT_TOO_LONG,
    Code.AGENT_EMPTY,
    Code.RUN_LOST,
}


def play_short(seed: int) -> Counter[str]:
    """Play one schedule of the usual length."""
    return play(seed, steps=STEPS)


def play_all(seeds: int) -> Counter[str]:
    """Play the schedules from 0 on, on all cores where there are many."""
    total: Counter[str] = Counter()
    if seeds < POOLED:
        for seed in range(seeds):
            total.update(play_short(seed))
        return total
    with multiprocessing.get_context("spawn").Pool(min(4, os.cpu_count() or 1)) as pool:
        for tally in pool.imap_unordered(play_short, range(seeds), chunksize=50):
            total.update(tally)
    return total


@pytest.mark.skipif(ONE_SEED is None, reason="plays the schedule that SIM_SEED names")
def test_one_schedule() -> None:
    print(f"\nSIM_SEED={ONE_SEED}: {play_short(int(ONE_SEED or 0))}")


@pytest.mark.skipif(ONE_SEED is not None, reason="SIM_SEED plays one schedule")
def test_no_schedule_breaks_a_promise() -> None:
    tally = play_all(SEEDS)
    print(
        f"\n{SEEDS:,} schedules: {tally['steps']:,} steps, {tally['turns']:,} turns, "
        f"{tally['crashes']:,} crashes, {tally['records lost']:,} records lost in them"
    )
    assert tally["steps"] >= SEEDS * STEPS
    if SEEDS >= MILLION_SEEDS:
        assert tally["steps"] >= MILLION
    if SEEDS >= 100:
        reached(tally)


@pytest.mark.skipif(ONE_SEED is not None or max(KEPT) < SEEDS, reason="SIM_SEED or SIM_SEEDS say which are played")
def test_what_once_broke_a_promise_breaks_none() -> None:
    for seed in KEPT:
        play_short(seed)


def reached(tally: Counter[str]) -> None:
    """Check that the schedules led everywhere, so that their silence means something."""
    kinds = {*get_args(AnyInput), *get_args(AnyEvent), *get_args(VoiceEffect)} - {HistoryTrimmed, *ELSEWHERE}
    names = {kind.__name__ for kind in kinds} | {
        "Repeated",
        "Ignored",
        "crashes with snapshot",
        "records lost",
    }
    missing = sorted(name for name in names | REFUSALS | FAILURES if not tally[name])
    assert missing == []


@pytest.mark.parametrize(
    ("seed", "turns"), [pytest.param(-2, 250, id="in writing"), pytest.param(-1, 100, id="with calls")]
)
def test_a_long_conversation_breaks_none_either(seed: int, turns: int) -> None:
    tally = play(seed, steps=LONG_STEPS)
    assert tally["turns"] > turns


def test_a_schedule_is_the_same_every_time() -> None:
    assert play(7, steps=STEPS) == play(7, steps=STEPS)


def test_a_broken_promise_names_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A deadline that never comes would leave a turn without an end."""

    def never(_: Progress) -> bool:
        return False

    monkeypatch.setattr(deadlines, "take", never)
    with pytest.raises(SimulationError, match=r"SIM_SEED=\d+ make sim: step \d+: (what is due|turn \d+ never)"):
        play_all(50)
