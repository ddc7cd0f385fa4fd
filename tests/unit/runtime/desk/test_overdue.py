"""What becomes of a handoff once its time is up."""

import pytest
from tests.unit.runtime.desk.entry import MIA, NOW_MS, entry

from duologue.model.handoff import HandOff, Operator
from duologue.model.inputs import HandoffCancelled, HandoffFailed, HandoffPlaced, HandoffTransferred
from duologue.runtime.desk.entries import Entry
from duologue.runtime.desk.overdue import Due, due
from duologue.runtime.desk.rules import DeskRules, Queue

RULES = DeskRules(
    queues=(Queue(name="general", skills=("german",)),),
    wait_ms=60_000,
    connect_ms=5_000,
    away_ms=20_000,
    operator_away_ms=30_000,
)
FOR_EVER = DeskRules(queues=RULES.queues, away_ms=0, operator_away_ms=0)


def told(one: Entry, rules: DeskRules = RULES, *, position: int = 1) -> Due | None:
    """What becomes of it, its operator having been there now."""
    return due(one, rules, there_ms=NOW_MS, position=position)


def test_who_waits_is_given_up_some_time() -> None:
    failed = HandoffFailed(handoff_id="s~1", reason="nobody took it within 1 min")
    assert told(entry()) == (NOW_MS + 60_000, failed)


def test_who_has_left_is_given_up_sooner_but_not_later_than_others() -> None:
    left = HandoffCancelled(handoff_id="s~1", by="", reason="the customer left")
    assert told(entry(away_ms=NOW_MS + 10)) == (NOW_MS + 20_010, left)
    late = told(entry(away_ms=NOW_MS + 50_000))
    assert late is not None
    assert isinstance(late.happened, HandoffFailed)
    for_ever = told(entry(away_ms=NOW_MS + 10), FOR_EVER)
    assert for_ever is not None
    assert isinstance(for_ever.happened, HandoffFailed)


def test_what_somebody_reads_and_does_not_take_waits_again_at_its_place() -> None:
    reading = entry(status="connecting", operator=MIA, connecting_ms=NOW_MS + 7)
    assert told(reading, position=3) == (NOW_MS + 5_007, HandoffPlaced(handoff_id="s~1", position=3))


@pytest.mark.parametrize("status", ["connected", "on_hold"])
def test_what_its_operator_has_left_waits_where_it_waited(status: str) -> None:
    skills = ("german", *(f"skill {number}" for number in range(20)))
    held = entry(status=status, operator=MIA, skills=skills, priority=150)
    asked = HandOff(reason="Mia has gone", transfer="blind", target="general", skills=skills[1:17], priority=100)
    passed = HandoffTransferred(handoff_id="s~1", operator_id="mia", asked=asked, gone=True)
    assert told(held) == (NOW_MS + 30_000, passed)
    assert told(held, FOR_EVER) is None


def test_what_never_waited_goes_where_the_rules_say() -> None:
    taken_over = told(entry(status="connected", operator=MIA, queue=""))
    assert taken_over is not None
    assert isinstance(taken_over.happened, HandoffTransferred)
    assert taken_over.happened.asked.target == ""


def test_neither_a_question_to_a_supervisor_nor_another_desks_operator_is_taken_away() -> None:
    assert told(entry(status="connected", operator=MIA, transfer="supervisor_consult")) is None
    assert told(entry(status="connected", operator=Operator(operator_id="desk:7", name="Mia"))) is None


@pytest.mark.parametrize("status", ["requested", "resolved", "transferred", "failed", "cancelled"])
def test_of_what_is_not_placed_yet_or_over_nothing_becomes(status: str) -> None:
    assert told(entry(status=status)) is None
