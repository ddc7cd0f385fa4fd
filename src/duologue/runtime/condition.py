"""How much of the machine there is, and what may be done with it; and the watch that finds out."""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from duologue.engine.policies import POLICIES, Policy
from duologue.engine.standing import Standing, Thresholds, judge
from duologue.model.condition import ConditionChanged, Readings
from duologue.model.content import Tier
from duologue.model.events import AnyEvent
from duologue.ports.sensors import Sensors
from duologue.runtime.events_log import EventLog
from duologue.runtime.loading import Loading


class Condition:
    """How it stands. Without a watch it is full power for ever.

    Attributes:
        standing: as judged last.
        readings: as read last.
        configured: the tiers that have an agent.
        tiers: those of them that are loaded.
    """

    def __init__(self, configured: tuple[Tier, ...]) -> None:
        self.configured = self.tiers = configured
        self.standing, self.readings = Standing(), Readings()

    @property
    def policy(self) -> Policy:
        """What may be done now."""
        return POLICIES[self.standing.condition]

    def change(self) -> ConditionChanged:
        """What a session is told."""
        return ConditionChanged(
            condition=self.standing.condition,
            reason=self.standing.reason,
            readings=self.readings,
            tiers=self.tiers,
        )

    def note(self, standing: Standing, readings: Readings) -> bool:
        """Note how it stands now; true where sessions have to be told."""
        tiers: list[Tier] = [tier for tier in self.configured if tier not in readings.unloaded]
        known = (self.standing.condition, self.tiers)
        self.standing, self.readings, self.tiers = standing, readings, tuple(tiers)
        return known != (standing.condition, self.tiers)


class ConditionWatch:
    """Reads the sensors again and again, and tells when the condition changes. A companion of its hub.

    Args:
        sensors: read in a thread, one reading at a time; meanwhile the condition
            stays as it is meanwhile.
        loading: which tiers are loaded.
        thresholds: what the readings are judged by.
        every_ms: how often they are read.
        first_ms: when they are read first.
        condition: where it is noted.
        changed: called when sessions have to be told.
        log: hears of changes.
    """

    def __init__(
        self,
        sensors: Sensors,
        *,
        loading: Loading,
        thresholds: Thresholds,
        every_ms: int,
        first_ms: int = 0,
        condition: Condition,
        changed: Callable[[], None],
        log: EventLog,
    ) -> None:
        self._sensors, self._loading = sensors, loading
        self._thresholds, self._every_s, self._first_s = thresholds, every_ms / 1000, first_ms / 1000
        self._condition, self._changed, self._log = condition, changed, log
        self._group = asyncio.TaskGroup()
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        self._tasks = [
            self._group.create_task(self._watch(), name="condition"),
            self._group.create_task(self._loading.watch(), name="loading"),
        ]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._tasks:
            task.cancel()
        await self._group.__aexit__(None, None, None)

    # A session's own events are nothing to the machine.
    def stored(self, session_id: str, events: tuple[AnyEvent, ...]) -> None:
        """Hear of events; see `Companion.stored`."""

    async def removing(self, session_ids: Sequence[str]) -> None:
        """Nothing is kept of sessions."""

    async def _watch(self) -> None:
        await asyncio.sleep(self._first_s)
        while True:
            await self.look()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._every_s):
                    await self._loading.changed()

    async def look(self) -> None:
        """Read and judge once."""
        loop = asyncio.get_running_loop()
        try:
            read = await asyncio.to_thread(self._sensors.read)
        # Sensors are the machine's, and no conversation may suffer from them.
        except Exception as error:  # noqa: BLE001
            self._log("sensors_failed", error=type(error).__name__, **{"pii.detail": str(error)})
            return
        readings = self._loading.with_unloaded(read)
        before = self._condition.standing
        standing = judge(
            before,
            readings,
            tiers=self._condition.configured,
            thresholds=self._thresholds,
            now_ms=int(loop.time() * 1000),
        )
        if self._condition.note(standing, readings):
            self._log(
                "condition_changed",
                condition=standing.condition,
                previous=before.condition,
                reason=standing.reason,
                tiers=self._condition.tiers,
            )
            self._changed()
