"""A real server as a process of its own, and a real browser."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Protocol

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright
from tests.e2e.harness import Server

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


class Serve(Protocol):
    """Starts a server."""

    def __call__(self, *arguments: str, environment: dict[str, str] | None = None) -> Server:
        """Start `duologue serve` with more arguments, such as `--agent console_agent:answer`."""
        ...


@contextmanager
def _servers(folder: Path) -> Generator[Serve, None, None]:
    started: list[Server] = []

    def start(*arguments: str, environment: dict[str, str] | None = None) -> Server:
        data = folder / f"data-{len(started)}"
        server = Server(arguments=list(arguments), data=data, environment=environment or {}, forked=True)
        started.append(server)
        server.start()
        return server

    try:
        yield start
    finally:
        for server in started:
            server.kill()


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Start servers that end with the test; each has data of its own."""
    with _servers(tmp_path) as start:
        yield start


@pytest.fixture(scope="module")
def serve_module(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    """Start servers that all tests of a module talk to."""
    with _servers(tmp_path_factory.mktemp("servers")) as start:
        yield start


@contextmanager
def browsing(chromium: str, *arguments: str) -> Generator[Browser, None, None]:
    """Start Chromium, with more arguments than usual."""
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=[*CHROMIUM_ARGS, *arguments])
        yield browser
        browser.close()


# For a module and no longer: while Playwright runs, no other event loop can run on this thread.
@pytest.fixture(scope="module")
def browser(chromium: str) -> Generator[Browser, None, None]:
    """Start Chromium."""
    with browsing(chromium) as browser:
        yield browser


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

    def open_page(url: str, *, width: int = 1200, height: int = 800, dark: bool = False, expected: str = "") -> Page:
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
