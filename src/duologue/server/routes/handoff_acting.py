"""What is done with handoffs: what a person or a backend asks for, and what operators do."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from duologue.model import jsonwire
from duologue.model.errors import Problem, Refused
from duologue.model.handoff import HandOff
from duologue.model.replies import Repeated
from duologue.runtime.desk.acting import Acting, Done
from duologue.runtime.desk.entries import session_of
from duologue.runtime.desk.news import row
from duologue.runtime.desk.rules import Card
from duologue.server.auth import Identity
from duologue.server.context import Context, read_body
from duologue.server.looking.scope import seen_session
from duologue.server.routes.guard import json
from duologue.server.routes.handoff_desk import desk_of, named_in, operator_of
from duologue.server.routes.handoff_shapes import (
    Aside,
    HandoffAsked,
    HandoffDone,
    Note,
    PassedOn,
    TakeOver,
    Why,
    Words,
)

B = TypeVar("B")

Handler: TypeAlias = Callable[[Context, Request, Identity], Awaitable[Response]]


# What people and backends ask for


async def ask(context: Context, request: Request, identity: Identity) -> Response:
    """`POST /api/handoffs`: for the person whose session it is, or a backend."""
    desk = desk_of(context)
    asked = await _read(context, request, HandoffAsked)
    request.path_params["session_id"] = asked.session_id
    await seen_session(context, request, identity)
    wanted = HandOff(
        reason=asked.reason,
        transfer=asked.transfer,
        target=asked.target,
        skills=asked.skills,
        priority=asked.priority if identity.is_backend else 0,
        summary=asked.summary,
    )
    cause = "api" if identity.is_backend else "person"
    done = await Acting(desk).request(asked.session_id, wanted, cause=cause, by=identity.name or identity.subject)
    return json(HandoffDone(handoff=row(done.entry)), status=201)


async def withdraw(context: Context, request: Request, identity: Identity) -> Response:
    """`DELETE /api/handoffs/{id}`: the person does not want it any more."""
    desk, handoff_id = desk_of(context), named_in(request)
    request.path_params["session_id"] = session_of(handoff_id)
    await seen_session(context, request, identity)
    return _done(await Acting(desk).cancel(handoff_id, by=identity.subject, reason="not wanted any more"))


# What operators do


async def take_over(context: Context, request: Request, identity: Identity) -> Response:
    """`POST /api/handoffs/take-over`: of a conversation that has no handoff yet."""
    asked = await _read(context, request, TakeOver)
    operator = operator_of(context, identity)
    return _done(await Acting(desk_of(context)).take_over(asked.session_id, operator, reason=asked.reason))


def plain(act: Callable[[Acting, str, Card], Awaitable[Done]]) -> Handler:
    """Handle what an operator does without saying more."""

    async def handle(context: Context, request: Request, identity: Identity) -> Response:
        return _done(await act(Acting(desk_of(context)), named_in(request), operator_of(context, identity)))

    return handle


def worded(shape: type[B], act: Callable[[Acting, str, Card, B], Awaitable[Done]]) -> Handler:
    """Handle what an operator does with words of this shape."""

    async def handle(context: Context, request: Request, identity: Identity) -> Response:
        asked = await _read(context, request, shape)
        return _done(await act(Acting(desk_of(context)), named_in(request), operator_of(context, identity), asked))

    return handle


async def say(acting: Acting, handoff_id: str, operator: Card, asked: Words) -> Done:
    """Say something to the person."""
    return await acting.say(handoff_id, operator, asked.text, message_id=asked.message_id)


async def hand_back(acting: Acting, handoff_id: str, operator: Card, asked: Note) -> Done:
    """Give the conversation back to the agent."""
    return await acting.hand_back(handoff_id, operator, note=asked.note)


async def resolve(acting: Acting, handoff_id: str, operator: Card, asked: Note) -> Done:
    """Be done with it."""
    return await acting.resolve(handoff_id, operator, note=asked.note)


async def transfer(acting: Acting, handoff_id: str, operator: Card, asked: PassedOn) -> Done:
    """Pass the conversation on."""
    passed = HandOff(
        reason=asked.reason or f"passed on by {operator.name}",
        transfer=asked.transfer,
        target=asked.target,
        skills=asked.skills,
        priority=asked.priority,
    )
    return await acting.transfer(handoff_id, operator, passed)


async def consult(acting: Acting, handoff_id: str, operator: Card, asked: Aside) -> Done:
    """Talk with a colleague beside the conversation."""
    return await acting.consult(handoff_id, operator, asked.text)


async def cancel(acting: Acting, handoff_id: str, operator: Card, asked: Why) -> Done:
    """Give up what nobody has taken yet."""
    acting.seen(operator)
    return await acting.cancel(handoff_id, by=operator.operator_id, reason=asked.reason)


async def _read(context: Context, request: Request, shape: type[B]) -> B:
    body = await read_body(request, limit=context.settings.server.frame_bytes)
    asked = jsonwire.read(body or b"{}", msgspec.json.Decoder(shape))
    if isinstance(asked, Problem):
        raise Refused(asked)
    return asked


def _done(done: Done) -> Response:
    return json(HandoffDone(handoff=row(done.entry), repeated=isinstance(done.reply, Repeated)))
