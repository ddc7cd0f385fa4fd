"""Telling how far the person is in what plays: as each word begins, and at the end."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from typing import Final

from duologue.runtime.voice.playout import Playout

EVERY_MS: Final = 100
"""How often it is told where a voice gives no times: a few words a second are spoken."""

LEAST_MS: Final = 2
"""Shortest wait: a timer may ring a little early."""


class Progress:
    """Looks at a playout when a word begins, with one timer.

    Args:
        playout: what plays.
        tells: the client tells itself, and `look` is called when it has; no timer is needed.
        told: takes the answer, how much of it was heard in ms, and whether all of it was; called from the loop.
    """

    def __init__(self, playout: Playout, *, tells: bool, told: Callable[[str, int, bool], None]) -> None:
        self._playout, self._tells, self._told = playout, tells, told
        self._words: deque[int] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._last_ms = -1

    def words(self, begin_ms: Iterable[int]) -> None:
        """Note when further words begin."""
        self._words.extend(begin_ms)
        if self._timer is not None and not self._tells:
            self._timer.cancel()
            self._timer = None
        self.arm()

    def arm(self) -> None:
        """See that it will look in time."""
        if self._timer is not None or self._tells or self._playout.paused:
            return
        sound = self._playout.sound
        if sound is not None and sound.sent_bytes:
            self._wait()

    def stop(self) -> None:
        """Forget what played."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._words.clear()
        self._last_ms = -1

    def look(self) -> None:
        """Tell where the person is, if that has changed."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        sound = self._playout.sound
        if sound is None:
            return
        played_ms, over = self._playout.played_ms, self._playout.over
        while self._words and self._words[0] < played_ms:
            self._words.popleft()
        if played_ms != self._last_ms or over:
            self._last_ms = played_ms
            self._told(sound.response_id, played_ms, over)
        if sound is self._playout.sound:
            self.arm()

    def _wait(self) -> None:
        sound = self._playout.sound
        assert sound is not None, "something plays"
        played_ms = self._playout.played_ms
        wait_ms = EVERY_MS
        if self._words:
            wait_ms = self._words[0] + 1 - played_ms
        elif sound.whole:
            wait_ms = min(EVERY_MS, sound.made_ms - played_ms)
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(max(wait_ms, LEAST_MS) / 1000, self.look)
