"""What an AgentCall client sends. Source: AgentCall AG-UI WebSocket binding 0.1, client message.

`schemas/agentcall-client.schema.json` says the same as these structs; a test holds them together.
"""

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from duologue.model import limits
from duologue.model.content import Modality
from duologue.protocols.observation import wire as seen

Count = Annotated[int, Meta(ge=0)]
Ordinal = Annotated[int, Meta(ge=1)]
Str32 = Annotated[str, Meta(max_length=32)]
Str64 = Annotated[str, Meta(max_length=64)]
Str128 = Annotated[str, Meta(max_length=128)]
Id = Annotated[str, Meta(min_length=1, max_length=limits.SESSION_ID_CHARS)]


class _Part(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A part of a message; members that it does not know are skipped."""


class Modalities(_Part, frozen=True, kw_only=True):
    modalities: Annotated[tuple[Modality, ...], Meta(max_length=2)]


class AudioTurnControl(_Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    mode: Literal["explicit"]


class Capabilities(_Part, frozen=True, kw_only=True):
    physical_observations: Modalities | UnsetType = UNSET
    audio_turn_control: AudioTurnControl | UnsetType = UNSET


class SpeechMetadata(_Part, frozen=True, kw_only=True):
    recognition_engine: Str64 | UnsetType = UNSET
    model: Str128 | UnsetType = UNSET
    locale_identifier: Str32 | UnsetType = UNSET
    actionable_revision_ms: Count | UnsetType = UNSET
    stable_final_ms: Count | UnsetType = UNSET
    thermal_state: Str32 | UnsetType = UNSET


class ContextItem(_Part, frozen=True, kw_only=True):
    description: Annotated[str, Meta(min_length=1, max_length=limits.CONTEXT_DESCRIPTION_CHARS)]
    value: Annotated[str, Meta(max_length=limits.CONTEXT_VALUE_CHARS)]


Context = Annotated[tuple[ContextItem, ...], Meta(max_length=limits.CONTEXT_ITEMS)]


class SessionStart(_Part, frozen=True, kw_only=True, tag_field="type", tag="session.start"):
    session_id: Id
    resume_from_sequence: Count | UnsetType = UNSET
    client_capabilities: Capabilities | UnsetType = UNSET


class UserTurn(_Part, frozen=True, kw_only=True, tag_field="type", tag="user.turn"):
    turn: Ordinal
    text: Annotated[str, Meta(min_length=1, max_length=limits.TURN_TEXT_CHARS)]
    speech_metadata: SpeechMetadata | UnsetType = UNSET
    context: Context = ()


class UserObservation(_Part, frozen=True, kw_only=True, tag_field="type", tag="user.observation"):
    turn: Ordinal
    interaction_id: Id | UnsetType = UNSET
    observation: seen.Observation
    context: Context = ()


class AudioTurnStart(
    _Part, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="audio.turn.start"
):
    turn: Ordinal


class AudioTurnCommit(
    _Part, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="audio.turn.commit"
):
    turn: Ordinal


class AudioTurnCancel(
    _Part, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="audio.turn.cancel"
):
    turn: Ordinal


class ResponseCancel(_Part, frozen=True, kw_only=True, tag_field="type", tag="response.cancel"):
    pass


class SessionEnd(_Part, frozen=True, kw_only=True, tag_field="type", tag="session.end"):
    pass


class Ack(_Part, frozen=True, kw_only=True, tag_field="type", tag="ack"):
    sequence: Ordinal


ClientMessage: TypeAlias = (
    SessionStart
    | UserTurn
    | UserObservation
    | AudioTurnStart
    | AudioTurnCommit
    | AudioTurnCancel
    | ResponseCancel
    | SessionEnd
    | Ack
)
"""The nine messages, told apart by `type`."""

TYPES = (
    "session.start",
    "user.turn",
    "user.observation",
    "audio.turn.start",
    "audio.turn.commit",
    "audio.turn.cancel",
    "response.cancel",
    "session.end",
    "ack",
)
