"""Legs: an answer whose run has ended goes on with another run, once the tools that it asked for have come to an end.

Between two legs the answer waits for what is being carried out. Where the person has to let something run first, it
ends with the question, and the turn goes on when that is answered.
"""

from typing import Literal

import msgspec

from duologue.engine import approvals, asking, endings, heard, observing, saying, starting, tool_walk, tools
from duologue.engine.progress import Progress
from duologue.engine.state import OpenResponse, OpenTurn, SessionState
from duologue.engine.tools_state import ServerCall
from duologue.model import limits
from duologue.model.content import Interrupt, Usage
from duologue.model.effects import RunAgent
from duologue.model.errors import Code
from duologue.model.events import LegEnded
from duologue.model.inputs import ObservationAsked


def needed(state: SessionState, response: OpenResponse) -> bool:
    """Whether a run that ends leaves something to wait for, or results that another one is to have."""
    return response.requested or bool(_of(state, response))


def _of(state: SessionState, response: OpenResponse) -> list[ServerCall]:
    """The calls of an answer that it waits for: those that run, and those that the person has to let run."""
    return [
        one
        for one in state.tools.calls
        if one.awaited or (one.status == "awaiting_approval" and one.response_id == response.response_id)
    ]


def run_over(
    step: Progress,
    *,
    asked: tuple[Interrupt, ...] = (),
    observe: ObservationAsked | None = None,
    usage: tuple[Usage, ...] = (),
    total_tokens: int | None = None,
    confident: bool = True,
) -> None:
    """Take that a run of the open answer is over, though the answer is not.

    Args:
        asked: what it asks for, besides what its tools wait for.
        observe: what the person is asked to show.
    """
    turn = step.open_turn()
    response = turn.response
    response.waiting, response.requested = True, False
    response.asked, response.observe = asked, observe
    response.usage, response.tokens = spent(response, usage, total_tokens)
    response.confident = response.confident and confident
    if _next(step.state, turn) in ("wait", "run"):
        tools.close_text(step, response)
        waits_for = tuple(one.call_id for one in _of(step.state, response))
        step.emit(LegEnded, response_id=response.response_id, leg=response.leg, waits_for=waits_for)
    go_on(step)


def spent(
    response: OpenResponse, usage: tuple[Usage, ...], total_tokens: int | None
) -> tuple[tuple[Usage, ...], int | None]:
    """What an answer has cost with the run that ends now: one entry for each model, and its agent's own count."""
    if not response.usage and response.tokens is None:
        return usage, total_tokens
    of_models = {(one.provider, one.model): one for one in response.usage}
    for one in usage:
        known = of_models.get((one.provider, one.model))
        of_models[one.provider, one.model] = one if known is None else _sum(known, one)
    tokens = None if response.tokens is None and total_tokens is None else (response.tokens or 0) + (total_tokens or 0)
    return (*of_models.values(),), tokens


def _sum(one: Usage, other: Usage) -> Usage:
    def both(first: int | None, second: int | None) -> int | None:
        return None if first is None and second is None else (first or 0) + (second or 0)

    return msgspec.structs.replace(
        one,
        input_tokens=both(one.input_tokens, other.input_tokens),
        output_tokens=both(one.output_tokens, other.output_tokens),
        cached_tokens=both(one.cached_tokens, other.cached_tokens),
        reasoning_tokens=both(one.reasoning_tokens, other.reasoning_tokens),
    )


def go_on(step: Progress) -> None:
    """Let the open answer go on, where it has waited and nothing is left to wait for."""
    turn = step.state.open
    if turn is None or not turn.response.waiting or turn.author:
        return
    if turn.voice is not None and (turn.voice.held or turn.voice.whole is not None):
        # It is given up until the person has said more; or it is whole, and still being heard.
        return
    if turn.response.leg == 0:
        _execute_approved(step)
    match _next(step.state, turn):
        case "wait":
            pass
        case "ask":
            _ask(step, turn)
        case "end":
            # The client's results come with the next turn, and the others stand in the history then.
            response = turn.response
            endings.end(
                step,
                "completed",
                usage=response.usage,
                total_tokens=response.tokens,
                confident=response.confident,
            )
        case "run":
            run(step)


def _next(state: SessionState, turn: OpenTurn) -> Literal["wait", "ask", "end", "run"]:
    """How an answer that waits goes on now."""
    response = turn.response
    waits = _of(state, response)
    if any(one.awaited for one in waits):
        return "wait"
    if waits or response.asked or response.observe:
        return "ask"
    # What was asked about besides is told to a run.
    over = response.leg or not turn.calls
    return "end" if over and tools.pending(response) else "run"


def run(step: Progress) -> None:
    """Order the next run of the open answer; one that has had `limits.RUN_LEGS` of them fails."""
    turn = step.open_turn()
    response = turn.response
    if response.leg >= limits.RUN_LEGS:
        message = f"the agent asked for tools {limits.RUN_LEGS} times, and came to no end"
        endings.fail(step, code=Code.AGENT_TOO_LONG, message=message, retryable=False, usage=response.usage)
        return
    response.waiting, response.leg, response.last_item_ms = False, response.leg + 1, step.now_ms
    turn.results = (*(turn.results if response.leg == 1 else ()), *turn.news)
    turn.news = []
    step.effects.append(RunAgent(request=starting.request_for(step.state, turn)))


def _ask(step: Progress, turn: OpenTurn) -> None:
    """End the open answer with its questions; who only hears is told them."""
    response = turn.response
    if response.observe is not None and (wrong := observing.unfit(step.state, response.observe)) is not None:
        # While a tool ran, the client has taken back that it can.
        message = f"the agent sent {wrong}"
        endings.fail(step, code=Code.AGENT_BAD_ITEM, message=message, retryable=True, usage=response.usage)
        return
    waits = _of(step.state, response)
    saying.open_output(step, response)
    if heard.audible(turn) is not None:
        asking.speak(step, turn, waits)
    if step.state.open is turn:
        asked = response.asked
        if response.observe is not None:
            asked = (*asked, observing.ask(step, response.observe))
        endings.end(
            step,
            "asked",
            usage=response.usage,
            total_tokens=response.tokens,
            confident=response.confident,
            asked=(*asked, *map(approvals.interrupt, waits)),
        )


def _execute_approved(step: Progress) -> None:
    """Carry out, for the open answer, what the person has let run."""
    for call in list(step.state.tools.calls):
        if call.status == "approved":
            tool_walk.execute(step, call, awaited=True)
