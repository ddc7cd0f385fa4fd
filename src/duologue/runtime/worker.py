"""A process of Duologue's own behind a pipe: for what would block the event loop, crash it, or bind its licence."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, Protocol, cast

from duologue.model import limits
from duologue.model.errors import SpeechError
from duologue.runtime.pipe import Frames, Head, encode

_log: Final = logging.getLogger(__name__)

_STDERR: Final = 2
_LAST_BYTES: Final = 2_048
"""How much of what a worker wrote to its standard error is kept: the end of a traceback."""


class WorkerGone(SpeechError):
    """The worker ended, or could not be started."""


class Listener(Protocol):
    """Who is told what a worker says; on the event loop's thread, and without waiting."""

    def frame(self, head: Head, body: bytes) -> None:
        """A frame came."""
        ...

    def gone(self) -> None:
        """The worker ended, and will not answer what it was asked."""
        ...


class Worker:
    """Keeps a process running while it is needed: started when first used, and again after it died.

    Its first frame has to be `{"ready": …}`; or `{"failed": why}`, after which it ends.
    """

    def __init__(self, name: str, command: Sequence[str], listener: Listener) -> None:
        self._name = name
        self._command = tuple(command)
        self._listener = listener
        self._starting = asyncio.Lock()
        self._process: _Process | None = None
        self._opening: _Process | None = None
        self._deaths: deque[float] = deque(maxlen=limits.WORKER_DEATHS)
        self._closed = False

    @property
    def pid(self) -> int | None:
        """The process's id; `None` where there is none."""
        return self._process.pid if self._process is not None else None

    @property
    def starting_pid(self) -> int | None:
        """The id of a process that is not ready yet; `None` where none is being started."""
        return self._opening.pid if self._opening is not None else None

    async def ready(self) -> Head:
        """Wait until it can be written to. Returns its first frame.

        Raises:
            WorkerGone: it could not be started within `limits.WORKER_START_MS`, died too often, or was closed.
        Cancellation: safe; the process that was being started is ended.
        """
        async with self._starting:
            if self._process is None:
                self._process = await self._start()
            return self._process.greeting

    def write(self, head: Head, body: bytes = b"") -> None:
        """Send a frame, after `ready`; returns at once.

        Raises:
            WorkerGone: it has ended in the meantime.
        """
        if self._process is None:
            raise WorkerGone(f"the process {self._name} has ended")
        self._process.write(head, body)

    def kill(self) -> None:
        """End the process at once: it does not answer. Who waits is told that it is gone."""
        if self._process is not None:
            self._process.kill()

    async def aclose(self) -> None:
        """End the process: it is asked to, and after half of `limits.CANCEL_MS` made to."""
        self._closed = True
        if self._opening is not None:
            self._opening.kill()
        async with self._starting:
            if self._process is not None:
                await self._process.aclose()

    async def _start(self) -> "_Process":
        loop = asyncio.get_running_loop()
        if self._closed:
            raise WorkerGone(f"the process {self._name} is closed")
        if len(self._deaths) == limits.WORKER_DEATHS and loop.time() - self._deaths[0] < limits.WORKER_DEATHS_MS / 1000:
            raise WorkerGone(f"the process {self._name} died {limits.WORKER_DEATHS} times in a row")
        self._opening = process = _Process(self._listener.frame, self._ended)
        try:
            async with asyncio.timeout(limits.WORKER_START_MS / 1000):
                await loop.subprocess_exec(lambda: process, *self._command)
                await process.started
            if (why := process.greeting.get("failed")) is not None:
                raise WorkerGone(f"the process {self._name} cannot work: {why}", retryable=False)
        except TimeoutError:
            raise WorkerGone(f"the process {self._name} was not ready in time") from None
        except OSError as error:
            raise WorkerGone(f"the process {self._name} could not be started: {error.strerror}") from None
        else:
            self._opening = None
            return process
        finally:
            if self._opening is not None:
                self._opening = None
                await process.aclose()

    def _ended(self, process: "_Process") -> None:
        """A process has ended; tell who waits, unless that was the purpose."""
        if process.closing:
            self._process = None
            return
        self._deaths.append(asyncio.get_running_loop().time())
        fields = {"worker": self._name, "code": process.code, "pii.said": process.said}
        _log.warning("worker_ended", extra={"fields": fields})
        if self._process is process:
            self._process = None
            self._listener.gone()


class _Process(asyncio.SubprocessProtocol):
    """One run of the process."""

    def __init__(self, frame: Callable[[Head, bytes], None], ended: Callable[["_Process"], None]) -> None:
        self._frame = frame
        self._ended = ended
        self._frames = Frames()
        self._stderr = bytearray()
        self._transport: asyncio.SubprocessTransport | None = None
        self._exited = asyncio.Event()
        self.started: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.greeting: Head = {}
        self.closing = False

    @property
    def pid(self) -> int | None:
        return self._transport.get_pid() if self._transport is not None else None

    @property
    def code(self) -> int | None:
        return self._transport.get_returncode() if self._transport is not None else None

    @property
    def said(self) -> str:
        return self._stderr.decode(errors="replace")

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # A SubprocessProtocol is handed this kind of transport; uvloop's has no such base.
        self._transport = cast(asyncio.SubprocessTransport, transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == _STDERR:
            self._stderr += data
            del self._stderr[:-_LAST_BYTES]
            return
        try:
            frames = self._frames.feed(data)
        except ValueError:
            self.kill()
            return
        for head, body in frames:
            if self.started.done():
                self._frame(head, body)
            else:
                self.greeting = head
                self.started.set_result(None)

    def process_exited(self) -> None:
        self._exited.set()
        if not self.started.done():
            self.started.set_exception(WorkerGone("a process for speech ended before it was ready"))
        if self._transport is not None:
            self._transport.close()
        self._ended(self)

    def write(self, head: Head, body: bytes) -> None:
        stdin = self._transport.get_pipe_transport(0) if self._transport is not None else None
        if stdin is None or stdin.is_closing():
            raise WorkerGone("the process has ended")
        # The pipe to standard input can be written to; uvloop's has no such base.
        cast(asyncio.WriteTransport, stdin).write(encode(head, body))

    def kill(self) -> None:
        if self._transport is not None and self.code is None:
            self._transport.kill()

    async def aclose(self) -> None:
        self.closing = True
        if self.started.done() and not self.started.cancelled():
            self.started.exception()
        if self._transport is None:
            return
        if (stdin := self._transport.get_pipe_transport(0)) is not None:
            stdin.close()
        try:
            async with asyncio.timeout(limits.CANCEL_MS / 2000):
                await self._exited.wait()
        except TimeoutError:
            self.kill()
            await self._exited.wait()
        finally:
            self._transport.close()
