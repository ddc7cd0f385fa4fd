"""A real server as a process of its own, and a real browser."""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Final, Protocol

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

AGENTS: Final = Path(__file__).parent / "agents"
STOP_S: Final = 30
"""How long a server may take to leave: its drain, and the closing of connections."""

CHROMIUM_ARGS: Final = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)

PATIENCE_MS: Final = 15_000
"""How long the browser tests wait for what has to happen: a busy CI machine is slow."""


class Server:
    """A `duologue serve` that can be killed and started again, on the same port and data."""

    def __init__(self, *, arguments: list[str], data: Path, environment: dict[str, str]) -> None:
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._command = [sys.executable, "-m", "duologue.server", "serve", "--port", str(self.port)]
        self._command += ["--data", str(data), *arguments]
        self._environment = os.environ | {"PYTHONPATH": str(AGENTS)} | environment
        self._cwd = data.parent
        self._process: subprocess.Popen[str] | None = None
        self._log: list[str] = []
        self._reader: threading.Thread | None = None

    def start(self) -> None:
        """Start it, and wait until it serves."""
        process = subprocess.Popen(
            self._command, stderr=subprocess.PIPE, text=True, cwd=self._cwd, env=self._environment
        )
        assert process.stderr is not None
        self._process = process
        for line in process.stderr:
            self._log.append(line)
            if "startup complete" in line:
                break
        else:
            self.kill()
            raise AssertionError(f"the server did not start:\n{''.join(self._log)}")
        self._reader = threading.Thread(target=self._log.extend, args=(process.stderr,), daemon=True)
        self._reader.start()

    def kill(self) -> None:
        """End it as a crash does."""
        self._leave(lambda process: process.kill())

    def stop(self) -> None:
        """End it as an operator does."""
        self._leave(lambda process: process.terminate())

    def _leave(self, end: Callable[[subprocess.Popen[str]], None]) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        end(process)
        try:
            process.wait(STOP_S)
        finally:
            process.kill()
            process.wait()
            if self._reader is not None:
                self._reader.join()
            assert process.stderr is not None
            process.stderr.close()


class Serve(Protocol):
    """Starts a server."""

    def __call__(self, *arguments: str, environment: dict[str, str] | None = None) -> Server:
        """Start `duologue serve` with more arguments, such as `--agent console_agent:answer`."""
        ...


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Start servers that end with the test; each has a folder of its own."""
    servers: list[Server] = []

    def start(*arguments: str, environment: dict[str, str] | None = None) -> Server:
        data = tmp_path / f"data-{len(servers)}"
        server = Server(arguments=list(arguments), data=data, environment=environment or {})
        servers.append(server)
        server.start()
        return server

    yield start
    for server in servers:
        server.kill()


@pytest.fixture(scope="session")
def browser(chromium: str) -> Generator[Browser, None, None]:
    """Start Chromium."""
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(CHROMIUM_ARGS))
        yield browser
        browser.close()


class Visit(Protocol):
    """Opens a page."""

    def __call__(
        self, url: str, *, width: int = 1200, height: int = 800, dark: bool = False, expected: str = ""
    ) -> Page:
        """Open a page in a browser profile of its own.

        Args:
            url: what to open.
            width: of the window, in px.
            height: of the window, in px.
            dark: the person prefers dark.
            expected: what an error on the page's console may contain; any other fails the test.
        """
        ...


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    """Open pages; an error on their console, such as a breach of the content policy, fails the test."""
    troubles: list[str] = []

    def open_page(
        url: str, *, width: int = 1200, height: int = 800, dark: bool = False, expected: str = ""
    ) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light"
        )
        context.set_default_timeout(PATIENCE_MS)

        def note(message: ConsoleMessage) -> None:
            if message.type in ("error", "warning") and not (expected and expected in message.text):
                troubles.append(message.text)

        context.on("console", note)
        context.on("weberror", lambda error: troubles.append(str(error.error)))
        page = context.new_page()
        page.goto(url)
        return page

    yield open_page
    for context in browser.contexts:
        context.close()
    assert troubles == []


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
