"""The log: one line an event, no line break inside, nothing personal unless asked for."""

import io
import json
import logging
from collections.abc import Iterator, Mapping
from typing import Literal

import pytest

from duologue.model.errors import StoreError
from duologue.server.log import TEXT_CHARS, LineFormatter, configure

NAMES = ("", "duologue", "uvicorn", "uvicorn.error", "uvicorn.access", "uvicorn.asgi")


def line(
    style: Literal["text", "json"],
    event: str,
    fields: Mapping[str, object] | None = None,
    *,
    pii: bool = False,
    error: BaseException | None = None,
    name: str = "duologue.x",
) -> str:
    """Write one record."""
    record = logging.LogRecord(name, logging.WARNING, "x.py", 1, event, None, None)
    record.created = 1_800_000_000.5
    if fields is not None:
        record.fields = fields
    if error is not None:
        record.exc_info = (type(error), error, error.__traceback__)
    return LineFormatter(style, pii=pii).format(record)


@pytest.fixture
def loggers() -> Iterator[None]:
    """Put the process's loggers back as they were."""
    before = {n: (logging.getLogger(n).handlers, logging.getLogger(n).level) for n in NAMES}
    propagate = {n: logging.getLogger(n).propagate for n in NAMES}
    yield
    for name, (handlers, level) in before.items():
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = handlers, propagate[name]
        logger.setLevel(level)


def test_text_is_one_line_for_people() -> None:
    assert line("text", "run_failed", {"session": "s1", "ms": 7, "why": 'two "words"\n', "none": None}) == (
        '2027-01-15T08:00:00.500+00:00 WARNING run_failed session=s1 ms=7 why="two \\"words\\"\\n" none=null'
    )


def test_json_is_one_object_for_machines_whose_head_no_field_replaces() -> None:
    written = json.loads(line("json", "run_failed", {"session": "s1", "event": "forged", "odd": {1}}))
    assert written == {
        "at": "2027-01-15T08:00:00.500+00:00",
        "level": "warning",
        "logger": "duologue.x",
        "event": "run_failed",
        "session": "s1",
        "odd": "{1}",
    }


def test_what_people_said_is_dropped_unless_asked_for() -> None:
    fields = {"session": "s1", "pii.text": "hello"}
    assert "hello" not in line("text", "turn", fields)
    assert "hello" not in line("json", "turn", fields)
    assert json.loads(line("json", "turn", fields, pii=True))["pii.text"] == "hello"


def test_a_line_of_another_library_cannot_break_the_line() -> None:
    assert "\n" not in line("text", "one\ntwo")


def test_a_long_text_is_cut() -> None:
    assert len(line("text", "turn", {"why": "x" * 10 * TEXT_CHARS})) < 2 * TEXT_CHARS


def test_an_error_is_told_without_what_a_person_may_have_written() -> None:
    def fail() -> None:
        raise ValueError("my secret")

    with pytest.raises(ValueError, match="my secret") as caught:
        fail()
    written = line("json", "run_failed", error=caught.value)
    assert "my secret" not in written
    assert json.loads(written)["error"] == "ValueError"
    assert " fail < " in json.loads(written)["error_at"]
    assert "my secret" in line("json", "run_failed", pii=True, error=caught.value)
    assert json.loads(line("json", "x", error=StoreError("disk full")))["error_text"] == "disk full"


def test_uvicorns_lines_lose_the_query() -> None:
    said = '127.0.0.1:5 - "WebSocket /chat/ws?token=abc" [accepted]'
    assert "abc" not in line("text", said, name="uvicorn.error")
    assert "/chat/ws" in line("text", said, name="uvicorn.error")


@pytest.mark.usefixtures("loggers")
def test_every_logger_writes_through_one_handler() -> None:
    stream = io.StringIO()
    logging.getLogger("uvicorn.error").handlers = [logging.StreamHandler(io.StringIO())]
    configure("json", stream=io.StringIO())
    configure("json", stream=stream)
    logging.getLogger("uvicorn.error").info("Started server process [%d]", 7)
    logging.getLogger("uvicorn.access").info("GET /")
    logging.getLogger("httpx2").info("noise")
    logging.getLogger("duologue.server").info("listening", extra={"fields": {"port": 1}})
    events = [json.loads(text)["event"] for text in stream.getvalue().splitlines()]
    assert events == ["Started server process [7]", "listening"]
