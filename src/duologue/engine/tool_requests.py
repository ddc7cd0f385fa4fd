"""Requests: what becomes of a call of the registry's when a run makes it.

Whatever is not known, not allowed or not meant as declared fails closed: nothing runs, and the agent is told why.
"""

import msgspec

from duologue.engine import approvals, tool_walk, tools
from duologue.engine.progress import Progress
from duologue.engine.state import OpenTurn, SessionState
from duologue.engine.tools_state import Known, ServerCall
from duologue.model.content import ToolCall
from duologue.model.inputs import AgentRequested
from duologue.model.tools import ToolSpec


def request(step: Progress, item: AgentRequested) -> str | None:
    """Take a call that a run makes of a tool of the registry's, or of one that nobody has.

    Returns:
        What is wrong with the run that makes it; `None` where the call was taken, also where it was refused.
    """
    turn, state = step.open_turn(), step.state
    wrong = tools.unfit(state, turn, item)
    if wrong is None and any(one.call_id == item.call_id for one in state.tools.calls):
        wrong = f"a second tool call with the id {item.call_id!r}"
    if wrong is not None:
        return wrong
    call = _make(step, turn, item)
    made = ToolCall(call_id=item.call_id, name=item.name, arguments=item.arguments, runs_on="server")
    tools.place(step, made, repeatable=True, told_as=tool_walk.runner(item.spec), redact=call.spec.redact)
    state.tools.calls.append(call)
    tool_walk.moved(step, call, "requested")
    turn.response.requested = turn.response.requested or not item.waits
    if not _refused(step, turn, call, item) and not _duplicate(step, call):
        _let_walk(step, call)
    return None


def _make(step: Progress, turn: OpenTurn, item: AgentRequested) -> ServerCall:
    # What nobody declares is like what is denied.
    spec = item.spec or ToolSpec(name=item.name, kind="python", policy="denied")
    digested = tool_walk.digest(item.name, item.arguments)
    return ServerCall(
        call_id=item.call_id,
        name=item.name,
        arguments=item.arguments,
        spec=spec,
        response_id=turn.response.response_id,
        turn=turn.number,
        request_id=turn.request_id,
        key=tool_walk.key_of(step.state, spec, item.arguments, digested),
        digest=digested,
        called_ms=step.now_ms,
        within=item.waits,
        in_turns=item.in_turns,
    )


def _refused(step: Progress, turn: OpenTurn, call: ServerCall, item: AgentRequested) -> bool:
    """Whether a call is refused, and told so."""
    spec, granted = item.spec, turn.said.granted
    missing = [] if spec is None or granted is None else sorted(set(spec.scopes) - set(granted))
    if spec is None and not tools.offers(turn, item.name):
        _end(step, call, f"unknown tool: nobody has a tool {item.name!r}", code="unknown_tool")
    elif spec is None or item.wrong:
        _end(step, call, item.wrong, code="bad_arguments")
    elif missing:
        _deny(step, call, f"the person is not granted {', '.join(missing)}", code="missing_scope")
    elif spec.policy == "denied":
        _deny(step, call, "this tool may not be used", code="policy")
    else:
        return False
    return True


def _end(step: Progress, call: ServerCall, why: str, *, code: str) -> None:
    tool_walk.give(step, call, tool_walk.settle(step, call, "failed", why, is_error=True, code=code))


def _deny(step: Progress, call: ServerCall, why: str, *, code: str) -> None:
    tool_walk.give(step, call, tool_walk.settle(step, call, "denied", why, is_error=True, code=code))


def _duplicate(step: Progress, call: ServerCall) -> bool:
    """Whether the call was made before, and told what became of that."""
    if not call.key:
        return False
    for one in step.state.tools.calls:
        if one is not call and (one.name, one.key) == (call.name, call.key):
            why = f"the same call is on its way already, as {one.call_id!r}"
            _double(step, call, why, same=one.digest == call.digest, replay=None)
            return True
    known = _known(step.state, call, step.now_ms)
    if known is None:
        return False
    why = f"the same call was made before, as {known.call_id!r}"
    _double(step, call, why, same=known.digest == call.digest, replay=known)
    return True


def _double(step: Progress, call: ServerCall, why: str, *, same: bool, replay: Known | None) -> None:
    if not same:
        why = f"another input was given before under the same key: {why}"
        result = tool_walk.settle(step, call, "duplicate", why, is_error=True, code="conflict", disposition="conflict")
    elif replay is not None and replay.result is not None and call.spec.idempotency.on_duplicate == "replay":
        result = tool_walk.settle(
            step, call, "duplicate", replay.result, is_error=replay.is_error, disposition="replayed"
        )
    else:
        result = tool_walk.settle(step, call, "duplicate", why, is_error=True, code="duplicate", disposition="rejected")
    tool_walk.give(step, call, result)


def _known(state: SessionState, call: ServerCall, now_ms: int) -> Known | None:
    """The latest call with the same key that is still remembered."""
    for known in reversed(state.tools.known):
        if (known.name, known.key) == (call.name, call.key) and now_ms < known.until_ms:
            return known
    return None


def _let_walk(step: Progress, call: ServerCall) -> None:
    match call.spec.policy:
        case "auto":
            tool_walk.execute(step, call, awaited=True)
        case "user_confirm":
            approvals.ask(step, call, "awaiting_approval")
        case "supervisor_approve":
            _go_on_without(step, call, approvals.ask(step, call, "pending_supervisor"))
        case "async_pending":
            _go_on_without(step, call, approvals.ask(step, call, "async_pending"))
        case "denied":
            raise AssertionError("what is denied is refused")


def _go_on_without(step: Progress, call: ServerCall, status: str) -> None:
    """Tell the agent for now that somebody else has to decide."""
    meanwhile = msgspec.json.encode({"status": status}).decode()
    done = ToolCall(
        call_id=call.call_id,
        name=call.name,
        arguments=call.arguments,
        runs_on="server",
        result=meanwhile,
        status=call.status,
    )
    tool_walk.note(step.state, done)
    tool_walk.give(step, call, tool_walk.told(call, meanwhile, is_error=False))
