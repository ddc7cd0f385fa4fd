"""AgentCall: what a mobile voice client sends, and numbered AG-UI events in return."""

from collections.abc import Mapping
from typing import Final

import msgspec

from duologue.check.agui import AguiTrack
from duologue.check.findings import JsonObject, shown
from duologue.check.latency import wrong_sum
from duologue.check.notes import Notes
from duologue.check.schema import Judge, branches, resolved
from duologue.model.errors import Problem
from duologue.model.jsonwire import Json
from duologue.protocols.agentcall import AgentCallDialect

TURNS: Final = frozenset({"user.turn", "user.observation"})
AUDIO: Final = frozenset({"audio.turn.start", "audio.turn.commit", "audio.turn.cancel"})


_dialect: Final = AgentCallDialect()


class Judges(msgspec.Struct, frozen=True):
    """The judges of whole frames, and of the values that Duologue's CUSTOM events have, by their name."""

    frames: Judge
    custom: Judge


def judge(schemas: Mapping[str, JsonObject]) -> Judges:
    """Make the judges.

    Args:
        schemas: `agentcall-client`, `agentcall-server` and `agentcall-physical-observation`, by name.
    """
    server = schemas["agentcall-server"]
    frames = branches(schemas["agentcall-client"]) | branches(server)
    outer = resolved(server, "#/$defs/event")
    match outer["properties"]:
        case {"event": {"oneOf": list(choices)}} as members:
            custom = branches(server | {"oneOf": choices}, key="name")
            # AG-UI's rules judge the event itself: a server may send more of them than ours does.
            loose: JsonObject = dict(members)
            loose["event"] = {"type": "object"}
            frames["agui.event"] |= outer
            frames["agui.event"]["properties"] = loose
            del frames["agui.event"]["$ref"]
        case _:
            raise AssertionError("the frame holds one of several events")
    others = (schemas["agentcall-physical-observation"],)
    return Judges(Judge(frames, others=others), Judge(custom, others=others))


class AgentCallTrack:
    """Follows the frames of one session, over one connection or several.

    Args:
        resumed: the recording may begin in the middle.
    """

    def __init__(self, notes: Notes, judges: Judges, *, resumed: bool = False) -> None:
        self._notes, self._judges = notes, judges
        self._agui = AguiTrack(notes, session=True, resumed=resumed)
        self._last: int | None = None if resumed else 0
        self._highest = self._seen = 0
        self._known_end = False
        self._ended = False
        self._asked: Json = None
        self._client_opened = self._client_spoke = self._explicit = False
        self._turns: dict[int, bytes] = {}
        self._audio: int | None = None

    def take(self, frame: JsonObject) -> None:
        """Look at the next frame of either side."""
        kind = frame.get("type")
        if not isinstance(kind, str) or kind not in self._judges.frames:
            expected = "agui.event, or another message of the binding"
            self._notes.tell("agentcall-type", "type", found=shown(kind), expected=expected)
            return
        faults = list(self._judges.frames.faults(kind, frame))
        for fault in faults:
            self._notes.tell("agentcall-schema", *fault.where, found=fault.found, expected=fault.expected)
        match kind:
            case "agui.event":
                self._event(frame)
            case "session.opened":
                self._opened(frame)
            case "error" | "turn.repeated":
                pass
            case _:
                self._client(kind, frame, sound=not faults)

    def end(self, *, whole: bool) -> None:
        """Look back when nothing more comes. A recording may stop in the middle of a run: the session goes on."""
        self._agui.end(whole=whole and self._ended)

    # What the server sends

    def _opened(self, frame: JsonObject) -> None:
        resumed, last = frame.get("resumedFrom"), frame.get("lastSequence")
        if not isinstance(resumed, int):
            return
        if isinstance(self._asked, int) and resumed != self._asked:
            expected = f"{self._asked}, as session.start asked for"
            self._notes.tell("agentcall-opened", "resumedFrom", found=str(resumed), expected=expected)
        if resumed > self._highest:
            # What lies before was not recorded, so a run may be in the middle.
            self._agui.resumed = True
        self._last = resumed
        self._known_end, self._ended = True, False
        self._highest = max(self._highest, resumed, last if isinstance(last, int) else 0)

    def _event(self, frame: JsonObject) -> None:
        sequence, event = frame.get("sequence"), frame.get("event")
        again = False
        if isinstance(sequence, int) and not isinstance(sequence, bool):
            if self._last is not None and sequence != self._last + 1 and not (self._last == 0 and _stands_in(event)):
                expected, unbegun = str(self._last + 1), not (self._seen or self._known_end)
                self._notes.tell(
                    "agentcall-sequence", "sequence", found=str(sequence), expected=expected, unbegun=unbegun
                )
            self._last = sequence
            again = sequence <= self._seen
            self._seen = max(self._seen, sequence)
            self._highest = max(self._highest, sequence)
        if self._ended:
            found = "an event after duologue.session.ended"
            self._notes.tell("agentcall-after-end", found=found, expected="nothing")
        # What came on an earlier connection already has been looked at.
        if isinstance(event, dict) and not again:
            with self._notes.inside("event"):
                self._agui.take(event)
                self._custom(event)

    def _custom(self, event: JsonObject) -> None:
        name = event.get("name")
        if event.get("type") != "CUSTOM" or not isinstance(name, str):
            return
        if name in self._judges.custom:
            for fault in self._judges.custom.faults(name, event):
                self._notes.tell("agentcall-schema", *fault.where, found=fault.found, expected=fault.expected)
        self._ended = name == "duologue.session.ended"
        match event.get("value"):
            case {"latency": dict() as latency}:
                wrong = wrong_sum(latency)
                if wrong is not None:
                    where = ("value", "latency", "totalMs")
                    self._notes.tell("agentcall-latency", *where, found=wrong.found, expected=wrong.expected)
            case _:
                pass

    # What the client sends

    def _client(self, kind: str, frame: JsonObject, *, sound: bool) -> None:
        if kind == "session.start":
            self._start(frame)
        elif not (self._client_opened or self._client_spoke):
            self._notes.tell("agentcall-open-first", "type", found=kind, expected="session.start before it")
        self._client_spoke = True
        turn = frame.get("turn")
        if kind in TURNS and isinstance(turn, int):
            self._turn(turn)
        elif kind in AUDIO and isinstance(turn, int):
            self._audio_turn(kind, turn)
        elif kind == "ack":
            self._ack(frame.get("sequence"))
        if kind == "user.observation" and sound:
            self._observe()

    def _start(self, frame: JsonObject) -> None:
        self._client_opened = True
        self._audio = None
        self._asked = frame.get("resumeFromSequence", 0)
        match frame:
            case {"clientCapabilities": {"audioTurnControl": {"mode": "explicit"}}}:
                self._explicit = True
            case _:
                self._explicit = False
        if isinstance(self._asked, int) and self._known_end and self._asked > self._highest:
            found, expected = str(self._asked), f"at most {self._highest}, the last that exists"
            self._notes.tell("agentcall-resume", "resumeFromSequence", found=found, expected=expected)

    def _turn(self, turn: int) -> None:
        said = self._notes.here.data
        known, highest = self._turns.get(turn), max(self._turns, default=0)
        if known is not None and msgspec.json.decode(known) != msgspec.json.decode(said):
            found = f"turn {turn} again, with other content"
            self._notes.tell("agentcall-turn", "turn", found=found, expected=f"{highest + 1}, or the same content")
        elif known is None and turn <= highest:
            found = f"{turn} after {highest}"
            self._notes.tell("agentcall-turn", "turn", found=found, expected=f"more than {highest}")
        self._turns[turn] = said

    def _audio_turn(self, kind: str, turn: int) -> None:
        if not self._explicit and self._client_opened:
            expected = "`audioTurnControl` explicit in session.start before it"
            self._notes.tell("agentcall-audio", "type", found=kind, expected=expected)
        if kind == "audio.turn.start":
            if turn <= (highest := max(self._turns, default=0)):
                found, expected = f"{turn} after {highest}", f"more than {highest}"
                self._notes.tell("agentcall-turn", "turn", found=found, expected=expected)
            self._audio = turn
            return
        if turn != self._audio:
            expected = "audio.turn.start first" if self._audio is None else f"{self._audio}, which is open"
            self._notes.tell("agentcall-audio", "turn", found=f"{kind} of turn {turn}", expected=expected)
        elif kind == "audio.turn.commit":
            self._turns[turn] = self._notes.here.data
        self._audio = None

    def _ack(self, sequence: Json) -> None:
        heard = self._known_end or self._highest > 0
        if isinstance(sequence, int) and heard and sequence > self._seen:
            expected = f"at most {self._seen}, the last that was sent"
            self._notes.tell("agentcall-ack", "sequence", found=str(sequence), expected=expected)

    def _observe(self) -> None:
        """Look inside an observation: the photo's hash and header, the tag's records."""
        decoded = _dialect.decode(self._notes.here.data)
        if isinstance(decoded, Problem):
            where = [int(step) if step.isdigit() else step for step in _steps(decoded.path)]
            self._notes.tell("agentcall-observation", *where, found=decoded.message, expected="what it says that it is")


def _stands_in(event: Json) -> bool:
    """Whether an event stands for all that retention removed before it: it is the first, and has a number above 1."""
    match event:
        case {"type": "MESSAGES_SNAPSHOT", "metadata": {"duologue": {"epoch": int()}}}:
            return True
        case _:
            return False


def _steps(path: str) -> list[str]:
    return path.removeprefix("$").replace("[", ".").replace("]", "").split(".")[1:]
