"""Calls, as the server sees them: whether there are any, and what carries them.

Nothing of speech is imported here. It is loaded in the background, once somebody calls or at the start: a server that
nobody calls starts as fast as one without speech, and takes no more memory.
"""

import asyncio
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from duologue.model.errors import Code, Problem, Refused
from duologue.model.events import AnyEvent

if TYPE_CHECKING:
    from duologue.model.voice import VoiceMode
    from duologue.runtime.hub import Hub
    from duologue.runtime.session import LiveSession
    from duologue.runtime.voice.calls import Calls
    from duologue.runtime.voice.link import IceServer
    from duologue.transports.webrtc import Peers

NO_CALLS: Final = "there are no calls on this server; type instead"

NO_WEBRTC: Final = "no WebRTC here: pip install 'duologue[webrtc]'; WS /audio works without it"


class Voice:
    """Whether calls are offered, and what opens them. A companion of its hub, which `join` gives it.

    Args:
        load: makes what opens calls, on the loop; `None` where there are none.
        modules: what is imported in a thread before that.
        at_once: load it at the start, and not when the first one calls.
        why_not: why there are none, and what to do about it.
        ice_servers: makes the servers of WebRTC, once that is loaded.
    """

    def __init__(
        self,
        load: "Callable[[], Calls] | None" = None,
        *,
        modules: Sequence[str] = (),
        at_once: bool = False,
        why_not: str = NO_CALLS,
        ice_servers: "Callable[[], Sequence[IceServer]]" = tuple,
    ) -> None:
        self._load, self._modules, self._why_not = load, tuple(modules), why_not
        self._ice_servers = ice_servers
        self._group = asyncio.TaskGroup()
        self._hub: Hub | None = None
        self._wanted = asyncio.Event()
        if at_once:
            self._wanted.set()
        self._loading: asyncio.Task[Calls | None] | None = None
        self._peers: Peers | None = None
        self.live: Calls | None = None

    @property
    def offered(self) -> bool:
        """Whether calls are taken."""
        return self._load is not None

    @property
    def webrtc_offered(self) -> bool:
        """Whether calls are taken over WebRTC."""
        return self.offered and find_spec("aiortc") is not None

    def ice_servers(self) -> "Sequence[IceServer]":
        """The servers of WebRTC."""
        return self._ice_servers()

    def check(self) -> None:
        """See that calls are taken.

        Raises:
            Refused: they are not.
        """
        if not self.offered:
            raise Refused(Problem(code=Code.NO_AUDIO, message=self._why_not))

    async def calls(self) -> "Calls":
        """Wait for what opens calls; it is loaded at once where it was not.

        Raises:
            Refused: there are no calls here.
        """
        self.check()
        assert self._loading is not None, "it was entered"
        self._wanted.set()
        calls = await asyncio.shield(self._loading)
        if calls is None:
            message = "speech does not work on this server at the moment; its log says why"
            raise Refused(Problem(code=Code.NO_AUDIO, message=message))
        return calls

    async def peers(self) -> "Peers":
        """Wait for what carries calls over WebRTC; the first time, it is loaded in a thread, in half a second.

        Raises:
            Refused: there are no calls here, or not in this way.
        """
        calls = await self.calls()
        if self._peers is None:
            if not self.webrtc_offered:
                raise Refused(Problem(code=Code.NO_AUDIO, message=NO_WEBRTC))
            await asyncio.to_thread(import_module, "duologue.transports.webrtc")
            from duologue.transports.webrtc import Peers

            self._peers = self._peers or Peers(calls, self.ice_servers())
        return self._peers

    async def take_turns(self, session: "LiveSession", mode: "VoiceMode") -> None:
        """Let a client of a session say who ends its turns.

        Raises:
            Refused: there are no calls here.
        """
        (await self.calls()).take_turns(session, mode)

    # --- what a companion does

    def join(self, hub: "Hub") -> None:
        """Carry out the voice effects of a hub's sessions, once there are calls."""
        self._hub = hub
        if self.offered:
            hub.take_turns = self.take_turns

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        if self._load is not None:
            self._loading = self._group.create_task(self._begin(self._load), name="calls")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._loading is not None:
            self._loading.cancel()
        await self._group.__aexit__(None, None, None)
        if self.live is not None:
            await self.live.__aexit__(None, None, None)

    def stored(self, session_id: str, events: tuple[AnyEvent, ...]) -> None:
        """Count what is measured."""
        if self.live is not None:
            self.live.stored(session_id, events)

    async def removing(self, session_ids: Sequence[str]) -> None:
        """Calls end with their sessions by themselves."""

    async def _begin(self, load: "Callable[[], Calls]") -> "Calls | None":
        await self._wanted.wait()
        assert self._hub is not None, "it was joined"
        try:
            for module in self._modules:
                await asyncio.to_thread(import_module, module)
            calls = load()
            calls.join(self._hub)
            self.live = await calls.__aenter__()
        # Whatever is wrong with speech, the rest of the server works.
        except Exception as error:  # noqa: BLE001
            self._hub.log("voice_failed", error=type(error).__name__, **{"pii.detail": str(error)})
            return None
        return self.live
