"""What becomes of a handoff by itself once its time is up. Pure: the desk asks, and tells the session."""

from typing import NamedTuple

from duologue.engine.waits import MINUTE_MS
from duologue.model import limits
from duologue.model.handoff import HandOff
from duologue.model.inputs import HandoffCancelled, HandoffFailed, HandoffInput, HandoffPlaced, HandoffTransferred
from duologue.runtime.desk.entries import Entry
from duologue.runtime.desk.rules import ELSEWHERE, DeskRules


class Due(NamedTuple):
    """What happens, and when, ms since 1970, unless something else does before."""

    at_ms: int
    happened: HandoffInput


def due(entry: Entry, rules: DeskRules, *, there_ms: int, position: int) -> Due | None:
    """What becomes of a handoff as it stands.

    Args:
        entry: the handoff.
        rules: how long anybody waits.
        there_ms: when its operator was last known to be there, where it has one.
        position: its place in its queue, should it go back into it.
    """
    match entry.status:
        case "queued":
            return _waits(entry, rules)
        case "connecting":
            again = HandoffPlaced(handoff_id=entry.handoff_id, position=position)
            return Due(entry.connecting_ms + rules.connect_ms, again)
        case "connected" | "on_hold" if _may_leave(entry, rules):
            return Due(there_ms + rules.operator_away_ms, _let_go(entry, rules))
        case _:
            return None


def _waits(entry: Entry, rules: DeskRules) -> Due:
    minutes = rules.wait_ms / MINUTE_MS
    failed = HandoffFailed(handoff_id=entry.handoff_id, reason=f"nobody took it within {minutes:g} min")
    given_up = Due(entry.requested_ms + rules.wait_ms, failed)
    if not (rules.away_ms and entry.away_ms):
        return given_up
    cancelled = HandoffCancelled(handoff_id=entry.handoff_id, by="", reason="the customer left")
    left = Due(entry.away_ms + rules.away_ms, cancelled)
    return min(given_up, left, key=lambda one: one.at_ms)


def _may_leave(entry: Entry, rules: DeskRules) -> bool:
    """Whether its operator counts as gone some time: one of another desk does not, since they have no page here."""
    operator = entry.operator
    if operator is None or entry.consult or not rules.operator_away_ms:
        return False
    return not operator.operator_id.startswith(ELSEWHERE)


def _let_go(entry: Entry, rules: DeskRules) -> HandoffTransferred:
    """Take a conversation from an operator who has gone: it waits where it waited, and the agent has it meanwhile."""
    assert entry.operator is not None, "somebody has it"
    queue = next((one for one in rules.queues if one.name == entry.queue), None)
    own = () if queue is None else queue.skills
    asked = HandOff(
        reason=f"{entry.operator.name} has gone",
        transfer="blind",
        target="" if queue is None else queue.name,
        skills=tuple(one for one in entry.skills if one not in own)[: limits.HANDOFF_SKILLS],
        priority=max(-limits.HANDOFF_PRIORITY, min(entry.priority, limits.HANDOFF_PRIORITY)),
    )
    return HandoffTransferred(
        handoff_id=entry.handoff_id, operator_id=entry.operator.operator_id, asked=asked, gone=True
    )
