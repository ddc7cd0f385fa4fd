"""How long people took is found again in the journals."""

import pytest
from tests.unit.runtime.deliveries_world import keep
from tests.unit.runtime.desk.entry import MIA, NOW_MS

from duologue.model import limits
from duologue.model.events import AnyEvent, HandoffMoved, SessionStarted
from duologue.model.handoff import HandoffStatus, TransferType
from duologue.runtime.desk.measured import measured
from duologue.testing.memory_store import MemoryStore

pytestmark = pytest.mark.anyio

MINUTE_MS = 60_000


def served(
    *minutes: tuple[HandoffStatus, int], transfer: TransferType = "bot_to_human", queue: str = "general"
) -> list[AnyEvent]:
    """The events of a session with one handoff, which took steps after so many minutes."""
    events: list[AnyEvent] = [
        SessionStarted(seq=1, at_ms=NOW_MS, state="idle", session_id="s", agent="a", tier="gate", language="en")
    ]
    for seq, (status, after) in enumerate(minutes, 2):
        events.append(
            HandoffMoved(
                seq=seq,
                at_ms=NOW_MS + after * MINUTE_MS,
                state="idle",
                handoff_id=f"{queue}~1",
                status=status,
                transfer=transfer,
                target=queue,
                position=1 if status == "queued" else 0,
                operator=MIA if status == "connected" else None,
            )
        )
    return events


WHOLE: tuple[tuple[HandoffStatus, int], ...] = (
    ("requested", 0),
    ("queued", 0),
    ("connected", 2),
    ("on_hold", 3),
    ("connected", 4),
    ("resolved", 8),
)


async def opened() -> MemoryStore:
    """A store to which nothing was written."""
    store = MemoryStore()
    await store.open()
    return store


async def test_it_is_as_long_as_the_desk_itself_would_have_measured() -> None:
    store = await opened()
    await keep(store, served(*WHOLE))
    times = (await measured(store, before_ms=NOW_MS + 60 * MINUTE_MS))["general"]
    assert times.estimate_ms(1, free=1, slots=1) == 2 * MINUTE_MS
    assert times.estimate_ms(1, free=0, slots=1) == 6 * MINUTE_MS


async def test_what_this_server_has_measured_itself_is_not_counted_twice() -> None:
    store = await opened()
    await keep(store, served(*WHOLE))
    times = (await measured(store, before_ms=NOW_MS + 8 * MINUTE_MS))["general"]
    assert times.estimate_ms(1, free=1, slots=1) == 2 * MINUTE_MS
    assert times.estimate_ms(1, free=0, slots=1) is None


async def test_questions_to_supervisors_and_trimmed_handoffs_say_nothing() -> None:
    store = await opened()
    await keep(store, served(*WHOLE, transfer="supervisor_consult", queue="supervisors"), session_id="a")
    await keep(store, served(*WHOLE[2:]), session_id="b")
    found = await measured(store, before_ms=NOW_MS + 60 * MINUTE_MS)
    assert [one.estimate_ms(1, free=0, slots=1) for one in found.values()] == [None]


async def test_it_looks_no_further_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "DESK_MEASURED_READS", 2)
    store = await opened()
    for name in ("a", "b", "c"):
        await keep(store, served(*WHOLE, queue=name), session_id=name)
    assert len(await measured(store, before_ms=NOW_MS + 60 * MINUTE_MS)) == 2
