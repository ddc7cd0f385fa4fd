"""Duologue inside another Starlette or FastAPI application, below a path of it."""

import asyncio
import re
import signal
import threading
from collections.abc import AsyncGenerator, Callable, Generator, Iterable
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Final

import msgspec
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.types import Receive, Scope, Send

from duologue.adapters.agent_knowledge import KnowledgeAgent
from duologue.adapters.agent_python import Answer
from duologue.ports.agent import Agent
from duologue.ports.tool import Tool
from duologue.runtime.hub import Hub
from duologue.server.app import join, make_context
from duologue.server.auth import LOCAL_SUBJECT, Auth, check_bind
from duologue.server.context import Context
from duologue.server.embed import GhostSession, open_session
from duologue.server.parts import as_agent
from duologue.server.settings import Settings

USUAL_ADDRESS: Final = "http://127.0.0.1:8000"
"""Where applications are usually served on one's own machine: the default of uvicorn and of FastAPI."""

SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)
"""What tells a server to stop."""

_PATH: Final = re.compile(r"(/[A-Za-z0-9._~-]+)*")


class Mounted:
    """Duologue, as an application that holds it sees it; made by `mount`.

    Attributes:
        path: below which it is.
    """

    def __init__(self, make: Callable[[], Context], path: str, *, owns_agent: bool) -> None:
        self.path: Final = path
        self._make, self._owns_agent = make, owns_agent
        self._was_open = self._is_open = False
        self._take(make())

    def _take(self, context: Context) -> None:
        self._context, self._app = context, join(context)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, as ASGI has it. Raises `RuntimeError` where the application is not running."""
        self._check_open()
        await self._app(scope, receive, send)

    async def session(
        self,
        session_id: str | None = None,
        *,
        subject: str = LOCAL_SUBJECT,
        after: int = 0,
        language: str | None = None,
    ) -> GhostSession:
        """Open a session in process, or join one; who follows it through any protocol sees what is said in it.

        Args:
            session_id: `None` makes a new one.
            subject: the person whose session it is.
            after: the last sequence that the caller has; 0 for nothing.
            language: BCP 47 tag of a new session.
        Raises:
            GhostError: it is somebody else's, or `after` does not exist or was trimmed.
            RuntimeError: the application is not running.
        """
        self._check_open()
        context = self._context
        return await open_session(
            context.hub, session_id, subject=subject, after=after, language=language, telemetry=context.telemetry
        )

    def token(self, subject: str, *, session_id: str | None = None) -> str:
        """Make a short-lived token for a person whom the application knows, to give to their page or app.

        Args:
            subject: the person: 1 to 256 printable characters.
            session_id: the only session that it is for; `None` for all of theirs.
        Raises:
            ValueError: that is no subject or session id.
        """
        return self._context.auth.mint(subject, session_id, self._context.hub.clock.now_ms())[0]

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Open the journal while the block lasts, and drain at its end, or as soon as the process is told to stop.

        Raises:
            StoreError: the data folder is locked by another process, damaged or cannot be written.
        """
        # Applications are started more than once in tests, and what was drained is over.
        if self._was_open:
            self._take(self._make())
        hub = self._context.hub
        async with hub, asyncio.TaskGroup() as group:
            self._was_open = self._is_open = True
            try:
                with _drained(hub, group):
                    yield
            finally:
                self._is_open = False
        self._context.audit.close()
        # Made here where none was given; another belongs to who gave it.
        if self._owns_agent and isinstance(hub.agent, KnowledgeAgent):
            await hub.agent.close()

    def _check_open(self) -> None:
        # An application inside another one is easily never started.
        if not self._is_open:
            raise RuntimeError(
                "Duologue is not open: the lifespan of the application that it is mounted in has to run;"
                " in tests, use `with TestClient(app)`"
            )


def mount(
    app: Starlette,
    path: str,
    agent: Answer | Agent | None = None,
    *,
    settings: Settings | None = None,
    data: Path | str | None = None,
    tools: Iterable[Tool] = (),
) -> Mounted:
    """Put Duologue below a path of an application: pages, protocols, card and API, in its process and lifespan.

    The journal is open while the application's own lifespan is: after its start, and until before its end. So an
    agent may use what the application opens. Other routes of the application at that path are hidden.

    Args:
        app: a Starlette or FastAPI application that has not been started.
        path: such as `/assistant`, without a slash at its end; empty for all that nothing else answers to.
        agent: an async generator function that takes a `Turn`, or any `Agent`; `None` answers as `settings` say.
        settings: everything else. With `server.public_url`, the full address including `path`, it can be reached
            from other machines; that needs `[auth]`. Where the application listens is not theirs to say.
        data: folder of the journals; `None` takes that of the settings.
        tools: that agents may have run, besides those of the settings and of the agent's module; see `duologue.tool`.
    Raises:
        SettingsError: the agent of the settings is not there, or they would let in everybody from anywhere.
        TypeError: the agent is neither a fitting function nor an `Agent`.
        ValueError: it is no such path.
    """
    if not _PATH.fullmatch(path):
        raise ValueError(f"a path is like /assistant, without a slash at its end, and not {path!r}")
    given = settings or Settings()
    if data is not None:
        given = msgspec.structs.replace(given, server=msgspec.structs.replace(given.server, data=str(data)))
    check_bind(given.server.host, Auth(given.auth), public_url=given.server.public_url)

    own_tools = tuple(tools)

    def make() -> Context:
        own_url = USUAL_ADDRESS + path
        return make_context(given, as_agent(agent, given), own_url=own_url, mounted=True, tools=own_tools)

    mounted = Mounted(make, path, owns_agent=agent is None)
    place = Mount(path, app=mounted, name="duologue")
    # Before all others, or one at `/` would hide it; at `/` itself after them, or it would hide them.
    app.router.routes.insert(0 if path else len(app.router.routes), place)
    _join_lifespan(app, mounted)
    return mounted


def _join_lifespan(app: Starlette, mounted: Mounted) -> None:
    theirs = app.router.lifespan_context

    @asynccontextmanager
    # Any: the state of a lifespan is of the application's own making.
    async def both(running: Any) -> AsyncGenerator[Any]:
        async with theirs(running) as state, mounted.running():
            yield state

    app.router.lifespan_context = both


@contextmanager
def _drained(hub: Hub, group: asyncio.TaskGroup) -> Generator[None]:
    """Drain when the server is told to stop. It ends its lifespan only after all streams, which would never end."""
    if threading.current_thread() is not threading.main_thread():
        # As in tests: signals are the main thread's.
        yield
        return
    loop = asyncio.get_running_loop()
    begun: list[asyncio.Task[None]] = []

    def begin() -> None:
        if not begun:
            begun.append(group.create_task(hub.drain(), name="drain"))

    before = {number: signal.getsignal(number) for number in SIGNALS}

    def told(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(begin)
        theirs = before[signal.Signals(number)]
        assert callable(theirs), "only those are taken over"
        theirs(number, frame)

    taken = [number for number, theirs in before.items() if callable(theirs)]
    for number in taken:
        signal.signal(number, told)
    try:
        yield
    finally:
        for number in taken:
            if signal.getsignal(number) is told:
                signal.signal(number, before[number])
