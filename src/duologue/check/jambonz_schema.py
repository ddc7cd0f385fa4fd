"""The members of the agent verb's events, in words of our own. Source: jambonz, agent eventHook events (2020-12)."""

from typing import Any, Final, TypeAlias

# Any: a schema is JSON that is written by hand here; who takes it takes any JSON.
Schema: TypeAlias = dict[str, Any]

_TEXT: Final[Schema] = {"type": "string"}
_MS: Final[Schema] = {"type": "integer"}

_PREFLIGHT: Final[Schema] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {"result": {"enum": ["hit", "miss", "pending"]}, "tokens": _MS},
}

_LATENCY: Final[Schema] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "transcriber_latency": _MS,
        "turn_detection_latency": _MS,
        "model_latency": _MS,
        "voice_latency": _MS,
        "preflight": _PREFLIGHT,
    },
}


def _event(kind: str, members: dict[str, Schema]) -> Schema:
    properties: Schema = {"type": {"const": kind}}
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["type", *members],
        "properties": properties | members,
    }


EVENTS: Final[dict[str, Schema]] = {
    "turn_end": _event(
        "turn_end",
        {"transcript": _TEXT, "response": _TEXT, "interrupted": {"type": "boolean"}, "latency": _LATENCY},
    ),
    "user_transcript": _event("user_transcript", {"transcript": _TEXT}),
    "llm_response": _event("llm_response", {"response": _TEXT}),
    "user_interruption": _event("user_interruption", {}),
}
"""A schema for each type of event."""
