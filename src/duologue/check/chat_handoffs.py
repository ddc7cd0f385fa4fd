"""Chat: the way of a handoff, from its request to its end."""

from typing import Final

from duologue.check.findings import JsonObject, shown
from duologue.check.notes import Notes

LAST: Final = frozenset({"resolved", "cancelled", "failed"})
"""After these nothing follows of a handoff. The contract leaves the words open; these are Duologue's."""


class Handoffs:
    """Follows the handoffs of a session that have an id."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._over: dict[str, str] = {}

    def take(self, kind: str, frame: JsonObject) -> None:
        """Look at an event; only those of handoffs matter."""
        name, status = frame.get("handoffId"), frame.get("status")
        if kind != "handoff.status" or not isinstance(name, str) or not isinstance(status, str):
            return
        over = self._over.get(name)
        if over is not None and status != over:
            found = f"{shown(name)} {status} after {over}"
            self._notes.tell("chat-handoff-over", "status", found=found, expected="nothing more of this handoff")
        if status in LAST:
            self._over[name] = status
