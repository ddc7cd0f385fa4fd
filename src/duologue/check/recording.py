"""Checking a recording: all of it at once, or frame by frame as it comes."""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Final
from typing import Protocol as Shape

from duologue.check import (
    agentcall,
    agentcall_rules,
    agui,
    agui_custom,
    agui_rules,
    chat,
    chat_rules,
    ghost,
    ghost_rules,
    jambonz,
    jambonz_rules,
)
from duologue.check.findings import Frame, JsonObject, Protocol, Report, Rule
from duologue.check.notes import Notes
from duologue.check.reading import frames, read_object
from duologue.model.errors import Problem

RULES: Final[Mapping[Protocol, tuple[Rule, ...]]] = MappingProxyType(
    {
        "agentcall": agentcall_rules.RULES,
        "agui": agui_rules.RULES,
        "chat": chat_rules.RULES,
        "ghost": ghost_rules.RULES,
        "jambonz": jambonz_rules.RULES,
    }
)
"""The rules by protocol."""

LoadSchema = Callable[[str], JsonObject]

SCHEMAS: Final[Mapping[Protocol, tuple[str, ...]]] = MappingProxyType(
    {
        "agentcall": ("agentcall-client", "agentcall-server", "agentcall-physical-observation"),
        "agui": ("agui-custom",),
        "chat": ("chat-event", "chat-client", "chat-control", "agentcall-physical-observation"),
        "ghost": ("ghost-event", "ghost-client", "agentcall-physical-observation"),
        "jambonz": ("jambonz-agent-event",),
    }
)
"""The schemas that a protocol's frames are judged by; those of AG-UI's own events are in this package."""


class Track(Shape):
    """Follows a recording."""

    def take(self, frame: JsonObject) -> None:
        """Look at the next frame."""
        ...

    def end(self, *, whole: bool) -> None:
        """Look back when nothing more comes; `whole` is false where the recording was cut by a bound."""
        ...


class Recording:
    """Checks frames as they come.

    Args:
        protocol: whose rules hold.
        load: gives a published schema by its name; asked for those in `SCHEMAS`.
        resumed: the recording may begin in the middle: of a run, a response, a turn.
    """

    def __init__(self, protocol: Protocol, load: LoadSchema, *, resumed: bool = False) -> None:
        self._protocol: Protocol = protocol
        self._notes = Notes(known_rules(protocol))
        self._track = _track(protocol, self._notes, load, resumed=resumed)
        self.frames = 0

    def take(self, frame: Frame) -> None:
        """Look at the next frame."""
        self.frames += 1
        self._notes.here = frame
        found = read_object(frame)
        if isinstance(found, Problem):
            self._notes.tell(f"{self._protocol}-json", found=_beginning(frame.data), expected=found.message)
        else:
            self._track.take(found)

    def end(self, *, whole: bool = True) -> Report:
        """Look back, and say what was found."""
        self._track.end(whole=whole)
        return Report(
            protocol=self._protocol,
            frames=self.frames,
            skipped=self._track.skipped if isinstance(self._track, jambonz.JambonzTrack) else 0,
            findings=tuple(self._notes.findings),
            dropped=self._notes.dropped,
            whole=whole,
        )


def check(recording: bytes | Iterable[Frame], protocol: Protocol, load: LoadSchema, *, resumed: bool = False) -> Report:
    """Check a whole recording.

    Args:
        recording: JSON lines, a JSON array or server-sent events; or its frames.
        protocol, load, resumed: as for `Recording`.
    """
    judged = Recording(protocol, load, resumed=resumed)
    for frame in frames(recording) if isinstance(recording, bytes) else recording:
        judged.take(frame)
    return judged.end()


def known_rules(protocol: Protocol) -> dict[str, Rule]:
    """The rules that a recording of a protocol is checked for, by id; AgentCall's frames hold AG-UI's events."""
    rules = RULES[protocol] + (RULES["agui"] if protocol == "agentcall" else ())
    return {rule.id: rule for rule in rules}


def _track(protocol: Protocol, notes: Notes, load: LoadSchema, *, resumed: bool) -> Track:
    schemas = {name: load(name) for name in SCHEMAS[protocol]}
    match protocol:
        case "agentcall":
            return agentcall.AgentCallTrack(notes, agentcall.judge(schemas), resumed=resumed)
        case "agui":
            return agui.AguiTrack(notes, resumed=resumed, customs=agui_custom.judge(schemas))
        case "chat":
            return chat.ChatTrack(notes, chat.judge(schemas), resumed=resumed)
        case "ghost":
            return ghost.GhostTrack(notes, ghost.judge(schemas), resumed=resumed)
        case "jambonz":
            return jambonz.JambonzTrack(notes, jambonz.judge(schemas))


def _beginning(data: bytes) -> str:
    text = data[:80].decode("utf-8", "replace")
    return repr(text)
