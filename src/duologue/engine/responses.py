"""Responses: what a run says."""

from typing import assert_never

from duologue.engine import endings, handoff, interrupts, legs, observing, routing, saying, tool_requests, tools
from duologue.engine.progress import Progress
from duologue.engine.state import OpenResponse, OpenTurn, SessionState
from duologue.model import limits
from duologue.model.effects import StopAgent
from duologue.model.errors import Code
from duologue.model.events import (
    Cited,
    Noted,
    Showed,
    Suggested,
    TextDelta,
)
from duologue.model.inputs import (
    AgentAsked,
    AgentCalled,
    AgentCancelled,
    AgentCited,
    AgentFailed,
    AgentFinished,
    AgentHandedOff,
    AgentInput,
    AgentNoted,
    AgentRequested,
    AgentReturned,
    AgentShowed,
    AgentSpoke,
    AgentSuggested,
    ObservationAsked,
    UpgradeAsked,
)


def take(step: Progress, item: AgentInput) -> bool:
    """Take what a run said; false where it is not the open one, and nothing was changed."""
    turn = step.state.open
    if turn is None or turn.response.response_id != item.response_id:
        return False
    response = turn.response
    if response.waiting or (turn.voice is not None and (turn.voice.held or turn.voice.whole is not None)):
        # The run is over, though the turn is not.
        return False
    match item:
        case AgentSpoke():
            if not item.text:
                return False
            saying.speak(step, turn, item.text)
            if response.watched and step.state.open is turn:
                routing.heard_more(step, response)
        case AgentFinished():
            _finish(step, turn, item)
        case AgentFailed():
            endings.fail(step, code=item.code, message=item.message, retryable=item.retryable, usage=item.usage)
        case AgentAsked():
            _ask(step, item)
        case ObservationAsked():
            _observe(step, item)
        case AgentCancelled():
            endings.end(step, "cancelled", usage=item.usage)
        case AgentRequested() if item.spec is not None or item.wrong or not tools.offers(turn, item.name):
            _request(step, response, item)
        case AgentCalled() | AgentRequested():
            _call(step, response, item)
        case AgentReturned():
            wrong = tools.give_back(step, item)
            _reject(step, wrong)
            if wrong is None:
                routing.returned(step, turn)
        case UpgradeAsked():
            routing.asked(step, turn, item)
        case AgentHandedOff():
            handoff.by_agent(step, item)
        case AgentShowed():
            saying.open_output(step, response)
            response.shown = True
            step.emit(
                Showed,
                response_id=item.response_id,
                payload_type=item.payload_type,
                data=item.data,
                version=item.version,
            )
        case AgentCited():
            step.emit(Cited, response_id=item.response_id, title=item.title, url=item.url, snippet=item.snippet)
        case AgentSuggested():
            step.emit(Suggested, response_id=item.response_id, chips=item.chips)
        case AgentNoted():
            step.emit(
                Noted,
                response_id=item.response_id,
                category=item.category,
                message=item.message,
                details=item.details,
            )
        case _:
            assert_never(item)
    response.last_item_ms = step.now_ms
    return True


def go_on(state: SessionState, response_id: str, text: str, *, now_ms: int) -> TextDelta | None:
    """Take some more text of an answer that has begun: the way of all tokens but the first, and kept short.

    It is what `step` does with an `AgentSpoke`, which says the same.

    Returns:
        The event; `None`, and nothing is changed, where it is not just that.
    """
    turn = state.open
    if turn is None or not text:
        return None
    response = turn.response
    length = response.length + len(text)
    if response.response_id != response_id or not response.writing or length > limits.RESPONSE_TEXT_CHARS:
        return None
    if now_ms < state.at_ms:
        now_ms = state.at_ms
    response.pieces.append(text)
    response.length = length
    response.last_item_ms = state.at_ms = now_ms
    state.seq += 1
    return TextDelta(
        seq=state.seq,
        at_ms=now_ms,
        state=state.state,
        turn=turn.number,
        request_id=turn.request_id,
        response_id=response_id,
        message_id=response.writing,
        text=text,
        length=length,
    )


def _call(step: Progress, response: OpenResponse, item: AgentCalled | AgentRequested) -> None:
    """Take a tool call. Asking a client to run one is output; what the agent runs itself is still thinking."""
    if isinstance(item, AgentRequested):
        saying.open_output(step, response)
    _reject(step, tools.call(step, item))


def _reject(step: Progress, wrong: str | None) -> None:
    """Fail a run that said something that cannot be."""
    if wrong is None:
        return
    step.effects.append(StopAgent(response_id=step.open_turn().response.response_id))
    endings.fail(step, code=Code.AGENT_BAD_ITEM, message=f"the agent sent {wrong}", retryable=False)


def _request(step: Progress, response: OpenResponse, item: AgentRequested) -> None:
    """Take a call of the registry's; where a run waits for one that the person has to let run, it is over."""
    wrong = tool_requests.request(step, item)
    _reject(step, wrong)
    waits = wrong is None and any(
        one.call_id == item.call_id and one.within and one.status == "awaiting_approval"
        for one in step.state.tools.calls
    )
    if waits:
        step.effects.append(StopAgent(response_id=response.response_id))
        legs.run_over(step)


def _ask(step: Progress, item: AgentAsked) -> None:
    if (wrong := interrupts.unfit(item.interrupts)) is not None:
        endings.fail(
            step, code=Code.AGENT_BAD_ITEM, message=f"the agent sent {wrong}", retryable=False, usage=item.usage
        )
        return
    legs.run_over(step, asked=item.interrupts, usage=item.usage)


def _observe(step: Progress, item: ObservationAsked) -> None:
    if (wrong := observing.unfit(step.state, item)) is not None:
        endings.fail(step, code=Code.AGENT_BAD_ITEM, message=f"the agent sent {wrong}", retryable=False)
        return
    legs.run_over(step, observe=item)


def _finish(step: Progress, turn: OpenTurn, item: AgentFinished) -> None:
    response = turn.response
    running = tools.unreturned(response)
    if running is not None:
        message = f"the agent finished while its tool {running!r} was running"
        endings.fail(step, code=Code.AGENT_BAD_ITEM, message=message, retryable=False, usage=item.usage)
        return
    if legs.needed(step.state, response):
        legs.run_over(step, usage=item.usage, total_tokens=item.total_tokens, confident=item.confident)
        return
    if not (len(response.pieces) > response.bridge or response.shown or tools.pending(response)):
        endings.fail(
            step,
            code=Code.AGENT_EMPTY,
            message="the agent ended without saying or showing anything",
            retryable=True,
            usage=item.usage,
        )
        return
    usage, tokens = legs.spent(response, item.usage, item.total_tokens)
    confident = item.confident and response.confident
    if not routing.finished(step, turn, confident=confident, usage=usage, total_tokens=tokens):
        endings.end(step, "completed", total_tokens=tokens, confident=confident, usage=usage)
