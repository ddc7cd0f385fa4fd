"""People beside the agent in a simulated world: operators, supervisors whom they ask, and the desk."""

from typing import Final

from tests.simulation.agents import AGENTS, HANDED
from tests.simulation.stage import Stage

from duologue.model.effects import CloseHandoff, PlaceHandoff
from duologue.model.handoff import HandOff, Operator, RouteDecision, TransferType
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

OPERATORS: Final = tuple(Operator(operator_id=name, name=name.title()) for name in ("mia", "bob", "sue"))
PASSED: Final[tuple[TransferType, ...]] = ("blind", "warm", "human_to_human", "bot_to_bot", "bot_to_human")
IN_VAIN: Final = 0.05
"""How often somebody tries what only has a meaning while a handoff is open."""

UNSURE: Final = 3
"""How many messages an operator's page sends again after a crash."""


class Staff:
    """Operators, their supervisors and the desk: each knows what it was told, and makes something of it."""

    def __init__(self, stage: Stage) -> None:
        self._stage, self._rng, self._pick, self._give = stage, stage.chance, stage.pick, stage.give
        self._to_place: list[str] = []
        self._words = 0
        self._sent: list[OperatorSaid] = []

    # What the engine orders, and what a crash leaves of it

    def carry_out(self, effect: PlaceHandoff | CloseHandoff) -> None:
        """Take what the desk is told."""
        self._stage.tally[type(effect).__name__] += 1
        match effect:
            case PlaceHandoff(handoff_id=handoff_id):
                self._to_place.append(handoff_id)
            case CloseHandoff(handoff_id=handoff_id):
                self._to_place = [one for one in self._to_place if one != handoff_id]

    def recover(self) -> None:
        """Begin anew after a crash: the desk keeps nothing, and finds in the session's state what is open."""
        state = self._stage.state
        self._to_place = [one.handoff_id for one in state.handoff.open_ones() if one.status == "requested"]

    def send_again(self) -> None:
        """Let operators send what they do not know to be taken."""
        for said in self._sent[-UNSURE:]:
            self._give(said)

    # What they do

    def asks(self) -> None:
        """The customer, a rule or a program asks for somebody else."""
        asked = HandOff(reason="r", transfer=self._pick(HANDED), target=self._pick(AGENTS))
        self._give(HandoffRequested(cause=self._pick(("person", "rule", "api")), by="ada", asked=asked))

    def places(self) -> None:
        """The desk places what it was told to, tells another place, or gives something up."""
        chance = self._rng()
        handoff_id = self._to_place.pop(0) if self._to_place and chance < 0.8 else self._named()
        handoff = self._stage.state.handoff.find(handoff_id)
        if not handoff_id:
            return
        if chance > 0.93:
            self._give(HandoffFailed(handoff_id=handoff_id, reason="closed"))
        elif handoff is not None and handoff.asked.transfer == "bot_to_bot":
            agent = self._pick(AGENTS)
            self._give(HandoffPlaced(handoff_id=handoff_id, position=0, agent=agent, route=RouteDecision(target=agent)))
        else:
            position = self._pick((1, 2, 3))
            self._give(HandoffPlaced(handoff_id=handoff_id, position=position, route=RouteDecision(target="general")))

    def takes(self) -> None:
        """An operator takes a conversation, or begins to read it."""
        if handoff_id := self._named():
            kind = HandoffConnecting if self._rng() < 0.25 else OperatorJoined
            self._give(kind(handoff_id=handoff_id, operator=self._pick(OPERATORS)))

    def works(self) -> None:
        """Who has the conversation answers, holds, comes back, or gives it back; now and then somebody else tries."""
        handoff_id, who, chance = self._named(), self._who(), self._rng()
        if not handoff_id:
            return
        if chance < 0.5:
            self._words += 1
            said = OperatorSaid(handoff_id=handoff_id, operator_id=who, text="I help", message_id=f"o-{self._words}")
            self._sent.append(said)
            self._give(said)
        elif chance < 0.6 and self._sent:
            self._give(self._pick(self._sent[-UNSURE:]))
        elif chance < 0.7:
            self._give(OperatorHeld(handoff_id=handoff_id, operator_id=who))
        elif chance < 0.8:
            self._give(OperatorReturned(handoff_id=handoff_id, operator_id=who))
        elif chance < 0.93:
            self._give(HandedBack(handoff_id=handoff_id, operator_id=who, note=self._pick(("", "a note"))))
        else:
            self._give(HandoffResolved(handoff_id=handoff_id, operator_id=who))

    def passes_on(self) -> None:
        """Who has the conversation passes it on, or has gone, and the desk does it for them."""
        if handoff_id := self._named():
            asked = HandOff(reason="r", transfer=self._pick(PASSED), target=self._pick(("", "travel")))
            gone, who = self._rng() < 0.3, self._who()
            self._stage.tally["gone"] += gone
            self._give(HandoffTransferred(handoff_id=handoff_id, operator_id=who, asked=asked, gone=gone))

    def consults(self) -> None:
        """Who has the conversation asks a supervisor, or one answers."""
        if handoff_id := self._named():
            who = self._who()
            by = next(one for one in OPERATORS if one.operator_id == who)
            self._give(SupervisorConsulted(handoff_id=handoff_id, by=by, text="may I?", answer=self._rng() < 0.4))

    def customer_leaves(self) -> None:
        """The customer does not wait any longer: the desk gives up what nobody has taken."""
        if handoff_id := self._named():
            self._give(HandoffCancelled(handoff_id=handoff_id, by="", reason="the customer left"))

    def _named(self) -> str:
        """A handoff: mostly one that is open, and none where none is."""
        session_id = self._stage.state.session_id
        open_ones = [one.handoff_id for one in self._stage.state.handoff.open_ones()]
        if not open_ones and self._rng() > IN_VAIN:
            return ""
        return self._pick([*open_ones * 8, f"{session_id}~1", f"{session_id}~99"])

    def _who(self) -> str:
        """Mostly the operator who has it."""
        current = self._stage.state.handoff.current
        if current is not None and current.operator is not None and self._rng() < 0.85:
            return current.operator.operator_id
        return self._pick(OPERATORS).operator_id
