"""Agent events, and the frames that carry them. Source: jambonz, `callbacks/agent-turn`; `schemas/` holds all of it.

The events are the contract's. The frame is the message `agent:event` of jambonz's WebSocket (`ws.jambonz.org`), with
four members of ours: `sequence`, `timestamp`, `turn` and `request_id`.
"""

from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from duologue.model.content import Runner

SEQUENCE_DIGITS: Final = 16
"""Longest sequence as text: 2**53 - 1 has sixteen digits."""

Kind = Literal["user_transcript", "llm_response", "turn_end", "user_interruption"]
"""The four agent events."""

EarlyResult = Literal["hit", "miss", "pending"]
"""What became of an answer that was prepared early."""


class Wire(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A piece of a frame."""


# --- agent events -----------------------------------------------------------------------------------


class UserTranscript(Wire, frozen=True, tag="user_transcript"):
    """What the person said; the agent is about to be asked."""

    transcript: str


class LlmResponse(Wire, frozen=True, tag="llm_response"):
    """The whole answer."""

    response: str


class UserInterruption(Wire, frozen=True, tag="user_interruption"):
    """The person stopped the answer, or spoke over it."""


class Preflight(Wire, frozen=True):
    """Early generation; `tokens` is how much had waited, on a hit."""

    result: EarlyResult
    tokens: int | UnsetType = UNSET


class Latency(Wire, frozen=True, kw_only=True):
    """What a turn waited for, in ms; what does not apply to it is absent."""

    transcriber_latency: int | UnsetType = UNSET
    turn_detection_latency: int | UnsetType = UNSET
    model_latency: int | UnsetType = UNSET
    voice_latency: int | UnsetType = UNSET
    preflight: Preflight | UnsetType = UNSET


class TurnEnd(Wire, frozen=True, kw_only=True, tag="turn_end"):
    """A turn in sum. `response` is what was delivered; of an answer that was spoken, what was heard."""

    transcript: str
    response: str
    # Not left out at false: the contract lists it.
    interrupted: bool
    latency: Latency


AgentEvent: TypeAlias = UserTranscript | LlmResponse | UserInterruption | TurnEnd


# --- to and from who watches ------------------------------------------------------------------------


class AgentEventFrame(Wire, frozen=True, kw_only=True, tag="agent:event"):
    """One agent event. `msgid` is the sequence as text, as jambonz's ids are; `timestamp` is in ms since 1970."""

    msgid: str
    sequence: int
    timestamp: int
    turn: int
    request_id: str
    data: AgentEvent


class ToolCall(Wire, frozen=True, kw_only=True):
    """A tool was called, as `toolHook` is told. Ours: who runs it; whoever watches has nothing to answer."""

    tool_call_id: str
    name: str
    # The tool's own arguments: no narrower type exists.
    arguments: dict[str, Any]
    runs_on: Runner


class ToolCallFrame(Wire, frozen=True, kw_only=True, tag="agent:tool-call"):
    """One call of a tool, in the message that jambonz carries it in; the members are those of `AgentEventFrame`."""

    msgid: str
    sequence: int
    timestamp: int
    turn: int
    request_id: str
    data: ToolCall


class ErrorData(Wire, frozen=True, kw_only=True):
    """What is wrong."""

    code: str
    message: str
    retryable: bool
    path: str | UnsetType = UNSET
    limit: int | UnsetType = UNSET
    retry_after_ms: int | UnsetType = UNSET


class ErrorFrame(Wire, frozen=True, kw_only=True, tag="jambonz:error"):
    """A refused message, to the one who sent it; not an event."""

    data: ErrorData


class Ack(Wire, frozen=True, kw_only=True, tag="ack"):
    """Everything up to the event of this `msgid` was processed."""

    msgid: Annotated[str, Meta(pattern=r"^(0|[1-9][0-9]*)\Z", max_length=SEQUENCE_DIGITS)]
