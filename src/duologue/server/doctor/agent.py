"""The agent of the settings: whether it can be made."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

from duologue.model.errors import DuologueError
from duologue.ports.agent import Agent
from duologue.server.doctor.findings import Finding, fail, ok, warn
from duologue.server.parts import built_in_docs, make_agent, make_other
from duologue.server.settings import AgentSettings, Settings
from duologue.server.settings_agents import OtherAgent


def look(settings: Settings) -> Iterator[Finding]:
    """Make the agents as a server would, and let them go again. No question is asked of them."""
    yield from _try(settings.agent, lambda: make_agent(settings), called="")
    for asked in settings.agents:
        yield from _try(asked, lambda asked=asked: make_other(asked, settings).agent, called=f"{asked.name}: ")


def _try(asked: AgentSettings | OtherAgent, make: Callable[[], Agent], *, called: str) -> Iterator[Finding]:
    what = f"{called}{asked.kind} {asked.function if asked.kind == 'python' else ''}".strip()
    try:
        agent = make()
    except DuologueError as error:
        yield fail("agent.load", f"{what}: it cannot be made", str(error))
        return
    yield ok("agent.load", f"{what}: {agent.name}")
    if asked.kind == "knowledge":
        yield _pages(Path(asked.folder) if asked.folder else built_in_docs())
    for name in ("close", "aclose"):
        close: object = getattr(agent, name, None)
        if callable(close) and inspect.isawaitable(closing := close()):
            asyncio.run(_wait(closing))


async def _wait(closing: Awaitable[object]) -> None:
    await closing


def _pages(folder: Path) -> Finding:
    pages = len(list(folder.rglob("*.md")))
    if not pages:
        return warn("agent.pages", f"no Markdown in {folder}", "put pages there: the agent has nothing to answer from")
    return ok("agent.pages", f"{pages} pages in {folder}")
