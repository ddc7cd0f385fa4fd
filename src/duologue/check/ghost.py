"""Ghost AG-UI: the six states and ten transitions, turns, tokens and tools."""

from collections import Counter
from collections.abc import Mapping
from typing import Final, get_args

from duologue.check.findings import Frame, JsonObject, shown
from duologue.check.notes import Notes
from duologue.check.schema import Judge, branches
from duologue.check.spoken import Words
from duologue.engine import machine
from duologue.model.events import State
from duologue.model.inputs import Trigger
from duologue.model.jsonwire import Json

IN_STATES: Final[Mapping[str, tuple[State, ...]]] = {
    "turn.start": ("thinking",),
    "turn.routing": ("thinking",),
    "turn.thinking": ("thinking", "speaking"),
    "turn.token": ("speaking",),
    "turn.complete": ("idle", "speaking", "listening"),
    "turn.upgrade": ("thinking", "speaking"),
    "turn.error": ("error", "idle", "listening"),
    "voice.listening": ("listening",),
    # Who speaks over an answer is recognised while it is made and spoken.
    "voice.speech_start": ("listening", "transcribing", "thinking", "speaking"),
    "voice.transcribing": ("transcribing", "thinking", "speaking"),
    "voice.transcript": ("transcribing", "thinking", "speaking"),
    "voice.speaking": ("speaking",),
    "voice.barge_in": ("listening",),
    "voice.finished": ("idle", "listening"),
}
"""In which states an event may leave the machine; others may come in any."""

IN_TURN: Final = frozenset({"turn.routing", "turn.thinking", "turn.token", "turn.upgrade"})
BEGINS_TURN: Final = frozenset({"turn.start", "ghost.turn_resumed"})
ENDS_TURN: Final = frozenset({"turn.complete", "turn.error"})

ANSWERS: Final = frozenset({"ghost.error", "session.opened", "turn.repeated"})
"""Frames of the server that are no events."""


def judge(schemas: Mapping[str, JsonObject]) -> Judge:
    """Make the judge of both sides' frames.

    Args:
        schemas: `ghost-event`, `ghost-client`, and what they refer to, by name.
    """
    client = branches(schemas["ghost-client"])
    # The schema has it to refuse it with a word of its own.
    client.pop("first_token", None)
    others = (schemas["agentcall-physical-observation"],)
    return Judge(branches(schemas["ghost-event"]) | client, others=others)


class GhostTrack:
    """Follows the frames of one session.

    Args:
        resumed: the recording may begin in the middle of a turn.
    """

    def __init__(self, notes: Notes, frames: Judge, *, resumed: bool = False) -> None:
        self._notes, self._judge, self._resumed = notes, frames, resumed
        self._state: State | None = None
        self._sequence: int | None = None
        self._moment: int | None = None
        self._turn: Frame | None = None
        self._failed = False
        # Of the text so far; `None` where that is not known.
        self._length: int | None = None if resumed else 0
        self._begun = False
        self._tools: Counter[str] = Counter()
        self._words = Words(notes, "ghost-words")
        self._ended: Frame | None = None
        self._client_opened = self._client_spoke = False

    def take(self, frame: JsonObject) -> None:
        """Look at the next frame of either side."""
        kind = frame.get("type")
        if not isinstance(kind, str) or kind not in self._judge:
            self._notes.tell("ghost-type", "type", found=shown(kind), expected="a Ghost event or trigger")
            return
        for fault in self._judge.faults(kind, frame):
            self._notes.tell("ghost-schema", *fault.where, found=fault.found, expected=fault.expected)
        if kind == "session.opened":
            self._join(frame)
        elif "payload" in frame or ("." in kind and kind not in ANSWERS and "sequence" in frame):
            self._event(kind, frame)
        elif kind not in ANSWERS:
            self._client(kind)

    def end(self, *, whole: bool) -> None:
        """Look back when nothing more comes."""
        if whole and self._turn is not None:
            found, expected = "a turn without an end", "turn.complete or turn.error"
            self._notes.tell("ghost-turn-open", found=found, expected=expected, frame=self._turn)

    def _join(self, frame: JsonObject) -> None:
        """A connection begins; what it does not repeat is not known, and neither is the state before it."""
        after = frame.get("after")
        self._ended = None
        if isinstance(after, int) and after != self._sequence:
            self._state, self._length = None, None
            self._sequence = after
            self._resumed = self._resumed or after > 0
            self._turn = None

    def _event(self, kind: str, frame: JsonObject) -> None:
        self._check_order(kind, frame)
        if self._ended is not None:
            found = f"{kind} after frame {self._ended.number} ended the session"
            self._notes.tell("ghost-after-end", "type", found=found, expected="nothing")
        payload = frame.get("payload")
        self._check_state(kind, frame.get("state"), payload if isinstance(payload, dict) else {})
        self._follow_turn(kind)
        match kind, payload:
            case "turn.token", {"token": str(token), "cumulative_length": int(length)}:
                self._count(token, length)
            case "turn.start" | "turn.thinking" | "turn.upgrade" | "ghost.turn_resumed", dict():
                self._restart(kind, payload)
            case "voice.speaking", {"word": str(word), "begin": int(begin), "end": int(end)}:
                self._words.speak(word, begin, end, where=("payload",))
            case "voice.barge_in" | "voice.finished", _:
                self._words.stop(kind)
            case "tool.invoked" | "tool.result", {"tool_name": str(name)}:
                self._pair(kind, name)
            case "ghost.session_ended", _:
                self._ended = self._notes.here
            case _:
                pass

    def _check_order(self, kind: str, frame: JsonObject) -> None:
        sequence, moment = frame.get("sequence"), frame.get("timestamp")
        if isinstance(sequence, int):
            if self._sequence is not None and sequence <= self._sequence:
                expected = f"more than {self._sequence}"
                self._notes.tell("ghost-sequence", "sequence", found=str(sequence), expected=expected)
            if sequence == 1 and kind != "agent.ready":
                self._notes.tell("ghost-ready", "type", found=f"{kind} as event 1", expected="agent.ready")
            self._sequence = sequence
        if isinstance(moment, int):
            if self._moment is not None and moment < self._moment:
                expected = f"at least {self._moment}"
                self._notes.tell("ghost-time", "timestamp", found=str(moment), expected=expected)
            self._moment = moment

    def _check_state(self, kind: str, value: Json, payload: JsonObject) -> None:
        state = _state(value)
        if state is None:
            return
        before, self._state = self._state, state
        if before is not None and not reachable(before, state):
            expected = "one of " + ", ".join(sorted({before, *_next(before)}))
            self._notes.tell("ghost-transition", "state", found=f"{state} after {before}", expected=expected)
        allowed = IN_STATES.get(kind)
        if allowed is not None and state not in allowed:
            self._notes.tell("ghost-state", "state", found=f"{kind} in {state}", expected=" or ".join(allowed))
        if kind == "ghost.state":
            self._check_trigger(state, payload)

    def _check_trigger(self, state: State, payload: JsonObject) -> None:
        match payload:
            case {"trigger": str(trigger), "previous": str(previous)}:
                moves = [move.target for move in machine.TRANSITIONS if move.trigger == trigger]
                legal = any(
                    move.target == state and move.trigger == trigger and move.source in (None, previous)
                    for move in machine.TRANSITIONS
                )
                if moves and not legal:
                    found = f"{trigger} from {previous} to {state}"
                    self._notes.tell("ghost-trigger", "payload", found=found, expected="one of the ten transitions")
            case _:
                pass

    def _follow_turn(self, kind: str) -> None:
        if kind in BEGINS_TURN:
            if self._turn is not None:
                found = f"{kind} while the turn of frame {self._turn.number} is open"
                self._notes.tell("ghost-turn-twice", "type", found=found, expected="turn.complete or turn.error first")
            self._turn, self._failed, self._begun = self._notes.here, False, True
        elif kind in IN_TURN:
            again = self._failed and kind == "turn.thinking"
            if self._turn is None and not again and not self._resumed:
                self._unopened(kind)
            self._turn, self._failed = self._turn or self._notes.here, False
        elif kind in ENDS_TURN:
            if self._turn is None and not self._resumed:
                self._unopened(kind)
            # A run that was lost is made again, without another turn.start.
            self._turn, self._failed = None, kind == "turn.error"

    def _unopened(self, kind: str) -> None:
        found, expected = f"{kind} outside of a turn", "turn.start before it"
        self._notes.tell("ghost-turn-first", "type", found=found, expected=expected, unbegun=not self._begun)
        if not self._begun:
            # How much text came before is not known.
            self._length = None

    def _restart(self, kind: str, payload: JsonObject) -> None:
        """A text begins: with the turn, with another run of it, or with the better model."""
        if kind != "turn.thinking" or payload.get("is_thinking") is True:
            self._length = 0
            self._words.begin()

    def _count(self, token: str, length: int) -> None:
        if self._length is not None and length != self._length + len(token):
            expected = f"{self._length + len(token)}: {self._length} before it and {len(token)} code points"
            self._notes.tell("ghost-length", "payload", "cumulative_length", found=str(length), expected=expected)
        self._length = length

    def _pair(self, kind: str, name: str) -> None:
        if kind == "tool.invoked":
            self._tools[name] += 1
        elif self._tools[name]:
            self._tools[name] -= 1
        elif not self._resumed:
            found = f"a result of {shown(name)}, which was not invoked"
            self._notes.tell("ghost-tool", "payload", "tool_name", found=found, expected="tool.invoked before it")

    def _client(self, kind: str) -> None:
        if kind == "session.open":
            self._client_opened = True
        elif not (self._client_opened or self._client_spoke):
            self._notes.tell("ghost-open-first", "type", found=kind, expected="session.open before it")
        self._client_spoke = True
        trigger = next((name for name in get_args(Trigger) if name == kind), None)
        # Text is taken in every state: what is going on is cancelled first.
        if trigger is None or trigger in ("user_sends_text", "stt_complete") or self._state is None:
            return
        if machine.target(self._state, trigger) is None:
            expected = "one of " + ", ".join(machine.legal(self._state))
            self._notes.tell("ghost-client", "type", found=f"{kind} in {self._state}", expected=expected)


def _state(value: Json) -> State | None:
    for state in machine.STATES:
        if state == value:
            return state
    return None


def reachable(before: State, after: State) -> bool:
    """Whether one event may lead from a state to another: by one transition, or by `cancel` and one more."""
    return after == before or after in _next(before) or after in _next("idle")


def _next(state: State) -> set[State]:
    return {move.target for move in machine.TRANSITIONS if move.source in (None, state)}
