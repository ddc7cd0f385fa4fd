"""What a turn of a call waited for, as AG-UI and AgentCall tell it: the parts sum to the whole."""

from typing import Final, NamedTuple

from duologue.check.findings import JsonObject, shown

PARTS: Final = ("transcriberMs", "turnDetectionMs", "modelMs", "cuttingMs", "voiceMs")


class Sum(NamedTuple):
    """A whole that is not the sum of its parts."""

    found: str
    expected: str


def wrong_sum(latency: JsonObject) -> Sum | None:
    """Add the parts up; `None` where they make the whole."""
    parts = [latency.get(name) for name in PARTS]
    whole = sum(part for part in parts if isinstance(part, int))
    if latency.get("totalMs") == whole:
        return None
    return Sum(shown(latency.get("totalMs")), f"{whole}, the sum of its parts")
