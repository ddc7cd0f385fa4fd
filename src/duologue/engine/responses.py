"""Responses: how a run begins, what it says, and how it ends."""

from collections.abc import Sequence
from typing import assert_never

from duologue.engine import figures, history, interrupts, tools
from duologue.engine.progress import Progress
from duologue.engine.state import OpenCall, OpenResponse, OpenTurn, SessionState
from duologue.model import limits
from duologue.model.agent import AgentRequest
from duologue.model.content import Figures, Interrupt, Usage
from duologue.model.effects import RunAgent, StopAgent
from duologue.model.errors import Code
from duologue.model.events import (
    Cited,
    Ending,
    Noted,
    Outcome,
    ResponseEnded,
    ResponseFailed,
    ResponseStarted,
    Showed,
    Suggested,
    TextCompleted,
    TextDelta,
    TextStarted,
    TurnEnded,
)
from duologue.model.inputs import (
    AgentAsked,
    AgentCalled,
    AgentCancelled,
    AgentCited,
    AgentFailed,
    AgentFinished,
    AgentInput,
    AgentNoted,
    AgentRequested,
    AgentReturned,
    AgentShowed,
    AgentSpoke,
    AgentSuggested,
    Trigger,
    UserTurn,
)


def opening(state: SessionState, *, attempt: int, now_ms: int) -> OpenResponse:
    """Make the next response of a session; its id is unique there."""
    state.responses += 1
    return OpenResponse(
        response_id=f"response-{state.responses}", attempt=attempt, started_ms=now_ms, last_item_ms=now_ms
    )


def start(step: Progress, answered: Sequence[OpenCall] = ()) -> None:
    """Announce the open turn's response and order its run; `answered` are the client's calls that have returned."""
    state, turn = step.state, step.open_turn()
    response = turn.response
    step.emit(
        ResponseStarted,
        session_id=state.session_id,
        response_id=response.response_id,
        tier=state.tier,
        attempt=response.attempt,
    )
    if answered:
        turn.results = tools.show_results(step, answered)
    step.effects.append(RunAgent(request=_request(state, turn, turn.said)))


def _request(state: SessionState, turn: OpenTurn, said: UserTurn) -> AgentRequest:
    return AgentRequest(
        session_id=state.session_id,
        subject=state.subject,
        response_id=turn.response.response_id,
        turn=turn.number,
        text=said.text,
        source=said.source,
        language=state.language,
        history=tuple(state.history),
        context=said.context,
        attachments=said.attachments,
        observation=said.observation,
        speech=said.speech,
        modalities=state.modalities,
        request_id=turn.request_id,
        message_id=said.message_id or turn.request_id,
        tools=said.tools,
        tool_results=turn.results,
        resume=turn.answers,
        interrupts=turn.interrupts,
        state=said.state,
        forwarded_props=said.forwarded_props,
    )


def take(step: Progress, item: AgentInput) -> bool:
    """Take what a run said; false where it is not the open one, and nothing was changed."""
    turn = step.state.open
    if turn is None or turn.response.response_id != item.response_id:
        return False
    response = turn.response
    match item:
        case AgentSpoke():
            if not item.text:
                return False
            _speak(step, turn, item)
        case AgentFinished():
            _finish(step, turn, item)
        case AgentFailed():
            fail(step, code=item.code, message=item.message, retryable=item.retryable, usage=item.usage)
        case AgentAsked():
            _ask(step, item)
        case AgentCancelled():
            end(step, "cancelled", usage=item.usage)
        case AgentCalled() | AgentRequested():
            _call(step, response, item)
        case AgentReturned():
            _reject(step, tools.give_back(step, item))
        case AgentShowed():
            _open_output(step, response)
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


def _speak(step: Progress, turn: OpenTurn, item: AgentSpoke) -> None:
    response, state = turn.response, step.state
    if response.length + len(item.text) > limits.RESPONSE_TEXT_CHARS:
        step.effects.append(StopAgent(response_id=item.response_id))
        limit = f"{limits.RESPONSE_TEXT_CHARS:,} characters"
        fail(step, code=Code.AGENT_TOO_LONG, message=f"the answer grew beyond {limit}", retryable=False)
        return
    if response.paused or not response.pieces:
        _open_output(step, response)
        response.paused = False
        if response.first_text_ms is None:
            response.first_text_ms = step.now_ms
        step.emit(
            TextStarted,
            response_id=item.response_id,
            message_id=tools.message_id(response),
            tier=state.tier,
        )
    response.writing = tools.message_id(response)
    response.pieces.append(item.text)
    response.length += len(item.text)
    step.emit(
        TextDelta,
        response_id=item.response_id,
        message_id=response.writing,
        text=item.text,
        length=response.length,
    )


def _open_output(step: Progress, response: OpenResponse) -> None:
    if not (response.pieces or response.shown) and step.state.state == "thinking":
        step.move("first_token")


def _call(step: Progress, response: OpenResponse, item: AgentCalled | AgentRequested) -> None:
    """Take a tool call. Asking a client to run one is output; what the agent runs itself is still thinking."""
    if isinstance(item, AgentRequested):
        _open_output(step, response)
    _reject(step, tools.call(step, item))


def _reject(step: Progress, wrong: str | None) -> None:
    """Fail a run that said something that cannot be."""
    if wrong is None:
        return
    step.effects.append(StopAgent(response_id=step.open_turn().response.response_id))
    fail(step, code=Code.AGENT_BAD_ITEM, message=f"the agent sent {wrong}", retryable=False)


def _ask(step: Progress, item: AgentAsked) -> None:
    if (wrong := interrupts.unfit(item.interrupts)) is not None:
        fail(step, code=Code.AGENT_BAD_ITEM, message=f"the agent sent {wrong}", retryable=False, usage=item.usage)
        return
    _open_output(step, step.open_turn().response)
    end(step, "asked", usage=item.usage, asked=item.interrupts)


def _finish(step: Progress, turn: OpenTurn, item: AgentFinished) -> None:
    running = tools.unreturned(turn.response)
    if running is not None:
        message = f"the agent finished while its tool {running!r} was running"
        fail(step, code=Code.AGENT_BAD_ITEM, message=message, retryable=False, usage=item.usage)
        return
    if not (turn.response.pieces or turn.response.shown or tools.pending(turn.response)):
        fail(
            step,
            code=Code.AGENT_EMPTY,
            message="the agent ended without saying or showing anything",
            retryable=True,
            usage=item.usage,
        )
        return
    end(step, "completed", total_tokens=item.total_tokens, confident=item.confident, usage=item.usage)


def end(
    step: Progress,
    outcome: Ending,
    *,
    total_tokens: int | None = None,
    confident: bool = True,
    trigger: Trigger = "cancel",
    usage: tuple[Usage, ...] = (),
    asked: tuple[Interrupt, ...] = (),
) -> None:
    """End the open turn without a failure; the text so far stays.

    Args:
        outcome: how it ended.
        total_tokens: as the agent counts them.
        confident: the agent did not say that it does not know.
        trigger: what moves the state machine where the answer was cut short.
        usage: what the run's models counted.
        asked: what it asks for; only with the outcome `asked`.
    """
    turn = step.open_turn()
    response = turn.response
    whole = outcome in ("completed", "asked")
    if response.pieces and not response.paused:
        step.emit(
            TextCompleted,
            response_id=response.response_id,
            message_id=tools.message_id(response),
            text="".join(response.pieces),
            whole=whole,
        )
    if not whole:
        step.effects.append(StopAgent(response_id=response.response_id))
        step.move(trigger)
    elif not turn.client_plays:
        step.move("tts_complete")
    measured = figures.measure(
        response,
        now_ms=step.now_ms,
        whole=outcome == "completed",
        confident=confident,
        total_tokens=total_tokens,
        language=step.state.language,
        usage=usage,
    )
    step.emit(
        ResponseEnded,
        session_id=step.state.session_id,
        response_id=response.response_id,
        outcome=outcome,
        tier=step.state.tier,
        figures=measured,
        interrupts=asked,
        pending_calls=tools.pending(response) if whole else (),
        text="".join(response.pieces) if whole and response.paused else "",
    )
    _close(step, turn, outcome=outcome, measured=measured, asked=asked)


def fail(step: Progress, *, code: Code, message: str, retryable: bool, usage: tuple[Usage, ...] = ()) -> None:
    """End the open turn with a failure; what was said so far is remembered as interrupted."""
    turn = step.open_turn()
    step.move("error")
    measured = figures.measure(
        turn.response,
        now_ms=step.now_ms,
        whole=False,
        confident=True,
        total_tokens=None,
        language=step.state.language,
        usage=usage,
    )
    step.emit(
        ResponseFailed,
        response_id=turn.response.response_id,
        code=code,
        message=message,
        retryable=retryable,
        open_message=_open_message(turn.response),
        figures=measured,
    )
    _close(step, turn, outcome="failed", measured=measured)


def _open_message(response: OpenResponse) -> str:
    return tools.message_id(response) if response.pieces and not response.paused else ""


def run_again(step: Progress, *, code: Code, message: str) -> None:
    """Give up a lost run with a visible error, and run the turn again under a new response id."""
    turn = step.open_turn()
    tools.lose(step)
    step.move("error")
    step.emit(
        ResponseFailed,
        response_id=turn.response.response_id,
        code=code,
        message=message,
        retryable=True,
        will_retry=True,
        open_message=_open_message(turn.response),
    )
    step.move("cancel")
    step.move("user_sends_text")
    turn.response = opening(step.state, attempt=turn.response.attempt + 1, now_ms=step.now_ms)
    start(step)


def _close(
    step: Progress,
    turn: OpenTurn,
    *,
    outcome: Outcome,
    measured: Figures,
    asked: tuple[Interrupt, ...] = (),
) -> None:
    state = step.state
    step.emit(
        TurnEnded,
        outcome=outcome,
        response_id=turn.response.response_id,
        figures=measured,
        text=turn.said.text,
        answer="".join(turn.response.pieces),
    )
    whole = outcome in ("completed", "asked")
    history.remember(state, turn, interrupted=not whole, interrupts=asked)
    if whole:
        tools.carry_over(state, turn, stopped_to_ask=outcome == "asked")
    else:
        tools.give_up(state, turn)
    state.interrupts = list(asked)
    state.open = None
