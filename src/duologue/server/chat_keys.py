"""Reading a line on a terminal so that Ctrl+C is never missed."""

import signal
import socket
import threading
from types import FrameType
from typing import Final

AGAIN_S: Final = 0.05
"""How soon Ctrl+C is repeated while it goes unnoticed: no person feels it."""


def read_line(prompt: str) -> str:
    """Read a line, as `input` does; for the main thread.

    A signal ends the wait for keys only if it comes during it. One that comes between the prompt and the wait is
    noted and then lies until the next key. So it is repeated until it is noticed.

    Raises:
        EOFError: there is no more.
        KeyboardInterrupt: Ctrl+C, once however often it came.
    """
    noticed = threading.Event()

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        if not noticed.is_set():
            noticed.set()
            raise KeyboardInterrupt

    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    repeater = threading.Thread(target=_repeat, args=(ours, noticed), name="duologue-keys")
    before = signal.signal(signal.SIGINT, interrupt)
    woken = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    repeater.start()
    try:
        return input(prompt)
    finally:
        noticed.set()
        signal.set_wakeup_fd(woken)
        theirs.close()
        repeater.join()
        ours.close()
        signal.signal(signal.SIGINT, before)


def _repeat(woken: socket.socket, noticed: threading.Event) -> None:
    """Wait for a signal, or for the other end to be closed; then send the signal until it is noticed."""
    if woken.recv(1):
        while not noticed.wait(AGAIN_S):
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
