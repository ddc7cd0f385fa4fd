"""When somebody is there: hours of the week in a place, and days on which nobody is."""

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from duologue.model.base import Value

DAYS: Final = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")
MIDNIGHT_MIN: Final = 24 * 60
LOOK_AHEAD_DAYS: Final = 15
"""How far ahead an opening is looked for: two weeks of holidays and a day."""

_SPAN: Final = re.compile(r"(Mo|Tu|We|Th|Fr|Sa|Su)(?:-(Mo|Tu|We|Th|Fr|Sa|Su))? (\d\d):(\d\d)-(\d\d):(\d\d)")


class Span(Value, kw_only=True):
    """Minutes of one day of the week: 0 is Monday; from and to count from midnight, the end is not in it."""

    day: int
    from_min: int
    to_min: int


class Hours(Value, kw_only=True):
    """Opening hours; no spans: always, but on the closed days.

    Attributes:
        zone: IANA name of the place.
        closed: days on which nobody is there.
    """

    spans: tuple[Span, ...] = ()
    zone: str = "UTC"
    closed: tuple[date, ...] = ()

    def is_open(self, now_ms: int) -> bool:
        """Whether somebody is there at a time in ms since 1970."""
        here = _here(now_ms, self.zone)
        if here.date() in self.closed:
            return False
        minute = here.hour * 60 + here.minute
        return not self.spans or any(
            span.day == here.weekday() and span.from_min <= minute < span.to_min for span in self.spans
        )

    def opens_at(self, now_ms: int) -> datetime | None:
        """When somebody is there next, in local time; `None` where that is not within two weeks."""
        here = _here(now_ms, self.zone)
        for ahead in range(LOOK_AHEAD_DAYS):
            day = here.date() + timedelta(days=ahead)
            if day in self.closed:
                continue
            starts = [span.from_min for span in self.spans if span.day == day.weekday()] if self.spans else [0]
            for start in sorted(starts):
                at = datetime.combine(day, time(start // 60, start % 60), tzinfo=here.tzinfo)
                if at > here:
                    return at
        return None


def read_hours(spans: tuple[str, ...], zone: str, closed: tuple[date, ...] = ()) -> Hours:
    """Read hours as they are written: `Mo-Fr 08:00-18:00`.

    Raises:
        ValueError: says what cannot be read, and how it is written.
    """
    # Imported where hours are set: most servers have none.
    from zoneinfo import ZoneInfo

    try:
        if zone != "UTC":
            ZoneInfo(zone)
    except (KeyError, ValueError, OSError) as error:
        raise ValueError(f"{zone!r} is no time zone; write it like Europe/Berlin") from error
    return Hours(spans=tuple(one for text in spans for one in _read(text)), zone=zone, closed=closed)


def _read(text: str) -> list[Span]:
    found = _SPAN.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} are no hours; write them like Mo-Fr 08:00-18:00")
    first, last, *times = found.groups()
    from_hour, from_minute, to_hour, to_minute = (int(one) for one in times)
    from_min, to_min = from_hour * 60 + from_minute, to_hour * 60 + to_minute
    if from_minute > 59 or to_minute > 59 or not from_min < to_min <= MIDNIGHT_MIN:
        raise ValueError(f"{text!r}: the end has to come after the begin, on the same day")
    begin, end = DAYS.index(first), DAYS.index(last or first)
    days = range(begin, end + 1) if begin <= end else [*range(begin, 7), *range(end + 1)]
    return [Span(day=day, from_min=from_min, to_min=to_min) for day in days]


def _here(now_ms: int, zone: str) -> datetime:
    if zone == "UTC":
        return datetime.fromtimestamp(now_ms / 1000, UTC)
    from zoneinfo import ZoneInfo

    return datetime.fromtimestamp(now_ms / 1000, ZoneInfo(zone))
