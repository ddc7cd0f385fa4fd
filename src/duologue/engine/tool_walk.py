"""The steps of a call of the registry's: it moves, is carried out, and comes to its end, once."""

import hashlib
from typing import Any

import msgspec

from duologue.engine import tools
from duologue.engine.progress import Progress
from duologue.engine.state import OpenCall, SessionState
from duologue.engine.tools_state import Known, ServerCall
from duologue.model import limits
from duologue.model.content import Runner, ToolCall, ToolResult
from duologue.model.effects import RunTool
from duologue.model.events import ToolMoved, ToolReturned
from duologue.model.tools import DecidedBy, Disposition, ToolOrder, ToolSpec, ToolStatus


def digest(name: str, arguments: str) -> str:
    """What makes two calls the same: the tool, and its arguments however they are spelled in JSON."""
    return _print(name, _spelled(_read(arguments)))


# JSON of the tool's own design: no narrower type exists.
def _read(arguments: str) -> dict[str, Any]:
    """Read arguments so that what is the same is spelled the same: 1 and 1.0 are one number, as in JavaScript."""
    return msgspec.json.Decoder(dict[str, Any], float_hook=_number).decode(arguments or "{}")


def _number(text: str) -> int | float:
    number = float(text)
    # Larger ones are not exact.
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


# JSON of the tool's own design.
def _spelled(value: dict[str, Any]) -> bytes:
    return msgspec.json.encode(value, order="sorted")


def key_of(state: SessionState, spec: ToolSpec, arguments: str, digested: str) -> str:
    """The idempotency key of a call; empty where its tool has none."""
    mode = spec.idempotency.mode
    if mode == "none":
        return ""
    if mode == "key":
        given = _read(arguments)
        named = {name: given.get(name) for name in spec.idempotency.key_arguments}
        digested = _print(spec.name, _spelled(named))
    return _print(state.session_id, digested.encode())


def _print(name: str, what: bytes) -> str:
    return hashlib.blake2b(name.encode() + b"\0" + what, digest_size=16).hexdigest()


def runner(spec: ToolSpec | None) -> Runner:
    """Who carries a tool out, as others are told."""
    return "client" if spec is not None and spec.kind == "client" else "server"


def moved(
    step: Progress,
    call: ServerCall,
    status: ToolStatus,
    *,
    decided_by: str = "",
    via: DecidedBy | None = None,
    reason: str = "",
) -> None:
    """Let a call take a step that is not its last."""
    call.status = status
    _note_status(step.state, call, status)
    step.emit(
        ToolMoved,
        response_id=call.response_id,
        call_id=call.call_id,
        name=call.name,
        status=status,
        policy=call.spec.policy,
        key=call.key,
        approval=call.approval if status in ("awaiting_approval", "pending_supervisor", "async_pending") else None,
        decided_by=decided_by,
        decided_via=via,
        reason=reason,
        **_of_turn(step.state, call),
    )


def execute(step: Progress, call: ServerCall, *, awaited: bool) -> None:
    """Let a call be carried out.

    Args:
        awaited: the open answer waits for it.
    """
    call.awaited = awaited
    moved(step, call, "executing")
    if call.in_turns and awaited:
        _leave_to_client(step, call)
    else:
        order(step, call)


def _leave_to_client(step: Progress, call: ServerCall) -> None:
    """Let a client carry out what may run now: the answer ends, and a turn of the client's brings the result."""
    state, response = step.state, step.open_turn().response
    call.awaited = False
    state.tools.calls = [one for one in state.tools.calls if one is not call]
    left = ToolCall(call_id=call.call_id, name=call.name, arguments=call.arguments, runs_on="client")
    note(state, left)
    if all(known.call is not left for known in response.calls):
        placed = OpenCall(call=left, called_ms=call.called_ms, redact=call.spec.redact, response_id=call.response_id)
        state.calls.append(placed)
        response.left = (*response.left, call.call_id)


def order(step: Progress, call: ServerCall) -> None:
    """Order a call to be carried out, also once more where a server died meanwhile."""
    spec = call.spec
    call.attempt += 1
    attempts_ms = (spec.timeout_ms + limits.TOOL_BETWEEN_MS) * (spec.retries + 1)
    call.due_ms = step.now_ms + attempts_ms + limits.TOOL_REPORT_MS
    made = ToolOrder(
        response_id=call.response_id,
        turn=call.turn,
        call_id=call.call_id,
        arguments=call.arguments,
        key=call.key or _print(step.state.session_id, f"{call.response_id} {call.call_id}".encode()),
        spec=spec,
        attempt=call.attempt,
    )
    step.effects.append(RunTool(order=made))


def settle(
    step: Progress,
    call: ServerCall,
    status: ToolStatus,
    result: str,
    *,
    is_error: bool,
    code: str = "",
    disposition: Disposition | None = None,
    perhaps_done: bool = False,
) -> ToolResult:
    """Bring a call to its end, and tell of it.

    Args:
        perhaps_done: of a failure: the same call is not to be made again.

    Returns:
        What the agent is told.
    """
    state, turn = step.state, step.state.open
    state.tools.calls = [one for one in state.tools.calls if one is not call]
    ran = call.status == "executing"
    call.status = status
    if ran and call.key and (status != "failed" or perhaps_done or code == UNKNOWN_OUTCOME):
        _remember(step, call, result, is_error=is_error)
    # A turn that waits for more to be said has no answer now; and where none is open, the one that called is over.
    idle = turn is None or (turn.voice is not None and turn.voice.held)
    response_id = call.response_id if turn is None or idle else turn.response.response_id
    earlier = idle or response_id != call.response_id
    result_turn = turn.number if turn is not None and turn.number > call.turn else 0
    done = ToolCall(
        call_id=call.call_id,
        name=call.name,
        arguments=call.arguments,
        runs_on="server",
        result=result,
        is_error=is_error,
        result_turn=result_turn,
        status=status,
    )
    note(state, done)
    tools.forget(state, [call.call_id])
    step.emit(
        ToolReturned,
        response_id=response_id,
        call_id=call.call_id,
        name=call.name,
        arguments=call.arguments,
        runs_on=runner(call.spec),
        result=result,
        is_error=is_error,
        earlier=earlier,
        duration_ms=step.now_ms - call.called_ms,
        status=status,
        key=call.key,
        disposition=disposition,
        policy=call.spec.policy,
        error_code=code,
        redact=call.spec.redact,
        **_of_turn(state, call),
    )
    return told(call, result, is_error=is_error)


UNKNOWN_OUTCOME = "outcome_unknown"
"""The code of a call of which nobody knows whether it was carried out."""


def told(call: ServerCall, result: str, *, is_error: bool) -> ToolResult:
    """A result as the agent is told it."""
    return ToolResult(
        call_id=call.call_id,
        content=result,
        is_error=is_error,
        name=call.name,
        arguments=call.arguments,
        status=call.status,
    )


def give(step: Progress, call: ServerCall, result: ToolResult) -> None:
    """Tell a result to the next run of the open answer, unless the run that called it has waited for it."""
    turn = step.open_turn()
    response = turn.response
    if call.within and call.response_id == response.response_id and not response.waiting:
        # It has said nothing because it waited.
        response.last_item_ms = step.now_ms
    else:
        turn.news.append(result)


def _remember(step: Progress, call: ServerCall, result: str, *, is_error: bool) -> None:
    """Keep what duplicates are recognised by; of the oldest no result is kept, only that there was one."""
    known = step.state.tools.known
    until_ms = step.now_ms + call.spec.idempotency.ttl_ms
    known.append(
        Known(
            name=call.name,
            key=call.key,
            digest=call.digest,
            call_id=call.call_id,
            until_ms=until_ms,
            result=result,
            is_error=is_error,
        )
    )
    del known[: -limits.TOOL_KEYS]
    if len(known) > limits.TOOL_KEY_RESULTS:
        place = len(known) - limits.TOOL_KEY_RESULTS - 1
        known[place] = msgspec.structs.replace(known[place], result=None)


# Any: fields of an event.
def _of_turn(state: SessionState, call: ServerCall) -> dict[str, Any]:
    """The call's own turn, where none is open that the event would belong to."""
    return {} if state.open is not None else {"turn": call.turn, "request_id": call.request_id}


def _note_status(state: SessionState, call: ServerCall, status: ToolStatus) -> None:
    """Write how far a call has come to where it was called, while its answer is open."""
    turn = state.open
    if turn is None or turn.response.response_id != call.response_id:
        return
    for known in turn.response.calls:
        if known.call.call_id == call.call_id:
            known.call = msgspec.structs.replace(known.call, status=status)


def note(state: SessionState, done: ToolCall) -> None:
    """Write a result to where it was called: into the open answer, a lost run of it, or the history."""
    turn = state.open
    if turn is not None:
        for known in turn.response.calls:
            if known.call.call_id == done.call_id and known.call.runs_on == "server":
                known.call = done
                return
        for place, message in enumerate(turn.earlier):
            if any(one.call_id == done.call_id for one in message.calls):
                calls = tuple(done if one.call_id == done.call_id else one for one in message.calls)
                turn.earlier[place] = msgspec.structs.replace(message, calls=calls)
                return
    tools.note_result(state, done)
