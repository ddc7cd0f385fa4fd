"""A handoff as the desk knows it, for tests."""

from typing import Any

from duologue.model.handoff import Operator
from duologue.runtime.desk.entries import Entry

NOW_MS = 1_800_000_000_000
MIA = Operator(operator_id="mia", name="Mia")


# Any: the members that a test is about.
def entry(name: str = "s~1", **more: Any) -> Entry:
    """One that was asked for now, and waits in a queue."""
    given: dict[str, Any] = {
        "handoff_id": name,
        "session_id": name.partition("~")[0],
        "subject": "ada",
        "language": "en",
        "agent": "guide",
        "transfer": "bot_to_human",
        "status": "queued",
        "reason": "wants a human",
        "cause": "person",
        "requested_ms": NOW_MS,
        "known_ms": NOW_MS,
        "queue": "general",
        **more,
    }
    return Entry(**given)
