"""Chat: the way of a tool call, from its request to its result."""

from typing import Final

from duologue.check.findings import JsonObject, shown
from duologue.check.notes import Notes
from duologue.model.jsonwire import Json

STEPS: Final[dict[str, int]] = {
    "requested": 0,
    "awaiting_approval": 1,
    "pending_supervisor": 1,
    "async_pending": 1,
    "approved": 2,
    "denied": 2,
    "executing": 3,
    "completed": 4,
    "failed": 4,
    "timed_out": 4,
    "duplicate": 4,
}
"""How far each status is on the way; it only goes on, and may leave out what a tool does not need."""

LAST: Final = frozenset({"denied", "completed", "failed", "timed_out", "duplicate"})
"""After these nothing follows."""


ASKING: Final = frozenset({"user_confirm", "supervisor_approve", "async_pending"})
"""Policies by which somebody has to approve a call before it runs."""


class Tools:
    """Follows the tool calls of a session."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._calls: dict[str, str] = {}
        self._approved: set[str] = set()

    def take(self, kind: str, frame: JsonObject) -> None:
        """Look at an event; only those of tools matter."""
        name = frame.get("toolCallId")
        if not isinstance(name, str):
            return
        if kind == "tool.call":
            self._called(name)
        elif kind == "tool.result":
            self._resulted(name, frame)

    def _called(self, name: str) -> None:
        if name in self._calls:
            found = f"{shown(name)} again"
            self._notes.tell("chat-tool-twice", "toolCallId", found=found, expected="an id of its own")
            return
        self._calls[name] = "requested"

    def _resulted(self, name: str, frame: JsonObject) -> None:
        before = self._calls.get(name)
        status = frame.get("status", "completed")
        if before is None:
            found = f"a result of {shown(name)}, which nobody has called"
            self._notes.tell(
                "chat-tool-unknown", "toolCallId", found=found, expected="tool.call with this id before it"
            )
            before = "requested"
        self._check_duplicate(status, frame)
        self._check_approval(name, status, frame)
        if not isinstance(status, str) or status not in STEPS:
            return
        if before in LAST or STEPS[status] < STEPS[before] or (STEPS[status] == STEPS[before] and status != before):
            found, allowed = f"{status} after {before}", [name for name in STEPS if _may_follow(before, name)]
            expected = "one of " + ", ".join(allowed) if allowed else "nothing more"
            self._notes.tell("chat-tool-status", "status", found=found, expected=expected)
        self._calls[name] = status

    def _check_approval(self, name: str, status: Json, frame: JsonObject) -> None:
        """What somebody has to approve does not run before they have."""
        if status == "approved":
            self._approved.add(name)
        policy = frame.get("approvalPolicy")
        known = name in self._calls
        if known and status == "executing" and policy in ASKING and name not in self._approved:
            found = f"{shown(name)} executing, which nobody has approved"
            self._notes.tell("chat-tool-approval", "status", found=found, expected="approved before it")

    def _check_duplicate(self, status: Json, frame: JsonObject) -> None:
        disposition = frame.get("duplicateDisposition")
        if status == "duplicate" and disposition is None:
            expected = "`duplicateDisposition`: replayed, rejected or conflict"
            self._notes.tell("chat-tool-duplicate", found="a duplicate without a disposition", expected=expected)
        elif status != "duplicate" and disposition is not None:
            found = f"{shown(disposition)} on the status {shown(status)}"
            self._notes.tell(
                "chat-tool-duplicate", "duplicateDisposition", found=found, expected="the status duplicate"
            )


def _may_follow(before: str, status: str) -> bool:
    return before not in LAST and STEPS[status] > STEPS[before]
