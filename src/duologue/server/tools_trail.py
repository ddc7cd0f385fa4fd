"""What becomes of calls of tools, in the audit trail and in figures."""

from collections import Counter
from collections.abc import Sequence
from types import TracebackType
from typing import Final, Self

from duologue.model.events import AnyEvent, ToolMoved, ToolReturned
from duologue.model.redaction import EVERYTHING, redacted
from duologue.runtime.histogram import Histogram
from duologue.runtime.tools.toolbox import Toolbox
from duologue.server.audit import Audit

UNKNOWN: Final = "unknown"
"""Stands for all tools that are not in the registry: an agent may make up any name."""


class ToolsTrail:
    """Notes each end of a call of the registry's, and each decision, and counts them. A companion of the hub.

    Args:
        audit: the trail.
        toolbox: says which fields of arguments are not for it.
    """

    def __init__(self, audit: Audit, toolbox: Toolbox) -> None:
        self._audit, self._toolbox = audit, toolbox
        self.calls: Counter[tuple[str, str]] = Counter()
        self.decisions: Counter[tuple[str, str]] = Counter()
        self.durations: dict[str, Histogram] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def stored(self, session_id: str, events: tuple[AnyEvent, ...]) -> None:
        """Hear of durable events."""
        for event in events:
            match event:
                case ToolReturned() if event.status is not None:
                    self._ended(session_id, event)
                case ToolMoved(status="approved"):
                    self._decided(session_id, event, "approve")
                case _:
                    pass

    async def removing(self, session_ids: Sequence[str]) -> None:
        """Forget nothing: the trail says that they were removed."""

    def _ended(self, session_id: str, event: ToolReturned) -> None:
        spec = self._toolbox.find(event.name)
        name = event.name if spec is not None else UNKNOWN
        self.calls[name, event.status or ""] += 1
        if event.status in ("completed", "failed", "timed_out"):
            self.durations.setdefault(name, Histogram()).add(event.duration_ms)
        about = {
            "session_id": session_id,
            "call": event.call_id,
            "tool": event.name,
            "arguments": redacted(event.arguments, spec.redact if spec is not None else EVERYTHING),
        }
        if event.key:
            about["key"] = event.key
        if event.disposition is not None:
            about["duplicate"] = event.disposition
        self._audit.note(f"tool.{event.status}", outcome=event.error_code or "done", who="agent", about=about)

    def _decided(self, session_id: str, event: ToolMoved, decision: str) -> None:
        self.decisions[event.name, decision] += 1
        about = {
            "session_id": session_id,
            "call": event.call_id,
            "tool": event.name,
            "decision": decision,
            "by": event.decided_by,
            "via": event.decided_via or "",
        }
        self._audit.note("tool.approved", who="agent", about=about)
