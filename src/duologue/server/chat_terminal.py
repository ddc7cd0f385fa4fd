"""A conversation in the terminal, with live text."""

import signal
import sys
from collections.abc import Generator
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from typing import Final, assert_never

from rich.console import Console

from duologue.model.errors import Code
from duologue.server.chat_background import Background
from duologue.server.chat_link import ChatFrame, Link, Lost, Over, Told
from duologue.server.chat_screen import HISTORY_TYPE, Screen

PROMPT: Final = "you> "

PIPED_PATIENCE_S: Final = 60.0
"""How long a script waits for a server that went away."""


class Left(Exception):  # noqa: N818
    """The person has left."""


class Terminal:
    """Asks and shows, until the person leaves.

    Args:
        background: entered.
        screen: where things are shown.
        asking: a person types; else lines are read from a pipe or a file, and answered one after the other.
    """

    def __init__(self, background: Background, screen: Screen, *, asking: bool) -> None:
        self._background, self._screen, self._asking = background, screen, asking
        self._mine: set[str] = set()
        self._running = ""
        self._seq = 0
        self._catch_up = -1
        self._session_id = ""
        self._over: Over | None = None
        self._interrupts = 0
        self._failed = False

    def run(self) -> int:
        """Talk; returns the exit code."""
        try:
            with self._ctrl_c():
                self._show_until(lambda: self._caught_up)
            while self._over is None:
                text = self._read()
                if text:
                    self._ask(text)
                elif self._asking:
                    self._show(self._background.take_now())
        except Left:
            pass
        if self._over is not None and self._over.message:
            self._screen.error(self._over.message, retryable=False)
            return 1
        if self._asking and self._session_id:
            self._screen.note(f"to go on: duologue chat --session {self._session_id}")
        return 1 if self._failed and not self._asking else 0

    @property
    def _caught_up(self) -> bool:
        # The last event of a session may be one that the chat protocol does not show; never two of them.
        return 0 <= self._catch_up - 1 <= self._seq and not self._running

    def _read(self) -> str:
        """Read what the person says; a number stands for what was suggested."""
        try:
            line = input(PROMPT) if self._asking else next(sys.stdin)
        except (EOFError, StopIteration, KeyboardInterrupt):
            if self._asking:
                self._screen.note("")
            raise Left from None
        text = line.strip()
        chips = self._screen.chips
        if text.isascii() and text.isdigit() and 0 < int(text) <= len(chips):
            return chips[int(text) - 1].text
        return text

    def _ask(self, text: str) -> None:
        self._show(self._background.take_now())
        if self._over is not None:
            return
        with self._ctrl_c():
            self._running = self._background.say(text)
            self._mine.add(self._running)
            self._show_until(lambda: not self._running)
            self._background.settle()

    def _show_until(self, done: Callable[[], bool]) -> None:
        while self._over is None and not done():
            self._show(self._background.take())
            if self._interrupts > 1 or (self._interrupts and not self._running):
                self._background.leave()
                raise Left
            if self._interrupts == 1:
                self._screen.note("(stopping; Ctrl+C again leaves)")
                self._background.cancel()
                self._interrupts = 1.5
