"""What the pages of operators are told as it happens."""

import asyncio
from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import msgspec

from duologue.model import limits

_encode = msgspec.json.Encoder().encode


class Reader:
    """One page's news, in order, as JSON. Where it is too slow, all are dropped and it is told everything anew.

    Attributes:
        decides: is told of what waits for a decision as well.
        anew: everything is to be told before what comes next; so it begins.
        closed: no more comes.
    """

    def __init__(self, *, decides: bool = False) -> None:
        self.decides, self.anew, self.closed = decides, True, False
        self._news: deque[bytes] = deque()
        self._woken = asyncio.Event()

    def tell(self, frame: bytes) -> None:
        """Add some news."""
        if len(self._news) >= limits.DESK_FEED:
            self.start_over()
        elif not self.anew:
            self._news.append(frame)
            self._woken.set()

    def start_over(self) -> None:
        """Have everything told anew."""
        self._news.clear()
        self.anew = True
        self._woken.set()

    def close(self) -> None:
        """Tell no more."""
        self.closed = True
        self._woken.set()

    async def next(self, everything: Callable[[], bytes]) -> bytes | None:
        """Wait for what comes next; `None` where no more comes. Cancellation: safe, nothing is lost."""
        while not self.closed:
            if self.anew:
                self.anew = False
                return everything()
            if self._news:
                return self._news.popleft()
            self._woken.clear()
            await self._woken.wait()
        return None


class Feed:
    """Tells all readers."""

    def __init__(self) -> None:
        self._readers: set[Reader] = set()
        self._closed = False

    @contextmanager
    def reader(self, *, decides: bool = False) -> Generator[Reader]:
        """Read along; what was before is not told."""
        reader = Reader(decides=decides)
        if self._closed:
            reader.close()
        self._readers.add(reader)
        try:
            yield reader
        finally:
            self._readers.discard(reader)

    # Any: news are JSON of several shapes; `server` gives them theirs.
    def tell(self, news: Any, *, to_deciders: bool = False) -> None:
        """Tell everybody who reads, or only who decides about calls; encoded once."""
        readers = [reader for reader in self._readers if reader.decides] if to_deciders else self._readers
        if readers:
            frame = _encode(news)
            for reader in readers:
                reader.tell(frame)

    def start_over(self) -> None:
        """Have everybody read everything anew."""
        for reader in self._readers:
            reader.start_over()

    def close(self) -> None:
        """Send all readers away: the server is stopping."""
        self._closed = True
        for reader in self._readers:
            reader.close()
