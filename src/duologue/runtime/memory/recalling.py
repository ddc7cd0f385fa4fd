"""Recalling before a run: within a time limit, and never the reason why a turn fails."""

import asyncio
import time
from collections import OrderedDict
from typing import Final

from duologue.model import limits
from duologue.model.agent import AgentRequest
from duologue.model.errors import StoreError
from duologue.model.memory import MemoryItem
from duologue.ports.clock import Clock
from duologue.ports.memory import Embedder, Memory, Remembered, Vector, Wishes
from duologue.runtime.events_log import EventLog
from duologue.runtime.memory.figures import MemoryFigures
from duologue.runtime.memory.options import MemoryOptions
from duologue.runtime.memory.ranking import choose
from duologue.runtime.recall import Recalled

EMBED_PART: Final = 0.6
"""The part of the time limit that an embedding model has; the rest is for the words alone, where it fails."""

TURNS_KEPT: Final = 1_024
"""Turns whose memories are kept for their next legs and attempts; beyond it they are looked for again."""


class Recalling:
    """Finds what is remembered of a person that may matter to what they say. A `runtime.recall.Recall`."""

    def __init__(
        self,
        memory: Memory,
        *,
        embedder: Embedder | None,
        clock: Clock,
        log: EventLog,
        options: MemoryOptions,
        figures: MemoryFigures,
        wishes: Wishes | None = None,
    ) -> None:
        self._memory, self._embedder, self._clock, self._log = memory, embedder, clock, log
        self._options, self._figures, self._wishes = options, figures, wishes
        self._turns: OrderedDict[tuple[str, int, str], Recalled] = OrderedDict()

    async def look(self, request: AgentRequest) -> Recalled:
        """Find what may matter to a run; a later leg or attempt of the same turn is given the same again."""
        key = (request.session_id, request.turn, request.text)
        known = self._turns.get(key)
        if known is not None and (request.leg > 1 or request.resumed):
            return known
        found = await self._within(request)
        self._turns[key] = found
        while len(self._turns) > TURNS_KEPT:
            self._turns.popitem(last=False)
        return found

    async def count(self, subject: str) -> int:
        """How much is remembered of a person; 0 where that cannot be told in time."""
        try:
            async with asyncio.timeout(self._options.recall_ms / 1000):
                return 0 if await self._memory.is_off(subject) else await self._memory.count(subject)
        except (TimeoutError, StoreError):
            return 0

    async def gist(self, subject: str, session_id: str) -> list[str]:
        """The most important of what is remembered of a person, for somebody who takes over; nothing where it is off.

        As `look`, nobody waits for it beyond its time limit, and it never raises.
        """
        try:
            async with asyncio.timeout(self._options.recall_ms / 1000):
                if await self._memory.is_off(subject, session_id):
                    return []
                found = await self._memory.find(
                    subject, text="", vector=None, most=self._options.recalled, now_ms=self._clock.now_ms()
                )
        except (TimeoutError, StoreError):
            return []
        found = sorted(found, key=lambda one: (-one.memory.importance, -one.memory.at_ms))
        return [one.memory.text for one in found[: self._options.recalled]]

    def forget(self) -> None:
        """Forget what is kept for next legs, as something was removed."""
        self._turns.clear()

    async def _within(self, request: AgentRequest) -> Recalled:
        began = time.perf_counter()
        try:
            async with asyncio.timeout(self._options.recall_ms / 1000):
                memories = await self._find(request)
        except TimeoutError:
            self._figures.late += 1
            self._log("memory_late", session=request.session_id, response=request.response_id)
            memories = []
        # The boundary of the memory: whatever goes wrong there, the person is answered.
        except Exception as error:  # noqa: BLE001
            self._figures.failed += 1
            self._log("memory_failed", session=request.session_id, error=_words(error))
            memories = []
        took_ms = round((time.perf_counter() - began) * 1000)
        self._figures.recalls += 1
        self._figures.recalled += len(memories)
        return Recalled(memories=tuple(map(item, memories)), retrieve_ms=took_ms)

    async def _find(self, request: AgentRequest) -> list[Remembered]:
        memory, now_ms = self._memory, self._clock.now_ms()
        if await memory.is_off(request.subject, request.session_id):
            return []
        vector = await self._meaning(request.text)
        # What they ask to forget is removed after the turn, and used no more from now on.
        wishes = () if self._wishes is None else await self._wishes.wishes(request.text, language=request.language)
        found = await memory.find(
            request.subject,
            text=request.text,
            vector=vector,
            most=limits.MEMORY_CANDIDATES,
            now_ms=now_ms,
            without=wishes,
        )
        chosen = choose(found, most=self._options.recalled, now_ms=now_ms)
        if chosen:
            await memory.recalled([one.memory_id for one in chosen], now_ms=now_ms)
        return chosen

    async def _meaning(self, text: str) -> Vector | None:
        if self._embedder is None or not text.strip():
            return None
        try:
            async with asyncio.timeout(self._options.recall_ms * EMBED_PART / 1000):
                (vector,) = await self._embedder.embed([text[: limits.MEMORY_READ_CHARS]])
        except TimeoutError:
            self._log("memory_model_failed", model=self._embedder.name, error="late")
            return None
        # As above: the words are still there.
        except Exception as error:  # noqa: BLE001
            self._log("memory_model_failed", model=self._embedder.name, error=_words(error))
            return None
        return vector


def item(memory: Remembered) -> MemoryItem:
    """A memory as a run is given it."""
    return MemoryItem(
        memory_id=memory.memory_id,
        kind=memory.kind,
        text=memory.text,
        importance=memory.importance,
        at_ms=memory.at_ms,
    )


def _words(error: Exception) -> str:
    """What may be logged of an error: our own say no more than that, the text of others may quote what people wrote."""
    return str(error) if isinstance(error, StoreError) else type(error).__name__
