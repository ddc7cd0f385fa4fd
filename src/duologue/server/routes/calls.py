"""Calls: `WS /audio`, and `POST /webrtc` in the shape of WHIP. Source: RFC 9725."""

import re
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, WebSocketRoute
from starlette.websockets import WebSocket

from duologue.model import limits
from duologue.model.commands import Join
from duologue.model.errors import Code, Problem, Refused
from duologue.model.inputs import AudioTurnCommitted, AudioTurnInput
from duologue.model.replies import Rejected, Reply
from duologue.model.voice import VoiceMode
from duologue.runtime.session import LiveSession
from duologue.server.auth import Identity
from duologue.server.context import Context, check_session, read_body
from duologue.server.operations import Body, Operation, Parameter
from duologue.server.routes.chat import session_header
from duologue.server.routes.guard import NO_STORE, guarded_routes, json
from duologue.server.routes.sockets import Talk, serve

if TYPE_CHECKING:
    from duologue.runtime.voice.link import IceServer

PROTOCOL = "audio"
"""The name of calls among the protocols, in figures."""

SOCKET = "/audio"

SDP = "application/sdp"
"""Source: RFC 9725, 4.2."""

LANGUAGE: Final = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*")
LANGUAGE_CHARS: Final = 35
"""Longest language tag. Source: RFC 5646, section 4.4.1."""

MODES: dict[str, VoiceMode] = {"open": "open", "explicit": "explicit"}


def routes(context: Context) -> list[BaseRoute]:
    """The addresses of calls."""

    async def call(socket: WebSocket) -> None:
        await _call(socket, context)

    return [WebSocketRoute(SOCKET, call), *guarded_routes(context, context.chat, OPERATIONS)]


async def _call(socket: WebSocket, context: Context) -> None:
    """One call over a socket."""
    # What carries sound is imported by who calls, so that nobody else waits for it.
    from duologue.protocols import audio

    async def begin(identity: Identity) -> Talk:
        calls = await context.voice.calls()
        from duologue.transports.audio import AudioSocket

        async def join(session_id: str | None, language: str | None) -> LiveSession:
            return await context.join(Join(session_id=session_id, language=language), identity)

        pace_ms = partial(context.gate.pace_ms, identity)
        submit = partial(_submit, context, identity)
        talk = AudioSocket(socket, calls=calls, join=join, submit=submit, pace_ms=pace_ms)
        return partial(talk.run, session_id=identity.session_id)

    scopes = ("sessions:read", "sessions:write")
    await serve(socket, context, PROTOCOL, audio.refused, begin, scopes=scopes)


async def _submit(context: Context, identity: Identity, session: LiveSession, happened: AudioTurnInput) -> Reply:
    if isinstance(happened, AudioTurnCommitted):
        problem = context.gate.charge(identity, "turns")
        if problem is not None:
            return Rejected(problem=problem)
    return await context.hub.submit(session, happened, protocol=PROTOCOL)


async def _offer(context: Context, request: Request, identity: Identity) -> Response:
    """`POST /webrtc`: answer an offer; the call begins once the peers have found each other."""
    peers = await context.voice.peers()
    from duologue.transports.webrtc import OfferError

    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != SDP:
        message = f"an offer is sent as {SDP}, and is SDP alone"
        raise Refused(Problem(code=Code.BAD_MESSAGE, message=message))
    offer = (await read_body(request, limit=limits.OFFER_BYTES)).decode("utf-8", "replace")
    mode = _mode(request)
    session_id = check_session(identity, request.query_params.get("session") or None)
    with ExitStack() as place:
        place.enter_context(context.held(identity, PROTOCOL, "webrtc"))
        session = await context.join(Join(session_id=session_id, language=_language(request)), identity)
        over = place.pop_all().close
    try:
        answered = await peers.answer(offer, session, mode=mode, over=over)
    except OfferError as error:
        raise Refused(Problem(code=Code.BAD_MESSAGE, message=str(error))) from error
    location = f"{request.scope.get('root_path', '')}/webrtc/{answered.peer_id}"
    headers = NO_STORE | {"Location": location} | session_header(session.state.session_id)
    response = Response(answered.sdp, status_code=201, media_type=SDP, headers=headers)
    for server in context.voice.ice_servers():
        response.headers.append("Link", link_of(server))
    return response


def _language(request: Request) -> str | None:
    asked = request.query_params.get("language") or None
    if asked is not None and not (len(asked) <= LANGUAGE_CHARS and LANGUAGE.fullmatch(asked)):
        raise Refused(Problem(code=Code.BAD_MESSAGE, message="`language` is no BCP 47 tag"))
    return asked


def _mode(request: Request) -> VoiceMode | None:
    asked = request.query_params.get("turns") or None
    if asked is None or asked in MODES:
        return MODES.get(asked or "")
    message = f"`turns` is open or explicit, and not {asked[:32]!r}"
    raise Refused(Problem(code=Code.BAD_MESSAGE, message=message))


def link_of(server: "IceServer") -> str:
    """Name an ICE server. Source: RFC 9725, 4.6."""
    named = ", ".join(f'<{url}>; rel="ice-server"' for url in server.urls)
    if server.username:
        named += f'; username="{server.username}"; credential="{server.credential}"; credential-type="password"'
    return named


class HungUp(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The call is over."""

    hung_up: bool


async def _hang_up(context: Context, request: Request, identity: Identity) -> Response:
    """`DELETE /webrtc/{peer_id}`: hang up."""
    peers = await context.voice.peers()
    peer_id = request.path_params["peer_id"]
    if not await peers.hang_up(peer_id, subject=identity.subject, session_id=identity.session_id):
        message = "there is no such call; it may be over already"
        raise Refused(Problem(code=Code.SESSION_UNKNOWN, message=message))
    return json(HungUp(hung_up=True))


_QUERY = (
    Parameter(
        name="session",
        place="query",
        about="The session that the call is of; else that of the token, or a new one, named in `Duologue-Session`.",
        shape={"type": "string", "minLength": 1, "maxLength": limits.SESSION_ID_CHARS},
    ),
    Parameter(
        name="turns",
        place="query",
        about="Who says when the person has finished: what is heard, or the client by a message of its protocol.",
        shape={"type": "string", "enum": ["open", "explicit"]},
    ),
    Parameter(
        name="language",
        place="query",
        about="BCP 47 tag of a new session.",
        shape={"type": "string", "maxLength": LANGUAGE_CHARS},
    ),
)

OPERATIONS = (
    Operation(
        method="POST",
        path="/webrtc",
        summary="Begin a call: an SDP offer comes in, the answer goes out, as with WHIP (RFC 9725).",
        handler=_offer,
        scope="sessions:write",
        body=Body(media_type=SDP, schema={"type": "string"}),
        parameters=_QUERY,
        answers=((201, Body(media_type=SDP, schema={"type": "string"})),),
        problems=(400, 410),
    ),
    Operation(
        method="DELETE",
        path="/webrtc/{peer_id}",
        summary="Hang up; the address is the `Location` of the answer.",
        handler=_hang_up,
        scope="sessions:write",
        answers=((200, Body(shape=HungUp)),),
        problems=(404,),
    ),
)
"""The addresses of calls over WebRTC."""
