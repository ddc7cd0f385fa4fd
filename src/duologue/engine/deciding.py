"""Deciding: what a turn of the person's says about the tools that they were asked about.

By an answer to the question, or by words where exactly one question is open: a plain yes or no. By voice, other words
are asked for once more, since recognisers err; else who goes on without deciding has not let anything run.
"""

from collections.abc import Sequence

import msgspec

from duologue.engine import approvals, asking, assent, legs, speaking, starting, tiers, tool_calls, tools
from duologue.engine.progress import Progress
from duologue.engine.state import OpenCall, OpenTurn, SessionState
from duologue.engine.tools_state import ServerCall
from duologue.model.content import Answer
from duologue.model.inputs import UserTurn


def by_words(state: SessionState, said: UserTurn, *, now_ms: int) -> tuple[tuple[Answer, ...], ServerCall | None]:
    """What the words of a turn say about the one call that the person was asked about, while there is time.

    Returns:
        The answer; and the call that is to be asked about again.
    """
    calls = approvals.open_ones(state)
    if len(calls) != 1 or len(state.interrupts) != 1 or said.if_asked == "refuse":
        return (), None
    if said.attachments or said.observation is not None or said.tool_results:
        return (), None
    call = calls[0]
    assert call.approval is not None, "the person was asked"
    if now_ms >= call.approval.expires_ms:
        return (), None
    # English is understood everywhere, so that it decides beside the conversation's own.
    verdict = assent.verdict(said.text, state.language, "en")
    if verdict == "unclear":
        return (), call if said.source == "voice" and not call.repeated else None
    answer = Answer(interrupt_id=call.approval.approval_id, status="resolved", payload={"approved": verdict == "yes"})
    return (answer,), None


def let_go_on(state: SessionState, turn: OpenTurn, given: tuple[Answer, ...]) -> None:
    """Ask the agent what it was asked before, where the turn does nothing but decide what that waits for."""
    said = turn.said
    words = not said.resume and bool(given) and said.observation is None
    silent = bool(said.resume) and not (said.text or said.attachments or said.observation or said.tool_results)
    asked_only = bool(turn.interrupts) and all(one.reason == approvals.REASON for one in turn.interrupts)
    if not (asked_only and (words or silent)):
        return
    last, asked = state.last, state.last.asks or state.last.said
    turn.since = last.since
    turn.asks = msgspec.structs.replace(
        said,
        text=asked.text,
        context=said.context or asked.context,
        attachments=asked.attachments,
        observation=asked.observation,
        message_id=asked.message_id or last.request_id,
    )


def decides(state: SessionState, answers: tuple[Answer, ...]) -> bool:
    """Whether a turn begins with something to be decided or carried out."""
    if not state.tools.calls:
        return False
    waits = any(one.status == "approved" for one in state.tools.calls)
    return waits or any(approvals.find(state, one.interrupt_id) is not None for one in answers)


def begin(step: Progress, answered: Sequence[OpenCall]) -> None:
    """Begin the open turn's answer with what was decided; its run follows what is carried out."""
    turn = step.open_turn()
    tiers.again(step.state, turn.response)
    starting.announce(step)
    if answered:
        turn.results = tools.show_results(step, answered)
    turn.response.waiting, turn.response.leg = True, 0
    decide(step)
    speaking.start(step)
    legs.go_on(step)


def decide(step: Progress) -> None:
    """Take what the open turn's answers decide."""
    turn = step.open_turn()
    by = step.state.subject
    tool_calls.by_answers(step, turn.answers, by=by)


def ask_again(step: Progress, call: ServerCall) -> None:
    """Say once more what is asked, and how it can be answered; nobody is run for it."""
    state, turn = step.state, step.open_turn()
    assert call.approval is not None, "the person was asked"
    call.repeated = True
    tiers.again(state, turn.response)
    starting.announce(step)
    turn.response.waiting = True
    speaking.start(step)
    asking.repeat(step, turn)
