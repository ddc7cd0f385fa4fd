"""Signals of a session: those that hold, and those that a backend gives."""

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from duologue.model import jsonwire, limits
from duologue.model.errors import Code, Problem, Refused
from duologue.model.inputs import SignalsEstimated
from duologue.model.replies import Accepted, Rejected
from duologue.model.signals import (
    Intent,
    IntentAlternate,
    Polarity,
    Sentiment,
    SentimentCategory,
    Signal,
    SignalScope,
    SignalSource,
)
from duologue.server.auth import Identity
from duologue.server.context import Context, read_body
from duologue.server.looking.scope import seen_session
from duologue.server.operations import Body, Operation
from duologue.server.routes.guard import guarded_routes, json
from duologue.server.signals import escalation_rules

Part = Annotated[float, Meta(ge=0, le=1)]
Name = Annotated[str, Meta(min_length=1, max_length=limits.SIGNAL_NAME_CHARS)]


def routes(context: Context) -> list[Route]:
    """The addresses of signals."""
    return guarded_routes(context, context.chat, OPERATIONS)


class MoodGiven(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="sentiment"
):
    """A mood, as in the contract's `signal.update`."""

    category: SentimentCategory
    score: Part
    confidence: Part
    polarity: Polarity | None = None


class AlternateGiven(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Another intent that it may be."""

    intent: Name
    score: Part


class IntentGiven(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="intent"
):
    """An intent, as in the contract's `signal.update`."""

    intent: Name
    score: Part
    confidence: Part
    alternates: Annotated[tuple[AlternateGiven, ...], Meta(max_length=limits.SIGNAL_ALTERNATES)] = ()


class SignalsGiven(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """What a backend estimated: of a turn, by its number or its message's id; of the session, as of its latest turn."""

    adapter: Name
    signals: Annotated[tuple[MoodGiven | IntentGiven, ...], Meta(min_length=1, max_length=limits.SIGNALS_AT_ONCE)]
    scope: SignalScope = "message"
    turn: Annotated[int, Meta(ge=1, le=limits.TURN_NUMBER_MAX)] | None = None
    message_id: Annotated[str, Meta(max_length=limits.REQUEST_ID_CHARS)] = ""
    latency_ms: Annotated[float, Meta(ge=0, le=limits.SIGNALS_MS)] = 0.0


class SignalSeen(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """An estimate that holds; `turn` is what it is about, of a session the latest turn when it was made."""

    signal: Signal
    source: SignalSource
    adapter: str
    scope: SignalScope
    turn: int
    message_id: str = ""


class SignalsSeen(msgspec.Struct, frozen=True, kw_only=True):
    """The estimates that hold, the oldest first."""

    signals: list[SignalSeen]


class SignalsTaken(msgspec.Struct, frozen=True, kw_only=True):
    """What became of it: `taken`, or `known` where what is known of all of it is better or the same."""

    outcome: Literal["taken", "known"]


_given: Final = msgspec.json.Decoder(SignalsGiven)


async def _give(context: Context, request: Request, identity: Identity) -> Response:
    """`POST /api/sessions/{id}/signals`."""
    if not identity.is_backend:
        raise Refused(Problem(code=Code.FORBIDDEN, message="only an API key may give signals"))
    info = await seen_session(context, request, identity)
    given = jsonwire.read(await read_body(request, limit=context.settings.server.frame_bytes), _given)
    if isinstance(given, Problem):
        raise Refused(given)
    if given.scope != "session" and given.turn is None and not given.message_id:
        message = f'name the turn or the message that it is about, or give it of the scope "session", not {given.scope}'
        raise Refused(Problem(code=Code.BAD_MESSAGE, message=message, path="$.turn"))
    if given.scope == "session" and given.message_id:
        message = "a session's signals are about no message"
        raise Refused(Problem(code=Code.BAD_MESSAGE, message=message, path="$.messageId"))
    session = await context.hub.find(info.session_id, subject=info.mark.subject)
    reply = await session.submit(
        SignalsEstimated(
            of_turn=given.turn or 0,
            source="server",
            adapter=given.adapter,
            scope=given.scope,
            signals=tuple(_signal(one) for one in given.signals),
            latency_ms=given.latency_ms,
            message_id=given.message_id,
            rules=escalation_rules(context.settings.signals),
        )
    )
    if isinstance(reply, Rejected):
        raise Refused(reply.problem)
    return json(SignalsTaken(outcome="taken" if isinstance(reply, Accepted) else "known"))


async def _show(context: Context, request: Request, identity: Identity) -> Response:
    """`GET /api/sessions/{id}/signals`."""
    info = await seen_session(context, request, identity)
    session = await context.hub.find(info.session_id, subject=info.mark.subject)
    kept = session.state.signals
    return json(
        SignalsSeen(
            signals=[
                SignalSeen(
                    signal=one.signal,
                    source=one.source,
                    adapter=one.adapter,
                    scope=one.scope,
                    turn=one.of_turn,
                    message_id=one.message_id,
                )
                for one in (kept.standing if kept is not None else ())
            ]
        )
    )


def _signal(given: MoodGiven | IntentGiven) -> Signal:
    match given:
        case MoodGiven():
            return Sentiment(
                category=given.category, score=given.score, confidence=given.confidence, polarity=given.polarity
            )
        case IntentGiven():
            others = tuple(IntentAlternate(intent=one.intent, score=one.score) for one in given.alternates)
            return Intent(intent=given.intent, score=given.score, confidence=given.confidence, alternates=others)


OPERATIONS = (
    Operation(
        method="POST",
        path="/api/sessions/{session_id}/signals",
        audited="signals.given",
        summary="Give signals that were estimated elsewhere; for backends.",
        handler=_give,
        scope="sessions:write",
        body=Body(shape=SignalsGiven),
        answers=((200, Body(shape=SignalsTaken)),),
        problems=(400, 404, 409),
    ),
    Operation(
        method="GET",
        path="/api/sessions/{session_id}/signals",
        summary="The latest estimates of what the person feels and wants.",
        handler=_show,
        scope="sessions:read",
        answers=((200, Body(shape=SignalsSeen)),),
        problems=(404,),
    ),
)
"""The addresses of signals."""
