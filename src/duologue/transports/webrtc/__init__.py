"""WebRTC, by aiortc: one peer connection carries one call. Imported only where calls come in that way."""

from duologue.transports.webrtc.peer import OfferError
from duologue.transports.webrtc.peers import Peers

__all__ = ["OfferError", "Peers"]
