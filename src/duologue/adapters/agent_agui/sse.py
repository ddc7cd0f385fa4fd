"""Server-sent events, as they come in. Source: HTML Living Standard, 9.2.6."""

from collections.abc import Iterator
from typing import Final

_BOM: Final = b"\xef\xbb\xbf"


class TooLarge(ValueError):
    """One event is larger than may be."""


class SseReader:
    """Takes bytes as they come and gives the data of each event that they complete.

    Fields other than `data` say nothing to us; comments keep the connection alive. What is left at the end of a
    stream without a blank line after it was cut and is dropped, as the standard says.

    Args:
        most: largest event, in bytes, lines and names of fields included.
    """

    def __init__(self, *, most: int) -> None:
        self._most: Final = most
        self._rest = b""
        self._data: list[bytes] = []
        self._size = 0
        self._first = True

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Take some bytes; give the events' data, lines joined by line feeds.

        Raises:
            TooLarge: an event is larger than may be; the reader is of no use any more.
        """
        lines = self._lines(chunk)
        for line in lines:
            if line:
                self._take(line)
            elif self._data:
                data = b"\n".join(self._data)
                self._data, self._size = [], 0
                yield data
            else:
                self._size = 0

    def _lines(self, chunk: bytes) -> list[bytes]:
        """Cut off whole lines; they end with CR, LF or both."""
        buffered = self._rest + chunk
        if self._first and len(buffered) >= len(_BOM):
            self._first = False
            buffered = buffered.removeprefix(_BOM)
        # A CR at the very end may be the first half of a line's end.
        kept = buffered[-1:] == b"\r"
        whole = buffered[:-1] if kept else buffered
        lines = whole.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._rest = lines.pop() + (b"\r" if kept else b"")
        if self._size + len(self._rest) > self._most:
            raise TooLarge
        return lines

    def _take(self, line: bytes) -> None:
        self._size += len(line)
        if self._size > self._most:
            raise TooLarge
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" "))
