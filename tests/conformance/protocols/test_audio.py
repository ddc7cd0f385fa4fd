"""The messages of `WS /audio`: what we take and what we send is what the published schemas say."""

import json
from typing import Any

import jsonschema_rs
import msgspec
import pytest

from duologue.model.errors import Code, Problem
from duologue.protocols import audio
from duologue.protocols.audio import wire
from duologue.server import schemas


# Any: JSON of many shapes.
def schema(name: str) -> Any:
    made = schemas.schema(name, [])
    assert made is not None
    return json.loads(made)


CLIENT = jsonschema_rs.validator_for(schema("audio-client"))
SERVER = jsonschema_rs.validator_for(schema("audio-server"))

TAKEN: tuple[dict[str, Any], ...] = (
    {"type": "start"},
    {
        "type": "start",
        "sessionId": "s",
        "language": "de-AT",
        "turns": "explicit",
        "input": {"codec": "opus"},
        "output": {"codec": "pcm16", "rateHz": 8_000},
        "playback": True,
    },
    {"type": "playback", "responseId": "response-1", "playedMs": 0},
    {"type": "turn.start", "turn": 3},
    {"type": "turn.commit"},
    {"type": "turn.cancel"},
    {"type": "hangup", "reason": "bye"},
)

REFUSED: tuple[dict[str, Any], ...] = (
    {"type": "start", "sessionId": ""},
    {"type": "start", "language": "not a tag"},
    {"type": "start", "input": {"codec": "mp3"}},
    {"type": "start", "input": {"rateHz": 44_000}},
    {"type": "start", "more": 1},
    {"type": "playback", "responseId": "r", "playedMs": -1},
    {"type": "playback", "playedMs": 1},
    {"type": "turn.start", "turn": 0},
    {"type": "hangup", "reason": "x" * 201},
    {"type": "hello"},
)

SENT: tuple[wire.ServerMessage, ...] = (
    wire.Ready(
        session_id="s", call_id="c", turns="open", input=wire.Format(), output=wire.Format(codec="opus"), lead_ms=200
    ),
    wire.Speech(response_id="r"),
    wire.SpeechSent(response_id="r", duration_ms=5),
    wire.Clear(response_id="r"),
    wire.Pause(response_id="r"),
    wire.Resume(response_id="r"),
    wire.HangUp(reason="hung_up"),
)


@pytest.mark.parametrize("name", schemas.AUDIO)
def test_the_schemas_are_schemas(name: str) -> None:
    jsonschema_rs.meta.validate(schema(name))


@pytest.mark.parametrize("message", TAKEN, ids=lambda message: message["type"])
def test_what_the_schema_allows_is_taken(message: dict[str, Any]) -> None:
    assert CLIENT.is_valid(message)
    assert not isinstance(audio.decode(json.dumps(message).encode()), Problem)


@pytest.mark.parametrize("message", REFUSED, ids=str)
def test_what_it_does_not_is_refused(message: dict[str, Any]) -> None:
    assert not CLIENT.is_valid(message)
    assert isinstance(audio.decode(json.dumps(message).encode()), Problem)


@pytest.mark.parametrize("message", SENT, ids=lambda message: type(message).__name__)
def test_what_is_sent_is_what_the_schema_says(message: wire.ServerMessage) -> None:
    written = audio.encode(message)
    SERVER.validate(json.loads(written))
    assert msgspec.json.decode(written, type=wire.ServerMessage) == message


def test_a_problem_is_an_error() -> None:
    problem = Problem(code=Code.BAD_MESSAGE, message="no", path="$.x", limit=3, retry_after_ms=10)
    told = json.loads(audio.refused(problem))
    SERVER.validate(told)
    assert told == {
        "type": "error",
        "code": "bad_message",
        "message": "no",
        "retryable": False,
        "path": "$.x",
        "limit": 3,
        "retryAfterMs": 10,
    }
