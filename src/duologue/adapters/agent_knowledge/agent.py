"""The port: answers turns from a folder of Markdown pages."""

import asyncio
import re
import time
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from duologue.adapters.agent_knowledge.answer import Answer, answer
from duologue.adapters.agent_knowledge.index import Index
from duologue.adapters.agent_knowledge.pages import Skipped, open_folder
from duologue.adapters.agent_knowledge.watch import Watch
from duologue.model.agent import AgentItem, AgentRequest, Chips, Finished, Note, Text
from duologue.ports.agent import Files

WORD: Final = re.compile(r"\s*\S+\s*")

WORDS_AT_ONCE: Final = 8
"""Words said before the loop is let to others: what the runtime does for each takes about 0.1 ms."""

NOTED_FILES: Final = 20
"""Most skipped files that one note names; the log has them all."""


class KnowledgeAgent:
    """Answers from a folder of Markdown pages, by search: no model, no key, and the same answer every time.

    It quotes what fits best and cites it, offers what stands near, and says so when it does not know. Pages
    that change while it runs are noticed within a second. It reads no context and looks at no photo or tag.
    Source: `duologue.ports.agent.Agent`.

    Args:
        folder: where the pages (`*.md`) are, also in folders below it.
        url_prefix: what stands before a page's path in a citation's address.
        clock: seconds that never run backwards.
    Raises:
        SettingsError: there is no such folder.
    Cancellation: safe at any await; a search or an indexing that has begun is finished in its thread.
    """

    def __init__(
        self,
        folder: Path,
        *,
        url_prefix: str = "/docs/",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._url_prefix = url_prefix
        self._index = Index()
        self._watch = Watch(open_folder(folder), self._index, clock=clock)
        # One thread of its own: it alone touches the index, and a long indexing holds up no other work.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="duologue-knowledge")

    @property
    def name(self) -> str:
        """A short name for people and figures."""
        return "knowledge"

    async def warm(self) -> None:
        """Index the folder now and not at the first question."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._watch.refresh)

    async def close(self) -> None:
        """Let go of the thread; what it does is finished first. Harmless when called again."""
        await asyncio.to_thread(self._thread.shutdown)

    async def run(self, request: AgentRequest, files: Files) -> AsyncGenerator[AgentItem, None]:  # noqa: ARG002
        """Answer one turn, as the port says."""
        loop = asyncio.get_running_loop()
        skipped, found = await loop.run_in_executor(self._thread, self._look_up, request)
        if skipped:
            yield _note(skipped)
        for part in found.parts:
            for count, word in enumerate(WORD.findall(part.text), start=1):
                yield Text(text=word)
                if count % WORDS_AT_ONCE == 0:
                    await asyncio.sleep(0)
            if part.citation is not None:
                yield part.citation
        if found.chips:
            yield Chips(chips=found.chips)
        yield Finished(confident=found.confident)

    def _look_up(self, request: AgentRequest) -> tuple[tuple[Skipped, ...], Answer]:
        skipped = self._watch.refresh()
        return skipped, answer(self._index, request, url_prefix=self._url_prefix)


def _note(skipped: tuple[Skipped, ...]) -> Note:
    return Note(
        category="knowledge.skipped",
        message=f"{len(skipped)} files of the folder are not used",
        details={"files": [{"path": item.path, "reason": item.reason} for item in skipped[:NOTED_FILES]]},
    )
