"""What the desk knows of one handoff: of its events alone, or after a restart of its session's state."""

from dataclasses import dataclass

from duologue.engine.handoff_state import Handoff
from duologue.engine.handoff_steps import agent_of, path_of
from duologue.engine.state import SessionState
from duologue.engine.waits import wait_text
from duologue.model.content import Message
from duologue.model.handoff import HandoffCause, HandoffMoved, HandoffStatus, Operator, RouteDecision, TransferType

OVER: frozenset[HandoffStatus] = frozenset({"transferred", "resolved", "cancelled", "failed"})
HELD: frozenset[HandoffStatus] = frozenset({"connected", "on_hold"})


@dataclass(slots=True, kw_only=True)
class Entry:
    """One handoff, as of its last event. Times in ms since 1970; 0 for not yet.

    Attributes:
        subject: whose conversation it is.
        queue: where it waits or waited; empty before it was routed.
        skills: that who takes it needs.
        only: the operator for whom alone it is; empty for anybody.
        position: in the queue, from 1; 0 where it is in none.
        known_ms: since when this desk has known of it: what happened before the last start does not count as absence.
        first: nobody was before them when they were queued.
        away_ms: since when the person has had no connection, as far as was looked; 0 while they have one.
        said: what was last said, for lists.
    """

    handoff_id: str
    session_id: str
    subject: str
    language: str
    agent: str
    transfer: TransferType
    status: HandoffStatus
    reason: str
    cause: HandoffCause | None
    requested_ms: int
    known_ms: int
    queue: str = ""
    skills: tuple[str, ...] = ()
    priority: int = 0
    only: str = ""
    operator: Operator | None = None
    position: int = 0
    first: bool = False
    wait_ms: int | None = None
    wait_text: str = ""
    connecting_ms: int = 0
    connected_ms: int = 0
    ended_ms: int = 0
    failure: str = ""
    bundle_id: str = ""
    route: RouteDecision | None = None
    path: tuple[str, ...] = ()
    away_ms: int = 0
    said: Message | None = None

    @property
    def over(self) -> bool:
        """Whether nothing more becomes of it."""
        return self.status in OVER

    @property
    def held(self) -> bool:
        """Whether somebody has it."""
        return self.status in HELD

    @property
    def consult(self) -> bool:
        """Whether it is a question to a supervisor, beside a conversation that somebody has."""
        return self.transfer == "supervisor_consult"

    @property
    def turn(self) -> tuple[int, int, str]:
        """By what those who wait are sorted: the highest priority first, then who came first."""
        return (-self.priority, self.requested_ms, self.handoff_id)


def begun(event: HandoffMoved, state: SessionState) -> Entry:
    """One that was just asked for, in a session that stands so."""
    return Entry(
        handoff_id=event.handoff_id,
        session_id=state.session_id,
        subject=state.subject,
        language=state.language,
        agent=agent_of(state),
        transfer=event.transfer,
        status=event.status,
        reason=event.reason,
        cause=event.cause,
        requested_ms=event.at_ms,
        known_ms=event.at_ms,
    )


def found_again(state: SessionState, handoff: Handoff, *, now_ms: int) -> Entry:
    """One that is open in a session that was loaded. Everybody in it counts as having been there until now."""
    return Entry(
        handoff_id=handoff.handoff_id,
        session_id=state.session_id,
        subject=state.subject,
        language=state.language,
        agent=agent_of(state),
        transfer=handoff.asked.transfer,
        status=handoff.status,
        reason=handoff.asked.reason,
        cause=handoff.cause,
        requested_ms=handoff.requested_ms,
        known_ms=now_ms,
        queue=handoff.target,
        skills=handoff.skills,
        priority=handoff.priority,
        only=handoff.only,
        operator=handoff.operator,
        position=handoff.position,
        wait_ms=handoff.wait_ms,
        wait_text=wait_text(handoff.wait_ms, state.language),
        connecting_ms=handoff.connecting_ms,
        connected_ms=handoff.connected_ms,
        bundle_id=handoff.bundle_id,
        route=handoff.route,
        path=path_of(state),
        said=state.history[-1] if state.history else None,
    )


def session_of(handoff_id: str) -> str:
    """The session of a handoff, as its id says."""
    return handoff_id.rpartition("~")[0]
