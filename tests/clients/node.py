"""Programs of Node's that tests talk to: installed once, from a package and its lock file."""

import fcntl
import json
import shutil
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

import pytest

CLIENTS: Final = Path(__file__).parent

INSTALL_S: Final = 90
"""How long an installation may take: ten seconds, and a slow network."""


def installed(name: str) -> Path:
    """Install the clients of a folder beside this one, as its lock file has them; skips the test where that cannot be.

    They stay for later runs. Workers of one run share the folder, and wait for one another.
    """
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("no node and npm on this machine; install the packages nodejs and npm to run these tests")
    home = CLIENTS / name
    locked, done = home / "package-lock.json", home / "node_modules" / ".package-lock.json"
    with Path(tempfile.gettempdir(), f"duologue-clients-{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists() or done.stat().st_mtime < locked.stat().st_mtime:
            _install(npm, home)
            done.touch()
    return home


def _install(npm: str, home: Path) -> None:
    install = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    try:
        done = subprocess.run(install, cwd=home, capture_output=True, text=True, timeout=INSTALL_S, check=False)
    except subprocess.TimeoutExpired:
        pytest.skip(f"npm ci has not installed tests/clients/{home.name} within {INSTALL_S} s")
    if done.returncode:
        pytest.skip(f"npm ci cannot install tests/clients/{home.name}: {done.stderr.strip()[-200:]}")


class Program:
    """A running program that is talked to in lines of JSON."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._to: IO[str] = process.stdin
        self._from: IO[str] = process.stdout

    # Any: JSON of no known shape.
    def ask(self, question: object) -> Any:
        """Write a line, and read the next."""
        self._to.write(json.dumps(question) + "\n")
        self._to.flush()
        return self.read()

    # Any: JSON of no known shape.
    def read(self) -> Any:
        """Read the next line."""
        line = self._from.readline()
        assert line, "the program has ended"
        return json.loads(line)


@contextmanager
def running(home: Path, script: str) -> Generator[Program]:
    """Run a script of an installed folder for a block."""
    with subprocess.Popen(
        ["node", script], cwd=home, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
        try:
            yield Program(process)
        finally:
            process.kill()
