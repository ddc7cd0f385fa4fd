"""Learning from one turn: which extractor tells, what it means, and what is kept."""

import asyncio
from collections.abc import Sequence

from duologue.model import limits
from duologue.model.content import Message
from duologue.model.errors import MemoryFailed
from duologue.model.events import TurnEnded
from duologue.ports.clock import Clock
from duologue.ports.memory import Embedder, Extracted, Memory, MemoryExtractor, Remembered, Said, Told, Vector
from duologue.runtime.events_log import EventLog
from duologue.runtime.memory.figures import MemoryFigures
from duologue.runtime.memory.options import MemoryOptions


class Learning:
    """Takes what turns leave.

    Args:
        extractors: asked in this order, until one can tell; the last one always can.
    """

    def __init__(
        self,
        memory: Memory,
        *,
        extractors: Sequence[MemoryExtractor],
        embedder: Embedder | None,
        clock: Clock,
        log: EventLog,
        options: MemoryOptions,
        figures: MemoryFigures,
    ) -> None:
        self._memory, self._extractors, self._embedder = memory, tuple(extractors), embedder
        self._clock, self._log, self._options, self._figures = clock, log, options, figures

    async def aclose(self) -> None:
        """Let go of what the extractors hold."""
        for extractor in self._extractors:
            await extractor.aclose()

    async def extract(self, event: TurnEnded, *, subject: str, before: tuple[Message, ...]) -> Extracted:
        """Tell what a turn leaves.

        Raises:
            StoreError: the memory cannot be read now.
        """
        if not event.text.strip():
            return Extracted()
        known: Sequence[Remembered] = ()
        if len(self._extractors) > 1:
            found = await self._memory.find(
                subject, text=event.text, vector=None, most=limits.MEMORY_RECALLED, now_ms=event.at_ms
            )
            known = [one.memory for one in found]
        said = Said(
            text=event.text,
            answer=event.answer,
            language=event.figures.language,
            before=before,
            known=tuple(known),
            now_ms=event.at_ms,
        )
        for extractor in self._extractors:
            try:
                async with asyncio.timeout(limits.MEMORY_EXTRACT_MS / 1000):
                    extracted = await extractor.extract(said)
            except (MemoryFailed, TimeoutError) as error:
                self._figures.missed += 1
                self._log("memory_extractor_failed", extractor=extractor.name, error=str(error) or "late")
            else:
                return Extracted(learnt=extracted.learnt[: limits.MEMORY_LEARNT], forget=extracted.forget)
        return Extracted()

    async def keep(
        self, session_id: str, event: TurnEnded, extracted: Extracted, vectors: Sequence[Vector | None], *, subject: str
    ) -> Sequence[Told]:
        """Keep what a turn leaves, in one piece.

        Raises:
            StoreError: the memory cannot be used now; nothing was kept.
        """
        told = await self._memory.keep(
            session_id,
            subject=subject,
            turn=event.turn,
            seq=event.seq,
            extracted=extracted,
            vectors=vectors,
            policy=self._options.policy,
            now_ms=self._clock.now_ms(),
        )
        self._figures.stored += sum(1 for one in told if one.memory_id)
        self._figures.forgotten += sum(one.count for one in told)
        return told

    async def meanings(self, texts: Sequence[str]) -> list[Vector | None]:
        """What texts mean; `None` for each where that cannot be told now: it is told later."""
        if self._embedder is None or not texts:
            return [None] * len(texts)
        try:
            async with asyncio.timeout(limits.MEMORY_EMBED_MS / 1000):
                return list(await self._embedder.embed(texts[: limits.MEMORY_EMBED_TEXTS]))
        except (MemoryFailed, TimeoutError) as error:
            self._log("memory_model_failed", model=self._embedder.name, error=str(error) or "late")
            return [None] * len(texts)

    async def catch_up_meanings(self) -> None:
        """Tell what memories mean of which it is not known, as far as the model answers.

        Raises:
            StoreError: the memory cannot be used now.
        """
        while self._embedder is not None:
            missing = await self._memory.without_vector(limit=limits.MEMORY_EMBED_TEXTS)
            vectors = await self.meanings([text for _, text in missing])
            told = [(memory_id, vector) for (memory_id, _), vector in zip(missing, vectors, strict=True) if vector]
            if not told:
                return
            await self._memory.set_vectors(told)
