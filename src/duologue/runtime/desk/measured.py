"""How long the latest conversations took, found again in the journals: after a start nobody remembers it."""

import asyncio
import contextlib

import msgspec

from duologue.model import limits
from duologue.model.events import HandoffMoved
from duologue.model.records import decode_events, last_seq
from duologue.ports.store import Place, SessionInfo, Store
from duologue.runtime.desk.entries import Entry
from duologue.runtime.desk.room import Room
from duologue.runtime.desk.service_times import ServiceTimes

PAGE = 50
"""Sessions listed at once."""

MARK = b'"handoff_moved"'
"""Stands in every record of a step of a handoff; what does not have it is not decoded."""


async def measured(store: Store, *, before_ms: int) -> dict[str, ServiceTimes]:
    """Measure what ended before a time, by queue: as the desk itself does, from the same events.

    It reads within `limits.DESK_MEASURED_SESSIONS` and `limits.DESK_MEASURED_READS`, and lets others go first.

    Raises:
        StoreError: the store cannot be read now.
    """
    steps = [step for step in await _steps(store) if step[1].at_ms < before_ms]
    room = Room()
    for session_id, event in sorted(steps, key=lambda step: step[1].at_ms):
        if event.status == "requested":
            room.add(_entry(session_id, event))
        room.moved(event)
    return room.times


async def _steps(store: Store) -> list[tuple[str, HandoffMoved]]:
    """Steps of handoffs in the sessions that changed last."""
    found: list[tuple[str, HandoffMoved]] = []
    after: Place | None = None
    left = limits.DESK_MEASURED_READS
    for _ in range(limits.DESK_MEASURED_SESSIONS // PAGE):
        page = await store.list_sessions(after=after, limit=PAGE)
        for info in page:
            left -= 1 + (info.last_seq - info.first_seq) // limits.READ_EVENTS
            if left < 0:
                return found
            # A journal that is damaged says so where it is needed.
            with contextlib.suppress(msgspec.MsgspecError):
                found += [(info.session_id, event) for event in await _steps_of(store, info)]
        if len(page) < PAGE:
            break
        after = Place(updated_ms=page[-1].updated_ms, session_id=page[-1].session_id)
    return found


async def _steps_of(store: Store, info: SessionInfo) -> list[HandoffMoved]:
    found: list[HandoffMoved] = []
    after = info.first_seq - 1
    while lines := await store.read(info.session_id, after=after, limit=limits.READ_EVENTS):
        told = b"".join(line for line in lines.splitlines(keepends=True) if MARK in line)
        found += [event for event in decode_events(told) if isinstance(event, HandoffMoved)]
        after = last_seq(lines)
        await asyncio.sleep(0)
    return found


def _entry(session_id: str, event: HandoffMoved) -> Entry:
    return Entry(
        handoff_id=event.handoff_id,
        session_id=session_id,
        subject="",
        language="",
        agent="",
        transfer=event.transfer,
        status=event.status,
        reason="",
        cause=event.cause,
        requested_ms=event.at_ms,
        known_ms=event.at_ms,
    )
