"""`POST /handoff/desk`: what another desk calls, signed with the secret that it shares with this server."""

import dataclasses
from functools import partial
from typing import assert_never

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from duologue.adapters.desk_webhook import HEADER, Calls, DeskCall, read_call
from duologue.adapters.desk_webhook import calls as c
from duologue.model.errors import Code, Problem, Refused
from duologue.model.inputs import HandoffFailed, HandoffPlaced
from duologue.model.replies import Repeated
from duologue.runtime.desk.acting import Acting, Done
from duologue.runtime.desk.news import HandoffRow, row
from duologue.runtime.desk.rules import ELSEWHERE, Card
from duologue.server.auth import Identity
from duologue.server.context import Context, read_body
from duologue.server.operations import Body, Operation, Parameter, noted
from duologue.server.routes.guard import guarded_routes, json
from duologue.server.settings_handoff import AT_MOST_MAX


def routes(context: Context) -> list[Route]:
    """The address for another desk; what was called is remembered as long as the application lives."""
    calls = Calls(context.settings.handoff.desk_secret, started_ms=context.hub.clock.now_ms())
    handlers = [dataclasses.replace(one, handler=partial(_take, calls)) for one in OPERATIONS]
    return guarded_routes(context, context.chat, handlers)


class CallTaken(msgspec.Struct, frozen=True, kw_only=True):
    """The handoff as it stands; `repeated`: a call of this id was taken before, and nothing was done."""

    handoff: HandoffRow
    repeated: bool = False


async def _take(calls: Calls, context: Context, request: Request, _anybody: Identity) -> Response:
    desk, settings = context.hub.desk, context.settings.handoff
    if desk is None or not settings.desk_url:
        raise Refused(Problem(code=Code.UNSUPPORTED, message="no other desk is set: handoff.desk_url is empty"))
    now_ms = context.hub.clock.now_ms()
    body = await read_body(request, limit=context.settings.server.frame_bytes)
    if (problem := calls.objection(body, request.headers.get(HEADER, ""), now_ms=now_ms)) is not None:
        raise Refused(problem)
    call = read_call(body)
    if isinstance(call, Problem):
        raise Refused(call)
    noted(request, handoff_id=call.handoff_id, call=call.id)
    taken = calls.take(call.id, now_ms=now_ms)
    if isinstance(taken, Problem):
        raise Refused(taken)
    acting = Acting(desk)
    if not taken:
        return json(CallTaken(handoff=row(acting.known(call.handoff_id)), repeated=True))
    try:
        done = await _do(acting, call)
    except BaseException:
        calls.give_back(call.id)
        raise
    calls.done(call.id)
    return json(CallTaken(handoff=row(done.entry), repeated=isinstance(done.reply, Repeated)))


async def _do(acting: Acting, call: DeskCall) -> Done:
    """Do what a call says; may raise as what operators do here."""
    name = call.handoff_id
    match call:
        case c.Placed():
            return await acting.tell(HandoffPlaced(handoff_id=name, position=call.position, wait_ms=call.wait_ms))
        case c.Failed():
            return await acting.tell(HandoffFailed(handoff_id=name, reason=call.reason))
        case c.Connecting():
            return await acting.connect(name, _card(call))
        case c.Joined():
            return await acting.take(name, _card(call))
        case c.Held():
            return await acting.hold(name, _card(call))
        case c.Returned():
            return await acting.resume(name, _card(call))
        case c.Said():
            return await acting.say(name, _card(call), call.text, message_id=ELSEWHERE + call.id)
        case c.HandedBack():
            return await acting.hand_back(name, _card(call), note=call.note)
        case c.Resolved():
            return await acting.resolve(name, _card(call), note=call.note)
        case _:
            assert_never(call)


def _card(call: c.ByOperator) -> Card:
    """An operator elsewhere: what they can do, and how much, is that desk's to know."""
    return Card(operator_id=ELSEWHERE + call.operator_id, name=call.operator_name, at_most=AT_MOST_MAX)


OPERATIONS = (
    Operation(
        method="POST",
        path="/handoff/desk",
        summary="What another desk calls, signed with the secret that it shares with this server; each id once.",
        handler=partial(_take, Calls("", started_ms=0)),
        scope=None,
        body=Body(
            shapes=(
                c.Placed,
                c.Failed,
                c.Connecting,
                c.Joined,
                c.Held,
                c.Returned,
                c.Said,
                c.HandedBack,
                c.Resolved,
            )
        ),
        parameters=(
            Parameter(
                name=HEADER,
                place="header",
                about="t=<seconds since 1970>,v1=<HMAC-SHA256 of the time, a dot and the body, in hex>.",
                shape={"type": "string"},
            ),
        ),
        answers=((200, Body(shape=CallTaken)),),
        problems=(400, 401, 403, 404, 409),
        audited="handoff.desk",
    ),
)
"""The address for another desk."""
