"""The engine under schedules that nobody would think of: people, agents, operators, tools, calls and crashes in one.

`make sim` plays a million steps and more. `SIM_SEEDS` says how many schedules; `SIM_SEED` plays one of them again, and
with `SIM_DIES_AT` its process dies after that step.
"""

import multiprocessing
import os
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, TypeVar, get_args

import pytest
from tests.simulation.world import SimulationError, play

from duologue.engine import deadlines
from duologue.engine.progress import Progress
from duologue.model.effects import HandoffEffect, VoiceEffect
from duologue.model.errors import Code
from duologue.model.events import (
    AgentDegraded,
    AnyEvent,
    AnyMemoryEvent,
    AnyRoutingEvent,
    HistoryTrimmed,
    SignalUpdated,
)
from duologue.model.handoff import HandoffStatus, TransferType
from duologue.model.inputs import (
    AnyInput,
    ComplexityJudged,
    ConditionChanged,
    MemoryInput,
    SignalsEstimated,
    UpgradeAsked,
)

Job = TypeVar("Job")

STEPS: Final = 300
"""Inputs of one schedule: enough for some thirty turns and five crashes."""

LONG_STEPS: Final = 4_000
"""Inputs of the long schedule: more turns than are recognised, and more messages than are remembered."""

SEEDS: Final = int(os.environ.get("SIM_SEEDS", "160"))
ONE_SEED: Final = os.environ.get("SIM_SEED")
DIES_AT: Final = int(os.environ.get("SIM_DIES_AT", "0"))

SHORT_STEPS: Final = 60
"""Inputs of the schedules in which the process dies after each one."""

SWEPT: Final = tuple(range(-3, -3 - max(3, SEEDS // 100), -1))
"""Schedules in which the process dies after each step."""

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
    Code.HANDOFF_STATE,
    Code.HANDOFF_UNKNOWN,
    Code.FORBIDDEN,
    Code.ILLEGAL_TRIGGER,
    Code.SESSION_ENDED,
}
FAILURES: Final = {
    Code.AGENT_FAILED,
    Code.AGENT_TRUNCATED,
    Code.AGENT_BAD_ITEM,
    Code.AGENT_SILENT,
    Code.AGENT_TOO_LONG,
    Code.AGENT_EMPTY,
    Code.RUN_LOST,
}
TOGETHER: Final = {
    "approved after a restart",
    "approved after a takeover",
    "approved after a restart and a takeover",
    "callbacks refused",
    "callbacks taken",
    "crashes while a person has the conversation",
    "crashes with snapshot",
    "gone",
    "records lost",
    "side effects",
}
"""What only happens where several things come together."""

ELSEWHERE: Final = {
    *get_args(MemoryInput),
    *get_args(AnyMemoryEvent),
    *get_args(AnyRoutingEvent),
    SignalUpdated,
    SignalsEstimated,
    ComplexityJudged,
    ConditionChanged,
    AgentDegraded,
    UpgradeAsked,
}
"""What happens beside the answers, of which these schedules have nothing: it is judged where it is made."""


def play_short(seed: int) -> Counter[str]:
    """Play one schedule of the usual length."""
    return play(seed, steps=STEPS)


def play_dying(place: tuple[int, int]) -> Counter[str]:
    """Play a short schedule whose process dies after the step that is named."""
    seed, dies_at = place
    return play(seed, steps=SHORT_STEPS, dies_at=dies_at)


def play_all(one: Callable[[Job], Counter[str]], jobs: Sequence[Job]) -> Counter[str]:
    """Play schedules, on all cores where there are many."""
    total: Counter[str] = Counter()
    if len(jobs) < POOLED:
        for job in jobs:
            total.update(one(job))
        return total
    with multiprocessing.get_context("spawn").Pool(min(4, os.cpu_count() or 1)) as pool:
        for tally in pool.imap_unordered(one, jobs, chunksize=50):
            total.update(tally)
    return total


@pytest.mark.skipif(ONE_SEED is None, reason="plays the schedule that SIM_SEED names")
def test_one_schedule() -> None:
    steps = SHORT_STEPS if DIES_AT else STEPS
    print(f"\nSIM_SEED={ONE_SEED}: {play(int(ONE_SEED or 0), steps=steps, dies_at=DIES_AT)}")


@pytest.mark.skipif(ONE_SEED is not None, reason="SIM_SEED plays one schedule")
def test_no_schedule_breaks_a_promise() -> None:
    tally = play_all(play_short, range(SEEDS))
    print(
        f"\n{SEEDS:,} schedules: {tally['steps']:,} steps, {tally['turns']:,} turns, {tally['connected']:,} takeovers, "
        f"{tally['side effects']:,} side effects, {tally['crashes']:,} crashes, "
        f"{tally['records lost']:,} records lost in them"
    )
    assert tally["steps"] >= SEEDS * STEPS
    if SEEDS >= MILLION_SEEDS:
        assert tally["steps"] >= MILLION
    if SEEDS >= 100:
        reached(tally)


@pytest.mark.skipif(ONE_SEED is not None, reason="SIM_SEED plays one schedule")
def test_no_crash_breaks_one_after_whichever_step_it_comes() -> None:
    places = [(seed, dies_at) for seed in SWEPT for dies_at in range(1, SHORT_STEPS + 1)]
    tally = play_all(play_dying, places)
    print(f"\n{len(places):,} schedules with a crash at each point: {tally['steps']:,} steps")
    assert tally["crashes"] >= len(places)


def reached(tally: Counter[str]) -> None:
    """Check that the schedules led everywhere, so that their silence means something."""
    kinds = {*get_args(AnyInput), *get_args(AnyEvent), *get_args(VoiceEffect), *get_args(HandoffEffect)}
    names = {kind.__name__ for kind in kinds - {HistoryTrimmed, *ELSEWHERE}} | {"Repeated", "Ignored"}
    names |= TOGETHER | REFUSALS | FAILURES | {*get_args(HandoffStatus), *get_args(TransferType)}
    assert sorted(name for name in names if not tally[name]) == []


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
        play_all(play_short, range(50))
