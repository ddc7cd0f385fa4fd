"""One step in progress: the events and effects so far, and how one more is made."""

from typing import Any

import msgspec

from duologue.engine import machine
from duologue.engine.state import OpenTurn, SessionState
from duologue.model.effects import Effect
from duologue.model.events import AnyEvent
from duologue.model.inputs import Trigger


class Progress(msgspec.Struct):
    """Collects what one input leads to. A Struct, since one is made per token: it costs a third of a class.

    Attributes:
        state: the session, changed in place.
        now_ms: the step's time, never before the session's last.
        events: in order.
        effects: in order.
    """

    state: SessionState
    now_ms: int
    events: list[AnyEvent] = []
    effects: list[Effect] = []

    # Any: the fields are those of `kind`; msgspec checks their names, the tests their types.
    def emit(self, kind: type[AnyEvent], **fields: Any) -> None:
        """Add the next event; number, time, state and open turn are filled in."""
        state = self.state
        state.seq += 1
        if (turn := state.open) is not None:
            fields["turn"], fields["request_id"] = turn.number, turn.request_id
        self.events.append(kind(seq=state.seq, at_ms=self.now_ms, state=state.state, **fields))

    def move(self, trigger: Trigger) -> None:
        """Move the state machine; the caller has made sure that it is legal."""
        target = machine.target(self.state.state, trigger)
        assert target is not None, f"{trigger} is not legal in {self.state.state}"
        self.state.state = target

    def open_turn(self) -> OpenTurn:
        """The turn that is open; the caller has made sure that one is."""
        turn = self.state.open
        assert turn is not None, "no turn is open"
        return turn
