"""The members of each AG-UI event, as JSON Schema in words of our own. Source: AG-UI 1.0, events.

Members that are not named are let pass: a newer version may add some, and consumers skip what they do not know.
An optional member may be `null`, as the protocol's own Python encoder once wrote it.
"""

from typing import Any, Final, TypeAlias

# Any: a schema is JSON that is written by hand here; who takes it takes any JSON.
Schema: TypeAlias = dict[str, Any]

_TEXT: Final[Schema] = {"type": "string"}
_ID: Final[Schema] = {"type": "string", "minLength": 1}
_OBJECT: Final[Schema] = {"type": "object"}
_LIST: Final[Schema] = {"type": "array"}
_ANY: Final[Schema] = {}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]} if schema else schema


def _event(kind: str, needed: dict[str, Schema], more: dict[str, Schema] | None = None) -> Schema:
    optional = {"timestamp": {"type": "number"}, "metadata": _OBJECT, "subagentRunId": _TEXT} | (more or {})
    members: Schema = {"type": {"const": kind}}
    members |= {name: _or_null(schema) for name, schema in optional.items() if name not in needed}
    members |= needed
    return {"type": "object", "required": ["type", *needed], "properties": members}


def _roles(*roles: str) -> Schema:
    return {"enum": list(roles)}


_SPEAKER: Final = _roles("developer", "system", "assistant", "user")

_MESSAGE: Final[Schema] = {
    "type": "object",
    "required": ["id", "role"],
    "properties": {
        "id": _ID,
        "role": _roles("developer", "system", "assistant", "user", "tool", "activity", "reasoning"),
        "toolCalls": {
            "type": ["array", "null"],
            "items": {
                "type": "object",
                "required": ["id", "function"],
                "properties": {
                    "id": _ID,
                    "function": {
                        "type": "object",
                        "required": ["name", "arguments"],
                        "properties": {"name": _TEXT, "arguments": _TEXT},
                    },
                },
            },
        },
    },
}

_OUTCOME: Final[Schema] = {
    "oneOf": [
        {"type": "object", "required": ["type"], "properties": {"type": {"const": "success"}}},
        {"type": "object", "required": ["type"], "properties": {"type": {"const": "cancelled"}}},
        {
            "type": "object",
            "required": ["type", "interrupts"],
            "properties": {
                "type": {"const": "interrupt"},
                "interrupts": {
                    "type": "array",
                    "minItems": 1,
                    "items": {"type": "object", "required": ["id"], "properties": {"id": _ID}},
                },
            },
        },
    ]
}

_MESSAGE_ID: Final = {"messageId": _ID}
_CALL_ID: Final = {"toolCallId": _ID}

_EVENTS: Final = (
    _event(
        "RUN_STARTED",
        {"threadId": _ID, "runId": _ID},
        {"parentRunId": _TEXT, "protocolVersion": _TEXT, "input": _OBJECT},
    ),
    _event("RUN_FINISHED", {"threadId": _ID, "runId": _ID}, {"result": _ANY, "outcome": _OUTCOME, "usage": _LIST}),
    _event("RUN_ERROR", {"message": _TEXT}, {"code": _TEXT, "usage": _LIST}),
    _event("STEP_STARTED", {"stepName": _TEXT}),
    _event("STEP_FINISHED", {"stepName": _TEXT}),
    _event("TEXT_MESSAGE_START", _MESSAGE_ID, {"role": _SPEAKER, "name": _TEXT}),
    _event("TEXT_MESSAGE_CONTENT", _MESSAGE_ID | {"delta": _TEXT}),
    _event("TEXT_MESSAGE_END", _MESSAGE_ID),
    _event("TEXT_MESSAGE_CHUNK", {}, {"messageId": _TEXT, "role": _SPEAKER, "delta": _TEXT, "name": _TEXT}),
    _event("TOOL_CALL_START", _CALL_ID | {"toolCallName": _TEXT}, {"parentMessageId": _TEXT}),
    _event("TOOL_CALL_ARGS", _CALL_ID | {"delta": _TEXT}),
    _event("TOOL_CALL_END", _CALL_ID),
    _event("TOOL_CALL_RESULT", _MESSAGE_ID | _CALL_ID | {"content": {"type": ["string", "array"]}}, {"role": _TEXT}),
    _event(
        "TOOL_CALL_CHUNK",
        {},
        {"toolCallId": _TEXT, "toolCallName": _TEXT, "parentMessageId": _TEXT, "delta": _TEXT},
    ),
    _event("STATE_SNAPSHOT", {"snapshot": _ANY}),
    _event("STATE_DELTA", {"delta": _LIST}),
    _event("MESSAGES_SNAPSHOT", {"messages": {"type": "array", "items": _MESSAGE}}),
    _event(
        "ACTIVITY_SNAPSHOT", _MESSAGE_ID | {"activityType": _TEXT, "content": _OBJECT}, {"replace": {"type": "boolean"}}
    ),
    _event("ACTIVITY_DELTA", _MESSAGE_ID | {"activityType": _TEXT, "patch": _LIST}),
    _event("RAW", {"event": _ANY}, {"source": _TEXT}),
    _event("CUSTOM", {"name": _TEXT, "value": _ANY}),
    _event("REASONING_START", _MESSAGE_ID),
    _event("REASONING_MESSAGE_START", _MESSAGE_ID, {"role": _roles("reasoning", "assistant")}),
    _event("REASONING_MESSAGE_CONTENT", _MESSAGE_ID | {"delta": _TEXT}),
    _event("REASONING_MESSAGE_END", _MESSAGE_ID),
    _event("REASONING_MESSAGE_CHUNK", {}, {"messageId": _TEXT, "delta": _TEXT}),
    _event("REASONING_END", _MESSAGE_ID),
    _event(
        "REASONING_ENCRYPTED_VALUE",
        {"subtype": _roles("tool-call", "message"), "entityId": _ID, "encryptedValue": _TEXT},
    ),
    _event(
        "SUBAGENT_STARTED",
        {"subagentRunId": _ID, "name": _TEXT},
        {"description": _TEXT, "parentSubagentRunId": _TEXT, "parentToolCallId": _TEXT, "parentMessageId": _TEXT},
    ),
    _event("SUBAGENT_FINISHED", {"subagentRunId": _ID}, {"result": _ANY, "outcome": _OBJECT}),
    _event("SUBAGENT_ERROR", {"subagentRunId": _ID, "message": _TEXT}, {"code": _TEXT}),
    # Older names of the reasoning events: known, and not looked at further.
    _event("THINKING_START", {}, {"title": _TEXT}),
    _event("THINKING_END", {}),
    _event("THINKING_TEXT_MESSAGE_START", {}),
    _event("THINKING_TEXT_MESSAGE_CONTENT", {"delta": _TEXT}),
    _event("THINKING_TEXT_MESSAGE_END", {}),
)


def _type_of(schema: Schema) -> str:
    match schema:
        case {"properties": {"type": {"const": str(kind)}}}:
            return kind
        case _:
            raise AssertionError("every event has its type")


EVENTS: Final[dict[str, Schema]] = {_type_of(schema): schema for schema in _EVENTS}
"""A schema for each type of event."""
