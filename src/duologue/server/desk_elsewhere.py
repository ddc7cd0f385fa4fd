"""What another desk is told: each step of handoffs, and with the context bundle what is remembered of the person."""

from pathlib import Path
from random import random
from typing import TYPE_CHECKING, Final

import msgspec

from duologue.adapters.desk_webhook import DeskNotices
from duologue.adapters.outbox_sqlite import SqliteOutbox
from duologue.adapters.post_http import HttpPost
from duologue.model.events import AnyEvent, HandoffMoved
from duologue.ports.clock import Clock
from duologue.ports.outbox import Hook
from duologue.ports.store import Store
from duologue.runtime.courier import Complete, DeliverySettings, as_stored
from duologue.runtime.deliveries import Deliveries
from duologue.server.log import event_log
from duologue.server.settings import Settings

if TYPE_CHECKING:
    from duologue.runtime.memory.remembering import Remembering

DESK_OUTBOX: Final = "desk.db"
"""The outbox of what another desk is told, beside the webhooks' own."""


def make_deliveries(
    settings: Settings, *, store: Store, clock: Clock, remembering: "Remembering | None" = None
) -> Deliveries:
    """Make what tells the desk of `handoff.desk_url`, with an outbox of its own."""
    webhooks = settings.webhooks
    return Deliveries(
        store=store,
        outbox=SqliteOutbox(Path(settings.server.data), synced=settings.store.durability == "power", name=DESK_OUTBOX),
        post=HttpPost(timeout_ms=webhooks.timeout_ms),
        notices=DeskNotices(),
        clock=clock,
        chance=random,
        log=event_log("duologue"),
        settings=DeliverySettings(
            hook=Hook(url=settings.handoff.desk_url, secret=settings.handoff.desk_secret),
            retries=webhooks.retries,
            backoff_ms=webhooks.backoff_ms,
        ),
        complete=as_stored if remembering is None else _with_memory(store, remembering),
    )


def _with_memory(store: Store, remembering: "Remembering") -> Complete:
    """Put what is remembered into a bundle as it is sent, and nowhere else: what was forgotten by then is not told."""

    async def complete(session_id: str, event: AnyEvent) -> AnyEvent:
        if not isinstance(event, HandoffMoved) or event.bundle is None:
            return event
        info = await store.info(session_id)
        memory = [] if info is None else await remembering.gist(info.mark.subject, session_id)
        return msgspec.structs.replace(event, bundle={**event.bundle, "memory": memory})

    return complete
