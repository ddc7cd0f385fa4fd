"""A conversation that is passed on: a desk's side of it, in a line each."""

from tests.unit.engine.conversation import Conversation, of

from duologue.engine.step import Stepped
from duologue.model.effects import PlaceHandoff
from duologue.model.events import HandoffMoved
from duologue.model.handoff import HandOff, HandoffStatus, Operator, RouteDecision, TransferType
from duologue.model.inputs import (
    HandedBack,
    HandoffCancelled,
    HandoffConnecting,
    HandoffFailed,
    HandoffPlaced,
    HandoffRequested,
    HandoffResolved,
    HandoffTransferred,
    OperatorHeld,
    OperatorJoined,
    OperatorReturned,
    OperatorSaid,
    SupervisorConsulted,
)

MIA = Operator(operator_id="mia", name="Mia")
BOB = Operator(operator_id="bob", name="Bob")
SUE = Operator(operator_id="sue", name="Sue")


class DeskTalk(Conversation):
    """A conversation with a desk beside it."""

    @property
    def latest(self) -> str:
        """The id of the latest handoff."""
        return f"{self.state.session_id}~{self.state.handoff.number}"

    @property
    def statuses(self) -> list[HandoffStatus]:
        """All statuses so far."""
        return [event.status for event in of(self.events, HandoffMoved)]

    def ask(self, *, transfer: TransferType = "bot_to_human", target: str = "") -> Stepped:
        """Let the person ask for a human."""
        asked = HandOff(reason="wants a human", transfer=transfer, target=target)
        return self.give(HandoffRequested(cause="person", by="ada", asked=asked))

    def place(self, position: int = 1, *, wait_ms: int | None = None, only: str = "") -> Stepped:
        """Let the desk queue the latest one."""
        return self.give(
            HandoffPlaced(
                handoff_id=self.latest,
                position=position,
                wait_ms=wait_ms,
                route=RouteDecision(target="general", reasons=("no rule fits",)),
                bundle_id=f"{self.latest}~bundle",
                bundle={"summary": "s"},
                only=only,
            )
        )

    def to_agent(self, agent: str) -> Stepped:
        """Let the desk give the latest one to another agent."""
        route = RouteDecision(target=agent, rule="r")
        return self.give(HandoffPlaced(handoff_id=self.latest, position=0, agent=agent, route=route))

    def fail(self, reason: str = "closed") -> Stepped:
        """Let the desk give the latest one up."""
        return self.give(HandoffFailed(handoff_id=self.latest, reason=reason))

    def connect(self, operator: Operator = MIA) -> Stepped:
        """Let an operator read."""
        return self.give(HandoffConnecting(handoff_id=self.latest, operator=operator))

    def join(self, operator: Operator = MIA, *, handoff_id: str = "") -> Stepped:
        """Let an operator take it."""
        return self.give(OperatorJoined(handoff_id=handoff_id or self.latest, operator=operator))

    def taken(self, operator: Operator = MIA) -> str:
        """Have it asked for, queued and taken; its id is given."""
        self.ask()
        self.place()
        self.join(operator)
        assert self.state.handoff.with_person
        return self.latest

    def write(self, text: str, *, by: Operator = MIA, handoff_id: str = "", message_id: str = "") -> Stepped:
        """Let an operator say something."""
        named = handoff_id or self.latest
        return self.give(OperatorSaid(handoff_id=named, operator_id=by.operator_id, text=text, message_id=message_id))

    def hold(self, by: Operator = MIA) -> Stepped:
        """Let an operator put the person on hold."""
        return self.give(OperatorHeld(handoff_id=self.latest, operator_id=by.operator_id))

    def back(self, by: Operator = MIA) -> Stepped:
        """Let an operator come back."""
        return self.give(OperatorReturned(handoff_id=self.latest, operator_id=by.operator_id))

    def hand_back(self, by: Operator = MIA, *, note: str = "", handoff_id: str = "") -> Stepped:
        """Let an operator give the conversation back."""
        named = handoff_id or self.latest
        return self.give(HandedBack(handoff_id=named, operator_id=by.operator_id, note=note))

    def resolve(self, by: Operator = MIA, *, handoff_id: str = "") -> Stepped:
        """Let an operator be done."""
        return self.give(HandoffResolved(handoff_id=handoff_id or self.latest, operator_id=by.operator_id))

    def transfer(
        self, transfer: TransferType, *, by: Operator = MIA, target: str = "", handoff_id: str = ""
    ) -> Stepped:
        """Let an operator pass it on."""
        asked = HandOff(reason="for billing", transfer=transfer, target=target)
        named = handoff_id or self.latest
        return self.give(HandoffTransferred(handoff_id=named, operator_id=by.operator_id, asked=asked))

    def gone(self, by: Operator = MIA, *, handoff_id: str = "") -> Stepped:
        """Let the desk pass it on for an operator who is not there any more."""
        asked = HandOff(reason="Mia has gone", transfer="blind")
        named = handoff_id or self.latest
        return self.give(HandoffTransferred(handoff_id=named, operator_id=by.operator_id, asked=asked, gone=True))

    def consult(self, text: str, *, by: Operator = MIA, answer: bool = False, handoff_id: str = "") -> Stepped:
        """Let operator and supervisor talk."""
        return self.give(SupervisorConsulted(handoff_id=handoff_id or self.latest, by=by, text=text, answer=answer))

    def cancel(self, *, handoff_id: str = "", reason: str = "") -> Stepped:
        """Let whoever asked not want it any more."""
        return self.give(HandoffCancelled(handoff_id=handoff_id or self.latest, by="ada", reason=reason))

    @property
    def placings(self) -> list[PlaceHandoff]:
        """What the desk was told to place."""
        return of(self.effects, PlaceHandoff)
