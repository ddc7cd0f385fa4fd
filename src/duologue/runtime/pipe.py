"""Frames between Duologue and a process of its own: how long head and body are, the head as JSON, the body as it is.

The worker's side imports nothing but the standard library, so that what a worker is made of is its own business.
"""

import json
import struct
import sys
from collections.abc import Mapping
from typing import BinaryIO, Final, TypeAlias

Head: TypeAlias = Mapping[str, object]
"""What a frame says, as JSON."""

LENGTHS: Final = struct.Struct("<II")
"""Bytes of the head and of the body."""

FRAME_MAX_BYTES: Final = 16 * 2**20
"""Largest frame: minutes of sound. Beyond it, the stream is out of step."""


def encode(head: Head, body: bytes = b"") -> bytes:
    """Write a frame."""
    text = json.dumps(head, separators=(",", ":")).encode()
    return LENGTHS.pack(len(text), len(body)) + text + body


class Frames:
    """Reads frames from bytes as they come.

    Raises:
        ValueError: the bytes are no frames.
    """

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, data: bytes) -> list[tuple[Head, bytes]]:
        """Take bytes in; give the frames that are whole, in order."""
        self._bytes += data
        frames: list[tuple[Head, bytes]] = []
        while (frame := self._next()) is not None:
            frames.append(frame)
        return frames

    def _next(self) -> tuple[Head, bytes] | None:
        if len(self._bytes) < LENGTHS.size:
            return None
        head, body = LENGTHS.unpack_from(self._bytes)
        end = LENGTHS.size + head + body
        if end > FRAME_MAX_BYTES:
            raise ValueError("a frame is too long")
        if len(self._bytes) < end:
            return None
        middle = LENGTHS.size + head
        frame = decode_head(bytes(self._bytes[LENGTHS.size : middle])), bytes(self._bytes[middle:end])
        del self._bytes[:end]
        return frame


def decode_head(text: bytes) -> Head:
    """Read the head of a frame. Raises ValueError where it is none."""
    head = json.loads(text)
    if not isinstance(head, dict):
        raise ValueError("a head is no object")
    # JSON: the keys are text.
    return head  # pyright: ignore[reportUnknownVariableType]


class WorkerEnd:
    """The worker's end of the pipe: blocking. Whatever else the worker prints goes to its standard error."""

    def __init__(self) -> None:
        self._in: BinaryIO = sys.stdin.buffer
        self._out: BinaryIO = sys.stdout.buffer
        # A library that prints must not get between the frames.
        sys.stdout = sys.stderr

    def read(self) -> tuple[Head, bytes] | None:
        """Wait for the next frame; `None` where the other end is gone."""
        lengths = self._in.read(LENGTHS.size)
        if len(lengths) < LENGTHS.size:
            return None
        head, body = LENGTHS.unpack(lengths)
        text, data = self._in.read(head), self._in.read(body)
        return (decode_head(text), data) if len(text) + len(data) == head + body else None

    def write(self, head: Head, body: bytes = b"") -> None:
        """Send a frame; waits while the other end does not read."""
        self._out.write(encode(head, body))
        self._out.flush()
