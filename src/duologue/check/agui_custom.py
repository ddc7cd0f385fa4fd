"""AG-UI: Duologue's CUSTOM events, with what happens in a call."""

from collections.abc import Mapping
from typing import Final

from duologue.check.findings import JsonObject
from duologue.check.notes import Notes
from duologue.check.schema import Judge, branches
from duologue.check.spoken import Segments, Words

_VALUE: Final = ("value",)


def judge(schemas: Mapping[str, JsonObject]) -> Judge:
    """Make the judge of the values.

    Args:
        schemas: `agui-custom`, by name.
    """
    return Judge(branches(schemas["agui-custom"], key="name"))


class Customs:
    """Follows the CUSTOM events of one stream.

    Args:
        values: the judge of their values; `None` where somebody else judges those.
    """

    def __init__(self, notes: Notes, values: Judge | None) -> None:
        self._notes, self._values = notes, values
        self._words: dict[str, Words] = {}
        self._segments = Segments(notes, "agui-voice-final")

    def begin(self) -> None:
        """A run begins. What came before it on another stream is not known: a call may have begun since."""
        self._segments.begin()

    def take(self, event: JsonObject) -> None:
        """Look at a CUSTOM event; names that are not Duologue's are not judged."""
        name = event.get("name")
        if not isinstance(name, str):
            return
        if self._values is not None and name in self._values:
            for fault in self._values.faults(name, event):
                self._notes.tell("agui-custom", *fault.where, found=fault.found, expected=fault.expected)
        match name, event.get("value"):
            case "duologue.voice.word", {
                "responseId": str(response),
                "word": str(word),
                "begin": int(begin),
                "end": int(end),
            }:
                self._of(response).speak(word, begin, end, where=_VALUE)
            case "duologue.voice.barge_in" | "duologue.voice.finished", {"responseId": str(response)}:
                self._of(response).stop(name)
            case "duologue.voice.transcript", {"segment": int(segment), "final": bool(final)}:
                self._segments.hear(segment, final=final, where=_VALUE)
            case "duologue.call.began" | "duologue.call.ended", _:
                self._segments.begin()
            case _:
                pass

    def _of(self, response: str) -> Words:
        known = self._words.get(response)
        if known is None:
            # Answers are spoken one after another: of those before nothing more has to be known.
            self._words.clear()
            known = self._words[response] = Words(self._notes, "agui-voice-words")
        return known
