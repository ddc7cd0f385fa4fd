"""What happens beside the answers, in a line each."""

from typing import get_args

import pytest

from duologue.model import events as e
from duologue.model.condition import Readings
from duologue.model.handoff import Operator
from duologue.model.kinds import Event
from duologue.model.signals import Intent, Sentiment
from duologue.server.looking.acting import about

ADA = Operator(operator_id="ada", name="Ada")

SAID: list[tuple[type[Event], dict[str, object], str]] = [
    (
        e.ToolMoved,
        {"call_id": "t", "name": "refund", "status": "approved", "policy": "user_confirm", "decided_by": "gwen"},
        "refund: approved, by gwen",
    ),
    (e.LegEnded, {"leg": 1, "waits_for": ("call-1",)}, "leg 1, waits for its tools"),
    (e.LegEnded, {"leg": 2}, "leg 2"),
    (e.TurnResumed, {"cause": "operator", "author": "Ada"}, "operator, Ada"),
    (
        e.HandoffMoved,
        {"handoff_id": "h", "status": "queued", "transfer": "warm", "position": 2, "target": "billing"},
        "queued, number 2, billing",
    ),
    (
        e.HandoffMoved,
        {"handoff_id": "h", "status": "connected", "transfer": "warm", "operator": ADA, "reason": "refund"},
        "connected, Ada, refund",
    ),
    (e.SupervisorNoted, {"handoff_id": "h", "by": ADA, "text": "May I?"}, "Ada: May I?"),
    (
        e.SignalUpdated,
        {
            "signal": Sentiment(category="anger", score=0.815, confidence=1),
            "source": "rule",
            "adapter": "rules",
            "scope": "message",
            "latency_ms": 0.25,
        },
        "anger 0.81, rules in 0.25 ms",
    ),
    (
        e.SignalUpdated,
        {
            "signal": Intent(intent="cancel_order", score=0.5, confidence=1),
            "source": "local",
            "adapter": "local",
            "scope": "turn",
        },
        "cancel_order 0.50, local in 0 ms",
    ),
    (e.MemoryRecalled, {"count": 3, "retrieve_ms": 4}, "3 in 4 ms"),
    (e.MemoryStored, {"memory_id": "m", "memory_kind": "fact", "importance": 0.5}, "fact, importance 0.50"),
    (e.MemoryErased, {"count": 2}, "2"),
    (
        e.TurnRouted,
        {"complexity": 0.7, "target": "workhorse", "workhorse_required": True, "reasons": ("long", "code")},
        "workhorse, complexity 0.70, long, code",
    ),
    (e.AnswerUpgraded, {"reason": "hedging", "target": "workhorse"}, "workhorse: hedging"),
    (
        e.AgentDegraded,
        {"condition": "minimal", "reason": "ram", "previous": "full_power", "readings": Readings()},
        "full_power to minimal by ram",
    ),
]


@pytest.mark.parametrize(("kind", "members", "words"), SAID, ids=[kind.__name__ for kind, _, _ in SAID])
def test_each_event_says_something(kind: type[Event], members: dict[str, object], words: str) -> None:
    common = {"seq": 1, "at_ms": 0, "turn": 1, "request_id": "r", "state": "idle"}
    given = common | ({"response_id": "a"} if "response_id" in kind.__struct_fields__ else {}) | members
    # Members of several kinds: each is checked where it is made.
    event: e.AnyActingEvent = kind(**given)  # pyright: ignore[reportAssignmentType, reportArgumentType]
    assert about(event) == words


def test_no_event_is_left_out() -> None:
    assert {kind for kind, _, _ in SAID} == set(get_args(e.AnyActingEvent))
