"""Remembering people across sessions. A companion of its hub.

The journal is what is learnt from, so nothing is queued for good: a place in the memory says how far each session has
been looked through, and what a turn leaves is kept together with that place. After a crash the sessions that changed
lately are looked through again from their places: a turn is at most extracted again, and kept once. What was kept and
could not be told in its session is told then; the engine tells each memory once.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from types import TracebackType
from typing import Final, Self

from duologue.engine.replay import ReplayError
from duologue.model import limits
from duologue.model.agent import AgentRequest
from duologue.model.content import Message
from duologue.model.errors import Refused, StoreError
from duologue.model.events import AnyEvent, TurnEnded
from duologue.model.inputs import AnyInput, MemoryForgotten, MemoryKept
from duologue.model.records import decode_events, last_seq
from duologue.ports.clock import Clock
from duologue.ports.memory import Embedder, Extracted, Forget, Memory, MemoryExtractor, Told, Wishes
from duologue.ports.store import Place, SessionInfo, Store
from duologue.runtime.events_log import EventLog
from duologue.runtime.hub import Hub
from duologue.runtime.memory.figures import MemoryFigures
from duologue.runtime.memory.learning import Learning
from duologue.runtime.memory.options import MemoryOptions
from duologue.runtime.memory.recalling import Recalling
from duologue.runtime.recall import Recalled

COVER_MS: Final = 600_000
"""How far back a start looks for turns that were not looked through: far longer than one takes to be stored."""

COVER_EVERY_MS: Final = 60_000
"""How often it is remembered how far back that is."""

LISTED: Final = 500
"""Sessions looked at at once on a start."""

RETRY_MS: Final = 5_000
"""How long to wait where the store or the memory fails."""

BEFORE: Final = 4
"""Messages before a turn by which a model understands it."""


class Remembering:
    """Remembers people. A `runtime.companions.Companion` and `PersonKeeper`, and a `runtime.recall.Recall`.

    Args:
        extractors: tell what a turn leaves, in the order in which they are asked.
        embedder: tells what texts mean; `None`: memories are found by their words.
        wishes: tells at once what a turn asks to forget: it is not recalled in that turn, and forgotten whatever the
            extractors say; `None`: only they tell.

    Attributes:
        memory: where it is kept.
        recalling: finds what a run is given.
        figures: what was counted.
    """

    def __init__(
        self,
        *,
        store: Store,
        memory: Memory,
        extractors: Sequence[MemoryExtractor],
        embedder: Embedder | None,
        clock: Clock,
        log: EventLog,
        options: MemoryOptions | None = None,
        wishes: Wishes | None = None,
    ) -> None:
        options = options or MemoryOptions()
        self.memory, self.options, self.figures = memory, options, MemoryFigures()
        self._store, self._clock, self._log, self._embedder = store, clock, log, embedder
        self._wishes = wishes
        self.recalling = Recalling(
            memory,
            embedder=embedder,
            clock=clock,
            log=log,
            options=options,
            figures=self.figures,
            wishes=wishes,
        )
        self._learning = Learning(
            memory,
            extractors=extractors,
            embedder=embedder,
            clock=clock,
            log=log,
            options=options,
            figures=self.figures,
        )
        self._hub: Hub | None = None
        self._waiting: dict[str, deque[TurnEnded]] = {}
        self._missed: set[str] = set()
        self._busy: set[str] = set()
        self._gone: set[str] = set()
        self._since_ms = self._covered_at_ms = self._tidied_ms = 0
        self._caught_up = False
        self._woken, self._rested = asyncio.Event(), asyncio.Event()
        self._group = asyncio.TaskGroup()
        self._tasks: set[asyncio.Task[None]] = set()

    def join(self, hub: Hub) -> None:
        """Recall before the runs of a hub, and tell in its sessions what was stored."""
        self._hub = hub
        hub.recall = self

    async def __aenter__(self) -> Self:
        try:
            await self.memory.open(create=True)
            self._since_ms = await self.memory.began_ms(self._clock.now_ms())
        except BaseException:
            await self.memory.close()
            raise
        await self._group.__aenter__()
        self._loop = self._group.create_task(self._run(), name="memory")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.cancel()
        for task in self._tasks:
            task.cancel()
        try:
            await self._group.__aexit__(None, None, None)
            await self._cover()
        except StoreError as failed:
            self._log("memory_failed", error=str(failed))
        finally:
            await self._learning.aclose()
            if self._embedder is not None:
                await self._embedder.aclose()
            await self.memory.close()

    async def look(self, request: AgentRequest) -> Recalled:
        """Find what may matter to a run; see `runtime.recall.Recall`."""
        if self._hub is not None and not self._hub.condition.policy.recall:
            return Recalled()
        return await self.recalling.look(request)

    async def count(self, subject: str) -> int:
        """How much is remembered of a person; as `look`."""
        return await self.recalling.count(subject)

    async def gist(self, subject: str, session_id: str) -> list[str]:
        """What matters most of a person, for somebody who takes over; as `look`."""
        if self._hub is not None and not self._hub.condition.policy.recall:
            return []
        return await self.recalling.gist(subject, session_id)

    @property
    def idle(self) -> bool:
        """Whether nothing waits to be looked through."""
        return self._caught_up and not self._waiting and not self._busy

    def stored(self, session_id: str, events: tuple[AnyEvent, ...]) -> None:
        """Hear of durable events: turns that are over are looked through soon."""
        for event in events:
            if isinstance(event, TurnEnded):
                waiting = self._waiting.setdefault(session_id, deque())
                if len(waiting) < limits.MEMORY_TURNS_WAITING:
                    waiting.append(event)
                else:
                    self._missed.add(session_id)
                self._rested.clear()
                self._woken.set()

    async def settled(self) -> None:
        """Wait until nothing waits to be looked through."""
        while not self.idle:
            self._rested.clear()
            await self._rested.wait()

    async def removing(self, session_ids: Sequence[str]) -> None:
        """Remove what came only from sessions that are about to be removed; see `Companion`."""
        self._gone.update(session_ids)
        for session_id in session_ids:
            self._waiting.pop(session_id, None)
            self._missed.discard(session_id)
        # The memory takes one thing after the other: what was handed in before is removed with the rest.
        await self.memory.forget_sessions(session_ids)
        self.recalling.forget()
        self._gone.intersection_update(self._busy)

    async def removing_person(self, subject: str) -> None:
        """Remove everything about a person whose sessions were removed; see `PersonKeeper`."""
        await self.memory.forget_subject(subject)
        self.recalling.forget()

    async def forget(self, subject: str, forget: Forget) -> int:
        """Forget what somebody wants forgotten; returns how much that is.

        Raises:
            StoreError: the memory cannot do it now.
        """
        gone = await self.memory.forget(subject, forget)
        self.figures.forgotten += gone
        self.recalling.forget()
        return gone

    async def _run(self) -> None:
        """Look through what is waiting, for ever."""
        while True:
            self._woken.clear()
            try:
                if not self._caught_up:
                    await self._catch_up()
                self._dispatch()
                if self.idle:
                    self._rested.set()
                await self._keep_house()
            except StoreError as error:
                self._log("memory_failed", error=str(error))
                await asyncio.sleep(RETRY_MS / 1000)
                continue
            await self._wait()

    async def _wait(self) -> None:
        try:
            async with asyncio.timeout(COVER_EVERY_MS / 1000):
                await self._woken.wait()
        except TimeoutError:
            pass

    def _dispatch(self) -> None:
        """Begin to look through sessions, as far as there is room."""
        for session_id in list(self._waiting):
            if len(self._busy) >= limits.MEMORY_AT_ONCE:
                return
            if session_id not in self._busy:
                self._busy.add(session_id)
                task = self._group.create_task(self._look_through(session_id), name=f"learn {session_id}")
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

    async def _look_through(self, session_id: str) -> None:
        try:
            info = await self._store.info(session_id)
            if info is not None:
                await self._take_all(info)
                await self._tell(session_id)
        except StoreError as error:
            self._log("memory_failed", session=session_id, error=str(error))
            await asyncio.sleep(RETRY_MS / 1000)
        # The boundary of one session: whatever goes wrong there, the others go on, and so does this one.
        except Exception as error:  # noqa: BLE001
            self._log("memory_turn_failed", session=session_id, error=type(error).__name__)
            self._waiting.pop(session_id, None)
        finally:
            self._busy.discard(session_id)
            self._gone.discard(session_id)
            self._woken.set()

    async def _take_all(self, info: SessionInfo) -> None:
        """Take a session's turns that are over: those that were missed from its journal, the others as they come."""
        session_id = info.session_id
        while (waiting := self._waiting.get(session_id)) is not None:
            if session_id in self._missed:
                await self._take_missed(info)
                self._missed.discard(session_id)
            if not waiting:
                del self._waiting[session_id]
                return
            await self._take(info, waiting[0])
            # It may have been removed meanwhile, with what waits.
            if waiting:
                waiting.popleft()

    async def _take_missed(self, info: SessionInfo) -> None:
        after = await self._place(info, seq=0)
        while lines := await self._store.read(info.session_id, after=after, limit=limits.READ_EVENTS):
            for event in decode_events(lines):
                if isinstance(event, TurnEnded) and event.at_ms >= self._since_ms:
                    await self._take(info, event)
            after = last_seq(lines)
            await asyncio.sleep(0)

    async def _place(self, info: SessionInfo, *, seq: int) -> int:
        """How far a session has been looked through; noted, where it is not known, as `seq`."""
        place = await self.memory.place(info.session_id)
        if place is None:
            await self.memory.note(info.session_id, subject=info.mark.subject, seq=seq)
        return seq if place is None else place

    async def _take(self, info: SessionInfo, event: TurnEnded) -> None:
        """Take one turn, unless it was taken before."""
        session_id, subject = info.session_id, info.mark.subject
        if await self._place(info, seq=event.seq - 1) >= event.seq:
            return
        extracted = Extracted()
        spared = self._hub is not None and not self._hub.condition.policy.extraction
        if not spared and not await self.memory.is_off(subject, session_id):
            extracted = await self._learning.extract(event, subject=subject, before=self._before(session_id, event))
            extracted = await self._with_wishes(extracted, event)
        vectors = await self._learning.meanings([one.text for one in extracted.learnt])
        if session_id not in self._gone:
            told = await self._learning.keep(session_id, event, extracted, vectors, subject=subject)
            if any(one.count or one.superseded for one in told):
                self.recalling.forget()

    async def _with_wishes(self, extracted: Extracted, event: TurnEnded) -> Extracted:
        """What a turn leaves, with what its words ask to forget, whatever a model made of them."""
        if self._wishes is None:
            return extracted
        wished = await self._wishes.wishes(event.text, language=event.figures.language)
        more = [wish for wish in wished if wish not in extracted.forget]
        return Extracted(learnt=extracted.learnt, forget=(*extracted.forget, *more)) if more else extracted

    def _before(self, session_id: str, event: TurnEnded) -> tuple[Message, ...]:
        """What was said just before a turn, as far as it is at hand."""
        session = None if self._hub is None else self._hub.sessions.live(session_id)
        if session is None:
            return ()
        return tuple(one for one in session.state.history[-2 * BEFORE :] if one.turn < event.turn)[-BEFORE:]

    async def _tell(self, session_id: str) -> None:
        """Tell a session what was stored or forgotten; what can never be told is given up."""
        untold = await self.memory.untold(session_id)
        if not untold or self._hub is None or self._hub.draining:
            return
        try:
            session = await self._hub.sessions.obtain(session_id, opening=None)
        except ReplayError:
            session = None
        except Refused:
            # There is no room now; it is told after the next turn, or the next start.
            return
        for one in untold if session is not None else ():
            if session is not None:
                await session.submit(_happened(one))
        await self.memory.told([one.number for one in untold])

    async def _catch_up(self) -> None:
        """Find the sessions that changed since everything was looked through, and what was not told."""
        covered_ms = await self.memory.covered_ms()
        if covered_ms is not None:
            after: Place | None = None
            while page := await self._store.list_sessions(after=after, limit=LISTED):
                recent = [info for info in page if info.updated_ms >= covered_ms - COVER_MS]
                for info in recent:
                    self._miss(info.session_id)
                if len(recent) < len(page):
                    break
                after = Place(updated_ms=page[-1].updated_ms, session_id=page[-1].session_id)
        for one in await self.memory.untold(limit=LISTED):
            self._waiting.setdefault(one.session_id, deque())
        self._caught_up = True

    def _miss(self, session_id: str) -> None:
        """Have a session's journal read from its place on."""
        self._missed.add(session_id)
        self._waiting.setdefault(session_id, deque())

    async def _keep_house(self) -> None:
        """Remember how far everything was looked through, remove what has expired, and tell what memories mean."""
        now_ms = self._clock.now_ms()
        if now_ms - self._covered_at_ms >= COVER_EVERY_MS:
            await self._cover()
        if now_ms - self._tidied_ms >= limits.MEMORY_TIDY_MS:
            self._tidied_ms = now_ms
            await self.memory.tidy(policy=self.options.policy, now_ms=now_ms)
            await self._learning.catch_up_meanings()

    async def _cover(self) -> None:
        """Remember that all that ended before now was looked through, unless something still waits."""
        if self.idle:
            self._covered_at_ms = self._clock.now_ms()
            await self.memory.cover(self._covered_at_ms)


def _happened(told: Told) -> AnyInput:
    if not told.memory_id:
        return MemoryForgotten(of_turn=told.turn, count=told.count)
    return MemoryKept(
        of_turn=told.turn,
        memory_id=told.memory_id,
        memory_kind=told.kind,
        importance=told.importance,
        superseded=told.superseded,
    )
