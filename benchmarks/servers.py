"""Starting and stopping the servers that are measured; each is a process of its own on a free loopback port."""

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import psutil

ROOT = Path(__file__).parents[1]
START_S = 20.0
"""How long a server may take to answer before the measurement gives up."""


@dataclass(frozen=True, slots=True)
class Running:
    """A server that answers; `started_s` is how long it took until it did."""

    url: str
    process: psutil.Process
    started_s: float


def free_port() -> int:
    """Find a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def reference() -> Generator[Running]:
    """The peer."""
    port = free_port()
    with _running([sys.executable, "-m", "benchmarks.reference", str(port)], port, "/healthz") as running:
        yield running


@contextmanager
def duologue(data: Path, *, agent: str = "benchmarks.agent:answer") -> Generator[Running]:
    """Ours, with its journal in `data`; it is stopped as an orchestrator stops it."""
    port = free_port()
    command = [sys.executable, "-m", "duologue.server", "serve", "--port", str(port), "--data", str(data)]
    with _running([*command, "--agent", agent], port, "/readyz") as running:
        yield running


@contextmanager
def calls(data: Path) -> Generator[Running]:
    """Ours, with stand-ins for what speaks and listens."""
    port = free_port()
    with _running([sys.executable, "-m", "benchmarks.voice_server", str(port), str(data)], port, "/readyz") as running:
        yield running


@contextmanager
def _running(command: list[str], port: int, path: str) -> Generator[Running]:
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", ""))))
    env = os.environ | {"PYTHONPATH": path}
    start = time.monotonic()
    process = subprocess.Popen(command, env=env, cwd=ROOT, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        _wait(url + path, process)
        yield Running(url, psutil.Process(process.pid), time.monotonic() - start)
    finally:
        process.terminate()
        process.wait()


def _wait(url: str, process: "subprocess.Popen[bytes]") -> None:
    until = time.monotonic() + START_S
    while time.monotonic() < until:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with {process.returncode}")
        try:
            httpx2.get(url)
        except httpx2.TransportError:
            time.sleep(0.005)
        else:
            return
    raise RuntimeError(f"no answer from {url} within {START_S} s")


async def settle() -> None:
    """Let the machine come to rest between two measurements."""
    await asyncio.sleep(0.5)
