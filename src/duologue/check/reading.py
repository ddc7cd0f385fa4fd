"""Taking a recording apart into frames: JSON lines, a JSON array, or server-sent events."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from duologue.check.findings import Frame, JsonObject
from duologue.model.errors import Problem
from duologue.model.jsonwire import read

_SSE: Final = re.compile(rb"^(?:data|event|id|retry)?:", re.MULTILINE)
_SIDE: Final = re.compile(rb"^[<>] ")
"""How command line clients of WebSockets mark which side said it."""

_GAP: Final = re.compile(r"[ \t\r\n,]*")

# Any: msgspec does not decode a type that contains itself; what comes out is `Json` all the same.
_objects: Final[msgspec.json.Decoder[JsonObject]] = msgspec.json.Decoder(dict[str, Any])
_scan: Final = json.JSONDecoder().raw_decode


def frames(recording: bytes) -> Iterator[Frame]:
    """Take a recording apart; which form it has shows in its beginning."""
    recording = recording.removeprefix(b"\xef\xbb\xbf")
    beginning = recording.lstrip()
    if beginning.startswith(b"["):
        yield from _array(recording)
    elif not beginning.startswith((b"{", b"<", b">")) and _SSE.search(recording):
        parser = SseParser()
        yield from parser.take(recording)
        yield from parser.end()
    else:
        yield from _lines(recording)


def read_object(frame: Frame) -> "JsonObject | Problem":
    """Read a frame as a JSON object, strictly: no member twice, no number that JSON does not have."""
    return read(frame.data, _objects)


class SseParser:
    """Reads server-sent events piece by piece. Source: HTML, server-sent events, section 9.2.6."""

    def __init__(self) -> None:
        self._rest = b""
        self._line = 0
        self._number = 0
        self._begun = 0
        self._data: list[bytes] = []

    def take(self, piece: bytes) -> Iterator[Frame]:
        """Take some bytes; gives the frames that are whole by now."""
        self._rest += piece
        lines = re.split(rb"\r\n|\n|\r(?!$)", self._rest)
        self._rest = lines.pop()
        for line in lines:
            yield from self._take_line(line)

    def end(self) -> Iterator[Frame]:
        """Give what a recording ends with though no empty line follows it."""
        if self._rest:
            yield from self._take_line(self._rest.rstrip(b"\r"))
            self._rest = b""
        yield from self._dispatch()

    def _take_line(self, line: bytes) -> Iterator[Frame]:
        self._line += 1
        if not line:
            yield from self._dispatch()
        elif line.startswith(b"data:"):
            self._begun = self._begun or self._line
            self._data.append(line[5:].removeprefix(b" "))

    def _dispatch(self) -> Iterator[Frame]:
        if self._data:
            self._number += 1
            yield Frame(number=self._number, line=self._begun, data=b"\n".join(self._data))
        self._data, self._begun = [], 0


def _lines(recording: bytes) -> Iterator[Frame]:
    if _is_one_object(recording):
        yield Frame(number=1, line=1, data=recording.strip())
        return
    number = 0
    for count, line in enumerate(recording.split(b"\n"), 1):
        if data := _SIDE.sub(b"", line.strip()):
            number += 1
            yield Frame(number=number, line=count, data=data)


def _is_one_object(recording: bytes) -> bool:
    """Whether it is a single object that somebody has written over several lines."""
    first, _, more = recording.strip().partition(b"\n")
    if not more or first.rstrip().endswith(b"}"):
        return False
    try:
        msgspec.json.decode(recording)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return True


def _array(recording: bytes) -> Iterator[Frame]:
    """Give the items of an array as they stand; where the array breaks off, the rest is one last frame."""
    text = recording.decode("utf-8", "replace")
    at, number, line, counted = text.index("[") + 1, 0, 1, 0
    while True:
        at = _end_of_gap(text, at)
        if at >= len(text) or text[at] == "]":
            return
        number += 1
        line, counted = line + text.count("\n", counted, at), at
        try:
            _, end = _scan(text, at)
        except (ValueError, RecursionError):
            end = len(text)
        yield Frame(number=number, line=line, data=text[at:end].encode())
        at = end


def _end_of_gap(text: str, at: int) -> int:
    gap = _GAP.match(text, at)
    assert gap is not None, "it matches nothing as well"
    return gap.end()
