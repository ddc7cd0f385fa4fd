"""A program on a terminal of its own: what a person sees and types."""

import codecs
import os
import pty
import re
import select
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

CTRL_C = "\x03"
CTRL_D = "\x04"

DEADLINE_S = 30.0
"""How long anything may take to be seen: a loaded machine starts a program in seconds."""

_TAKE_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
)
"""Makes the terminal the program's own, so that Ctrl+C reaches it."""


class OnTerminal:
    """Runs a program on a new terminal; a context manager that ends it.

    Args:
        command: the program, by its path, and its arguments.
        folder: its working directory.
        columns: width of the terminal.
        env: its environment; this process's where not given.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        folder: Path,
        columns: int = 80,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self._terminal, inner = pty.openpty()
        termios.tcsetwinsize(inner, (40, columns))
        environment = dict(env if env is not None else os.environ) | {"TERM": "xterm", "LC_ALL": "C.UTF-8"}
        environment.pop("COLUMNS", None)
        self._process = subprocess.Popen(
            [sys.executable, "-c", _TAKE_TERMINAL, *command],
            stdin=inner,
            stdout=inner,
            stderr=inner,
            cwd=folder,
            env=environment,
            start_new_session=True,
        )
        os.close(inner)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._unread = ""
        self.screen = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        os.close(self._terminal)

    def type(self, text: str) -> None:
        """Press keys."""
        os.write(self._terminal, text.encode())

    def see(self, pattern: str) -> str:
        """Wait until something is on the screen that was not seen before; returns all up to its end."""
        ends_at = time.monotonic() + DEADLINE_S
        while (found := re.search(pattern, self._unread)) is None:
            if not self._read(ends_at):
                raise AssertionError(f"{pattern!r} never came; on the screen:\n{self.screen}")
        seen, self._unread = self._unread[: found.end()], self._unread[found.end() :]
        return seen

    def end(self) -> int:
        """Wait until the program has ended; returns its exit code."""
        ends_at = time.monotonic() + DEADLINE_S
        while self._read(ends_at):
            pass
        return self._process.wait(timeout=max(0.1, ends_at - time.monotonic()))

    def _read(self, ends_at: float) -> bool:
        """Read some more; false at the program's end, or when the time is over."""
        ready, _, _ = select.select([self._terminal], [], [], max(0.0, ends_at - time.monotonic()))
        if not ready:
            return False
        try:
            data = os.read(self._terminal, 65_536)
        except OSError:  # EIO: nobody is at the other end any more.
            return False
        text = self._decoder.decode(data)
        self.screen += text
        self._unread += text
        return bool(data)
