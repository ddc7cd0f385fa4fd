"""What came of recordings, in the terminal."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from duologue.server.replay.suite import Replayed, TurnResult
from duologue.server.replay.turns import TurnView
from duologue.server.replay.words import pieces

ASKED_CHARS = 60
"""How much of what was asked names a turn."""


def show(replayed: Sequence[Replayed], console: Console | None = None) -> None:
    """Print all of it."""
    console = console or Console(soft_wrap=True, highlight=False)
    for one in replayed:
        _session(one, console)
    if len(replayed) > 1:
        failed = sum(one.failed for one in replayed)
        console.print(Text(f"{len(replayed)} sessions, {failed} failed", style="bold red" if failed else "bold green"))


def _session(one: Replayed, console: Console) -> None:
    console.print(Text(f"{plain(one.name)}", style="bold"))
    console.print(Text.assemble("  law     ", _law(one)))
    if one.stopped:
        console.print(Text.assemble("  stopped ", (plain(one.stopped), "red")))
    if not one.turns:
        return
    console.print(Text(f"  agent   {plain(one.agent or one.recorded_agent)}{'' if one.agent else ', as recorded'}"))
    table = Table("turn", "asked", "outcome", "first text", "in all", "", box=None, header_style="bold", padding=(0, 2))
    for result in one.turns:
        table.add_row(*_row(result))
    console.print(table)
    for result in one.turns:
        _details(result, console)


def _law(one: Replayed) -> Text:
    law = one.law
    before = f", {law.before} before a snapshot not looked at" if law.before else ""
    if law.breach is not None:
        breach = law.breach
        said = f"broken at event {breach.seq}\n    stored   {breach.stored}\n    stepped  {breach.stepped}"
        return Text(plain(said), style="red")
    bytes_ = {True: "; run again, the same bytes", False: "; run again, other bytes", None: ""}[one.same_bytes]
    older = f", {law.older} of them without members that came later" if law.older else ""
    said = f"holds: {law.records} inputs, {law.events} events, byte for byte{older}{before}{bytes_}"
    return Text(said, style="red" if one.same_bytes is False else "green")


def _row(result: TurnResult) -> tuple[Text, ...]:
    pair = result.pair
    view = pair.now or pair.recorded
    asked = " ".join(plain(view.asked).split())[:ASKED_CHARS] if view else ""
    what = ", ".join(difference.what for difference in pair.differences) or "same"
    colour = "red" if result.failures else "yellow" if pair.differences else "green"
    return (
        Text(str(pair.turn)),
        Text(asked),
        Text(_change(pair.recorded, pair.now, "outcome")),
        Text(_change(pair.recorded, pair.now, "ttft_ms")),
        Text(_change(pair.recorded, pair.now, "duration_ms")),
        Text("failed" if result.failures else what, style=colour),
    )


def _change(recorded: TurnView | None, now: TurnView | None, member: str) -> str:
    def told(view: TurnView | None) -> str:
        value = None if view is None else getattr(view, member)
        return "-" if value is None else f"{value} ms" if member.endswith("_ms") else str(value)

    old, new = told(recorded), told(now)
    return old if old == new else f"{old} → {new}"


def _details(result: TurnResult, console: Console) -> None:
    pair = result.pair
    if not (pair.differences or result.failures):
        return
    console.print(Text(f"\n  turn {pair.turn}", style="bold"))
    for failure in result.failures:
        console.print(Text(f"    fails {plain(failure)}", style="red"))
    for difference in pair.differences:
        console.print(Text.assemble(f"    {difference.what}: ", _words(difference.recorded, difference.now)))


def _words(recorded: str, now: str) -> Text:
    """Both texts in one: what is gone struck through, what is new in green."""
    styles = {"same": "", "gone": "red strike", "new": "green"}
    brackets = {"same": ("", ""), "gone": ("[-", "-]"), "new": ("{+", "+}")}
    text = Text()
    for kind, piece in pieces(recorded, now):
        before, after = brackets[kind]
        text.append(f"{before}{plain(piece)}{after}", style=styles[kind])
    return text


def plain(text: str) -> str:
    """Leave out what would command the terminal."""
    return "".join(letter for letter in text if letter.isprintable() or letter in "\n\t")
