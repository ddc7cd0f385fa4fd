"""The form of a physical observation, as AgentCall's schema `agentcall-physical-observation` has it."""

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from duologue.model import limits

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
