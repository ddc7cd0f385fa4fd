"""A conversation in the terminal, with live text."""

import importlib
import signal
import sys
from collections.abc import Callable, Generator
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from io import TextIOWrapper
from types import FrameType
from typing import Final

import msgspec
from rich.console import Console

from duologue.server.chat_background import Background
from duologue.server.chat_keys import read_line
from duologue.server.chat_link import ChatFrame, Link, Lost, Over, Told
from duologue.server.chat_screen import Screen

PROMPT: Final = "you> "

HISTORY_TYPE: Final = "duologue.history"

ENDED: Final = "(the session has ended; open a new one)"

PIPED_PATIENCE_S: Final = 60.0
"""How long a script waits for a server that went away."""


class LeftError(Exception):
    """The person has left."""


class HistoryMessage(msgspec.Struct, frozen=True):
    """One message of the conversation so far, where retention removed the events that made it."""

    role: str
    text: str


class History(msgspec.Struct, frozen=True):
    """The conversation so far."""

    messages: tuple[HistoryMessage, ...] = ()


class Terminal:
    """Asks and shows, until the person leaves.

    Args:
        background: entered.
        screen: where things are shown.
        asking: a person types; else lines are read from a pipe or a file, and answered one after the other.
        again: the command that was given, to go on with.
    """

    def __init__(self, background: Background, screen: Screen, *, asking: bool, again: str) -> None:
        self._background, self._screen, self._asking = background, screen, asking
        self._again = again
        self._session_id = ""
        self._seq = 0
        self._caught_up_at: int | None = None
        self._mine: set[str] = set()
        self._asked = ""
        self._open = ""
        self._over: Over | None = None
        self._interrupts = 0
        self._failed = False

    def run(self) -> int:
        """Talk; returns the exit code."""
        with suppress(LeftError, KeyboardInterrupt):
            self._show_until(self._is_caught_up)
            while self._over is None:
                self._take_line()
        if self._over is not None and self._over.message:
            self._screen.error(self._over.message, retryable=False)
            return 1
        if self._asking and self._session_id and self._over is None:
            self._screen.note(f"to go on: {self._again} --session {self._session_id}")
        unanswered = self._failed or self._over is not None
        return 1 if unanswered and not self._asking else 0

    def _take_line(self) -> None:
        text = self._read()
        self._show(self._background.take_now())
        if text and self._over is None:
            self._asked = self._background.say(text)
            self._mine.add(self._asked)
            self._show_until(lambda: not self._asked)
            self._background.settle()

    def _read(self) -> str:
        """Read what the person says; the number of a suggestion stands for it."""
        try:
            line = read_line(PROMPT) if self._asking else next(sys.stdin)
        except (EOFError, StopIteration, KeyboardInterrupt):
            if self._asking:
                self._screen.note("")
            raise LeftError from None
        text = line.strip()
        chips = self._screen.chips
        numbers = {str(number): chip for number, chip in enumerate(chips, start=1)}
        return numbers[text].text if text in numbers else text

    def _show_until(self, done: Callable[[], bool]) -> None:
        """Show what comes. The first Ctrl+C stops the answer, the next one leaves."""
        stopping = False
        with self._ctrl_c():
            while self._over is None and not done():
                self._show(self._background.take())
                if done():
                    return
                if self._interrupts > 1 or (self._interrupts and not (self._asked or self._open)):
                    self._background.leave()
                    raise LeftError
                if self._interrupts and not stopping:
                    stopping = True
                    self._screen.note("(stopping; Ctrl+C again leaves)")
                    self._background.cancel()

    @contextmanager
    def _ctrl_c(self) -> Generator[None, None, None]:
        """Count Ctrl+C for the while, so that it breaks nothing in two."""
        self._interrupts = 0

        def count(_number: int, _frame: FrameType | None) -> None:
            self._interrupts += 1
            self._background.nudge()

        before = signal.signal(signal.SIGINT, count)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _is_caught_up(self) -> bool:
        # The last event may be one that the chat protocol has no word for; two of them never come last.
        return self._caught_up_at is not None and self._seq >= self._caught_up_at - 1 and not self._open

    def _show(self, told: list[Told]) -> None:
        for one in told:
            match one:
                case ChatFrame():
                    self._seq = max(self._seq, one.sequence)
                    self._show_frame(one)
                case Lost(message=message):
                    self._screen.note(f"({message}; connecting again …)")
                case Over():
                    self._over = one

    def _show_frame(self, frame: ChatFrame) -> None:
        screen = self._screen
        if not self._asking and frame.sequence and frame.request_id not in self._mine:
            self._pass_over(frame)
            return
        match frame.type:
            case "session.opened":
                self._opened(frame)
            case "diagnostic" if frame.category == "turn.accepted":
                self._accepted(frame)
            case "response.started" if frame.attempt > 1:
                screen.begin()
            case "text.delta":
                screen.token(frame.delta)
            case "citation":
                screen.cite(frame.title, frame.url)
            case "suggestion.chips":
                screen.chips = frame.chips
            case "rich.payload" if frame.payload_type == HISTORY_TYPE:
                self._show_history(frame)
            case "rich.payload":
                screen.payload(frame)
            case "response.completed":
                self._completed(frame)
            case "error":
                self._refused_or_failed(frame)
            case "session.ended":
                screen.note(ENDED)
            case _:
                pass

    def _pass_over(self, frame: ChatFrame) -> None:
        """Show nothing of it: over a pipe only the answers to its own lines are wanted."""
        if frame.category == "turn.accepted":
            self._open = frame.request_id
        elif frame.type == "session.ended":
            self._screen.note(ENDED)
        elif frame.type == "response.completed" or (frame.type == "error" and not frame.will_retry):
            self._close(frame)

    def _opened(self, frame: ChatFrame) -> None:
        if self._caught_up_at is None:
            self._caught_up_at = frame.last_sequence
        else:
            self._screen.note("(connected again)")
        self._session_id = frame.session_id

    def _accepted(self, frame: ChatFrame) -> None:
        if frame.request_id not in self._mine:
            self._screen.said(frame.message)
        self._open = frame.request_id
        self._screen.begin()

    def _show_history(self, frame: ChatFrame) -> None:
        for message in msgspec.convert(frame.data, History).messages:
            if message.role == "user":
                self._screen.said(message.text)
            else:
                self._screen.token(message.text)

    def _completed(self, frame: ChatFrame) -> None:
        self._screen.end()
        if frame.outcome != "completed":
            self._screen.note("(stopped)" if frame.outcome == "cancelled" else "(written over)")
        self._close(frame)

    def _refused_or_failed(self, frame: ChatFrame) -> None:
        if frame.will_retry:
            self._screen.note(f"({frame.message})")
            return
        self._failed = self._failed or frame.request_id in self._mine
        self._screen.error(frame.message, retryable=frame.retryable)
        self._close(frame)

    def _close(self, frame: ChatFrame) -> None:
        if frame.request_id == self._open:
            self._open = ""
        if frame.request_id == self._asked:
            self._asked = ""


def talk(opening: AbstractAsyncContextManager[Link], *, asking: bool, again: str) -> int:
    """Hold a conversation on this process's terminal, or over its pipes; returns the exit code.

    Args:
        opening: makes the link.
        asking: a person types.
        again: the command that was given.
    Raises:
        DuologueError: the link cannot be opened; the message says what to do.
    """
    if asking:
        # Line editing and history for `input`; some builds of Python lack it.
        with suppress(ImportError):
            importlib.import_module("readline")
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, TextIOWrapper):
            # What is no text in this terminal's encoding is shown as such, and ends nothing.
            stream.reconfigure(errors="replace")
    out, notes = Console(highlight=False), Console(stderr=True, highlight=False)
    with Background(opening) as background:
        return Terminal(background, Screen(out, notes), asking=asking, again=again).run()


def is_asking() -> bool:
    """Whether a person sits at both ends: what is read and what is written."""
    return sys.stdin.isatty() and sys.stdout.isatty()
