"""The results of `benchmarks.voice`: figures with their limits, and tables."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks import figures
from benchmarks.drawing import Point
from benchmarks.figures import Figure

# JSON of one measurement, as `holding` makes it.
Found = dict[str, object]

PEER_CALLS = 12
"""Calls at which the peer's figures are taken: it keeps up, and a call costs it less than among fewer."""

CARRIED_MS = 100.0
"""Calls are carried while two 95th percentiles are below this: how late voice activity decides, and what is beyond."""

MIB = 1 << 20


@dataclass(slots=True)
class Side:
    """One side's measurements.

    Attributes:
        name: with its version.
        calls: by how many there were at once.
        listened: the same with voice activity alone.
        socket: the same over `WS /audio`.
        webrtc: the same over WebRTC.
        fed: the same with nothing but the measuring itself.
        interrupted: by what the assistant does from the first sound on.
        first_s: from the command to the first call, of several starts.
    """

    name: str = ""
    calls: dict[int, Found] = field(default_factory=dict[int, Found])
    listened: dict[int, Found] = field(default_factory=dict[int, Found])
    socket: dict[int, Found] = field(default_factory=dict[int, Found])
    webrtc: dict[int, Found] = field(default_factory=dict[int, Found])
    fed: dict[int, Found] = field(default_factory=dict[int, Found])
    interrupted: dict[str, Found] = field(default_factory=dict[str, Found])
    first_s: list[float] = field(default_factory=list[float])

    @property
    def carried(self) -> int:
        """Most calls at once that were carried, without one that was not below it."""
        most = 0
        for calls in sorted(self.calls):
            if not carried(self.calls[calls]):
                break
            most = calls
        return most

    @property
    def started_s(self) -> float:
        """From the command to the first call."""
        return sorted(self.first_s)[len(self.first_s) // 2]

    def mib_each(self) -> float:
        """Memory of a further call, from the fewest to the most that were carried."""
        held = {calls: number(found, "resident_bytes") for calls, found in self.calls.items() if calls <= self.carried}
        fewest, most = min(held), max(held)
        return (held[most] - held[fewest]) / max(1, most - fewest) / MIB

    def all_of_it(self) -> list[tuple[str, dict[int, Found]]]:
        """All measurements of calls, by what they are of."""
        return [
            ("", self.calls),
            (", listening alone", self.listened),
            (", WS /audio", self.socket),
            (", WebRTC", self.webrtc),
        ]

    def points(self) -> list[Point]:
        """What is drawn."""
        return [
            Point(
                calls,
                number(found, "cpu_s_per_minute"),
                number(found, "vad_s_per_minute"),
                number(found, "overhead_ms", "p95"),
            )
            for calls, found in self.calls.items()
        ]


def number(found: Found, *path: str) -> float:
    """A figure of a measurement; what is not there is nan."""
    at: object = found
    for part in path:
        at = at.get(part) if isinstance(at, dict) else None
    return float(at) if isinstance(at, int | float) else float("nan")


def carried(found: Found) -> bool:
    """Whether all were answered, and in time."""
    late_ms = (number(found, "stop_ms", "p95"), number(found, "overhead_ms", "p95"))
    return found["answered"] == found["turns"] and max(late_ms) < CARRIED_MS


def lines(ours: Side, peer: Side | None) -> list[Figure]:
    """The figures that have a limit or a peer."""
    return [*_reactions(ours, peer), *_costs(ours, peer), *_capacity(ours, peer), *_interruptions(ours, peer)]


def _of(peer: Side | None, *path: str) -> float | None:
    return None if peer is None else number(peer.calls[PEER_CALLS], *path)


def _reactions(ours: Side, peer: Side | None) -> list[Figure]:
    wanted = ((25, "median", 5.0), (25, "p95", 20.0), (45, "p95", CARRIED_MS))
    said = {"median": "median", "p95": "95th percentile"}
    reactions = [
        Figure(
            what=f"reaction beyond the decision and the delays, {calls} calls, {said[share]}",
            ours=number(ours.calls[calls], "overhead_ms", share),
            peer=_of(peer, "overhead_ms", share),
            unit="ms",
            limit=limit,
        )
        for calls, share, limit in wanted
    ]
    decision = Figure(
        what="voice activity's decision beyond the silence of 200 ms, 25 calls, median",
        ours=number(ours.calls[25], "stop_ms", "median"),
        peer=_of(peer, "stop_ms", "median"),
        unit="ms",
    )
    socket = Figure(
        what="reaction beyond silence and delays over `WS /audio`, 25 calls, median",
        ours=number(ours.socket[25], "reaction_ms", "median"),
        peer=_of(peer, "reaction_ms", "median"),
        unit="ms",
    )
    return [*reactions, decision, socket]


def _costs(ours: Side, peer: Side | None) -> list[Figure]:
    wanted = (
        ("CPU per call-minute, 25 calls", ours.calls[25], "cpu_s_per_minute", 1.5),
        ("CPU per call-minute, 50 calls", ours.calls[50], "cpu_s_per_minute", 1.0),
        ("of it voice activity's, 25 calls", ours.calls[25], "vad_s_per_minute", None),
        ("CPU per call-minute over `WS /audio`, 25 calls", ours.socket[25], "cpu_s_per_minute", None),
        ("CPU per call-minute over WebRTC, 10 calls", ours.webrtc[10], "cpu_s_per_minute", None),
    )
    costs = [
        Figure(what=what, ours=number(found, name), peer=_of(peer, name), unit="s", limit=limit)
        for what, found, name, limit in wanted
    ]
    fed = number(ours.fed[25], "cpu_s_per_minute")
    return [*costs, Figure(what="of each of them the measuring itself, 25 calls", ours=fed, unit="s")]


def _capacity(ours: Side, peer: Side | None) -> list[Figure]:
    return [
        Figure(
            what="calls that one core carries, 95th percentile below 100 ms",
            ours=ours.carried,
            peer=peer.carried if peer else None,
            unit="calls",
            limit=80,
            least=True,
        ),
        Figure(
            what="memory of a further call",
            ours=ours.mib_each(),
            peer=peer.mib_each() if peer else None,
            unit="MiB",
            limit=1.0,
        ),
        Figure(
            what="from the command to the first call, without the model's loading",
            ours=ours.started_s,
            peer=peer.started_s if peer else None,
            unit="s",
            limit=1.0,
        ),
    ]


def _interruptions(ours: Side, peer: Side | None) -> list[Figure]:
    theirs = peer.interrupted["go_on"] if peer else None
    return [
        Figure(
            what="accepted interruption to the end of the last sound sent, 95th percentile",
            ours=number(ours.interrupted["go_on"], "after_accepted_ms", "p95"),
            peer=number(theirs, "after_accepted_ms", "p95") if theirs else None,
            unit="ms",
            limit=40.0,
        ),
        Figure(
            what="first sound of an interruption to silence, median",
            ours=number(ours.interrupted["pause"], "to_silence_ms", "median"),
            peer=number(theirs, "to_silence_ms", "median") if theirs else None,
            unit="ms",
        ),
    ]


def text(ours: Side, peer: Side | None) -> str:
    """The tables below the figures."""
    sides = [ours, *filter(None, (peer,))]
    said = f"The peer is {peer.name}; its figures are at {PEER_CALLS} calls. " if peer else "There was no peer. "
    parts = (
        f"{said}All ran on one core.",
        "By calls at once; the decision is without the silence of 200 ms, the reaction without decision and delays:",
        _by_calls(sides),
        "Where the reaction's time goes, without the delays:",
        _steps(ours),
        "Where the CPU time of a call-minute goes:",
        _shares(ours),
    )
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


LATE = ("decision, median", "95 %", "reaction, median", "95 %", "max")


def _by_calls(sides: Sequence[Side]) -> str:
    rows = [
        [
            side.name + what,
            str(calls),
            *(f"{number(found, 'stop_ms', share):.1f} ms" for share in ("median", "p95")),
            *(f"{number(found, 'overhead_ms', share):.1f} ms" for share in ("median", "p95", "max")),
            f"{number(found, 'cpu_s_per_minute'):.2f} s",
            f"{number(found, 'vad_s_per_minute'):.2f} s",
            f"{number(found, 'cores'):.2f}",
            f"{number(found, 'answered'):.0f} of {number(found, 'turns'):.0f}" if found["answered"] else "",
        ]
        for side in sides
        for what, measured in side.all_of_it()
        for calls, found in measured.items()
    ]
    columns = ("", "calls", *LATE, "CPU a call-minute", "voice activity", "cores", "answered")
    return figures.markdown(columns, [["" if cell.startswith("nan") else cell for cell in row] for row in rows])


def _shares(side: Side) -> str:
    shares: list[list[str]] = []
    for calls, found in sorted(side.fed.items()):
        fed, judged = number(found, "cpu_s_per_minute"), number(side.calls[calls], "vad_s_per_minute")
        rest = number(side.calls[calls], "cpu_s_per_minute") - judged - fed
        shares.append([str(calls), *(f"{part:.2f} s" for part in (judged, rest, fed))])
    columns = ("calls", "voice activity's model", "everything else of a call", "the measuring")
    return figures.markdown(columns, shares)


def _steps(side: Side) -> str:
    found = side.calls[25]
    names = found["steps_ms"]
    assert isinstance(names, dict), "it is a table by step"
    rows = [
        [name, *(f"{number(found, 'steps_ms', name, share):.2f} ms" for share in ("median", "p95", "max"))]
        for name in names
    ]
    return figures.markdown(("25 calls: from, to", "median", "95 %", "max"), rows)
