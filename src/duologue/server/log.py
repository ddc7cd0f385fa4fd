"""The log: an event's name and its fields on each line of stderr, as text or JSON.

Any module logs with the standard library, an event's name as the message and its fields beside it:
`logging.getLogger(__name__).warning("run_failed", extra={"fields": {"session": id, "pii.text": text}})`.
"""

import json
import logging
import re
import sys
import traceback
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Final, Literal, TextIO

import msgspec

from duologue.model.errors import DuologueError

PII: Final = "pii."
"""Begins the keys of fields that hold what people said; dropped unless asked for."""

TEXT_CHARS: Final = 2_000
"""Longest text in a field: a line stays readable and no log store cuts it."""

FRAMES: Final = 12
"""Innermost frames of a traceback that are kept: where it broke and who called."""

_QUERY: Final = re.compile(r"\?[^\s\"']*")
_PLAIN: Final = re.compile(r"[!#-<>-~]+")


class LineFormatter(logging.Formatter):
    """Writes a record as one line.

    Lines of other libraries are sentences; they are kept as the event. What uvicorn says of an address
    loses its query, where somebody may have put a token.
    """

    def __init__(self, style: Literal["text", "json"], *, pii: bool) -> None:
        super().__init__()
        self._json: Final = style == "json"
        self._pii: Final = pii

    def format(self, record: logging.LogRecord) -> str:
        """Write one record, without a line end and with none inside."""
        event = record.getMessage()
        if record.name.startswith("uvicorn"):
            event = _QUERY.sub("", event)
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        fields = self._fields(record)
        if self._json:
            head = {"at": at, "level": record.levelname.lower(), "logger": record.name, "event": event}
            return json.dumps({**head, **fields, **head}, default=str)
        pairs = "".join(f" {name}={_text(value)}" for name, value in fields.items())
        return f"{at} {record.levelname:<7} {_one_line(event)}{pairs}"

    def _fields(self, record: logging.LogRecord) -> dict[str, object]:
        # logging puts what is in `extra` on the record, where no type is known.
        given: object = getattr(record, "fields", None)
        fields = msgspec.convert(given, dict[str, object]) if isinstance(given, Mapping) else {}
        if record.exc_info and record.exc_info[1] is not None:
            fields |= _error(record.exc_info[1])
        return {name: _cut(value) for name, value in fields.items() if self._pii or not name.startswith(PII)}


def configure(style: Literal["text", "json"], *, pii: bool = False, stream: TextIO | None = None) -> None:
    """Send every logger of the process through one handler, uvicorn's too (run it with `log_config=None`).

    Args:
        style: text for people, json for machines.
        pii: keep the fields that hold what people said.
        stream: where lines go; stderr if not given.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(LineFormatter(style, pii=pii))
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("duologue").setLevel(logging.INFO)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "uvicorn.asgi"):
        logger = logging.getLogger(name)
        logger.handlers = []
        logger.propagate = True
        # An access line for every request says nothing that the figures do not say better.
        logger.setLevel(logging.WARNING if name == "uvicorn.access" else logging.INFO)


def event_log(name: str) -> Callable[..., None]:
    """Make what `runtime.events_log` asks for, out of a logger."""
    logger = logging.getLogger(name)

    def note(event: str, **fields: object) -> None:
        logger.warning(event, extra={"fields": fields})

    return note


def _error(error: BaseException) -> dict[str, object]:
    """Say what broke and where.

    The text of a foreign exception may quote what a person wrote; ours and the system's do not.
    """
    frames = traceback.extract_tb(error.__traceback__)[-FRAMES:]
    ours = isinstance(error, DuologueError | OSError)
    return {
        "error": type(error).__name__,
        "error_text" if ours else f"{PII}error_text": str(error),
        "error_at": " < ".join(f"{frame.filename}:{frame.lineno} {frame.name}" for frame in reversed(frames)),
    }


def _cut(value: object) -> object:
    return value[:TEXT_CHARS] + "…" if isinstance(value, str) and len(value) > TEXT_CHARS else value


def _text(value: object) -> str:
    if isinstance(value, str) and _PLAIN.fullmatch(value):
        return value
    return json.dumps(value, default=str)


def _one_line(text: str) -> str:
    return text if text.isprintable() else json.dumps(text)
