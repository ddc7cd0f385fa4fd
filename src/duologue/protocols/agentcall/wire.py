"""What an AgentCall client sends. Source: AgentCall AG-UI WebSocket binding 0.1, client message.

`schemas/agentcall-client.schema.json` says the same as these structs; a test holds them together.
"""

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from duologue.model import limits
from duologue.model.content import Modality

Count = Annotated[int, Meta(ge=0)]
Ordinal = Annotated[int, Meta(ge=1)]
Str32 = Annotated[str, Meta(max_length=32)]
Str64 = Annotated[str, Meta(max_length=64)]
Str128 = Annotated[str, Meta(max_length=128)]
Id = Annotated[str, Meta(min_length=1, max_length=limits.SESSION_ID_CHARS)]
UploadId = Annotated[str, Meta(min_length=1, max_length=limits.UPLOAD_ID_CHARS)]
Side = Annotated[int, Meta(ge=1, le=limits.PHOTO_SIDE_PIXELS)]
Moment = Annotated[str, Meta(max_length=64)]
Field = Annotated[str, Meta(max_length=limits.NFC_FIELD_CHARS)]
Words = Annotated[str, Meta(max_length=limits.NFC_MESSAGE_BYTES)]
Address = Annotated[str, Meta(max_length=limits.NFC_MESSAGE_BYTES + 32)]

BASE64_PHOTO_CHARS = 4 * ((limits.UPLOAD_BYTES + 2) // 3)
BASE64_PAYLOAD_CHARS = 4 * ((limits.NFC_MESSAGE_BYTES + 2) // 3)


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


class NdefRecord(_Part, frozen=True, kw_only=True):
    """One NDEF record; `payload` is base64, `text` and `uri` are what the client made of it."""

    tnf: Annotated[int, Meta(ge=0, le=6)]
    type: Field = ""
    id: Field = ""
    payload: Annotated[str, Meta(max_length=BASE64_PAYLOAD_CHARS)]
    text: Words | UnsetType = UNSET
    uri: Address | UnsetType = UNSET


class Nfc(_Part, frozen=True, kw_only=True, tag_field="kind", tag="nfc"):
    tag_id: Annotated[str, Meta(min_length=2, max_length=2 * limits.NFC_TAG_ID_BYTES)]
    technologies: Annotated[
        tuple[Annotated[str, Meta(min_length=1, max_length=limits.NFC_TECHNOLOGY_CHARS)], ...],
        Meta(max_length=limits.NFC_TECHNOLOGIES),
    ] = ()
    records: Annotated[tuple[NdefRecord, ...], Meta(max_length=limits.NFC_RECORDS)] = ()
    observed_at: Moment


class Photo(_Part, frozen=True, kw_only=True, tag_field="kind", tag="photo"):
    """A photo, inside the message as `data` (base64) or stored before as `upload_id`."""

    media_type: Literal["image/jpeg", "image/png", "image/webp"]
    width: Side
    height: Side
    sha256: Annotated[str, Meta(min_length=64, max_length=64)]
    data: Annotated[str, Meta(min_length=4, max_length=BASE64_PHOTO_CHARS)] | UnsetType = UNSET
    upload_id: UploadId | UnsetType = UNSET
    observed_at: Moment


Observation: TypeAlias = Nfc | Photo


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
    observation: Observation
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
