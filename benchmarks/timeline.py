"""Draws a spoken turn from the journal of a conversation: who spoke when, what was understood, and what was waited for.

duologue sessions export SESSION > session.jsonl
python -m benchmarks.timeline session.jsonl --turn 2 > turn.svg
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any, Final

import msgspec

WIDTH: Final = 1000
LEFT, RIGHT, TOP = 120, 980, 58
LANE, BAR = 46, 16
LANES: Final = ("You", "Understood", "State", "Agent writes", "Voice makes", "You hear")
BEFORE_MS, AFTER_MS = 500, 700
INK, SOFT, GRID, PAPER = "#16211e", "#4b5a56", "#dde4e0", "#ffffff"
TEAL, SAND, RED = "#0a695d", "#d9994a", "#a8231b"
STATES: Final = {
    "idle": "#ecf0ed",
    "listening": "#f8e8d4",
    "transcribing": "#ecd3b4",
    "thinking": "#cfe3dd",
    "speaking": "#8fcabd",
    "error": "#fceae7",
}
WAITS: Final = ("transcriber", "turn_detection", "model", "cutting", "voice")
TICKS_MS: Final = (100, 200, 500, 1_000, 2_000, 5_000)
CHAR_PX: Final = 6.4
"""How wide a character is, about; what does not fit is left out."""

# Any: events of many kinds, as JSON.
Event = dict[str, Any]


class Picture:
    """An SVG of some stretch of time.

    Args:
        begin_ms: its left side.
        end_ms: its right side.
    """

    def __init__(self, begin_ms: int, end_ms: int) -> None:
        self._begin_ms, self._end_ms = begin_ms, end_ms
        self._parts: list[str] = []

    def x(self, at_ms: float) -> float:
        """Where a moment is."""
        share = (at_ms - self._begin_ms) / (self._end_ms - self._begin_ms)
        return LEFT + min(1.0, max(0.0, share)) * (RIGHT - LEFT)

    def bar(self, lane: int, span: tuple[float, float], color: str, *, text: str = "") -> None:
        """Draw that something went on, with words inside where they fit."""
        begin, end = self.x(span[0]), self.x(span[1])
        y = _top(lane)
        self._parts.append(
            f'<rect x="{begin:.1f}" y="{y}" width="{max(1.5, end - begin):.1f}" height="{BAR}" rx="2" fill="{color}"/>'
        )
        if text and len(text) * CHAR_PX < end - begin:
            self.words((begin + end) / 2, y + BAR - 4, text, anchor="middle", size=11)

    def tick(self, lane: int, at_ms: float, color: str) -> None:
        """Draw that something happened."""
        x, y = self.x(at_ms), _top(lane)
        self._parts.append(f'<rect x="{x:.1f}" y="{y}" width="2" height="{BAR}" fill="{color}"/>')

    def line(self, at_ms: float, text: str, color: str) -> None:
        """Draw a moment through all lanes."""
        x = self.x(at_ms)
        bottom = _top(len(LANES)) - 6
        self._parts.append(
            f'<line x1="{x:.1f}" y1="{TOP - 14}" x2="{x:.1f}" y2="{bottom}" stroke="{color}" stroke-dasharray="3 3"/>'
        )
        anchor = "end" if x > (LEFT + RIGHT) / 2 else "start"
        self.words(x, TOP - 18, text, anchor=anchor, color=color)

    def words(self, x: float, y: float, text: str, *, anchor: str = "start", size: int = 12, color: str = INK) -> None:
        """Write."""
        look = f'text-anchor="{anchor}" font-size="{size}" fill="{color}"'
        self._parts.append(f'<text x="{x:.1f}" y="{y:.1f}" {look}>{escape(text)}</text>')

    def frame(self, zero_ms: int) -> None:
        """Draw lanes and time; it is counted from `zero_ms`."""
        for lane, name in enumerate(LANES):
            self.words(LEFT - 12, _top(lane) + BAR - 3, name, anchor="end", color=SOFT)
        span_ms = self._end_ms - self._begin_ms
        step_ms = next((ms for ms in TICKS_MS if span_ms / ms <= 12), TICKS_MS[-1])
        bottom = _top(len(LANES))
        first = -((zero_ms - self._begin_ms) // step_ms)
        for number in range(first, (self._end_ms - zero_ms) // step_ms + 1):
            x = self.x(zero_ms + number * step_ms)
            self._parts.append(f'<line x1="{x:.1f}" y1="{TOP - 8}" x2="{x:.1f}" y2="{bottom - 8}" stroke="{GRID}"/>')
            self.words(x, bottom + 6, f"{number * step_ms / 1000:g} s", anchor="middle", size=11, color=SOFT)

    def svg(self, label: str, *, height: int) -> str:
        """The document."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif"'
            f' role="img" aria-label="{escape(label)}">'
        )
        return "\n".join(
            [head, f'<rect width="{WIDTH}" height="{height}" rx="6" fill="{PAPER}"/>', *self._parts, "</svg>", ""]
        )


def _top(lane: int) -> int:
    return TOP + lane * LANE


def draw(events: Sequence[Event], turn: int, *, after_ms: int | None = None) -> str:
    """Draw a turn that was spoken in a call.

    Args:
        events: all of the session, in order.
        turn: its number.
        after_ms: how much is shown of what followed the person's speech; `None` for all of the turn.
    Returns:
        An SVG document; 0 s is the end of the person's speech, as far as their turn is concerned.
    Raises:
        ValueError: there is no such turn, or it was not spoken.
    """
    accepted = next((event for event in events if event["kind"] == "turn_accepted" and event["turn"] == turn), None)
    if accepted is None or accepted.get("source") != "voice":
        raise ValueError(f"turn {turn} was not spoken, or is not there")
    ended = next((event for event in events if event["kind"] == "turn_ended" and event["turn"] == turn), events[-1])
    speech = [span for span in _speech(events) if span[0] < accepted["at_ms"]]
    began_ms, zero_ms = speech[-1]
    for span in reversed(speech[:-1]):
        if began_ms - span[1] > 1_500:
            break
        began_ms = span[0]
    begin_ms, end_ms = began_ms - BEFORE_MS, ended["at_ms"] + AFTER_MS
    if after_ms is not None:
        end_ms = min(end_ms, zero_ms + after_ms)
    picture = Picture(begin_ms, end_ms)
    picture.frame(zero_ms)
    shown = [event for event in events if begin_ms <= event["at_ms"] <= end_ms]
    for span in _speech(events):
        if span[1] > begin_ms and span[0] < end_ms:
            picture.bar(0, span, SAND)
    _understood(picture, shown)
    _states(picture, shown, until_ms=end_ms)
    _answer(picture, [event for event in shown if event.get("turn") == turn])
    for event in shown:
        if event["kind"] == "barged_in":
            picture.line(event["at_ms"], f"interrupted after {event['heard']} characters", RED)
    bottom = _top(len(LANES)) + 30
    picture.words(LEFT, bottom, _waited(ended), color=SOFT)
    return picture.svg(f"Turn {turn}: {accepted['text']}", height=bottom + 16)


def _speech(events: Sequence[Event]) -> list[tuple[int, int]]:
    """From when to when somebody spoke."""
    spans: list[tuple[int, int]] = []
    begin_ms = None
    for event in events:
        if event["kind"] == "speech_began":
            begin_ms = event["at_ms"] - event["ago_ms"]
        elif event["kind"] in ("speech_paused", "speech_ignored") and begin_ms is not None:
            spans.append((begin_ms, event["at_ms"] - event.get("ago_ms", 0)))
            begin_ms = None
    if begin_ms is not None:
        spans.append((begin_ms, events[-1]["at_ms"]))
    return spans


def _understood(picture: Picture, events: Sequence[Event]) -> None:
    """A tick for each partial transcript, and the words of finals below."""
    for event in events:
        if event["kind"] != "transcribed":
            continue
        picture.tick(1, event["at_ms"], TEAL if event["final"] else SAND)
        if event["final"] and event["text"]:
            text = event["text"] if len(event["text"]) < 48 else event["text"][:47] + "…"
            x = picture.x(event["at_ms"])
            anchor = "end" if x > (LEFT + RIGHT) / 2 else "start"
            picture.words(x, _top(1) + BAR + 13, f"“{text}”", size=11, anchor=anchor, color=TEAL)


def _states(picture: Picture, events: Sequence[Event], *, until_ms: int) -> None:
    for begin_ms, end_ms, state in _stretches(events, until_ms):
        picture.bar(2, (begin_ms, end_ms), STATES[state], text=state)


def _stretches(events: Sequence[Event], until_ms: int) -> Iterator[tuple[int, int, str]]:
    begin_ms, state = events[0]["at_ms"], events[0]["state"]
    for event in events:
        if event["state"] != state:
            yield begin_ms, event["at_ms"], state
            begin_ms, state = event["at_ms"], event["state"]
    yield begin_ms, until_ms, state


def _answer(picture: Picture, events: Sequence[Event]) -> None:
    written = [event["at_ms"] for event in events if event["kind"] == "text_delta"]
    started = [event["at_ms"] for event in events if event["kind"] == "response_started"]
    if written:
        picture.bar(3, (started[-1], written[0]), STATES["thinking"])
        picture.bar(3, (written[0], written[-1]), TEAL)
    made = [event for event in events if event["kind"] == "speech_prepared" and event["duration_ms"]]
    _ticks(picture, 4, [(event["at_ms"], f"{event['duration_ms'] / 1000:.1f} s of sound") for event in made])
    heard = [event for event in events if event["kind"] == "word_spoken"]
    _ticks(picture, 5, [(event["at_ms"], event["word"]) for event in heard])


def _ticks(picture: Picture, lane: int, told: Sequence[tuple[int, str]]) -> None:
    """Draw what happened, with words below where there is room."""
    free = 0.0
    for at_ms, text in told:
        picture.tick(lane, at_ms, TEAL)
        x = picture.x(at_ms)
        if x >= free:
            picture.words(x, _top(lane) + BAR + 12, text, size=10, color=SOFT)
            free = x + (len(text) + 1) * CHAR_PX


def _waited(ended: Event) -> str:
    """What was waited for, in words."""
    latency = ended.get("latency")
    if not latency:
        return "No latency was measured."
    parts = [
        f"{name.replace('_', ' ')} {latency[f'{name}_ms']}" for name in WAITS if latency.get(f"{name}_ms") is not None
    ]
    early = f", prepared early: {latency['preflight']}" if latency.get("preflight") else ""
    return f"From the end of speech to the first sound: {latency['total_ms']} ms = {' + '.join(parts)}{early}"


def read(path: Path) -> list[Event]:
    """Read an export: its records' events, in order."""
    events: list[Event] = []
    for line in path.read_bytes().splitlines():
        record = msgspec.json.decode(line)
        events += record.get("events", ())
    return events


def main() -> None:
    """Draw a turn of an exported session."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("export", type=Path)
    asked.add_argument("--turn", type=int, default=1)
    asked.add_argument("--after-ms", type=int, help="how much is shown of what followed the person's speech")
    given = asked.parse_args()
    sys.stdout.write(draw(read(given.export), given.turn, after_ms=given.after_ms))


if __name__ == "__main__":
    main()
