"""Turns as people see them, taken from a session's events, and what differs between two of them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import msgspec

from duologue.model import events as e
from duologue.model.base import Value
from duologue.model.content import Figures


class Source(Value, kw_only=True):
    """A citation."""

    title: str
    url: str


class TurnView(Value, kw_only=True):
    """One turn: what was said, and what became of it.

    Attributes:
        turn: its number.
        asked: what the person said; empty where they showed something.
        outcome: how it ended; `unfinished` where the recording ends before it.
        text: the answer, as far as it came; of several attempts the last one's.
        citations, chips, payloads: what came with it; of payloads the type and the JSON.
        tools: the calls, each with its arguments and what it returned.
        error: the code and words of its failure; empty where it did not fail.
        attempts: how often it was run.
        ttft_ms: to the first text; `None` where there was none.
        duration_ms: of the last response.
        total_tokens: as counted by the agent, or pieces.
    """

    turn: int
    asked: str
    outcome: str = "unfinished"
    text: str = ""
    citations: tuple[Source, ...] = ()
    chips: tuple[str, ...] = ()
    payloads: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    error: str = ""
    attempts: int = 0
    ttft_ms: int | None = None
    duration_ms: int = 0
    total_tokens: int = 0


class Difference(Value, kw_only=True):
    """One thing that is not the same. `what` is the name of a member of `TurnView`."""

    what: str
    recorded: str
    now: str


class Pair(Value, kw_only=True):
    """A turn as it was recorded and as it is now; `None` where there is none."""

    turn: int
    recorded: TurnView | None
    now: TurnView | None
    differences: tuple[Difference, ...]


COMPARED: Final = ("outcome", "text", "citations", "chips", "payloads", "tools", "error")
"""What makes a difference. Latency does not: it is told beside."""


class _Taking:
    """A turn that is being read."""

    def __init__(self, accepted: e.TurnAccepted) -> None:
        self.view = TurnView(turn=accepted.turn, asked=accepted.text)
        self.begin()

    def begin(self) -> None:
        """Forget what an attempt said: another one follows."""
        self.pieces: list[str] = []
        self.citations: list[Source] = []
        self.chips: list[str] = []
        self.payloads: list[str] = []
        self.tools: dict[str, str] = {}
        self.error = ""

    def take(self, event: e.AnyEvent) -> None:
        """Read one of its events."""
        match event:
            case e.ResponseStarted():
                self.begin()
                self.view = msgspec.structs.replace(self.view, attempts=self.view.attempts + 1)
            case e.TextDelta(text=text):
                self.pieces.append(text)
            case e.Cited(title=title, url=url):
                self.citations.append(Source(title=title, url=url))
            case e.Suggested(chips=chips):
                self.chips += [chip.label for chip in chips]
            case e.Showed(payload_type=kind, data=data):
                self.payloads.append(f"{kind} {msgspec.json.encode(data, order='sorted').decode()}")
            case e.ToolCalled(call_id=call_id, name=name, arguments=arguments):
                self.tools[call_id] = f"{name}({arguments})"
            case e.ToolReturned(call_id=call_id, name=name, arguments=arguments, result=result):
                self.tools[call_id] = f"{name}({arguments}) → {result}"
            case e.ResponseFailed(code=code, message=message):
                self.error = f"{code}: {message}"
            case e.TurnEnded(outcome=outcome, figures=figures):
                self.end(outcome, figures)
            case _:
                pass

    def end(self, outcome: str, figures: Figures) -> None:
        """Note how it ended."""
        self.view = msgspec.structs.replace(
            self.view,
            outcome=outcome,
            ttft_ms=figures.ttft_ms,
            duration_ms=figures.duration_ms,
            total_tokens=figures.total_tokens,
        )

    def whole(self) -> TurnView:
        """The turn as far as it was read."""
        return msgspec.structs.replace(
            self.view,
            text="".join(self.pieces),
            citations=tuple(self.citations),
            chips=tuple(self.chips),
            payloads=tuple(self.payloads),
            tools=tuple(self.tools.values()),
            error=self.error,
        )


def turns(events: Iterable[e.AnyEvent]) -> list[TurnView]:
    """Take the turns from events; those whose beginning is not among them are left out."""
    taking: dict[int, _Taking] = {}
    for event in events:
        if isinstance(event, e.TurnAccepted):
            taking[event.turn] = _Taking(event)
        elif event.turn in taking:
            taking[event.turn].take(event)
    return [one.whole() for one in taking.values()]


def compare(recorded: Iterable[TurnView], now: Iterable[TurnView], became: Mapping[int, int]) -> list[Pair]:
    """Put turns side by side.

    Args:
        became: under which number a recorded turn was taken now, where that is another one; 0 for not at all.
    """
    after = {turn.turn: turn for turn in now}
    pairs: list[Pair] = []
    for old in recorded:
        new = after.pop(became.get(old.turn, old.turn), None)
        pairs.append(Pair(turn=old.turn, recorded=old, now=new, differences=tuple(differences(old, new))))
    return pairs + [
        Pair(turn=n, recorded=None, now=new, differences=tuple(differences(None, new))) for n, new in after.items()
    ]


def differences(recorded: TurnView | None, now: TurnView | None) -> Iterator[Difference]:
    """What is not the same in two turns."""
    if recorded is None or now is None:
        yield Difference(what="turn", recorded=_there(recorded), now=_there(now))
        return
    for what in COMPARED:
        old, new = written(recorded, what), written(now, what)
        if old != new:
            yield Difference(what=what, recorded=old, now=new)


def written(turn: TurnView, what: str) -> str:
    """Write a member of a turn as text."""
    match what:
        case "citations":
            return "\n".join(f"{source.title} <{source.url}>" for source in turn.citations)
        case "chips":
            return "\n".join(turn.chips)
        case "payloads":
            return "\n".join(turn.payloads)
        case "tools":
            return "\n".join(turn.tools)
        case "error":
            return turn.error
        case "outcome":
            return turn.outcome
        case _:
            return turn.text


def _there(turn: TurnView | None) -> str:
    return "no such turn" if turn is None else f"turn {turn.turn}: {turn.asked}"
