"""The state of handoffs: who has the conversation, who is to have it, and what waits beside it."""

import msgspec

from duologue.model.handoff import HandOff, HandoffCause, HandoffStatus, Operator, RouteDecision


class Handoff(msgspec.Struct):
    """A handoff that is open. Times in ms since 1970; 0 for not yet.

    Attributes:
        asked: what was asked for.
        by: who asked, as authenticated.
        turn: the last turn when it was asked for; 0 where none was.
        target: the queue; empty before it was routed.
        skills: that who takes it needs.
        only: the operator for whom alone it is; empty for anybody.
        operator: who has it, or is about to.
    """

    handoff_id: str
    asked: HandOff
    cause: HandoffCause
    by: str
    requested_ms: int
    turn: int
    status: HandoffStatus = "requested"
    target: str = ""
    position: int = 0
    wait_ms: int | None = None
    skills: tuple[str, ...] = ()
    priority: int = 0
    only: str = ""
    operator: Operator | None = None
    connecting_ms: int = 0
    connected_ms: int = 0
    bundle_id: str = ""
    route: RouteDecision | None = None
    notes: int = 0


class Saying(msgspec.Struct, frozen=True, array_like=True):
    """What is kept of an operator's message, to recognise a repeat of it; `seq` is of its first event."""

    key: str
    text: str
    turn: int
    seq: int


class HandoffState(msgspec.Struct):
    """Who has the conversation.

    Attributes:
        with_person: a person answers in the agent's place; no agent is run then.
        number: of the latest handoff.
        turn: the last turn when that was asked for.
        current: the handoff that gives it to somebody, or has given it to the person who has it.
        onward: the one that is to give it to another person; who has it stays until then.
        consult: what the person who has it asks a supervisor.
        path: the agents that had the conversation so far, by name, the first one's included.
        hops: the agents that had the turn `hop_turn`.
        sayings: the latest messages of operators.
        note: what the agent is told of the last handoff, as data.
    """

    with_person: bool = False
    number: int = 0
    turn: int = 0
    current: Handoff | None = None
    onward: Handoff | None = None
    consult: Handoff | None = None
    path: tuple[str, ...] = ()
    hops: tuple[str, ...] = ()
    hop_turn: int = 0
    sayings: list[Saying] = []
    note: str = ""

    def open_ones(self) -> tuple[Handoff, ...]:
        """All that are open: what is beside the conversation first, then who is to have it, then who has it."""
        return tuple(one for one in (self.consult, self.onward, self.current) if one is not None)

    def find(self, handoff_id: str) -> Handoff | None:
        """One that is open."""
        return next((one for one in self.open_ones() if one.handoff_id == handoff_id), None)

    def drop(self, handoff: Handoff) -> None:
        """Forget one that is over."""
        if self.consult is handoff:
            self.consult = None
        elif self.onward is handoff:
            self.onward = None
        else:
            assert self.current is handoff, "it was open"
            self.current = None
