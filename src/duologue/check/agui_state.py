"""AG-UI: state and activities, which travel as a snapshot and patches of it."""

from duologue.check import patch
from duologue.check.findings import JsonObject
from duologue.check.notes import Notes
from duologue.model.jsonwire import Json


class States:
    """Keeps what the snapshots and patches of a stream lead to; documents that no snapshot has shown are not judged."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._known: dict[str, Json] = {}

    def take(self, kind: str, event: JsonObject) -> None:
        """Follow an event of state; others change nothing."""
        match kind:
            case "STATE_SNAPSHOT":
                self._known[""] = event.get("snapshot")
            case "STATE_DELTA":
                self._patch("", "delta", event.get("delta"))
            case "ACTIVITY_SNAPSHOT":
                name = f"activity {event.get('messageId')}"
                if event.get("replace") is not False or name not in self._known:
                    self._known[name] = event.get("content")
            case "ACTIVITY_DELTA":
                self._patch(f"activity {event.get('messageId')}", "patch", event.get("patch"))
            case _:
                pass

    def _patch(self, name: str, member: str, operations: Json) -> None:
        if not isinstance(operations, list):
            return
        misfit = patch.misshapen(operations)
        if misfit is None and name in self._known:
            document = patch.apply(self._known[name], operations)
            if not isinstance(document, patch.Misfit):
                self._known[name] = document
                return
            misfit = document
        if misfit is not None:
            where = (misfit.member,) if misfit.member else ()
            self._notes.tell(
                "agui-patch", member, misfit.operation, *where, found=misfit.found, expected=misfit.expected
            )
