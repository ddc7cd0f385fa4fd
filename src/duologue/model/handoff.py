"""Handoff: a conversation passes to a person, or to another agent. Source: TransportEvent, `handoff.status`."""

from typing import Any, Literal, TypeAlias

from duologue.model.base import Value
from duologue.model.kinds import ActingEvent, Input

TransferType = Literal["bot_to_human", "human_to_human", "supervisor_consult", "blind", "warm", "bot_to_bot"]
HandoffStatus = Literal[
    "requested", "queued", "connecting", "connected", "on_hold", "transferred", "resolved", "cancelled", "failed"
]
HandoffCause = Literal["agent", "person", "rule", "operator", "api"]


class HandOff(Value, kw_only=True):
    """An agent's item: somebody else is to go on, and the run stops here, with what it said before.

    Attributes:
        reason: for people.
        transfer: `bot_to_human`, `warm` or `blind` to a person, `bot_to_bot` to another agent of the settings.
        target: the agent or queue; empty leaves it to the rules.
        skills: what who takes it should be able to do.
        priority: 0 is usual; higher ones are taken first.
        summary: what was done so far, where the agent tells.
    """

    reason: str
    transfer: TransferType = "bot_to_human"
    target: str = ""
    skills: tuple[str, ...] = ()
    priority: int = 0
    summary: str = ""


class Operator(Value, kw_only=True):
    """A person who answers in the agent's place; `operator_id` as authenticated, `name` is what customers see."""

    operator_id: str
    name: str


class RouteDecision(Value, kw_only=True):
    """Why it went where it went: the queue or agent, and the rule that said so (empty where none did)."""

    target: str
    rule: str = ""
    reasons: tuple[str, ...] = ()


# --- inputs


class AgentHandedOff(Input, kw_only=True):
    """The run stopped, asking that somebody else goes on."""

    response_id: str
    asked: HandOff


class HandoffRequested(Input, kw_only=True):
    """Somebody asked that the conversation passes on; `by` as authenticated."""

    cause: HandoffCause
    by: str
    asked: HandOff


class HandoffPlaced(Input, kw_only=True):
    """The desk put it into a queue, or its place or estimate has changed.

    Attributes:
        position: from 1; 0 where an agent takes it.
        wait_ms: measured from service times; `None` where nothing is known yet.
        route: where it goes and why; with the first placing.
        bundle: the context bundle, JSON; with the first placing, and again where it was written better.
        agent: the agent of the settings that goes on, at once.
        skills: what who takes it needs; with `route`.
        priority: with `route`.
        only: the operator for whom alone it is; with `route`.
    """

    handoff_id: str
    position: int
    wait_ms: int | None = None
    route: RouteDecision | None = None
    bundle_id: str = ""
    # JSON of the bundle: told as it is.
    bundle: dict[str, Any] | None = None
    agent: str = ""
    skills: tuple[str, ...] = ()
    priority: int = 0
    only: str = ""


class HandoffFailed(Input, kw_only=True):
    """Nobody can take it."""

    handoff_id: str
    reason: str


class HandoffConnecting(Input, kw_only=True):
    """An operator takes it, and reads; the agent still answers."""

    handoff_id: str
    operator: Operator


class OperatorJoined(Input, kw_only=True):
    """An operator has the conversation from now on."""

    handoff_id: str
    operator: Operator


class OperatorHeld(Input, kw_only=True):
    """The operator puts the person on hold."""

    handoff_id: str
    operator_id: str


class OperatorReturned(Input, kw_only=True):
    """The operator is back from a hold."""

    handoff_id: str
    operator_id: str


class OperatorSaid(Input, kw_only=True):
    """The operator says something; `message_id` is the operator's client's, for repeats."""

    handoff_id: str
    operator_id: str
    text: str
    message_id: str = ""


class HandedBack(Input, kw_only=True):
    """The operator gives the conversation back to the agent; `note` is for the agent, as data."""

    handoff_id: str
    operator_id: str
    note: str = ""


class HandoffTransferred(Input, kw_only=True):
    """The operator passes the conversation on: blind, warm with a bundle, to a queue, an operator or an agent.

    `gone`: they are not there any more, and the desk does it for them; the agent answers what they have not.
    """

    handoff_id: str
    operator_id: str
    asked: HandOff
    gone: bool = False


class SupervisorConsulted(Input, kw_only=True):
    """The operator asks a supervisor beside the conversation; the customer sees neither question nor answer.

    `text` is a question of the operator's or, where `answer`, of the supervisor's.
    """

    handoff_id: str
    by: Operator
    text: str
    answer: bool = False


class HandoffResolved(Input, kw_only=True):
    """The operator is done; the conversation is the agent's again."""

    handoff_id: str
    operator_id: str
    note: str = ""


class HandoffCancelled(Input, kw_only=True):
    """Whoever asked does not want it any more."""

    handoff_id: str
    by: str
    reason: str = ""


HandoffInput: TypeAlias = (
    HandoffRequested
    | HandoffPlaced
    | HandoffFailed
    | HandoffConnecting
    | OperatorJoined
    | OperatorHeld
    | OperatorReturned
    | OperatorSaid
    | HandedBack
    | HandoffTransferred
    | SupervisorConsulted
    | HandoffResolved
    | HandoffCancelled
)
"""What is told of a handoff."""


# --- events


class HandoffMoved(ActingEvent, kw_only=True):
    """A handoff took a step, or its place in the queue has changed.

    Attributes:
        position: place in the queue, from 1; 0 where it is in none.
        wait_ms: estimate; absent where nothing is known.
        wait_text: the same in the conversation's language; empty where nothing is known.
        target: the queue or agent.
        operator: who has it, or had.
        failure: why it failed.
        bundle: the context bundle; with the step that hands it over.
        route: who decided where it goes.
        path: the agents that had the conversation so far, this one's last.
        voice: of a call: what carries on with it.
        cause: who asked for it.
        only: the operator for whom alone it is; empty for anybody.
        response_id: the answer that is open, or the last one; empty where there was none.
    """

    handoff_id: str
    status: HandoffStatus
    transfer: TransferType
    reason: str = ""
    target: str = ""
    position: int = 0
    wait_ms: int | None = None
    operator: Operator | None = None
    failure: str = ""
    bundle_id: str = ""
    # JSON of the bundle: told as it is.
    bundle: dict[str, Any] | None = None
    route: RouteDecision | None = None
    path: tuple[str, ...] = ()
    # JSON of what carries the call: told as it is.
    voice: dict[str, Any] | None = None
    cause: HandoffCause | None = None
    skills: tuple[str, ...] = ()
    priority: int = 0
    only: str = ""
    response_id: str = ""
    wait_text: str = ""


class SupervisorNoted(ActingEvent, kw_only=True):
    """A word between operator and supervisor; dialects that customers speak never tell it."""

    handoff_id: str
    by: Operator
    text: str
    answer: bool = False


AnyHandoffEvent: TypeAlias = HandoffMoved | SupervisorNoted
"""Everything that happens in a handoff."""


# --- effects


class PlaceHandoff(Value, kw_only=True):
    """Route it and queue it, and tell by `HandoffPlaced` or `HandoffFailed`."""

    handoff_id: str
    asked: HandOff
    agent: str


class CloseHandoff(Value, kw_only=True):
    """It is over, or with somebody: it leaves the queue, and who holds it is free again where it is over."""

    handoff_id: str
    status: HandoffStatus


HandoffEffect: TypeAlias = PlaceHandoff | CloseHandoff
