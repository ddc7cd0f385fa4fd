"""The server as an ASGI application: the one place where adapters are chosen and parts are joined."""

from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response

from duologue.adapters.agent_python import Answer
from duologue.ports.agent import Agent
from duologue.ports.clock import Clock
from duologue.ports.tool import Tool
from duologue.server.auth import Auth
from duologue.server.context import Context
from duologue.server.dialects import SPOKEN, Spoken
from duologue.server.gate import Gate
from duologue.server.headers import HEADERS, SecurityHeaders
from duologue.server.log import event_log
from duologue.server.origins import allowed
from duologue.server.parts import as_agent, make_parts
from duologue.server.routes import chat, description, pages, sockets
from duologue.server.routes.guard import json
from duologue.server.settings import ServerSettings, Settings
from duologue.server.tickets import Tickets
from duologue.server.voice import Voice
from duologue.server.voice_parts import make_voice

if TYPE_CHECKING:
    from duologue.runtime.voice.calls import Calls
    from duologue.server.issuer import Issuer


def make_app(settings: Settings, *, agent: Answer | Agent | None = None, tools: Iterable[Tool] = ()) -> Starlette:
    """Make the application; its lifespan opens the store and drains at the end.

    Args:
        settings: all of them.
        agent: an async generator function that takes a `Turn`, or any `Agent`, in place of the one that the settings
            name.
        tools: that agents may have run, besides those of the settings and of the agent's module; see `duologue.tool`.
    Raises:
        SettingsError: the agent's folder or function is not there, a package that a setting needs, or a tool.
        TypeError: the agent is neither a fitting function nor an `Agent`.
    """
    own_url = _own_url(settings.server)
    return join(make_context(settings, as_agent(agent, settings), own_url=own_url, tools=tools))


def make_context(
    settings: Settings,
    agent: Agent,
    *,
    own_url: str,
    mounted: bool = False,
    spoken: Iterable[Spoken] = SPOKEN,
    calls: "Calls | None" = None,
    tools: Iterable[Tool] = (),
    clock: Clock | None = None,
) -> Context:
    """Join the parts.

    Args:
        settings: all of them.
        agent: answers.
        own_url: where people on this machine reach the server, where the settings name no public address.
        mounted: another application's server decides from where one gets here.
        spoken: the protocols.
        calls: opens calls, in place of those that the settings name.
        tools: besides those of the settings and of the agent's module.
        clock: tells the time, in place of the machine's.
    """
    voice = make_voice(settings.voice) if calls is None else Voice(lambda: calls)
    parts = make_parts(settings, agent=agent, voice=voice, tools=tools, clock=clock)
    hub, tooling = parts.hub, parts.tooling
    server = settings.server
    auth = Auth(settings.auth, issuer=_issuer(settings))
    made = [(one.make(server.public_url or own_url), one.socket) for one in spoken]
    return Context(
        settings=settings,
        hub=hub,
        deliveries=parts.deliveries,
        telemetry=parts.telemetry,
        auth=auth,
        tickets=Tickets(),
        audit=tooling.audit,
        gate=Gate(settings.limits, clock=hub.clock),
        allowed=msgspec.structs.replace(allowed(server), here_only=mounted and not auth.configured),
        dialects={dialect.name: dialect for dialect, _ in made},
        sockets={socket: dialect for dialect, socket in made if socket},
        voice=voice,
        tooling=tooling,
        remembering=parts.remembering,
    )


def join(context: Context) -> Starlette:
    """Make the application of the parts."""
    hub = context.hub

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncGenerator[None, None]:
        async with hub:
            app.state.hub = hub
            yield
        context.audit.close()

    groups = (sockets, *description.GROUPS, description, pages)
    app = Starlette(
        routes=[route for group in groups for route in group.routes(context)],
        lifespan=lifespan,
        middleware=_middleware(context.settings),
        exception_handlers={404: _not_found, 405: _not_found, 500: _broken},
    )
    app.state.hub = hub
    app.state.audit = context.audit
    return app


def _issuer(settings: Settings) -> "Issuer | None":
    given = settings.auth
    if not (given.api_keys or given.secret or given.jwks_url):
        return None
    # See `server.auth`: only who uses tokens waits for what checks them, and does so now.
    from duologue.server.issuer import Issuer

    return Issuer(given, log=event_log("duologue")) if given.jwks_url else None


def _own_url(server: ServerSettings) -> str:
    """The address of this server for people on this machine."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(server.host, server.host)
    return f"http://[{host}]:{server.port}" if ":" in host else f"http://{host}:{server.port}"


def _middleware(settings: Settings) -> list[Middleware]:
    middleware = [Middleware(SecurityHeaders)]
    if settings.server.allowed_origins:
        middleware.append(
            Middleware(
                CORSMiddleware,
                allow_origins=list(settings.server.allowed_origins),
                allow_methods=["GET", "POST", "PUT", "DELETE"],
                allow_headers=[
                    "Authorization",
                    "Content-Type",
                    "Idempotency-Key",
                    "Last-Event-ID",
                    "traceparent",
                    "tracestate",
                ],
                expose_headers=[chat.SESSION_HEADER, "Retry-After", "Location", "Link"],
            )
        )
    return middleware


async def _not_found(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    return json({"error": f"there is nothing at {request.method} {request.url.path[:200]}"}, status=status)


async def _broken(_request: Request, _error: Exception) -> Response:
    """Say no more than that; the log has the rest. It is sent outside of the other layers."""
    return json({"error": "the server failed; its log says how"}, status=500, headers=dict(HEADERS))
