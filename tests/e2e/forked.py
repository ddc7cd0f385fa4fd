"""Commands of Duologue in processes that are copies of one that has imported it: a start then costs a quarter.

The processes are real, and are killed as others are; what is left out is what Python does before the command begins.
"""

import multiprocessing
import os
import signal
import sys
from multiprocessing.connection import Connection
from pathlib import Path
from subprocess import TimeoutExpired
from typing import IO, Final

PRELOADED: Final = (
    "duologue.server.cli",
    "duologue.server.embed",
    "duologue.server.serve",
    "uvicorn.lifespan.on",
    "uvicorn.protocols.websockets.websockets_sansio_impl",
    "uvloop",
)
"""What `duologue serve` imports; nothing that begins a thread."""

_COPIES = multiprocessing.get_context("forkserver")


class Forked:
    """A running command, as `subprocess.Popen` shows one.

    Args:
        arguments: of `duologue`.
        cwd: the folder that it is started in.
        env: all of its environment.
    Attributes:
        pid: the process's id.
        stderr: what it writes; to be closed.
    """

    def __init__(self, arguments: list[str], *, cwd: Path, env: dict[str, str]) -> None:
        _COPIES.set_forkserver_preload(list(PRELOADED))
        reader, writer = _COPIES.Pipe(duplex=False)
        self._process = _COPIES.Process(target=_run, args=(arguments, str(cwd), env, writer), daemon=True)
        try:
            self._process.start()
            self.stderr: IO[str] = os.fdopen(os.dup(reader.fileno()), encoding="utf-8")
        finally:
            reader.close()
            writer.close()
        self.pid = self._process.pid or 0
        self._code: int | None = None

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self._code is None and self._process.exitcode is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it as a crash does."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """End it as an operator does."""
        self.send_signal(signal.SIGTERM)

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it has ended; its exit code, below 0 for a signal."""
        if self._code is None:
            self._process.join(timeout)
            self._code = self._process.exitcode
            if self._code is None:
                raise TimeoutExpired("duologue", timeout or 0)
            self._process.close()
        return self._code


def _run(arguments: list[str], cwd: str, env: dict[str, str], stderr: Connection) -> None:
    """Become the command, in the copy."""
    os.dup2(stderr.fileno(), sys.__stderr__.fileno() if sys.__stderr__ is not None else 2)
    stderr.close()
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    sys.path[:0] = [cwd, *filter(None, env.get("PYTHONPATH", "").split(os.pathsep))]
    sys.argv = ["duologue", *arguments]
    from duologue.server.cli import main

    main()
