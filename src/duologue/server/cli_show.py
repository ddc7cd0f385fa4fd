"""Sessions in the terminal: a list, and one turn by turn with a bar of its time."""

import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Final

import msgspec

from duologue.model import events as e
from duologue.model.content import Message
from duologue.model.records import decode_events
from duologue.server.cli_options import Written
from duologue.server.looking import acting, spoken
from duologue.server.looking.timeline import Run, Timeline, TurnLatency, TurnRow

if TYPE_CHECKING:
    from duologue.server.looking.answers import SessionRow

BAR_CELLS: Final = 40
"""Width of the longest response's bar: half a terminal."""

WAITING, STREAMING = "░", "█"


@contextmanager
def listing(written: Written) -> "Generator[Callable[[SessionRow], None]]":
    """Give a function that shows a session of the list: as a row of a table where people look, else as a line."""
    rows: list[tuple[str, ...]] = []
    if written is Written.JSON:
        yield lambda row: print(msgspec.json.encode(row).decode())
    elif sys.stdout.isatty():
        yield lambda row: rows.append(_cells(row))
        _print_table(rows)
    else:
        yield lambda row: print("\t".join(_cells(row)))


class Session:
    """One session on its way to be shown.

    Args:
        row: its row in the list.
        events: show every event as well.
    """

    def __init__(self, row: "SessionRow", *, events: bool) -> None:
        self._row = row
        self._timeline = Timeline()
        self._before: tuple[Message, ...] = ()
        self._all: list[e.AnyEvent] = []
        self._events = events

    def add(self, lines: bytes) -> None:
        """Take the next records."""
        events = list(decode_events(lines))
        if events and isinstance(events[0], e.HistoryTrimmed):
            self._before = events[0].messages
        self._timeline.add(events)
        if self._events:
            self._all += events

    def show(self, written: Written) -> None:
        """Write it."""
        turns = self._timeline.turns
        if written is Written.JSON:
            body = {"session": self._row, "before": self._before, "turns": turns}
            print(msgspec.json.encode(body | ({"events": self._all} if self._events else {})).decode())
            return
        _print_row(self._row)
        for message in self._before:
            print(f"\n{'you' if message.role == 'user' else 'agent'}> {plain(message.text)}")
        longest_ms = max((_span_ms(run) for turn in turns for run in turn.responses), default=0)
        for turn in turns:
            _print_turn(turn, longest_ms)
        if self._events:
            _print_events(self._all)


def bar(run: Run, longest_ms: int) -> str:
    """Draw the time of a response: what passed before its first words, then while they came.

    Args:
        run: the response; one that still runs is drawn as far as its first words.
        longest_ms: the longest response, which fills `BAR_CELLS`.
    """
    whole_ms = _span_ms(run)
    waiting_ms = whole_ms if run.first_text_at is None else run.first_text_at - run.started_at
    cells = round(whole_ms * BAR_CELLS / longest_ms) if longest_ms else 0
    waiting = round(waiting_ms * cells / whole_ms) if whole_ms else 0
    return WAITING * waiting + STREAMING * (cells - waiting)


def _span_ms(run: Run) -> int:
    return (run.made_at or run.ended_at or run.first_text_at or run.started_at) - run.started_at


def _print_turn(turn: TurnRow, longest_ms: int) -> None:
    through = f"  over {plain(turn.protocol)}" if turn.protocol else ""
    how = "  spoken" if turn.source == "voice" else ""
    print(f"\nturn {turn.turn}  {_moment(turn.accepted_at)}  {turn.outcome or 'answering'}{through}{how}")
    for run in turn.responses:
        drawn = bar(run, longest_ms)
        print(f"  {drawn}{' ' if drawn else ''}{_figures(run)}")
    if turn.latency is not None:
        print(f"  waited {_waited(turn.latency)}")
    print(f"\nyou> {plain(turn.text)}")
    if turn.answer:
        cut = "" if turn.heard is None else "  [heard so far]"
        print(f"\nagent> {plain(turn.answer)}{cut}")
    for run in turn.responses:
        if run.code is not None and not run.will_retry:
            print(f"\nerror> {run.code}: {plain(run.message)}")


def _waited(latency: TurnLatency) -> str:
    parts = (
        ("transcriber", latency.transcriber_ms),
        ("turn detection", latency.turn_detection_ms),
        ("model", latency.model_ms),
        ("cutting", latency.cutting_ms),
        ("voice", latency.voice_ms),
    )
    told = ", ".join(f"{name} {_duration(ms)}" for name, ms in parts if ms is not None)
    early = "" if latency.preflight is None else f"; prepared early: {latency.preflight}"
    return f"{_duration(latency.total_ms)}: {told or 'for nothing'}{early}"


def _figures(run: Run) -> str:
    said: list[str] = []
    if run.first_text_at is not None:
        said.append(f"first word {_duration(run.first_text_at - run.started_at)}")
    whole_at = run.made_at or run.ended_at
    if whole_at is not None:
        said.append(f"whole {_duration(whole_at - run.started_at)}")
    if run.made_at is not None and run.ended_at is not None:
        said.append(f"spoken until {_duration(run.ended_at - run.started_at)}")
    if run.figures is not None and run.figures.total_tokens:
        said.append(f"{run.figures.total_tokens} tokens")
    if run.figures is not None and run.figures.tps:
        said.append(f"{run.figures.tps:g} tokens/s")
    if run.superseded:
        said.append("given up, as more was said")
    elif run.outcome not in (None, "completed"):
        said.append(f"{run.outcome}{', run again' if run.will_retry else ''}")
    return ", ".join(said) or "no word yet"


def _print_events(events: Sequence[e.AnyEvent]) -> None:
    begin_ms = events[0].at_ms if events else 0
    width = len(str(events[-1].seq)) if events else 1
    print("\nevents")
    for event in events:
        kind = str(event.__struct_config__.tag)
        after_s = (event.at_ms - begin_ms) / 1000
        print(f"{event.seq:>{width}}  +{after_s:.3f} s  {event.state:<12}  {kind}{_about(event)}")


def _about(event: e.AnyEvent) -> str:
    match event:
        case e.TurnAccepted() | e.TextDelta() | e.TextCompleted():
            words = " ".join(plain(event.text).split())
        case e.ResponseFailed() | e.Noted():
            words = " ".join(plain(event.message).split())
        case e.TurnEnded() | e.ResponseEnded():
            words = event.outcome
        case e.StateChanged():
            words = f"{event.previous} by {event.trigger}"
        case e.VoiceEvent():
            words = " ".join(plain(spoken.about(event)).split())
        case e.ActingEvent() | e.ToolCalled() | e.ToolReturned():
            words = " ".join(plain(acting.about(event)).split())
        case _:
            words = ""
    return f"  {words[:80]}" if words else ""


def _cells(row: "SessionRow") -> tuple[str, ...]:
    state = "ended" if row.ended else "answering" if row.open else "open"
    cells = row.session_id, _moment(row.updated_at), str(row.turns), state, " ".join(plain(row.title).split())
    if row.match is None or row.match.where == "title":
        return cells
    said = "you" if row.match.where == "user" else "agent"
    return (*cells, f"turn {row.match.turn}, {said}> {plain(row.match.excerpt)}")


def _print_table(rows: Sequence[tuple[str, ...]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    columns = ("session", "changed", "turns", "state", "title", "found")
    table = Table(*columns[: max(map(len, rows), default=5)], box=None, header_style="bold")
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table)


def _print_row(row: "SessionRow") -> None:
    state = _cells(row)[3]
    trimmed = f", trimmed {row.epoch} times" if row.epoch else ""
    print(f"session  {row.session_id}")
    if row.subject:
        print(f"person   {plain(row.subject)}")
    print(f"agent    {plain(row.agent)}")
    print(f"state    {state}")
    print(f"began    {_moment(row.created_at)}")
    print(f"changed  {_moment(row.updated_at)}")
    print(f"turns    {row.turns}")
    print(f"events   {row.first_sequence} to {row.last_sequence}{trimmed}")


def _duration(ms: int) -> str:
    return f"{ms} ms" if ms < 1000 else f"{ms / 1000:.1f} s"


def _moment(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000).astimezone().isoformat(sep=" ", timespec="seconds")


def plain(text: str) -> str:
    """Leave out what would command the terminal."""
    return "".join(letter for letter in text if letter.isprintable() or letter in "\n\t")
