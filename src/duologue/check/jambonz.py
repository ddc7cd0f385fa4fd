"""jambonz: the agent verb's events about each turn."""

from collections.abc import Mapping

from duologue.check.findings import Frame, JsonObject, shown
from duologue.check.notes import Notes
from duologue.check.schema import Judge, branches
from duologue.model.jsonwire import Json


def judge(schemas: Mapping[str, JsonObject]) -> Judge:
    """Make the judge of the events.

    Args:
        schemas: `jambonz-agent-event`, by name.
    """
    return Judge(branches(schemas["jambonz-agent-event"]))


class JambonzTrack:
    """Follows the agent events of one call.

    Attributes:
        skipped: other messages of the socket.
    """

    def __init__(self, notes: Notes, events: Judge) -> None:
        self._notes, self._judge = notes, events
        self.skipped = 0
        self._transcript: str | None = None
        self._response: str | None = None
        self._interrupted: Frame | None = None

    def take(self, frame: JsonObject) -> None:
        """Look at the next frame; the socket's messages around it are opened or skipped."""
        match frame:
            case {"type": "agent:event", "data": dict(data)}:
                with self._notes.inside("data"):
                    self._event(data)
            case {"type": "agent:event"}:
                self._notes.tell("jambonz-schema", found="no object `data`", expected="the event as `data`")
            case {"type": str(name)} if ":" in name or name in ("ack", "command"):
                self.skipped += 1
            case _:
                self._event(frame)

    def end(self, *, whole: bool) -> None:
        """Look back when nothing more comes."""
        if whole and self._interrupted is not None:
            self._unreported()

    def _event(self, event: JsonObject) -> None:
        kind = event.get("type")
        if not isinstance(kind, str) or kind not in self._judge:
            known = ", ".join(self._judge)
            self._notes.tell("jambonz-type", "type", found=shown(kind), expected=f"one of {known}")
            return
        for fault in self._judge.faults(kind, event):
            self._notes.tell("jambonz-schema", *fault.where, found=fault.found, expected=fault.expected)
        match kind:
            case "user_transcript":
                self._transcript = _text(event.get("transcript"))
                self._response = None
            case "llm_response":
                self._respond(event)
            case "user_interruption":
                self._interrupted = self._notes.here
            case _:
                self._end_turn(event)

    def _respond(self, event: JsonObject) -> None:
        # Between turns there may be more of them: of turns that went on by themselves, after an approval for instance.
        if self._response is not None and self._transcript is not None:
            found = "a second response of the same turn"
            self._notes.tell("jambonz-response", found=found, expected="one response for each turn")
        self._response = _text(event.get("response"))

    def _end_turn(self, event: JsonObject) -> None:
        self._check_words(event)
        self._check_interruption(event)
        match event.get("latency"):
            case dict() as latency:
                with self._notes.inside("latency"):
                    self._check_latency(latency)
            case _:
                pass
        self._transcript = self._response = self._interrupted = None

    def _check_words(self, event: JsonObject) -> None:
        transcript, response = _text(event.get("transcript")), _text(event.get("response"))
        if None not in (self._transcript, transcript) and transcript != self._transcript:
            expected = f"{shown(self._transcript)}, as user_transcript has it"
            self._notes.tell("jambonz-transcript", "transcript", found=shown(transcript), expected=expected)
        whole = self._response
        if whole is None or response is None or response == whole:
            return
        if event.get("interrupted") is not True:
            expected = f"{shown(whole)}, as llm_response has it"
            self._notes.tell("jambonz-spoken", "response", found=shown(response), expected=expected)
        elif not _begins(whole, response):
            expected = f"a beginning of {shown(whole)}"
            self._notes.tell("jambonz-spoken", "response", found=shown(response), expected=expected)

    def _check_interruption(self, event: JsonObject) -> None:
        said = event.get("interrupted")
        if said is True and self._interrupted is None:
            expected = "user_interruption before it"
            self._notes.tell("jambonz-interrupted", "interrupted", found="true", expected=expected)
        elif said is False and self._interrupted is not None:
            self._unreported()

    def _unreported(self) -> None:
        assert self._interrupted is not None, "the caller looked"
        self._notes.tell(
            "jambonz-interrupted",
            frame=self._interrupted,
            found="an interruption that no turn_end reports",
            expected="turn_end with `interrupted` true after it",
        )

    def _check_latency(self, latency: JsonObject) -> None:
        for name, value in latency.items():
            if isinstance(value, int) and not isinstance(value, bool) and value < 0:
                self._notes.tell("jambonz-latency", name, found=shown(value), expected="0 or more milliseconds")
        match latency.get("preflight"):
            case {"result": str(result)} as preflight:
                if result == "hit" and "model_latency" in latency:
                    found = "model_latency on a hit"
                    expected = "no model_latency: nobody waited for the model"
                    self._notes.tell("jambonz-preflight", "model_latency", found=found, expected=expected)
                if result != "hit" and "tokens" in preflight:
                    found = f"tokens on a {result}"
                    expected = "no tokens: they are released on a hit only"
                    self._notes.tell("jambonz-preflight", "preflight", "tokens", found=found, expected=expected)
            case _:
                pass


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def _begins(whole: str, part: str) -> bool:
    """Whether a text is a beginning of another, spaces aside: what was spoken is cut at words."""
    return "".join(whole.split()).startswith("".join(part.split()).rstrip(".…"))
