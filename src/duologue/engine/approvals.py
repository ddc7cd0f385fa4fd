"""Approvals: who has to let a call run, what they are asked, and what became of it. The first decision counts."""

import hashlib
import re
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from duologue.engine import tool_walk
from duologue.engine.progress import Progress
from duologue.engine.state import SessionState
from duologue.engine.tools_state import Decided, Fate, ServerCall
from duologue.model import limits
from duologue.model.content import Answer, Interrupt
from duologue.model.errors import Code, Problem
from duologue.model.tools import Approval, ApprovalDecided, ToolStatus

REASON: Final = "tool_approval"
"""The `reason` of an interrupt that asks whether a tool may run; its `metadata` has `tool`, `arguments`, `digest`."""

_SCHEMA: Final = {
    "type": "object",
    "properties": {"approved": {"type": "boolean"}},
    "required": ["approved"],
}

_PLACE: Final = re.compile(r"\{([^{}]+)\}")
"""Where an argument stands in the declared words."""

_DECIDES: Final = {"user_confirm": "user", "supervisor_approve": "supervisor", "async_pending": "callback"}


def ask(step: Progress, call: ServerCall, status: ToolStatus) -> ToolStatus:
    """Let a call wait until somebody has decided about it."""
    state, spec = step.state, call.spec
    state.tools.approvals += 1
    # With the moment: an approval of a removed session of this id, and whatever was signed about it, is another one.
    opened = f" {state.opened_ms}" if state.opened_ms else ""
    name = f"{state.session_id} {state.tools.approvals} {call.digest}{opened}"
    call.due_ms = step.now_ms + spec.approval_ttl_ms
    call.approval = Approval(
        approval_id=hashlib.blake2b(name.encode(), digest_size=12).hexdigest(),
        call_id=call.call_id,
        tool=call.name,
        arguments=call.arguments,
        digest=call.digest,
        policy=spec.policy,
        person=state.subject,
        prompt=prompt(spec.confirm, call.name, call.arguments),
        asked_ms=step.now_ms,
        expires_ms=call.due_ms,
        side_effect=spec.side_effect,
        redact=spec.redact,
    )
    tool_walk.moved(step, call, status)
    return status


def prompt(wording: str, tool: str, arguments: str) -> str:
    """What is asked: the declared words with the arguments in their places, or the tool with all its arguments."""
    given = msgspec.json.decode(arguments or "{}", type=dict[str, Any])
    if not wording:
        shown = ", ".join(f"{name} {_shown(value)}" for name, value in given.items())
        return f"{tool}: {shown}" if shown else tool
    # In one pass: what an argument says is no wording, so braces in it stand for nothing.
    return _PLACE.sub(lambda place: _shown(given[place[1]]) if place[1] in given else place[0], wording)


# Any: JSON of the tool's own design.
def _shown(value: Any) -> str:
    """A value for people; a long one is cut, and the exact ones stand beside."""
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return text if len(text) <= limits.APPROVAL_VALUE_CHARS else text[: limits.APPROVAL_VALUE_CHARS] + "…"


def interrupt(call: ServerCall) -> Interrupt:
    """What the person is asked, as what the run waits for."""
    approval = call.approval
    assert approval is not None, "nobody is asked"
    return Interrupt(
        interrupt_id=approval.approval_id,
        reason=REASON,
        message=approval.prompt,
        tool_call_id=call.call_id,
        response_schema=dict(_SCHEMA),
        expires_at=datetime.fromtimestamp(approval.expires_ms / 1000, UTC).isoformat(timespec="milliseconds"),
        metadata={
            "tool": call.name,
            "arguments": msgspec.json.decode(call.arguments or "{}"),
            "digest": approval.digest,
        },
        redact=approval.redact,
    )


def find(state: SessionState, approval_id: str) -> ServerCall | None:
    """The call that waits for a decision."""
    for call in state.tools.calls:
        waits = call.status in ("awaiting_approval", "pending_supervisor", "async_pending")
        if waits and call.approval is not None and call.approval.approval_id == approval_id:
            return call
    return None


def open_ones(state: SessionState) -> list[ServerCall]:
    """The calls that the person was asked about, and has not decided."""
    asked = {one.interrupt_id for one in state.interrupts}
    return [one for one in state.tools.calls if one.approval is not None and one.approval.approval_id in asked]


def closed(step: Progress, call: ServerCall, fate: Fate, *, by: str = "") -> None:
    """Note what became of an approval, so that a second decision is told so."""
    assert call.approval is not None, "nobody was asked"
    decided = step.state.tools.decided
    decided.append(
        Decided(approval_id=call.approval.approval_id, fate=fate, by=by, at_ms=step.now_ms, call_id=call.call_id)
    )
    del decided[: -limits.RECENT_DECISIONS]


def objection(state: SessionState, decision: ApprovalDecided, now_ms: int) -> Problem | None:
    """What is wrong with a decision; `None` where it counts."""
    call = find(state, decision.approval_id)
    if call is None or call.approval is None:
        return _gone(state, decision.approval_id)
    approval = call.approval
    if now_ms >= approval.expires_ms:
        return _expired(approval.expires_ms)
    if _DECIDES[approval.policy] != decision.via or (decision.via == "user" and decision.by != approval.person):
        return Problem(code=Code.FORBIDDEN, message="this approval is somebody else's to decide")
    exact = decision.arguments is None or _same(approval, decision.arguments)
    if not exact or decision.digest not in (None, approval.digest):
        return changed("$")
    return None


def changed(path: str) -> Problem:
    """The refusal of a decision about something else than was asked."""
    message = "that decides about another call than the one that waits; look at its arguments again"
    return Problem(code=Code.APPROVAL_CHANGED, message=message, path=path)


def _same(approval: Approval, arguments: str) -> bool:
    try:
        return tool_walk.digest(approval.tool, arguments) == approval.digest
    except (ValueError, RecursionError):
        return False


def _gone(state: SessionState, approval_id: str) -> Problem:
    for one in reversed(state.tools.decided):
        if one.approval_id == approval_id:
            return _expired(one.at_ms) if one.fate == "expired" else _decided(one)
    return Problem(code=Code.APPROVAL_UNKNOWN, message=f"there is no approval {approval_id[:128]!r}")


def _expired(at_ms: int) -> Problem:
    return Problem(code=Code.APPROVAL_EXPIRED, message=f"the time to decide was over at {_moment(at_ms)}")


def _decided(one: Decided) -> Problem:
    by = f" by {one.by[:128]}" if one.by else ""
    what = "given up" if one.fate == "given_up" else f"decided ({one.fate})"
    return Problem(code=Code.APPROVAL_DECIDED, message=f"it was already {what}{by} at {_moment(one.at_ms)}")


def _moment(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="seconds")


def unfit_answer(state: SessionState, answer: Answer) -> Problem | None:
    """What is wrong with an answer to the question whether a tool may run; `None` where it is none, or fits."""
    call = find(state, answer.interrupt_id)
    if call is None or call.approval is None or answer.status == "cancelled":
        return None
    payload = _payload(answer)
    if not isinstance(payload.get("approved"), bool):
        message = 'the answer to an approval is {"approved": true} or {"approved": false}'
        return Problem(code=Code.BAD_MESSAGE, message=message, path="$.resume")
    given = payload.get("arguments")
    if given is not None and not _same(call.approval, msgspec.json.encode(given).decode()):
        return changed("$.resume")
    return changed("$.resume") if payload.get("digest") not in (None, call.approval.digest) else None


def approves(answer: Answer) -> bool:
    """Whether an answer lets the tool run."""
    return answer.status == "resolved" and _payload(answer).get("approved") is True


# JSON of the client's own design: no narrower type exists.
def _payload(answer: Answer) -> dict[str, Any]:
    """What an answer says, where it is an object; else nothing."""
    # JSON of the client's own design: no narrower type exists.
    payload: Any = answer.payload
    return msgspec.convert(payload, dict[str, Any]) if isinstance(payload, dict) else {}
