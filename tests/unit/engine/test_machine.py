"""The six-state machine against the contract's own words. Source: Ghost AG-UI 1.0, `stateModel`."""

from itertools import product
from typing import get_args

import pytest

from duologue.engine import machine
from duologue.model.events import State
from duologue.model.inputs import Trigger

CONTRACT: list[tuple[str, str, str]] = [
    ("idle", "listening", "user_activates_mic"),
    ("idle", "thinking", "user_sends_text"),
    ("listening", "transcribing", "speech_end"),
    ("transcribing", "thinking", "stt_complete"),
    ("thinking", "speaking", "first_token"),
    ("speaking", "idle", "tts_complete"),
    ("speaking", "listening", "auto_resume"),
    ("speaking", "listening", "barge_in"),
    ("any", "idle", "cancel"),
    ("any", "error", "error"),
]
"""`stateModel.transitions`, word for word."""

TRIGGERS: tuple[Trigger, ...] = get_args(Trigger)


def contract_target(state: State, trigger: Trigger) -> str | None:
    """Read the contract as a person would."""
    for source, target, name in CONTRACT:
        if name == trigger and source in ("any", state):
            return target
    return None


def test_the_table_is_the_contract_s() -> None:
    assert [(move.source or "any", move.target, move.trigger) for move in machine.TRANSITIONS] == CONTRACT


def test_the_states_are_the_contract_s() -> None:
    assert machine.STATES == ("idle", "listening", "transcribing", "thinking", "speaking", "error")
    assert get_args(State) == machine.STATES


def test_every_trigger_is_one_of_the_contract_s() -> None:
    assert set(TRIGGERS) == {name for _, _, name in CONTRACT}


@pytest.mark.parametrize(("state", "trigger"), list(product(machine.STATES, TRIGGERS)))
def test_a_trigger_leads_where_the_contract_says_or_nowhere(state: State, trigger: Trigger) -> None:
    assert machine.target(state, trigger) == contract_target(state, trigger)


@pytest.mark.parametrize("state", machine.STATES)
def test_the_legal_triggers_are_those_that_lead_somewhere(state: State) -> None:
    assert set(machine.legal(state)) == {name for name in TRIGGERS if contract_target(state, name)}


def test_legal_triggers_come_in_the_order_of_the_table() -> None:
    assert machine.legal("speaking") == ("tts_complete", "auto_resume", "barge_in", "cancel", "error")
    assert machine.legal("error") == ("cancel", "error")


def test_the_diagram_draws_every_move_and_no_other() -> None:
    first, start, *moves = machine.diagram().splitlines()
    assert (first, start) == ("stateDiagram-v2", "    [*] --> idle")
    drawn: set[tuple[str, str, str]] = set()
    for move in moves:
        source, _, target, trigger = move.split()
        drawn.add((source, target.rstrip(":"), trigger))
    assert len(drawn) == len(moves) == 18
    for source, target, trigger in CONTRACT:
        sources = [state for state in machine.STATES if state != target] if source == "any" else [source]
        assert {(one, target, trigger) for one in sources} <= drawn
