"""Tools: which calls a run makes, who runs them, and where their results go.

A call of the agent's own has to return within its run; only one that the run asks about may return in a later one.
A call for a client to run waits for the next turn, which brings its result or gives it up.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from duologue.engine.progress import Progress
from duologue.engine.state import OpenCall, OpenResponse, OpenTurn, Part, SessionState
from duologue.model import limits
from duologue.model.content import Answer, Interrupt, Runner, ToolCall, ToolResult
from duologue.model.errors import Code, Problem
from duologue.model.events import TextCompleted, ToolCalled, ToolReturned
from duologue.model.inputs import AgentCalled, AgentRequested, AgentReturned, ToolReported, UserTurn


def message_id(response: OpenResponse) -> str:
    """The id of the message that a run is writing, or would write: a new one after tools were called."""
    base, number = f"{response.response_id}-message", len(response.parts) + 1
    return base if number == 1 else f"{base}-{number}"


def call(step: Progress, item: AgentCalled | AgentRequested) -> str | None:
    """Take a call that a run makes.

    Returns:
        What is wrong with it; `None` where it was taken.
    """
    requested = isinstance(item, AgentRequested)
    if (wrong := unfit(step.state, step.open_turn(), item)) is not None:
        return wrong
    made = ToolCall(
        call_id=item.call_id,
        name=item.name,
        arguments=item.arguments,
        runs_on="client" if requested else "agent",
    )
    place(step, made, repeatable=requested or item.repeatable)
    return None


def offers(turn: OpenTurn, name: str) -> bool:
    """Whether the client offers to run a tool of this name."""
    return name in {tool.name for tool in turn.said.tools}


def unfit(state: SessionState, turn: OpenTurn, item: AgentCalled | AgentRequested) -> str | None:
    """What is wrong with a call that a run makes; `None` where nothing is."""
    response = turn.response
    # A client's calls wait beside a turn that goes on by itself.
    if any(item.call_id == known.call.call_id for known in (*response.calls, *turn.calls, *state.calls)):
        return f"a second tool call with the id {item.call_id!r}"
    if len(response.calls) >= limits.TOOL_CALLS:
        return f"more than {limits.TOOL_CALLS} tool calls"
    return None


def place(
    step: Progress, made: ToolCall, *, repeatable: bool, told_as: Runner | None = None, redact: tuple[str, ...] = ()
) -> OpenCall:
    """Write a call into the open answer, after its words, and tell of it.

    Args:
        repeatable: making it twice does no harm, or it is never made twice.
        told_as: who runs it, as others are told.
        redact: what of it others than the person do not see.
    """
    response = step.open_turn().response
    close_text(step, response)
    if not response.parts or _done(response):
        response.parts.append(Part(message_id=made.call_id))
    response.repeatable = response.repeatable and repeatable
    part = len(response.parts) - 1
    placed = OpenCall(
        call=made,
        called_ms=step.now_ms,
        part=part,
        repeatable=repeatable,
        redact=redact,
        response_id=response.response_id,
    )
    response.calls.append(placed)
    step.emit(
        ToolCalled,
        response_id=response.response_id,
        call_id=made.call_id,
        name=made.name,
        arguments=made.arguments,
        runs_on=told_as or made.runs_on,
        message_id=response.parts[part].message_id if response.parts[part].text else "",
        redact=redact,
    )
    return placed


def close_text(step: Progress, response: OpenResponse) -> None:
    """End the message that is being written, where one is; what follows belongs to another."""
    if response.paused or not response.pieces:
        return
    written = message_id(response)
    step.emit(
        TextCompleted,
        response_id=response.response_id,
        message_id=written,
        text="".join(response.pieces),
        whole=False,
    )
    response.parts.append(Part(message_id=written, text="".join(response.pieces[response.told :])))
    response.told = len(response.pieces)
    response.paused, response.writing = True, ""


def _done(response: OpenResponse) -> bool:
    """Whether all calls of the latest part have returned: then one more call belongs to another part."""
    latest = len(response.parts) - 1
    calls = [known.call for known in response.calls if known.part == latest]
    return bool(calls) and all(one.result is not None for one in calls)


def give_back(step: Progress, item: AgentReturned) -> str | None:
    """Take what a tool of the agent's own returned.

    Returns:
        What is wrong with it; `None` where it was taken.
    """
    turn = step.open_turn()
    known = _find(turn, item.call_id)
    if known is None and item.name:
        called = AgentCalled(
            response_id=item.response_id, call_id=item.call_id, name=item.name, arguments=item.arguments or "{}"
        )
        if (wrong := call(step, called)) is not None:
            return wrong
        known = _find(turn, item.call_id)
    if known is None or known.call.runs_on != "agent" or known.call.result is not None:
        return f"a result for the tool call {item.call_id!r}, which is not running"
    earlier = any(known is one for one in turn.calls)
    done = msgspec.structs.replace(
        known.call, result=item.result, is_error=item.is_error, result_turn=turn.number if earlier else 0
    )
    known.call = done
    if earlier:
        note_result(step.state, done)
        forget(step.state, [done.call_id])
    # Between an earlier run and this one it did not run: somebody was asked.
    began_ms = turn.response.started_ms if earlier else known.called_ms
    _emit_result(step, known, earlier=earlier, began_ms=began_ms)
    return None


def _find(turn: OpenTurn, call_id: str) -> OpenCall | None:
    return next((known for known in (*turn.response.calls, *turn.calls) if known.call.call_id == call_id), None)


def unreturned(response: OpenResponse) -> str | None:
    """The name of a tool of the agent's own that a run left running; `None` where there is none."""
    running = (known.call for known in response.calls if known.call.result is None)
    return next((one.name for one in running if one.runs_on == "agent"), None)


def pending(response: OpenResponse) -> tuple[str, ...]:
    """The calls of a run that wait for a client, in order."""
    called = (known.call.call_id for known in response.calls if known.call.runs_on == "client")
    return (*response.left, *called)


def awaited(state: SessionState) -> tuple[str, ...]:
    """The calls that wait for a client now that nothing runs, in order."""
    return tuple(known.call.call_id for known in _waiting(state))


def _waiting(state: SessionState) -> list[OpenCall]:
    return [known for known in state.calls if known.call.runs_on == "client" and known.call.result is None]


def given(state: SessionState, call_id: str) -> ToolCall | None:
    """A client's call that has its result while others of its answer still wait; `None` where there is none."""
    return next((known.call for known in state.calls if known.told and known.call.call_id == call_id), None)


def take_one(step: Progress, told: ToolReported) -> bool:
    """Keep what one of several tools of a client's gave: the turn goes on once the others have given theirs.

    Returns:
        False where no call of a client's waits for it.
    """
    state = step.state
    known = next((one for one in _waiting(state) if one.call.call_id == told.call_id), None)
    if known is None:
        return False
    known.call = msgspec.structs.replace(known.call, result=told.output, is_error=told.status != "completed")
    known.told = True
    note_result(state, known.call)
    forget(state, [told.call_id])
    last = {} if state.open is not None else {"turn": state.last.number, "request_id": state.last.request_id}
    _emit_result(step, known, earlier=True, began_ms=known.called_ms, response_id=known.response_id, **last)
    return True


def objection(state: SessionState, said: UserTurn) -> Problem | None:
    """What is wrong with the results that a turn brings: one for a call that nobody made, or nothing but old ones."""
    waiting = awaited(state)
    fresh = False
    for place, result in enumerate(said.tool_results):
        if result.call_id in waiting:
            fresh = True
        elif result.call_id not in state.closed_calls:
            return Problem(
                code=Code.TOOL_CALL_UNKNOWN,
                message=f"no tool call {result.call_id[:128]!r} waits for a result",
                path=f"$.toolResults[{place}]",
            )
    if said.tool_results and not (fresh or said.text or said.attachments or said.observation or said.resume):
        last = said.tool_results[-1].call_id
        return Problem(
            code=Code.TOOL_CALL_CLOSED,
            message=f"the tool call {last[:128]!r} has already been answered or given up",
            path=f"$.toolResults[{len(said.tool_results) - 1}]",
        )
    return None


def anew(state: SessionState, said: UserTurn) -> UserTurn:
    """A turn without the results that are known: a client that sends its whole list sends the registry's with it."""
    waiting = awaited(state)
    if all(result.call_id in waiting for result in said.tool_results):
        return said
    return msgspec.structs.replace(said, tool_results=tuple(one for one in said.tool_results if one.call_id in waiting))


def settle(state: SessionState, said: UserTurn, *, turn: int, keep: bool) -> tuple[list[OpenCall], list[OpenCall]]:
    """Close the client's calls at the begin of a turn.

    Args:
        keep: the turn is a person's to answer, who has the conversation: what the agent waits for stays open.

    Returns:
        The calls that the turn brings results for, filled in; and the agent's own, which its runs may still answer.
    """
    # Of two results for one call the first counts: the second finds the call answered.
    results = {result.call_id: result for result in reversed(said.tool_results)}
    answered: list[OpenCall] = []
    own: list[OpenCall] = []
    left: list[OpenCall] = []
    others_wait = any(known.call.call_id not in results for known in _waiting(state))
    for known in state.calls:
        result = results.get(known.call.call_id)
        # What one has given is told with what the last one gives.
        waits = others_wait if known.told else result is None
        if keep and (known.call.runs_on == "agent" or waits):
            left.append(known)
            continue
        if known.call.runs_on == "agent":
            own.append(known)
            continue
        if known.told:
            answered.append(known)
            continue
        if result is not None:
            known.call = msgspec.structs.replace(
                known.call,
                result=result.content,
                is_error=result.is_error,
                result_id=result.message_id,
                result_turn=turn,
            )
            note_result(state, known.call)
            answered.append(known)
        forget(state, [known.call.call_id])
    state.calls = left
    return answered, own


def harmless(own: Sequence[OpenCall], asked: Sequence[Interrupt], answers: Sequence[Answer]) -> bool:
    """Whether a turn may be run twice, given the calls that it may let run: one that was refused runs not at all."""
    refused = {answer.interrupt_id for answer in answers if answer.status == "cancelled"}
    refused_calls = {one.tool_call_id for one in asked if one.interrupt_id in refused}
    return all(known.repeatable or known.call.call_id in refused_calls for known in own)


def show_results(step: Progress, answered: Sequence[OpenCall]) -> tuple[ToolResult, ...]:
    """Show what a client's tools returned, and give it as the agent is told it."""
    for known in answered:
        if not known.told:
            _emit_result(step, known, earlier=True, began_ms=known.called_ms)
    return tuple(
        ToolResult(
            call_id=known.call.call_id,
            content=known.call.result or "",
            is_error=known.call.is_error,
            name=known.call.name,
            arguments=known.call.arguments,
        )
        for known in answered
    )


def carry_over(state: SessionState, turn: OpenTurn, *, stopped_to_ask: bool) -> None:
    """Keep what a turn that ends leaves to the next one: a client's calls, and the agent's own where it asks."""
    for known in turn.response.calls:
        if known.call.runs_on == "server":
            forget(state, [known.call.call_id] if known.call.result is not None else [])
            continue
        waits = known.call.result is None and (known.call.runs_on == "client" or stopped_to_ask)
        if waits:
            state.calls.append(known)
        else:
            forget(state, [known.call.call_id])
    unanswered = [known for known in turn.calls if known.call.result is None]
    if stopped_to_ask:
        state.calls.extend(unanswered)
    else:
        forget(state, [known.call.call_id for known in unanswered])


def lose(step: Progress) -> None:
    """Close the calls of a run that is lost and made again: nobody is to wait for them, nor to run them."""
    response = step.open_turn().response
    for known in response.calls:
        if known.call.result is None and known.call.runs_on != "server":
            lost = msgspec.structs.replace(known.call, result="the run was lost", is_error=True)
            _emit_result(step, msgspec.structs.replace(known, call=lost), earlier=False, began_ms=known.called_ms)
    forget(step.state, [known.call.call_id for known in response.calls])


def give_up(state: SessionState, turn: OpenTurn) -> None:
    """Drop the calls of a turn that was cut short or failed: nobody runs them any more."""
    forget(state, [known.call.call_id for known in (*turn.response.calls, *turn.calls)])


def forget(state: SessionState, call_ids: list[str]) -> None:
    """Note calls of which no result is needed any more: a client that sends its whole list again sends theirs too."""
    state.closed_calls.extend(one for one in call_ids if one not in state.closed_calls)
    del state.closed_calls[: -limits.RECENT_DECISIONS]


def note_result(state: SessionState, done: ToolCall) -> None:
    """Write a late result into the message that called; the latest one where an id was used again."""
    for place in range(len(state.history) - 1, -1, -1):
        message = state.history[place]
        if any(one.call_id == done.call_id for one in message.calls):
            calls = tuple(done if one.call_id == done.call_id else one for one in message.calls)
            state.history[place] = msgspec.structs.replace(message, calls=calls)
            return


# Any: fields of an event.
def _emit_result(
    step: Progress, known: OpenCall, *, earlier: bool, began_ms: int, response_id: str = "", **of_turn: Any
) -> None:
    """Tell a result, by default as part of the open answer."""
    done = known.call
    step.emit(
        ToolReturned,
        response_id=response_id or step.open_turn().response.response_id,
        call_id=done.call_id,
        name=done.name,
        arguments=done.arguments,
        runs_on=done.runs_on,
        result=done.result,
        is_error=done.is_error,
        earlier=earlier,
        duration_ms=step.now_ms - began_ms,
        redact=known.redact,
        **of_turn,
    )
