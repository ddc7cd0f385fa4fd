"""The agent of the settings: whether it can be made."""

import asyncio
import inspect
from collections.abc import Awaitable, Iterator
from pathlib import Path

from duologue.model.errors import DuologueError
from duologue.server.doctor.findings import Finding, fail, ok, warn
from duologue.server.parts import built_in_docs, make_agent
from duologue.server.settings import Settings


def look(settings: Settings) -> Iterator[Finding]:
    """Make the agent as a server would, and let it go again. No question is asked of it."""
    asked = settings.agent
    what = f"{asked.kind} {asked.function if asked.kind == 'python' else ''}".strip()
    try:
        agent = make_agent(settings)
    except DuologueError as error:
        yield fail("agent.load", f"{what}: it cannot be made", str(error))
        return
    yield ok("agent.load", f"{what}: {agent.name}")
    if asked.kind == "knowledge":
        yield _pages(Path(asked.folder) if asked.folder else built_in_docs())
    close: object = getattr(agent, "close", None)
    if callable(close) and inspect.isawaitable(closing := close()):
        asyncio.run(_wait(closing))


async def _wait(closing: Awaitable[object]) -> None:
    await closing


def _pages(folder: Path) -> Finding:
    pages = len(list(folder.rglob("*.md")))
    if not pages:
        return warn("agent.pages", f"no Markdown in {folder}", "put pages there: the agent has nothing to answer from")
    return ok("agent.pages", f"{pages} pages in {folder}")
