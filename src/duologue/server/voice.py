"""Calls, as the routes see them: whether there are any, and what carries them. Nothing of speech is imported here."""

import asyncio
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from duologue.model.errors import Code, Problem, Refused

if TYPE_CHECKING:
    from duologue.runtime.voice.calls import Calls
    from duologue.runtime.voice.link import IceServer
    from duologue.transports.webrtc import Peers

NO_CALLS: Final = "there are no calls on this server; type instead"

NO_WEBRTC: Final = "no WebRTC here: pip install 'duologue[webrtc]'; WS /audio works without it"


class Voice:
    """What routes ask of calls.

    Args:
        calls: opens them; `None` where there are none.
        why_not: why there are none, and what to do about it.
        ice_servers: of WebRTC.
    Attributes:
        ice_servers: of WebRTC.
    """

    def __init__(self, calls: "Calls | None", *, why_not: str, ice_servers: "Sequence[IceServer]" = ()) -> None:
        self._calls, self._why_not = calls, why_not
        self.ice_servers = tuple(ice_servers)
        self._peers: Peers | None = None

    @property
    def offered(self) -> bool:
        """Whether calls are taken."""
        return self._calls is not None

    @property
    def webrtc_offered(self) -> bool:
        """Whether calls are taken over WebRTC."""
        return self.offered and find_spec("aiortc") is not None

    @property
    def live(self) -> "Calls | None":
        """The calls, for their figures."""
        return self._calls

    def calls(self) -> "Calls":
        """What opens calls.

        Raises:
            Refused: there are none here.
        """
        if self._calls is None:
            raise Refused(Problem(code=Code.NO_AUDIO, message=self._why_not))
        return self._calls

    async def peers(self) -> "Peers":
        """What carries calls over WebRTC; the first time, it is loaded in a thread, which takes half a second.

        Raises:
            Refused: there are no calls here, or not in this way.
        """
        calls = self.calls()
        if self._peers is None:
            if not self.webrtc_offered:
                raise Refused(Problem(code=Code.NO_AUDIO, message=NO_WEBRTC))
            await asyncio.to_thread(import_module, "duologue.transports.webrtc")
            from duologue.transports.webrtc import Peers

            self._peers = self._peers or Peers(calls, self.ice_servers)
        return self._peers
