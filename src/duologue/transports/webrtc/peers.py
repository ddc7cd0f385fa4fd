"""All peer connections of a process: each carries one call, from its offer to its end."""

import asyncio
import secrets
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from duologue.model.errors import Refused
from duologue.model.voice import VoiceMode
from duologue.runtime.session import LiveSession
from duologue.runtime.voice.call import Call
from duologue.runtime.voice.calls import Calls
from duologue.runtime.voice.link import IceServer
from duologue.transports.webrtc.peer import Peer

ID_BYTES: Final = 15
"""Of chance in a connection's id: who knows it and may use the session can hang up."""


class Answered(NamedTuple):
    """An offer that was answered: the connection's id, and the answer as SDP."""

    peer_id: str
    sdp: str


class _Held(NamedTuple):
    session: LiveSession
    peer: Peer
    task: asyncio.Task[None]


class Peers:
    """Answers offers, and carries their calls in tasks of the group that all calls have.

    Args:
        calls: opens the calls.
        servers: ICE servers of this side.
    """

    def __init__(self, calls: Calls, servers: Sequence[IceServer] = ()) -> None:
        self._calls, self._servers = calls, tuple(servers)
        self._held: dict[str, _Held] = {}

    async def answer(
        self, offer: str, session: LiveSession, *, mode: VoiceMode | None, over: Callable[[], None]
    ) -> Answered:
        """Answer an offer; its call begins once the peers have found each other.

        Args:
            offer: SDP.
            session: whose call it becomes.
            mode: see `Calls.hold`.
            over: called once, when the connection is closed; also where this raises.
        Raises:
            OfferError: it cannot be answered.
            Refused: there can be no calls now.
        """
        peer = None
        try:
            await self._calls.ready()
            peer = Peer(self._servers)
            sdp = await peer.answer(offer)
        except BaseException:
            if peer is not None:
                await peer.close()
            over()
            raise
        peer_id = secrets.token_urlsafe(ID_BYTES)
        task = self._calls.spawn(self._carry(peer_id, peer, session, mode, over), name=f"peer {peer_id}")
        self._held[peer_id] = _Held(session, peer, task)
        return Answered(peer_id, sdp)

    async def hang_up(self, peer_id: str, *, subject: str, session_id: str | None) -> bool:
        """Hang up, and wait until it is done; false where there is no such connection of theirs."""
        held = self._held.get(peer_id)
        if held is None or held.session.state.subject != subject:
            return False
        if session_id not in (None, held.session.state.session_id):
            return False
        if not held.peer.hang_up():
            held.task.cancel()
        await asyncio.wait([held.task])
        return True

    async def _carry(
        self, peer_id: str, peer: Peer, session: LiveSession, mode: VoiceMode | None, over: Callable[[], None]
    ) -> None:
        session.readers += 1
        try:
            if await peer.connected():
                await self._hold(peer, session, mode)
        finally:
            session.readers -= 1
            del self._held[peer_id]
            over()
            await peer.close()

    async def _hold(self, peer: Peer, session: LiveSession, mode: VoiceMode | None) -> None:
        async with asyncio.TaskGroup() as group:
            listening: list[asyncio.Task[None]] = []

            def begun(call: Call) -> None:
                peer.begin(call)
                listening.append(group.create_task(peer.listen(), name=f"listen {call.call_id}"))

            try:
                await self._calls.hold(session, peer, begun, mode=mode)
            except Refused:
                # Whoever called sees the connection close; what was asked of HTTP was answered before.
                return
            finally:
                for task in listening:
                    task.cancel()
