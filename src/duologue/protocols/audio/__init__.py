"""The messages beside the sound on `WS /audio`, read and written."""

from typing import Final

import msgspec

from duologue.model import jsonwire
from duologue.model.errors import Problem
from duologue.protocols.audio import wire

__all__ = ["decode", "encode", "refused", "wire"]

_messages: Final = msgspec.json.Decoder[wire.ClientMessage](wire.ClientMessage)
_BY_TYPE: Final[dict[str, msgspec.json.Decoder[wire.ClientMessage]]] = dict.fromkeys(
    ("start", "playback", "turn.start", "turn.commit", "turn.cancel", "hangup"), _messages
)
_encoder: Final = msgspec.json.Encoder()


def decode(frame: bytes) -> wire.ClientMessage | Problem:
    """Read a client's message; what is wrong with it comes back as a `Problem` that names the place."""
    return jsonwire.read_tagged(frame, _BY_TYPE)


def encode(message: wire.ServerMessage) -> str:
    """Write a message, as JSON text."""
    return _encoder.encode(message).decode()


def refused(problem: Problem) -> str:
    """Write a problem as an `error`."""
    return encode(
        wire.Error(
            code=problem.code,
            message=problem.message,
            retryable=problem.retryable,
            path=problem.path or msgspec.UNSET,
            limit=msgspec.UNSET if problem.limit is None else problem.limit,
            retry_after_ms=msgspec.UNSET if problem.retry_after_ms is None else problem.retry_after_ms,
        )
    )
