"""Real servers on loopback: as a process of its own that can be killed, or on the test's own event loop."""

import asyncio
import contextlib
import functools
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
from tests.e2e.forked import Forked

from duologue.model.agent import AgentItem, AgentRequest, Failure, Finished
from duologue.ports.agent import Agent, Files
from duologue.ports.clock import Clock
from duologue.ports.tool import Tool
from duologue.runtime.hub import Hub
from duologue.runtime.voice.calls import Calls
from duologue.server.app import join, make_context
from duologue.server.dialects import SPOKEN, Spoken
from duologue.server.serve import DrainingServer, listen, make_server
from duologue.server.settings import ServerSettings, Settings
from duologue.server.settings_voice import VoiceSettings

AGENTS: Final = Path(__file__).parent / "agents"

SERVE: Final = ("-m", "duologue.server", "serve")

STOP_S: Final = 30
"""How long a server may take to leave: its drain, and the closing of connections."""

WAIT_S: Final = 15.0
"""How long anything may take that has to happen: a busy CI machine is slow."""


def search_path(folder: Path) -> str:
    """Where a process finds modules first: in a folder, then where this process was told to look."""
    return os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH", ""))))


class Server:
    """A `duologue serve` that can be killed and started again, on the same port and data.

    Args:
        arguments: of `duologue serve`, besides the port and the data folder.
        data: the data folder; the server is started in the folder that holds it.
        environment: besides this process's own.
        program: what Python runs in place of `duologue serve`; it takes the same arguments and says when it serves.
        forked: it begins as a copy of a process that has imported all, and is `duologue serve`; see `tests.e2e.forked`.
    """

    def __init__(
        self,
        *,
        arguments: list[str],
        data: Path,
        environment: dict[str, str],
        program: Sequence[str] = SERVE,
        forked: bool = False,
    ) -> None:
        assert program == SERVE or not forked, "only `duologue serve` has been imported"
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._arguments = ["--port", str(self.port), "--data", str(data), *arguments]
        self._program, self._forked = program, forked
        self._environment = os.environ | {"PYTHONPATH": search_path(AGENTS)} | environment
        self._cwd = data.parent
        self._process: subprocess.Popen[str] | Forked | None = None
        self._log: list[str] = []
        self._reader: threading.Thread | None = None

    @property
    def log(self) -> str:
        """What it has written so far."""
        return "".join(self._log)

    def start(self) -> None:
        """Start it, and wait until it serves."""
        process = self._begin()
        assert process.stderr is not None
        self._process = process
        for line in process.stderr:
            self._log.append(line)
            if "Duologue answers at" in line:
                break
        else:
            self.kill()
            raise AssertionError(f"the server did not start:\n{self.log}")
        self._reader = threading.Thread(target=self._log.extend, args=(process.stderr,), daemon=True)
        self._reader.start()

    def _begin(self) -> "subprocess.Popen[str] | Forked":
        if self._forked:
            return Forked(["serve", *self._arguments], cwd=self._cwd, env=self._environment)
        command = [sys.executable, *self._program, *self._arguments]
        return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=self._cwd, env=self._environment)

    def kill(self) -> None:
        """End it as a crash does."""
        self._leave(lambda process: process.kill())

    def stop(self) -> int:
        """End it as an operator does; returns its exit code."""
        return self._leave(lambda process: process.terminate())

    def tell_to_stop(self) -> None:
        """Send SIGTERM and do not wait; `stop` waits."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)

    @property
    def pid(self) -> int:
        """The process that runs now."""
        assert self._process is not None
        return self._process.pid

    def wait(self) -> int:
        """Wait until it has ended by itself; returns its exit code."""
        return self._leave(lambda _: None)

    def _leave(self, end: Callable[[subprocess.Popen[str] | Forked], None]) -> int:
        process, self._process = self._process, None
        if process is None:
            return 0
        end(process)
        try:
            code = process.wait(STOP_S)
        finally:
            process.kill()
            process.wait()
            if self._reader is not None:
                self._reader.join()
            assert process.stderr is not None
            process.stderr.close()
        return code


class Live(NamedTuple):
    """A server on the test's own loop."""

    port: int
    hub: Hub
    server: DrainingServer
    task: asyncio.Task[None]

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"


@asynccontextmanager
async def serving(
    agent: Agent,
    data: Path,
    settings: Settings | None = None,
    *,
    spoken: Iterable[Spoken] = SPOKEN,
    calls: Calls | None = None,
    tools: Iterable[Tool] = (),
    clock: Clock | None = None,
) -> AsyncGenerator[Live]:
    """Serve with an agent on a free port of loopback until the block ends.

    Args:
        agent: answers.
        data: the data folder.
        settings: all but the port and the data folder; by default answers that run at the end are soon cut.
        spoken: the protocols.
        calls: opens calls; by default there are none.
        tools: that agents may have run.
        clock: tells the time, in place of the machine's.
    """
    given = settings or Settings(server=ServerSettings(drain_ms=500))
    if given.voice == VoiceSettings():
        # What is installed here is not a test's affair.
        given = msgspec.structs.replace(given, voice=VoiceSettings(enabled="off"))
    listener = listen(ServerSettings(port=0))
    port: int = listener.getsockname()[1]
    server_settings = msgspec.structs.replace(given.server, port=port, data=str(data))
    served = msgspec.structs.replace(given, server=server_settings)
    own_url = f"http://127.0.0.1:{port}"
    app = join(make_context(served, agent, own_url=own_url, spoken=spoken, calls=calls, tools=tools, clock=clock))
    server = make_server(app, server_settings)
    # uvicorn looks ten times a second whether it is to stop: a second for each ten tests.
    server.main_loop = functools.partial(_serve_until_told, server)
    task = asyncio.create_task(server.serve(sockets=[listener]))
    hub: Hub = app.state.hub
    try:
        await until(lambda: server.started or task.done())
        if task.done():
            task.result()
        yield Live(port, hub, server, task)
    finally:
        server.should_exit = True
        await task
        listener.close()


async def _serve_until_told(server: DrainingServer) -> None:
    await server.on_tick(0)
    while not server.should_exit:
        await asyncio.sleep(0.005)


async def until(holds: Callable[[], bool], *, within_s: float = WAIT_S) -> None:
    """Wait until something holds; fail when it does not come to."""
    async with asyncio.timeout(within_s):
        while not holds():
            await asyncio.sleep(0.002)


def free_port() -> int:
    """Find a port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class CountingAgent:
    """Wraps an agent's function: counts runs, and those that were closed before their end.

    Unlike `ScriptedAgent` it may say anything, also what is no item.
    """

    name = "counting"

    def __init__(self, answer: Callable[[AgentRequest], AsyncGenerator[AgentItem, None]]) -> None:
        self._answer = answer
        self.requests: list[AgentRequest] = []
        self.closed = 0

    async def run(self, request: AgentRequest, files: Files) -> AsyncGenerator[AgentItem, None]:
        """Answer; see `ports.agent.Agent`."""
        del files
        self.requests.append(request)
        done = False
        try:
            async with contextlib.aclosing(self._answer(request)) as items:
                async for item in items:
                    done = isinstance(item, Finished | Failure)
                    yield item
        finally:
            self.closed += not done
