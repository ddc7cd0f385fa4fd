"""The addresses of handoffs: `/api/handoffs` and what is below it."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import msgspec
from starlette.routing import Route

from duologue.runtime.desk.acting import Acting, Done
from duologue.runtime.desk.rules import Card
from duologue.server.context import Context
from duologue.server.operations import EVENT_STREAM, JSON_LINES, RESUME, SUBJECT, Body, Json, Operation, Parameter
from duologue.server.routes import handoff_acting as acting
from duologue.server.routes import handoff_reading as reading
from duologue.server.routes.guard import guarded_routes
from duologue.server.routes.handoff_shapes import (
    Aside,
    HandoffAsked,
    HandoffDone,
    HandoffList,
    HandoffSeen,
    Note,
    PassedOn,
    TakeOver,
    Why,
    Words,
)

B = TypeVar("B", bound=msgspec.Struct)


def routes(context: Context) -> list[Route]:
    """The addresses of handoffs."""
    return guarded_routes(context, context.chat, OPERATIONS)


def _asked(name: str, about: str, shape: Json) -> Parameter:
    return Parameter(name=name, place="query", about=about, shape=shape)


def _does(name: str, summary: str, handler: acting.Handler, *, body: Body | None = None) -> Operation:
    """What an operator does with a handoff."""
    return Operation(
        method="POST",
        path=f"/api/handoffs/{{handoff_id}}/{name}",
        summary=summary,
        handler=handler,
        scope="operate",
        body=body,
        parameters=(SUBJECT,),
        answers=((200, Body(shape=HandoffDone)),),
        problems=(400, 404, 409),
        audited=f"handoff.{name}",
    )


def _says(
    name: str,
    summary: str,
    shape: type[B],
    act: Callable[[Acting, str, Card, B], Awaitable[Done]],
    *,
    required: bool = False,
) -> Operation:
    """What an operator does with words of this shape."""
    return _does(name, summary, acting.worded(shape, act), body=Body(shape=shape, required=required))


OPERATIONS = (
    Operation(
        method="GET",
        path="/api/handoffs",
        summary="List handoffs: who waits, in the order in which they are taken, and who is with whom.",
        handler=reading.index,
        scope="operate",
        parameters=(
            SUBJECT,
            _asked("state", "Which ones.", {"enum": ["open", "ended"], "default": "open"}),
        ),
        answers=((200, Body(shape=HandoffList)),),
        problems=(400,),
    ),
    Operation(
        method="POST",
        path="/api/handoffs",
        summary="Ask that a conversation passes on: for the person whose it is, and backends.",
        handler=acting.ask,
        scope="sessions:write",
        body=Body(shape=HandoffAsked),
        parameters=(SUBJECT,),
        answers=((201, Body(shape=HandoffDone)),),
        problems=(400, 404, 409),
        audited="handoff.requested",
    ),
    Operation(
        method="GET",
        path="/api/handoffs/events",
        summary="What happens at the desk, as it happens; everything first. Who may decide is told of approvals too.",
        handler=reading.events,
        scope="operate",
        parameters=(SUBJECT,),
        answers=((200, Body(media_type=EVENT_STREAM)),),
        problems=(400,),
    ),
    Operation(
        method="POST",
        path="/api/handoffs/take-over",
        summary="Take a conversation that nobody has passed on.",
        handler=acting.take_over,
        scope="operate",
        body=Body(shape=TakeOver),
        parameters=(SUBJECT,),
        answers=((200, Body(shape=HandoffDone)),),
        problems=(400, 404, 409),
        audited="handoff.take-over",
    ),
    Operation(
        method="GET",
        path="/api/handoffs/{handoff_id}",
        summary="A handoff with its context bundle, and what was said beside the conversation.",
        handler=reading.show,
        scope="operate",
        parameters=(SUBJECT,),
        answers=((200, Body(shape=HandoffSeen)),),
        problems=(404,),
        audited="handoff.read",
    ),
    Operation(
        method="DELETE",
        path="/api/handoffs/{handoff_id}",
        summary="Withdraw it before somebody has taken it: for the person whose it is, and backends.",
        handler=acting.withdraw,
        scope="sessions:write",
        parameters=(SUBJECT,),
        answers=((200, Body(shape=HandoffDone)),),
        problems=(404, 409),
        audited="handoff.withdrawn",
    ),
    Operation(
        method="GET",
        path="/api/handoffs/{handoff_id}/conversation",
        summary="The conversation, each event with the frames that protocols make of it: up to now, or as a stream.",
        handler=reading.conversation,
        scope="operate",
        parameters=(
            *RESUME,
            SUBJECT,
            _asked("protocols", "Names of protocols, divided by commas.", {"type": "string"}),
        ),
        answers=((200, Body(media_type=JSON_LINES)), (200, Body(media_type=EVENT_STREAM))),
        problems=(400, 404, 410),
        audited="handoff.read",
    ),
    _does("connect", "Read before taking it; it is kept for the caller for a while.", acting.plain(Acting.connect)),
    _does("take", "Have the conversation from now on; the agent's answer ends.", acting.plain(Acting.take)),
    _does("hold", "Put the person on hold.", acting.plain(Acting.hold)),
    _does("resume", "Come back from a hold.", acting.plain(Acting.resume)),
    _says("say", "Say something to the person.", Words, acting.say, required=True),
    _says(
        "hand-back", "Give the conversation back to the agent, which answers what nobody has.", Note, acting.hand_back
    ),
    _says("transfer", "Pass the conversation on to others.", PassedOn, acting.transfer, required=True),
    _says("consult", "Ask a supervisor beside the conversation, or answer.", Aside, acting.consult, required=True),
    _says("resolve", "Be done with it; the conversation is the agent's again.", Note, acting.resolve),
    _says("cancel", "Give up what nobody has taken yet.", Why, acting.cancel),
)
"""The addresses of handoffs."""
