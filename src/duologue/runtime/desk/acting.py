"""What operators do, and what people and programs ask of the desk."""

import asyncio
from typing import Final, NamedTuple

from duologue.model.errors import Code, Problem, Refused
from duologue.model.handoff import HandOff, HandoffCause, Operator
from duologue.model.inputs import (
    HandedBack,
    HandoffCancelled,
    HandoffConnecting,
    HandoffInput,
    HandoffRequested,
    HandoffResolved,
    HandoffTransferred,
    OperatorHeld,
    OperatorJoined,
    OperatorReturned,
    OperatorSaid,
    SupervisorConsulted,
)
from duologue.model.replies import Rejected, Reply
from duologue.runtime.desk.desk import Desk
from duologue.runtime.desk.entries import Entry, session_of
from duologue.runtime.desk.routing import OPERATOR
from duologue.runtime.desk.rules import Card, DeskRules
from duologue.runtime.session import LiveSession

SAY_MS: Final = 20_000
"""How long an operator's words wait where somebody is being heard just now: longer than most sentences."""


class Done(NamedTuple):
    """What came of it: the handoff as it stands, and the reply of its session."""

    entry: Entry
    reply: Reply


class Acting:
    """Does what operators may do, each by their card; all of it may raise `Refused` and `StoreError`."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def seen(self, card: Card) -> None:
        """Note that an operator is there."""
        if self.desk.staff.seen(card, self.desk.clock.now_ms()):
            self.desk.tell_staff()

    async def request(self, session_id: str, asked: HandOff, *, cause: HandoffCause, by: str) -> Done:
        """Ask that a conversation passes on."""
        self._check_target(asked)
        session = await self.desk.sessions.reach(session_id)
        reply = await self._submit(session, HandoffRequested(cause=cause, by=by, asked=asked))
        current = session.state.handoff.current
        entry = None if current is None else self.desk.room.find(current.handoff_id)
        # It may have been routed and have failed already.
        latest = entry or self.desk.room.find(f"{session_id}~{session.state.handoff.number}")
        assert latest is not None, "it was just asked for"
        return Done(latest, reply)

    async def take_over(self, session_id: str, card: Card, *, reason: str) -> Done:
        """Take a conversation that nobody asked to be passed on, or whose handoff waits."""
        self.seen(card)
        session = await self.desk.sessions.reach(session_id)
        current = session.state.handoff.current
        if current is None:
            asked = HandOff(reason=reason or f"{card.name} takes over")
            self._room_for(card)
            done = await self.request(session_id, asked, cause="operator", by=card.operator_id)
            return await self.take(done.entry.handoff_id, card)
        return await self.take(current.handoff_id, card)

    async def connect(self, handoff_id: str, card: Card) -> Done:
        """Read before taking it: it is kept for this operator for a while."""
        return await self._take(handoff_id, card, HandoffConnecting(handoff_id=handoff_id, operator=_operator(card)))

    async def take(self, handoff_id: str, card: Card) -> Done:
        """Have the conversation from now on."""
        return await self._take(handoff_id, card, OperatorJoined(handoff_id=handoff_id, operator=_operator(card)))

    async def hold(self, handoff_id: str, card: Card) -> Done:
        """Put the person on hold."""
        return await self._do(card, OperatorHeld(handoff_id=handoff_id, operator_id=card.operator_id))

    async def resume(self, handoff_id: str, card: Card) -> Done:
        """Come back from a hold."""
        return await self._do(card, OperatorReturned(handoff_id=handoff_id, operator_id=card.operator_id))

    async def say(self, handoff_id: str, card: Card, text: str, *, message_id: str = "") -> Done:
        """Say something to the person; where somebody is being heard in a call, it waits for that."""
        said = OperatorSaid(handoff_id=handoff_id, operator_id=card.operator_id, text=text, message_id=message_id)
        try:
            async with asyncio.timeout(SAY_MS / 1000):
                while True:
                    try:
                        return await self._do(card, said)
                    except Refused as refused:
                        if refused.problem.code is not Code.BUSY:
                            raise
                        session = await self._session(handoff_id)
                        await session.changed()
        except TimeoutError:
            message = "somebody has been heard all the time; send it again"
            raise Refused(Problem(code=Code.BUSY, message=message)) from None

    async def hand_back(self, handoff_id: str, card: Card, *, note: str = "") -> Done:
        """Give the conversation back to the agent."""
        return await self._do(card, HandedBack(handoff_id=handoff_id, operator_id=card.operator_id, note=note))

    async def resolve(self, handoff_id: str, card: Card, *, note: str = "") -> Done:
        """Be done with it."""
        return await self._do(card, HandoffResolved(handoff_id=handoff_id, operator_id=card.operator_id, note=note))

    async def transfer(self, handoff_id: str, card: Card, asked: HandOff) -> Done:
        """Pass the conversation on."""
        self._check_target(asked)
        passed = HandoffTransferred(handoff_id=handoff_id, operator_id=card.operator_id, asked=asked)
        return await self._do(card, passed)

    async def consult(self, handoff_id: str, card: Card, text: str) -> Done:
        """Say something beside the conversation: who has it asks, a supervisor answers."""
        entry = self.known(handoff_id)
        session = await self._session(handoff_id)
        current = session.state.handoff.current
        holder = None if current is None else current.operator
        asks = holder is not None and holder.operator_id == card.operator_id
        if not asks and not card.supervises:
            raise Refused(Problem(code=Code.FORBIDDEN, message="only who has the conversation and supervisors may"))
        word = SupervisorConsulted(handoff_id=handoff_id, by=_operator(card), text=text, answer=not asks)
        self.seen(card)
        return Done(entry, await self._submit(session, word))

    def _check_target(self, asked: HandOff) -> None:
        """Let nobody be passed on to what is not there: whoever has the conversation would have let go of it.

        Raises:
            Refused: there is no such queue or agent, or no operator is named.
        """
        rules = self.desk.rules
        if not asked.target:
            return
        if asked.target.startswith(OPERATOR) and asked.transfer != "bot_to_bot":
            if not asked.target.removeprefix(OPERATOR).strip():
                message = f"write who is meant behind {OPERATOR!r}"
                raise Refused(Problem(code=Code.BAD_MESSAGE, message=message, path="$.target"))
            return
        what, names = ("agent", rules.agents) if asked.transfer == "bot_to_bot" else ("queue", _names(rules))
        if asked.target not in names:
            message = f"there is no {what} {asked.target[:128]!r}"
            raise Refused(Problem(code=Code.BAD_MESSAGE, message=message, path="$.target"))

    async def cancel(self, handoff_id: str, *, by: str, reason: str = "") -> Done:
        """Give up what nobody has taken yet."""
        return await self.tell(HandoffCancelled(handoff_id=handoff_id, by=by, reason=reason))

    async def _take(self, handoff_id: str, card: Card, happened: HandoffConnecting | OperatorJoined) -> Done:
        entry = self.known(handoff_id)
        self.seen(card)
        if entry.transfer == "supervisor_consult":
            if not card.supervises:
                raise Refused(Problem(code=Code.FORBIDDEN, message="only supervisors answer operators' questions"))
            return await self._do(card, happened)
        _check_fit(entry, card)
        self._room_for(card, besides=handoff_id)
        taking = self.desk.taking[card.operator_id]
        taking.add(handoff_id)
        try:
            return await self._do(card, happened)
        finally:
            taking.discard(handoff_id)

    def _room_for(self, card: Card, *, besides: str = "") -> None:
        """Let nobody have more than they may, also of what they are taking just now.

        Raises:
            Refused: they have as many as they may.
        """
        held = {one.handoff_id for one in self.desk.room.held_by(card.operator_id)}
        has = len((held | self.desk.taking[card.operator_id]) - {besides})
        if has >= card.at_most:
            message = f"you have {has} conversations, and at most {card.at_most} at once; finish one first"
            raise Refused(Problem(code=Code.HANDOFF_STATE, message=message, limit=card.at_most))

    async def _do(self, card: Card, happened: HandoffInput) -> Done:
        self.seen(card)
        done = await self.tell(happened)
        self.desk.tell_staff()
        return done

    async def tell(self, happened: HandoffInput) -> Done:
        """Tell the session of a handoff what happened."""
        assert not isinstance(happened, HandoffRequested), "it has no handoff yet"
        handoff_id = happened.handoff_id
        entry = self.known(handoff_id)
        session = await self._session(handoff_id)
        return Done(entry, await self._submit(session, happened))

    async def _submit(self, session: LiveSession, happened: HandoffInput) -> Reply:
        reply = await session.submit(happened)
        if isinstance(reply, Rejected):
            raise Refused(reply.problem)
        return reply

    def known(self, handoff_id: str) -> Entry:
        """A handoff that is open, or was until lately; `Refused` where there is none."""
        entry = self.desk.room.find(handoff_id)
        if entry is None:
            message = f"there is no handoff {handoff_id[:300]!r}"
            raise Refused(Problem(code=Code.HANDOFF_UNKNOWN, message=message))
        return entry

    async def _session(self, handoff_id: str) -> LiveSession:
        return await self.desk.sessions.reach(session_of(handoff_id))


def _names(rules: DeskRules) -> list[str]:
    return [queue.name for queue in rules.queues]


def _operator(card: Card) -> Operator:
    return Operator(operator_id=card.operator_id, name=card.name)


def _check_fit(entry: Entry, card: Card) -> None:
    """Let an operator take what they can and may.

    Raises:
        Refused: it takes other skills, or is for somebody else.
    """
    if not card.able(entry.skills):
        missing = [skill for skill in entry.skills if not card.able((skill,))]
        message = f"it takes skills that you do not have: {', '.join(missing)}"
        raise Refused(Problem(code=Code.FORBIDDEN, message=message))
    if entry.only not in ("", card.operator_id) and not card.supervises:
        raise Refused(Problem(code=Code.FORBIDDEN, message=f"it is for {entry.only}"))
