"""Draws the results of `benchmarks.voice`: what a call costs, and how late answers are, by how many calls there are."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 860, 400
TOP, BOTTOM = 70, 350
LEFT_PANEL = (150, 400)
RIGHT_PANEL = (510, 830)
BAR = 11
GAP = 4
COLORS = ("#0b7285", "#c2410c")
FAINT = ("#8cc9d4", "#f3b391")
INK, GRID, PAPER = "#1f2933", "#d5dbe1", "#ffffff"
MS_RANGE = (1.0, 10_000.0)
CALLS_RANGE = (1.0, 300.0)


@dataclass(frozen=True, slots=True)
class Point:
    """One number of calls of one side.

    Attributes:
        calls: at once.
        cpu_s: CPU seconds per call-minute.
        vad_s: of them, voice activity's.
        late_ms: overhead, 95th percentile.
    """

    calls: int
    cpu_s: float
    vad_s: float
    late_ms: float


def draw(sides: Mapping[str, Sequence[Point]], *, limit_ms: float) -> str:
    """Draw both pictures side by side.

    Args:
        sides: by name, by rising number of calls; at most as many as there are colours.
        limit_ms: where a call counts as not carried any more.
    Returns:
        An SVG document.
    """
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif"'
        f' font-size="12" fill="{INK}" role="img" aria-label="Cost and lateness of calls">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="6" fill="{PAPER}"/>',
        *_costs(sides),
        *_lateness(sides, limit_ms),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _costs(sides: Mapping[str, Sequence[Point]]) -> list[str]:
    begin, end = LEFT_PANEL
    most_s = max(point.cpu_s for points in sides.values() for point in points)
    parts = [
        _text(20, 28, "CPU seconds per call-minute", weight="bold"),
        _text(20, 46, "dark: voice activity; light: everything else"),
    ]
    y = float(TOP)
    for (name, points), color, faint in zip(sides.items(), COLORS, FAINT, strict=False):
        for point in points:
            whole, part = ((end - begin) * value / most_s for value in (point.cpu_s, point.vad_s))
            parts += [
                _text(begin - 8, y + BAR - 3, f"{name}, {point.calls}", anchor="end"),
                f'<rect x="{begin}" y="{y:.0f}" width="{whole:.1f}" height="{BAR}" fill="{faint}"/>',
                f'<rect x="{begin}" y="{y:.0f}" width="{part:.1f}" height="{BAR}" fill="{color}"/>',
                _text(begin + whole + 6, y + BAR - 3, f"{point.cpu_s:.2f}"),
            ]
            y += BAR + GAP
        y += 2 * GAP
    return parts


def _lateness(sides: Mapping[str, Sequence[Point]], limit_ms: float) -> list[str]:
    begin, end = RIGHT_PANEL
    parts = [
        _text(begin - 40, 28, "Reaction beyond voice activity and the delays", weight="bold"),
        _text(begin - 40, 46, "95th percentile, by calls at once on one core"),
    ]
    for ms in (1, 10, 100, 1_000, 10_000):
        y = _height(ms)
        told = f"{ms} ms" if ms < 1_000 else f"{ms // 1_000} s"
        parts += [_line([(begin, y), (end, y)], GRID), _text(begin - 6, y + 4, told, anchor="end")]
    for calls in (1, 2, 5, 10, 25, 50, 100, 250):
        parts.append(_text(_place(calls), BOTTOM + 18, str(calls), anchor="middle"))
    limit = _height(limit_ms)
    parts.append(_line([(begin, limit), (end, limit)], INK, dash="4 3"))
    for (name, points), color in zip(sides.items(), COLORS, strict=False):
        places = [(_place(point.calls), _height(point.late_ms)) for point in points]
        parts.append(_line(places, color, width=2))
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{color}"/>' for x, y in places]
        x, y = places[-1]
        parts.append(_text(x - 6, y - 9, name, anchor="end", color=color, weight="bold"))
    return parts


def _height(ms: float) -> float:
    low, high = map(math.log10, MS_RANGE)
    share = (math.log10(min(max(ms, MS_RANGE[0]), MS_RANGE[1])) - low) / (high - low)
    return BOTTOM - share * (BOTTOM - TOP)


def _place(calls: float) -> float:
    begin, end = RIGHT_PANEL
    low, high = map(math.log10, CALLS_RANGE)
    return begin + (math.log10(calls) - low) / (high - low) * (end - begin)


def _text(x: float, y: float, text: str, *, anchor: str = "start", color: str = INK, weight: str = "normal") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{color}" font-weight="{weight}"'
    return f"<text {place}>{escape(text)}</text>"


def _line(places: Sequence[tuple[float, float]], color: str, *, width: float = 1, dash: str = "none") -> str:
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return (
        f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="{width}" stroke-dasharray="{dash}"/>'
    )
