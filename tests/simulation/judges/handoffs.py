"""What must hold of handoffs, kept apart from the engine's own way of keeping it: exactly one has the conversation."""

from typing import Final

from duologue.engine.step import Stepped
from duologue.model import events as e
from duologue.model.effects import PlaceHandoff, ReleaseAnswer, RunAgent, StopAgent
from duologue.model.inputs import AnyInput, OperatorSaid, ServerRestarted
from duologue.model.replies import Accepted, Repeated

WALK: Final[dict[str, frozenset[str]]] = {
    "": frozenset({"requested"}),
    "requested": frozenset({"queued", "connecting", "connected", "transferred", "cancelled", "failed"}),
    "queued": frozenset({"queued", "connecting", "connected", "cancelled", "failed"}),
    "connecting": frozenset({"queued", "connected", "cancelled", "failed"}),
    "connected": frozenset({"on_hold", "transferred", "resolved", "cancelled"}),
    "on_hold": frozenset({"connected", "transferred", "resolved", "cancelled"}),
}
"""Which status may follow which; one that is not here is an end."""

HELD: Final = ("connected", "on_hold")


class HandoffJudge:
    """Follows a session's handoffs and runs by its events alone.

    Attributes:
        holder: the handoff by which a person has the conversation; empty while the agent has it.
        statuses: of each handoff.
        said: the message ids of operators that were taken.
    """

    def __init__(self) -> None:
        self.holder = ""
        self.statuses: dict[str, str] = {}
        self.said: list[str] = []
        self._operators: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._kinds: dict[str, str] = {}
        self._seq = 0
        self._turn = 0
        self._response = ""
        self._author = ""
        self._run = ""
        self._ended = False

    def take(self, happened: AnyInput, stepped: Stepped) -> None:
        """Judge one step."""
        held_before = self.holder
        for event in stepped.events:
            assert event.seq == self._seq + 1, "numbers have no gap"
            assert not self._ended, "nothing follows the end"
            self._seq = event.seq
            self._follow(event, held_before)
        if isinstance(happened, ServerRestarted):
            # Whatever ran is gone with the process.
            self._run = ""
        for effect in stepped.effects:
            match effect:
                case StopAgent(response_id=response_id):
                    self._run = "" if self._run == response_id else self._run
                case RunAgent(request=request) | ReleaseAnswer(request=request):
                    assert not self.holder, "no agent is run while a person has the conversation"
                    assert not self._run, "one runs at a time"
                    assert request.response_id == self._response, "what runs was announced"
                    self._run = request.response_id
                case PlaceHandoff(handoff_id=handoff_id):
                    assert self.statuses[handoff_id] == "requested"
                case _:
                    pass
        if isinstance(happened, OperatorSaid) and happened.message_id:
            self._said(happened, stepped)
        assert not (self.holder and self._run), "exactly one answers"

    def _said(self, happened: OperatorSaid, stepped: Stepped) -> None:
        known = happened.message_id in self.said
        if isinstance(stepped.reply, Accepted):
            assert not known, "nothing is said twice"
            assert self._operators[happened.handoff_id] == happened.operator_id, "only who has it speaks"
            self.said.append(happened.message_id)
        elif isinstance(stepped.reply, Repeated):
            assert known and not stepped.events

    def _follow(self, event: e.AnyEvent, held_before: str) -> None:
        match event:
            case e.HandoffMoved():
                self._moved(event)
            case e.SupervisorNoted():
                assert self._kinds[event.handoff_id] == "supervisor_consult"
                assert self.holder, "only who has the conversation asks"
            case e.TurnAccepted(turn=turn):
                assert not self._turn, "one turn is open"
                self._turn = turn
            case e.TurnResumed(cause=cause, turn=turn, author=author):
                assert not self._turn and turn, "a turn that has ended is taken up again"
                assert (cause == "operator") == bool(author)
                self._turn = turn
            case e.ResponseStarted(response_id=response_id, author=author):
                assert not self._response, "one answer is open"
                self._response, self._author = response_id, author
                assert not author or author == self._names[self.holder], "who speaks has the conversation"
            case e.TextDelta(response_id=response_id):
                assert response_id == self._response
                assert bool(self.holder) == bool(self._author), "whoever has it speaks, and nobody else"
            case e.ResponseEnded(outcome=outcome, response_id=response_id):
                assert (outcome == "passed") <= bool(held_before and not self._author)
                assert not (self.holder and outcome == "completed" and not self._author)
                self._close(response_id)
            case e.ResponseFailed(response_id=response_id):
                self._close(response_id)
            case e.LegEnded() | e.AnswerCompleted():
                self._run = ""
            case e.TurnEnded():
                assert self._turn and not self._response
                self._turn = 0
            case e.SessionEnded():
                left = [one for one, status in self.statuses.items() if status in WALK]
                assert not self.holder and not left, "nobody is left behind"
                self._ended = True
            case _:
                pass

    def _close(self, response_id: str) -> None:
        assert response_id == self._response
        self._run = "" if self._run == response_id else self._run
        self._response = self._author = ""

    def _moved(self, event: e.HandoffMoved) -> None:
        before = self.statuses.get(event.handoff_id, "")
        assert event.status in WALK[before], f"{event.status} after {before}"
        self.statuses[event.handoff_id] = event.status
        self._kinds[event.handoff_id] = event.transfer
        if event.operator is not None:
            self._operators[event.handoff_id] = event.operator.operator_id
            self._names[event.handoff_id] = event.operator.name
        assert (event.status == "failed") == bool(event.failure)
        assert (event.position > 0) == (event.status == "queued")
        if event.transfer == "supervisor_consult":
            return
        if event.status in HELD:
            assert self.holder in ("", event.handoff_id), "one has the conversation"
            # What a person said before they passed it on is still heard out in a call.
            assert self._author or not self._response, "the agent's answer ends before a person has it"
            self.holder = event.handoff_id
        elif self.holder == event.handoff_id:
            self.holder = ""

    def settled(self) -> None:
        """Judge the end: nothing is left open but what people have or wait for."""
        assert not self._turn or self._run, "a turn is open because somebody is asked"
