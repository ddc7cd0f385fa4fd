"""The bases of inputs and events."""

from typing import Literal

from duologue.model.base import Value, snake

State = Literal["idle", "listening", "transcribing", "thinking", "speaking", "error"]
"""The six states. Source: Ghost AG-UI 1.0, `stateModel`."""


class Input(Value, kw_only=True, tag_field="kind", tag=snake):
    """The base of all inputs; `kind` is the class name in snake case."""


class Event(Value, kw_only=True, tag_field="kind", tag=snake):
    """The base of all events.

    Attributes:
        seq: number in the session, from 1.
        at_ms: wall time in ms since 1970, never falling within a session.
        state: the state machine's state after it.
        turn: the turn that it belongs to; 0 where none.
        request_id: the client's id of that turn; empty where none.
    """

    seq: int
    at_ms: int
    state: State
    turn: int = 0
    request_id: str = ""


class ActingEvent(Event, kw_only=True):
    """The base of what happens beside the answers: tools, approvals, handoffs, signals, memory, tiers, condition."""
