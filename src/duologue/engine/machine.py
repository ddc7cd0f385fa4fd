"""The six-state machine, as data. Source: Ghost AG-UI 1.0, `stateModel`."""

from typing import Final, NamedTuple

from duologue.model.events import State
from duologue.model.inputs import Trigger


class Transition(NamedTuple):
    """One legal move; `source` is `None` where every state has it."""

    source: State | None
    target: State
    trigger: Trigger


STATES: Final[tuple[State, ...]] = ("idle", "listening", "transcribing", "thinking", "speaking", "error")

TRANSITIONS: Final[tuple[Transition, ...]] = (
    Transition("idle", "listening", "user_activates_mic"),
    Transition("idle", "thinking", "user_sends_text"),
    Transition("listening", "transcribing", "speech_end"),
    Transition("transcribing", "thinking", "stt_complete"),
    Transition("thinking", "speaking", "first_token"),
    Transition("speaking", "idle", "tts_complete"),
    Transition("speaking", "listening", "auto_resume"),
    Transition("speaking", "listening", "barge_in"),
    Transition(None, "idle", "cancel"),
    Transition(None, "error", "error"),
)

_TARGETS: Final[dict[tuple[State, Trigger], State]] = {
    (source, move.trigger): move.target
    for move in TRANSITIONS
    for source in ((move.source,) if move.source else STATES)
}


def target(state: State, trigger: Trigger) -> State | None:
    """Where a trigger leads from a state; `None` where it is not legal there."""
    return _TARGETS.get((state, trigger))


def legal(state: State) -> tuple[Trigger, ...]:
    """The triggers that a state allows, in the order of the table."""
    return tuple(move.trigger for move in TRANSITIONS if move.source in (None, state))


def diagram() -> str:
    """Draw the machine as a Mermaid state diagram, for the docs."""
    lines = ["stateDiagram-v2", "    [*] --> idle"]
    for move in TRANSITIONS:
        sources = (move.source,) if move.source else tuple(s for s in STATES if s != move.target)
        lines += [f"    {source} --> {move.target}: {move.trigger}" for source in sources]
    return "\n".join(lines) + "\n"
