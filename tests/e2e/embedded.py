"""An application that holds Duologue, served by uvicorn as anybody would serve it."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.e2e.harness import STOP_S, free_port, search_path

ROOT: Final = Path(__file__).parents[2]

EXAMPLES: Final = ROOT / "examples"


class Application:
    """`uvicorn <name>:app`, until the block ends.

    Args:
        name: the module, of the examples or by its full name.
        cwd: where it is started; its data lands there.
    """

    def __init__(self, name: str, cwd: Path) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._command = [sys.executable, "-W", "error", "-m", "uvicorn", "--port", str(self.port), f"{name}:app"]
        self._cwd = cwd
        self.log: list[str] = []

    def __enter__(self) -> "Application":
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), search_path(EXAMPLES)])}
        self._process = subprocess.Popen(
            self._command, stderr=subprocess.PIPE, text=True, cwd=self._cwd, env=environment
        )
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self.log.append(line)
            if "Uvicorn running on" in line:
                return self
        self.__exit__()
        raise AssertionError(f"the application did not start:\n{''.join(self.log)}")

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def stop(self) -> int:
        """End it as an operator does; returns its exit code. Fails where it does not end."""
        self._process.send_signal(signal.SIGTERM)
        _, rest = self._process.communicate(timeout=STOP_S)
        self.log.append(rest)
        return self._process.returncode
