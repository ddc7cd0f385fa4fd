"""Asking aloud: who only hears has to be told what is asked of them, and is told again where that was lost."""

from collections.abc import Sequence

from duologue.engine import approvals, assent, endings, saying
from duologue.engine.progress import Progress
from duologue.engine.state import OpenTurn, SessionState
from duologue.engine.tools_state import ServerCall


def speak(step: Progress, turn: OpenTurn, waits: Sequence[ServerCall]) -> None:
    """Say what the open answer ends with: what it asks and wants to be shown, and each call that is to be approved."""
    response = turn.response
    asked = [one.message or "" for one in response.asked]
    if response.observe is not None:
        asked.append(response.observe.prompt)
    said = "".join(response.pieces)
    # The agent may have asked in words already; what is approved is said as it stands, whatever the agent has said.
    questions = [one for one in asked if one and one not in said]
    questions += [call.approval.prompt for call in waits if call.approval is not None]
    for question in questions:
        if step.state.open is turn:
            apart = bool(response.pieces) and not response.pieces[-1][-1:].isspace()
            saying.speak(step, turn, f"{' ' if apart else ''}{question} ")


def again(state: SessionState) -> str:
    """What is said where all that is open is asked once more; empty where nothing can be said."""
    calls = approvals.open_ones(state)
    if len(calls) == 1 and len(state.interrupts) == 1 and calls[0].approval is not None:
        return assent.again(calls[0].approval.prompt, state.language)
    return " ".join(one.message for one in state.interrupts if one.message)


def repeat(step: Progress, turn: OpenTurn) -> None:
    """Say once more what is open, as the whole of the open answer; nobody is run for it."""
    saying.speak(step, turn, again(step.state))
    # It stays open meanwhile: who decides by another way need not hear it to its end.
    if step.state.open is turn:
        endings.end(step, "asked", asked=tuple(step.state.interrupts))
