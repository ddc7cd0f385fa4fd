"""Chat: TransportEvents, and what clients send."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from duologue.check.chat_handoffs import Handoffs
from duologue.check.chat_tools import Tools
from duologue.check.findings import Frame, JsonObject, shown
from duologue.check.notes import Notes
from duologue.check.schema import Judge, branches
from duologue.model.jsonwire import Json

OWN_PAYLOADS: Final = "duologue."
"""Begins the names of payloads that stand for something else than a part of an answer."""

LATE: Final = frozenset({"signal.update", "diagnostic", "handoff.status", "tool.result"})
"""What may still come for a response that is over: estimates get better, tools and people take their time."""

LOOSE: Final = frozenset({"diagnostic", "error", "session.ended", "handoff.status", "signal.update"})
"""What may name a response that has not started, or none: it is about the session as well."""

REPLACED: Final = "replaced"
"""The outcome of a response that gives way to a better one."""

CUT_SHORT: Final = ("cancelled", "interrupted", REPLACED)
"""The outcomes with which an answer may have less text than its deltas: what was not heard was not said."""

RETRYABLE: Final[Mapping[str, bool]] = {
    "AUTH_EXPIRED": True,
    "TRANSPORT_CONNECT_FAILED": True,
    "STREAM_INTERRUPTED": True,
    "SEND_FAILED": True,
    "SERVER_TOOL_HTTP_FAILED": True,
    "AUTH_REQUIRED": False,
    "AUTH_FAILED": False,
    "CONFIG_INVALID": False,
}
"""Whether a retry helps. Source: the SDK's documentation of its error codes."""


@dataclass(slots=True)
class Response:
    """A response of which something was seen.

    Attributes:
        over: the type of the event that ended it; empty while it is open.
        whole: its start was seen, so all of its text was.
        outcome: how it ended, where it says so.
        short: text.completed, where it held a beginning of the text: that is all that was heard of a spoken answer.
        seen: the frames with a sequence, by it.
    """

    frame: Frame
    request: Json
    whole: bool
    over: str = ""
    outcome: Json = None
    pieces: list[str] = field(default_factory=list[str])
    text_over: bool = False
    short: Frame | None = None
    last: int = -1
    seen: dict[int, bytes] = field(default_factory=dict[int, bytes])


def judge(schemas: Mapping[str, JsonObject]) -> Judge:
    """Make the judge of both sides' frames.

    Args:
        schemas: `chat-event`, `chat-client`, `chat-control`, and what they refer to, by name.
    """
    known: dict[str, JsonObject] = {}
    for name in ("chat-client", "chat-control", "chat-event"):
        known |= branches(schemas[name])
    return Judge(known, others=(schemas["agentcall-physical-observation"],))


class ChatTrack:
    """Follows the frames of one session.

    Args:
        resumed: the recording may begin in the middle of a response.
    """

    def __init__(self, notes: Notes, frames: Judge, *, resumed: bool = False) -> None:
        self._notes, self._judge, self._resumed = notes, frames, resumed
        self._responses: dict[str, Response] = {}
        self._tools, self._handoffs = Tools(notes), Handoffs(notes)
        self._ended: Frame | None = None
        self._client_spoke = self._client_opened = False

    def take(self, frame: JsonObject) -> None:
        """Look at the next frame of either side."""
        kind = frame.get("type")
        if not isinstance(kind, str) or kind not in self._judge:
            expected = "a TransportEvent or a message of a chat client"
            self._notes.tell("chat-type", "type", found=shown(kind), expected=expected)
            return
        for fault in self._judge.faults(kind, frame):
            self._notes.tell("chat-schema", *fault.where, found=fault.found, expected=fault.expected)
        match kind:
            case "session.opened":
                self._join(frame)
            case (
                "session.start"
                | "message.send"
                | "response.cancel"
                | "session.end"
                | "tool.output"
                | "approval.decide"
                | "audio.turn.start"
                | "audio.turn.commit"
                | "audio.turn.cancel"
            ):
                self._client(kind)
            case "message.repeated":
                pass
            case _:
                self._event(kind, frame)

    def end(self, *, whole: bool) -> None:
        """Look back when nothing more comes."""
        for name, response in self._responses.items():
            if whole and not response.over and response.whole:
                found = f"response {shown(name)} without an end"
                expected = "response.completed, or an error that names it"
                self._notes.tell("chat-response-open", found=found, expected=expected, frame=response.frame)

    def _join(self, frame: JsonObject) -> None:
        """A connection begins: what follows its cursor may begin in the middle of what was not recorded."""
        self._ended = None
        cursor = frame.get("cursor")
        known = {number for response in self._responses.values() for number in response.seen}
        if isinstance(cursor, int) and cursor > 0 and cursor not in known:
            self._resumed = True

    def _client(self, kind: str) -> None:
        if kind == "session.start":
            self._client_opened = True
        elif not (self._client_opened or self._client_spoke):
            self._notes.tell("chat-open-first", "type", found=kind, expected="session.start before it")
        self._client_spoke = True

    def _event(self, kind: str, frame: JsonObject) -> None:
        self._check_moment(frame)
        if self._ended is not None:
            found = f"{kind} after frame {self._ended.number} ended the session"
            self._notes.tell("chat-after-end", "type", found=found, expected="nothing")
        if kind == "session.ended":
            self._ended = self._notes.here
            return
        if kind == "error":
            self._check_code(frame)
        self._handoffs.take(kind, frame)
        name = frame.get("responseId")
        if not isinstance(name, str):
            return
        response = self._response(kind, name, frame)
        if response is None or self._is_again(response, frame):
            return
        self._check_place(response, kind, name, frame)
        self._follow(response, kind, frame)
        self._tools.take(kind, frame)

    def _response(self, kind: str, name: str, frame: JsonObject) -> Response | None:
        """The response that an event belongs to; `None` where it stands outside of all."""
        known = self._responses.get(name)
        if known is not None:
            if kind == "response.started" and not self._same(known, frame):
                found = f"{shown(name)} again"
                self._notes.tell("chat-response-twice", "responseId", found=found, expected="an id of its own")
            return known
        if kind in LOOSE or (kind == "rich.payload" and str(frame.get("payloadType")).startswith(OWN_PAYLOADS)):
            return None
        if kind != "response.started" and not self._resumed:
            found, expected = f"{kind} of {shown(name)}, which has not started", "response.started before it"
            unbegun = not self._responses
            self._notes.tell("chat-response-first", "responseId", found=found, expected=expected, unbegun=unbegun)
        whole = kind == "response.started"
        if whole:
            self._check_replaced(frame)
        response = Response(self._notes.here, frame.get("requestId"), whole)
        self._responses[name] = response
        return response

    def _check_replaced(self, frame: JsonObject) -> None:
        """A response takes the place of one that gave way."""
        name = frame.get("replaces")
        old = self._responses.get(name) if isinstance(name, str) else None
        if old is not None and old.outcome != REPLACED:
            found = f"{shown(name)}, which {'ended as ' + shown(old.outcome) if old.over else 'is still open'}"
            expected = "a response that ended with the outcome replaced"
            self._notes.tell("chat-replaces", "replaces", found=found, expected=expected)

    def _same(self, response: Response, frame: JsonObject) -> bool:
        return response.seen.get(_sequence(frame)) == self._notes.here.data

    def _is_again(self, response: Response, frame: JsonObject) -> bool:
        """Whether a frame was there before, byte for byte: a redelivery, which clients drop."""
        number = _sequence(frame)
        if number < 0:
            return False
        if self._same(response, frame):
            return True
        if number <= response.last:
            what = "another event" if number in response.seen else "an event"
            found = f"{what} with sequence {number} after {response.last}"
            self._notes.tell("chat-sequence", "sequence", found=found, expected=f"more than {response.last}")
        response.seen[number] = self._notes.here.data
        response.last = max(response.last, number)
        return False

    def _check_place(self, response: Response, kind: str, name: str, frame: JsonObject) -> None:
        if response.over and kind not in LATE and kind != "response.started":
            found = f"{kind} of {shown(name)} after {response.over}"
            self._notes.tell("chat-after-response", "type", found=found, expected="nothing more of this response")
        if frame.get("requestId") != response.request:
            found, expected = shown(frame.get("requestId")), f"{shown(response.request)}, as the response began"
            self._notes.tell("chat-request", "requestId", found=found, expected=expected)

    def _follow(self, response: Response, kind: str, frame: JsonObject) -> None:
        match kind, frame:
            case "text.delta", {"delta": str(delta)}:
                if response.text_over:
                    found = "more text after text.completed"
                    self._notes.tell("chat-text-over", "type", found=found, expected="text.completed as the last of it")
                response.pieces.append(delta)
            case "tool.call" | "tool.result", _:
                # A stretch of text may end before a tool is called, and another follow.
                response.text_over = False
            case "text.completed", {"text": str(text)}:
                self._complete_text(response, text)
            case "response.completed" | "error", _:
                response.over, response.outcome = response.over or kind, frame.get("outcome")
                if kind == "response.completed" and frame.get("outcome") not in CUT_SHORT:
                    self._check_short(response)
            case _:
                pass

    def _complete_text(self, response: Response, text: str) -> None:
        response.text_over = True
        so_far = "".join(response.pieces)
        if not (response.whole and response.pieces) or text == so_far:
            return
        if so_far.startswith(text):
            response.short = self._notes.here
            return
        expected = f"{shown(so_far)}, as the deltas have it"
        self._notes.tell("chat-text", "text", found=shown(text), expected=expected)

    def _check_short(self, response: Response) -> None:
        """The answer was not cut short, so all of its text is wanted."""
        if response.short is not None:
            found, expected = "less than the deltas have", shown("".join(response.pieces))
            self._notes.tell("chat-text", "text", found=found, expected=expected, frame=response.short)

    def _check_moment(self, frame: JsonObject) -> None:
        moment = frame.get("timestamp")
        if not isinstance(moment, str):
            return
        try:
            read = datetime.fromisoformat(moment)
        except ValueError:
            return
        if read.utcoffset() != timedelta(0):
            self._notes.tell("chat-utc", "timestamp", found=shown(moment), expected="UTC, with Z at its end")

    def _check_code(self, frame: JsonObject) -> None:
        code, retryable = frame.get("code"), frame.get("retryable")
        known = RETRYABLE.get(code) if isinstance(code, str) else None
        if known is not None and isinstance(retryable, bool) and retryable != known:
            found = f"{shown(retryable)} for {code}"
            self._notes.tell("chat-retryable", "retryable", found=found, expected=shown(known))


def _sequence(frame: JsonObject) -> int:
    number = frame.get("sequence")
    return number if isinstance(number, int) and not isinstance(number, bool) else -1
