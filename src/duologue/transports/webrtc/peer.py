"""One peer connection: an offer answered, the sound that comes in, and the sound that goes out."""

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from aiortc import (
    MediaStreamTrack,
    RTCConfiguration,
    RTCIceServer,
    RTCPeerConnection,
    RTCRtpSender,
    RTCSessionDescription,
)
from aiortc.exceptions import InternalError, InvalidAccessError, InvalidStateError, OperationError
from aiortc.mediastreams import MediaStreamError
from aiortc.sdp import SessionDescription
from av import AudioFrame, AudioResampler

from duologue.model import limits
from duologue.model.audio import RATE_HZ, SAMPLE_BYTES
from duologue.runtime.voice.call import Call
from duologue.runtime.voice.link import IceServer
from duologue.transports.webrtc.track import LEAD_MS, SpeechTrack

# What aiortc raises of an offer that it has no answer to, and what its parser stumbles over.
BROKEN: Final = (
    *(InternalError, InvalidAccessError, InvalidStateError, OperationError),
    *(ValueError, KeyError, IndexError, AttributeError, TypeError, AssertionError),
)

OPUS: Final = "audio/opus"
"""The one codec that is answered: what is sent is encoded as Opus before it comes to aiortc."""


class OfferError(ValueError):
    """An offer that cannot be answered; the message is for whoever sent it."""


class Peer:
    """One peer connection; the `Link` of its call.

    Args:
        servers: that help peers find a way to each other.
    """

    def __init__(self, servers: Sequence[IceServer] = ()) -> None:
        # aiortc asks a server of somebody else's where it is told of none; an empty list tells it of none.
        ice = [
            RTCIceServer(urls=list(one.urls), username=one.username or None, credential=one.credential or None)
            for one in servers
        ]
        self._connection = RTCPeerConnection(RTCConfiguration(iceServers=ice))
        self._connection.on("track", self._taken)
        self._connection.on("connectionstatechange", self._changed)
        self._track = SpeechTrack()
        # Any: PyAV's packets are generic in what nobody needs, and so aiortc's tracks are half typed.
        self._incoming: Any = None
        self._connected: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._call: Call | None = None

    # --- the call's link

    @property
    def lead_ms(self) -> int:
        """How far ahead of the person's ear sound is sent."""
        return LEAD_MS

    @property
    def tells(self) -> bool:
        """A browser does not tell what it has played: what was sent is taken for heard."""
        return False

    def wake(self) -> None:
        """Look at the playout again."""
        self._track.stir()

    def begun(self, response_id: str) -> None:
        """Sound speaks for itself here."""

    def cleared(self, response_id: str) -> None:
        """A browser holds no more than what evens out the network: what is not sent is not heard."""

    def paused(self, response_id: str) -> None:
        """What is not sent is not heard."""

    def resumed(self, response_id: str) -> None:
        """What is sent again is heard again."""

    def hung_up(self, reason: str, message: str) -> None:
        """Whoever holds the call closes the connection."""

    # --- the connection

    async def answer(self, offer: str) -> str:
        """Answer an offer, with the addresses at which this side can be reached.

        Args:
            offer: SDP with a stream of sound.
        Raises:
            OfferError: it is no such SDP, or no address was found.
        Cancellation: the peer is to be closed.
        """
        try:
            _check(SessionDescription.parse(offer))
            sender = self._connection.addTransceiver(self._track)
            codecs = RTCRtpSender.getCapabilities("audio").codecs
            sender.setCodecPreferences([codec for codec in codecs if codec.mimeType == OPUS])
            async with asyncio.timeout(limits.ICE_GATHER_MS / 1000):
                await self._connection.setRemoteDescription(RTCSessionDescription(sdp=offer, type="offer"))
                await self._connection.setLocalDescription(await self._connection.createAnswer())
        except TimeoutError as error:
            raise OfferError("no address of this server was found in time; its ICE servers do not answer") from error
        except OfferError:
            raise
        except BROKEN as error:
            raise OfferError("the offer is no SDP that can be answered here: sound in Opus, and DTLS") from error
        return self._connection.localDescription.sdp

    async def connected(self) -> bool:
        """Wait until sound can come; false where the peers do not get to each other in `limits.ICE_CONNECT_MS`."""
        try:
            async with asyncio.timeout(limits.ICE_CONNECT_MS / 1000):
                return await asyncio.shield(self._connected)
        except TimeoutError:
            return False

    def begin(self, call: Call) -> None:
        """Carry this call from now on."""
        self._call = call
        self._track.play(call.playout)

    def hang_up(self) -> bool:
        """End the call that it carries; false where it carries none yet."""
        if self._call is not None:
            self._call.hang_up("hung_up")
        return self._call is not None

    async def listen(self) -> None:
        """Hand what comes to the call, until nothing does any more."""
        resampler = AudioResampler(format="s16", layout="mono", rate=RATE_HZ)
        track, call = self._incoming, self._call
        if track is None or call is None:
            return
        while True:
            try:
                frame = await track.recv()
            except MediaStreamError:
                call.hang_up("hung_up")
                return
            assert isinstance(frame, AudioFrame), "it is a track of sound"
            for out in resampler.resample(frame):
                call.hear(bytes(out.planes[0])[: out.samples * SAMPLE_BYTES])

    async def close(self) -> None:
        """Close the connection, within `limits.CANCEL_MS`."""
        try:
            async with asyncio.timeout(limits.CANCEL_MS / 1000):
                await self._connection.close()
        except TimeoutError:
            pass

    def _taken(self, track: MediaStreamTrack) -> None:
        if track.kind == "audio" and self._incoming is None:
            self._incoming = track

    def _changed(self) -> None:
        state = self._connection.connectionState
        match state:
            case "connected":
                self._tell(connected=True)
            case "failed" | "closed":
                self._tell(connected=False)
                if self._call is not None:
                    self._call.hang_up("lost" if state == "failed" else "hung_up")
            case _:
                pass

    def _tell(self, *, connected: bool) -> None:
        if not self._connected.done():
            self._connected.set_result(connected)


def _check(offer: SessionDescription) -> None:
    """See that an offer is of one stream of sound: what nobody takes of another would be kept for ever.

    Raises:
        OfferError: it is not, or has too many addresses.
    """
    kinds = [media.kind for media in offer.media]
    if "audio" not in kinds:
        raise OfferError("the offer has no stream of sound (m=audio)")
    if len(kinds) > 1:
        raise OfferError(f"the offer has {len(kinds)} streams; a call has one of sound (m=audio) and no other")
    candidates = len(offer.media[0].ice_candidates)
    if candidates > limits.OFFER_CANDIDATES:
        raise OfferError(f"the offer has {candidates} addresses; at most {limits.OFFER_CANDIDATES} are tried")
