"""Short-lived tokens for people, which their backends ask for: `POST /chat/token`, `POST /chat/voice-token`."""

from typing import Annotated, Final, TypeAlias

import msgspec
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from duologue.model.errors import Code, Problem, Refused
from duologue.server.auth import Identity
from duologue.server.context import Context, read_body
from duologue.server.operations import Body, Operation, noted
from duologue.server.routes.guard import guarded_routes, json
from duologue.server.settings_auth import STAFF_SCOPES, Scope, staff_scopes

TOOL_SCOPES: Final = 64
"""Most scopes of tools in a token: it travels with every request."""

ToolScope: TypeAlias = Annotated[str, Meta(pattern=r"^[!-~]+$", max_length=128)]
"""A word as the registry's tools name it."""


class TokenBody(msgspec.Struct, rename="camel"):
    """What a backend asks a token for."""

    subject: str | None = None
    session_id: str | None = None
    scopes: tuple[Scope, ...] = ()
    tool_scopes: Annotated[tuple[ToolScope, ...], Meta(max_length=TOOL_SCOPES)] = ()


async def _token(context: Context, request: Request, identity: Identity) -> Response:
    """`POST /chat/token`: a short-lived token for a person, made for their backend."""
    token, expires_at = await _mint(context, request, identity)
    return json(Token(token=token, expires_at=expires_at))


async def _voice_token(context: Context, request: Request, identity: Identity) -> Response:
    """`POST /chat/voice-token`: a token as any other, and where to call with it."""
    voice = context.voice
    voice.check()
    token, expires_at = await _mint(context, request, identity)
    url = context.public_url(request)
    return json(
        VoiceToken(
            token=token,
            expires_at=expires_at,
            audio_url="ws" + url.removeprefix("http") + "/audio",
            webrtc_url=f"{url}/webrtc" if voice.webrtc_offered else None,
        )
    )


async def _mint(context: Context, request: Request, identity: Identity) -> tuple[str, int]:
    body = await read_body(request, limit=context.settings.server.frame_bytes)
    try:
        asked = msgspec.json.decode(body or b"{}", type=TokenBody)
        token, expires_at = context.auth.mint(
            asked.subject or identity.subject,
            asked.session_id,
            context.hub.clock.now_ms(),
            scopes=_staff(identity, asked.scopes),
            tool_scopes=asked.tool_scopes,
        )
    except (msgspec.MsgspecError, ValueError) as error:
        message = f'the body has to be like {{"subject": "…", "sessionId": "…"}}: {error}'
        raise Refused(Problem(code=Code.BAD_MESSAGE, message=message)) from error
    noted(request, subject=asked.subject or identity.subject, session_id=asked.session_id)
    return token, expires_at


def _staff(identity: Identity, asked: tuple[Scope, ...]) -> frozenset[Scope]:
    """What a token of the staff's is to allow.

    Raises:
        Refused: the scopes are no staff's, or more than whoever asks has.
        ValueError: a token cannot have one of them.
    """
    if others := set(asked) - STAFF_SCOPES:
        raise ValueError(f"a token may have the scopes {' and '.join(sorted(STAFF_SCOPES))}, not {sorted(others)[0]}")
    for scope in asked:
        identity.check(scope)
    return staff_scopes(asked)


class Token(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A token, and when it expires in ms since 1970."""

    token: str
    expires_at: int
    token_type: str = "Bearer"


class VoiceToken(Token, frozen=True, kw_only=True):
    """A token, and where to call with it; `webrtcUrl` is null where WebRTC is not offered."""

    audio_url: str
    webrtc_url: str | None


def routes(context: Context) -> list[Route]:
    """The addresses of tokens."""
    return guarded_routes(context, context.chat, OPERATIONS)


OPERATIONS = (
    Operation(
        method="POST",
        path="/chat/token",
        audited="token.minted",
        summary="Make a short-lived token for a person, or for one session of theirs; for backends.",
        handler=_token,
        scope="tokens:mint",
        body=Body(shape=TokenBody, required=False),
        answers=((200, Body(shape=Token)),),
    ),
    Operation(
        method="POST",
        path="/chat/voice-token",
        audited="token.minted",
        summary="Make a short-lived token, and name the addresses to call with it; for backends.",
        handler=_voice_token,
        scope="tokens:mint",
        body=Body(shape=TokenBody, required=False),
        answers=((200, Body(shape=VoiceToken)),),
    ),
)
"""The addresses of tokens, the only list of them."""
