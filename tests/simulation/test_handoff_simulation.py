"""Handoffs under schedules that nobody would think of, with crashes at every point. `SIM_SEEDS` says how many."""

import os
from collections import Counter
from types import SimpleNamespace
from typing import Final, get_args

import pytest
from tests.simulation.desk_world import play_desk
from tests.simulation.world import SimulationError

from duologue.engine import operators
from duologue.model.errors import Code
from duologue.model.handoff import HandoffInput, HandoffStatus, TransferType

SEEDS: Final = int(os.environ.get("SIM_SEEDS", "120"))
STEPS: Final = 200


def test_exactly_one_has_the_conversation_whatever_happens_and_whenever_it_crashes() -> None:
    tally: Counter[str] = Counter()
    for seed in range(SEEDS):
        tally.update(play_desk(seed, steps=STEPS))
    print(
        f"\n{SEEDS:,} schedules: {tally['crashes']:,} crashes, {tally['connected']:,} taken, {tally['queued']:,} queued"
    )
    if SEEDS < 100:
        return
    names = {kind.__name__ for kind in get_args(HandoffInput)} | {*get_args(HandoffStatus), *get_args(TransferType)}
    names |= {"AgentHandedOff", "TurnResumed", "SupervisorNoted", "Repeated", "Ignored", "gone"}
    names |= {Code.HANDOFF_STATE, Code.HANDOFF_UNKNOWN, Code.FORBIDDEN, Code.BAD_MESSAGE}
    assert sorted(name for name in names if not tally[name]) == []


def test_the_judge_notices_two_who_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """An operator who joins without the agent's answer having ended would be one of two."""
    monkeypatch.setattr(operators, "endings", SimpleNamespace(end=_nothing))
    with pytest.raises(SimulationError, match="the agent's answer ends before a person has it"):
        _play_some()


def _nothing(*_: object, **__: object) -> None:
    pass


def _play_some() -> None:
    for seed in range(50):
        play_desk(seed, steps=STEPS)
