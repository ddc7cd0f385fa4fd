"""Calls of tools that wait for a decision: seen and decided by the staff and by programs, and by a signed callback."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from duologue.model import jsonwire, limits
from duologue.model.errors import Code, Problem, Refused
from duologue.model.replies import Rejected
from duologue.model.tools import ApprovalDecided, ApprovalPolicy, DecidedBy, Decision
from duologue.server import signing
from duologue.server.approvals_told import ApprovalSeen, seen
from duologue.server.auth import Identity
from duologue.server.context import Context, address_of, first_headers, read_body
from duologue.server.operations import Body, Operation, Parameter, noted
from duologue.server.routes.guard import guarded_routes, json

BODY_BYTES: Final = 256 * 1024
"""Largest decision: it may repeat the call's arguments."""


def routes(context: Context) -> list[Route]:
    """The addresses of approvals."""
    return guarded_routes(context, context.chat, OPERATIONS)


class ApprovalsSeen(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What waits for a decision, the oldest first, and whether there is more than that."""

    approvals: list[ApprovalSeen]
    more: bool


class DecisionAsked(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """A decision, about the very call that was shown.

    `digest` is the one that was shown; `session_id` helps to find an approval that was decided before the last start.
    """

    decision: Decision
    digest: Annotated[str, Meta(min_length=1, max_length=128)]
    reason: Annotated[str, Meta(max_length=limits.APPROVAL_REASON_CHARS)] = ""
    session_id: Annotated[str, Meta(min_length=1, max_length=limits.SESSION_ID_CHARS)] | None = None


class Settled(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The decision counts."""

    approval_id: str
    decision: Decision


_asked: Final = msgspec.json.Decoder(DecisionAsked)

_DECIDES: Final[dict[ApprovalPolicy, DecidedBy]] = {
    "supervisor_approve": "supervisor",
    "async_pending": "callback",
}
"""Who decides here: a person decides about their own calls in the conversation."""


async def _list(context: Context, request: Request, identity: Identity) -> Response:
    """`GET /api/approvals`."""
    del identity
    wanted = request.query_params.get("sessionId")
    found = [one for one in context.tooling.approvals if wanted in (None, one.session_id)]
    shown = [seen(one) for one in found[: limits.APPROVALS_LISTED]]
    return json(ApprovalsSeen(approvals=shown, more=len(found) > len(shown)))


async def _decide(context: Context, request: Request, identity: Identity) -> Response:
    """`POST /api/approvals/{approval_id}`."""
    asked = _read(await read_body(request, limit=BODY_BYTES))
    pending = context.tooling.approvals.find(request.path_params["approval_id"])
    if pending is not None and pending.approval.policy not in _DECIDES:
        message = "this call is the person's to confirm, in the conversation"
        raise Refused(Problem(code=Code.FORBIDDEN, message=message))
    via = "supervisor" if pending is None else _DECIDES[pending.approval.policy]
    return await _settle(context, request, asked, by=identity.name or identity.subject, via=via)


async def _callback(context: Context, request: Request, anybody: Identity) -> Response:
    """`POST /api/approvals/{approval_id}/callback`: whoever was asked at `tools.approver_url` answers."""
    del anybody
    context.gate.listen_to(address_of(request))
    secret = context.settings.tools.approver_secret
    body = await read_body(request, limit=BODY_BYTES)
    fault = (
        "this server takes no callbacks: tools.approver_secret is not set"
        if not secret
        else signing.fault_of(
            first_headers(request).get(signing.HEADER.lower(), ""),
            secret=secret,
            approval_id=request.path_params["approval_id"],
            body=body,
            now_ms=context.hub.clock.now_ms(),
        )
    )
    if fault is not None:
        context.audit.note("approval.callback", outcome=Code.AUTH_FAILED, address=address_of(request))
        context.gate.failed(address_of(request))
        raise Refused(Problem(code=Code.AUTH_FAILED, message=fault))
    pending = context.tooling.approvals.find(request.path_params["approval_id"])
    if pending is not None and pending.approval.policy != "async_pending":
        raise Refused(Problem(code=Code.FORBIDDEN, message="this call is not decided by a callback"))
    return await _settle(context, request, _read(body), by="callback", via="callback")


async def _settle(context: Context, request: Request, asked: DecisionAsked, *, by: str, via: DecidedBy) -> Response:
    """Tell the session of a decision; the first one counts, and its answer comes once it is durable."""
    approval_id: str = request.path_params["approval_id"]
    known = context.tooling.approvals.session_of(approval_id)
    # One that is known to be another session's is none of the named one.
    session_id = None if known and asked.session_id not in (None, known) else known or asked.session_id
    session = None if session_id is None else await context.hub.sessions.obtain(session_id, opening=None)
    if session is None:
        message = f"there is no approval {approval_id[: limits.TOOL_CALL_ID_CHARS]!r}"
        raise Refused(Problem(code=Code.APPROVAL_UNKNOWN, message=message))
    noted(request, session_id=session.state.session_id, decision=asked.decision, by=by)
    reply = await session.submit(
        ApprovalDecided(
            approval_id=approval_id,
            decision=asked.decision,
            by=by,
            via=via,
            digest=asked.digest,
            reason=asked.reason,
        )
    )
    if isinstance(reply, Rejected):
        raise Refused(reply.problem)
    return json(Settled(approval_id=approval_id, decision=asked.decision))


def _read(body: bytes) -> DecisionAsked:
    asked = jsonwire.read(body, _asked)
    if isinstance(asked, Problem):
        raise Refused(asked)
    return asked


OPERATIONS = (
    Operation(
        method="GET",
        path="/api/approvals",
        summary="The calls of tools that wait for a decision, the oldest first.",
        handler=_list,
        scope="approvals:decide",
        parameters=(
            Parameter(
                name="sessionId",
                place="query",
                about="Only those of one session.",
                shape={"type": "string", "minLength": 1, "maxLength": limits.SESSION_ID_CHARS},
            ),
        ),
        answers=((200, Body(shape=ApprovalsSeen)),),
    ),
    Operation(
        method="POST",
        path="/api/approvals/{approval_id}",
        summary="Let a call run, or not. The first decision counts.",
        handler=_decide,
        scope="approvals:decide",
        body=Body(shape=DecisionAsked),
        answers=((200, Body(shape=Settled)),),
        problems=(404, 409),
        audited="approval.decided",
    ),
    Operation(
        method="POST",
        path="/api/approvals/{approval_id}/callback",
        summary="Decide as whoever was asked at tools.approver_url; signed, and good for a few minutes.",
        handler=_callback,
        scope=None,
        body=Body(shape=DecisionAsked),
        parameters=(
            Parameter(
                name=signing.HEADER,
                place="header",
                about="t=<seconds since 1970>,v1=<HMAC-SHA256 in hex of the time, the approval's id and the body>.",
                shape={"type": "string"},
            ),
        ),
        answers=((200, Body(shape=Settled)),),
        problems=(401, 403, 404, 409),
    ),
)
"""The addresses of approvals."""
