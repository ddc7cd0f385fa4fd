"""Placing what leaves its agent: into a queue with its context bundle, or with another agent."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Final, TypeAlias

from duologue.engine.bundle import WITHOUT, bundle_id, make_bundle, signal_scores
from duologue.engine.handoff_state import Handoff
from duologue.engine.handoff_steps import agent_of
from duologue.engine.state import SessionState
from duologue.model import limits
from duologue.model.errors import DuologueError
from duologue.model.handoff import HandOff, RouteDecision
from duologue.model.inputs import HandoffFailed, HandoffPlaced
from duologue.ports.clock import Clock
from duologue.runtime.desk.entries import Entry
from duologue.runtime.desk.room import Room
from duologue.runtime.desk.routing import Facts, NoWay, Routed, route
from duologue.runtime.desk.rules import SUPERVISORS, DeskRules
from duologue.runtime.desk.staff import Staff
from duologue.runtime.events_log import EventLog
from duologue.runtime.session import LiveSession

Summarise: TypeAlias = Callable[[SessionState, HandOff], Awaitable[str]]
"""Sums a conversation up by a model, within `limits.HANDOFF_SUMMARY_MS`; empty where it cannot."""

Begin: TypeAlias = Callable[[Coroutine[None, None, None]], None]
"""Begins a task that its owner ends."""

BY_ITS_OPERATOR: Final = RouteDecision(target=SUPERVISORS, reasons=("asked by an operator",))


class Placing:
    """Routes handoffs and queues them. Waits for nothing but the session.

    Args:
        summarise: sums up by a model, in a task that `begin` begins; `None` leaves it at the extract.
    """

    def __init__(
        self,
        rules: DeskRules,
        room: Room,
        staff: Staff,
        *,
        clock: Clock,
        log: EventLog,
        begin: Begin,
        summarise: Summarise | None = None,
    ) -> None:
        self._rules, self._room, self._staff, self._clock = rules, room, staff, clock
        self._log, self._begin, self._summarise = log, begin, summarise

    async def place(self, session: LiveSession, handoff: Handoff, asked: HandOff) -> None:
        """Put a handoff where it goes, or say that it goes nowhere.

        Raises:
            StoreError: the session cannot be told now.
        """
        entry = self._room.entries.get(handoff.handoff_id)
        # Somebody may have been quicker, who would be sent away by a place.
        if entry is None or entry.operator is not None:
            return
        found = self._found(session.state, handoff, asked)
        if isinstance(found, NoWay):
            await session.submit(HandoffFailed(handoff_id=entry.handoff_id, reason=found.reason))
        elif found.agent:
            placed = HandoffPlaced(handoff_id=entry.handoff_id, position=0, route=found.decision, agent=found.agent)
            await session.submit(placed)
        else:
            await self._queue(session, entry, asked, found)

    def _found(self, state: SessionState, handoff: Handoff, asked: HandOff) -> Routed | NoWay:
        if asked.transfer == "supervisor_consult":
            found: Routed | NoWay = Routed(decision=BY_ITS_OPERATOR)
        else:
            found = route(asked, facts_of(state, handoff), self._rules, now_ms=self._clock.now_ms())
        if isinstance(found, Routed) and not found.agent and self._room.waiting >= limits.HANDOFFS_WAITING:
            return NoWay(reason=f"{limits.HANDOFFS_WAITING} conversations wait already")
        return found

    async def _queue(self, session: LiveSession, entry: Entry, asked: HandOff, found: Routed) -> None:
        entry.queue, entry.skills = found.decision.target, found.skills
        entry.priority, entry.only = found.priority, found.operator_id
        position = self._room.place_of(entry)
        bare = asked.transfer in WITHOUT
        await session.submit(
            HandoffPlaced(
                handoff_id=entry.handoff_id,
                position=position,
                wait_ms=self._room.estimate_ms(entry, position, self._staff.there(self._clock.now_ms())),
                route=found.decision,
                bundle_id=bundle_id(entry.handoff_id),
                bundle=None if bare else make_bundle(session.state, asked, handoff_id=entry.handoff_id),
                skills=found.skills,
                priority=found.priority,
                only=found.operator_id,
            )
        )
        if self._summarise is not None and not bare and not asked.summary:
            self._begin(self._sum_up(self._summarise, session, entry, asked))

    async def _sum_up(self, summarise: Summarise, session: LiveSession, entry: Entry, asked: HandOff) -> None:
        """Put a model's summary into the bundle of one that still waits."""
        try:
            async with asyncio.timeout(limits.HANDOFF_SUMMARY_MS / 1000):
                summary = await summarise(session.state, asked)
            if not summary or entry.status != "queued":
                return
            bundle = make_bundle(session.state, asked, handoff_id=entry.handoff_id, summary=summary)
            told = HandoffPlaced(
                handoff_id=entry.handoff_id, position=entry.position, wait_ms=entry.wait_ms, bundle=bundle
            )
            await session.submit(told)
        except TimeoutError:
            self._log("summary_failed", handoff=entry.handoff_id, error="timeout")
        # A model may fail in any way, and the extract is there.
        except Exception as error:  # noqa: BLE001
            self._log("summary_failed", handoff=entry.handoff_id, error=loggable(error))


def facts_of(state: SessionState, handoff: Handoff) -> Facts:
    """What the rules look at."""
    said = next((one.text for one in reversed(state.history) if one.role == "user"), "")
    if state.open is not None:
        said = state.open.said.text or said
    return Facts(
        language=state.language,
        agent=agent_of(state),
        cause=handoff.cause,
        said=said,
        signals=signal_scores(state),
    )


def loggable(error: Exception) -> str:
    """What may be logged of an error: ours say no more than that, the text of others may quote what people wrote."""
    return str(error) if isinstance(error, DuologueError) else type(error).__name__
