"""Checking and converting what a client observed: a tag that it read, a photo that it took.

The form is the project's own: AgentCall's `schemas/agentcall-physical-observation.schema.json`.
"""

import binascii
import hashlib
import re
from typing import Final, TypeAlias, assert_never

import msgspec
from msgspec import UNSET

from duologue.images.sizes import size_of
from duologue.model import commands, limits
from duologue.model.base import Value
from duologue.model.content import Attachment, NdefRecord, NfcObservation, PhotoObservation
from duologue.model.errors import Code, Problem
from duologue.model.inputs import UserTurn
from duologue.protocols.observation import ndef, wire

_HERE: Final = "$.observation"
_HEX: Final = re.compile(r"(?:[0-9A-Fa-f]{2})+")
_MOMENT: Final = re.compile(
    r"([0-9]{4})-(0[1-9]|1[0-2])-([0-2][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?"
    r"(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])"
)
_DAYS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_SUFFIX: Final = {"image/jpeg": "jpg", "image/png": "png", "image/webp": "webp"}


class InlinePhoto(Value, frozen=True, kw_only=True):
    """A photo whose bytes came with it, all checked; its upload id is still empty."""

    photo: PhotoObservation
    data: bytes


Seen: TypeAlias = NfcObservation | PhotoObservation | InlinePhoto

Showing: TypeAlias = UserTurn | commands.Photo | commands.Refer
"""A turn that shows something."""


def check(seen: wire.Observation) -> Seen | Problem:
    """Check an observation's content and convert it.

    Args:
        seen: as decoded; lengths and ranges are already within the schema.
    Returns:
        A tag with its records decoded; a photo with its bytes; a photo that names an upload, whose bytes the
        runtime holds against the sizes and the hash stated here; or what is wrong.
    """
    if not _is_moment(seen.observed_at):
        return _bad("observedAt", "`observedAt` is no RFC 3339 time such as 2026-01-02T03:04:05Z")
    match seen:
        case wire.Nfc():
            return _tag(seen)
        case wire.Photo():
            return _photo(seen)


def _tag(seen: wire.Nfc) -> NfcObservation | Problem:
    if not _HEX.fullmatch(seen.tag_id):
        return _bad("tagId", "`tagId` is not whole bytes in hex")
    records: list[NdefRecord] = []
    payload_bytes = 0
    for index, record in enumerate(seen.records):
        payload = _base64(record.payload)
        if payload is None:
            return _bad(f"records[{index}].payload", "`payload` is not base64")
        payload_bytes += len(payload)
        read = _record(record, payload, f"records[{index}]")
        if isinstance(read, Problem):
            return read
        records.append(read)
    if payload_bytes > limits.NFC_MESSAGE_BYTES:
        return _bad("records", "the payloads are too large together", limit=limits.NFC_MESSAGE_BYTES)
    return NfcObservation(
        tag_id=seen.tag_id.lower(),
        technologies=seen.technologies,
        records=tuple(records),
        observed_at=seen.observed_at,
    )


def _record(record: wire.NdefRecord, payload: bytes, where: str) -> NdefRecord | Problem:
    breach = ndef.breach(record.tnf, record.type, record.id, payload)
    if breach is not None:
        return _bad(where, breach)
    said = ndef.say(record.tnf, record.type, payload)
    if record.text is not UNSET and record.text != said.text:
        return _bad(f"{where}.text", "`text` is not what the payload says; leave it out, it is decoded here")
    if record.uri is not UNSET and record.uri != said.uri:
        return _bad(f"{where}.uri", "`uri` is not what the payload says; leave it out, it is decoded here")
    return NdefRecord(
        tnf=record.tnf,
        type=record.type,
        record_id=record.id,
        payload=record.payload,
        text=said.text,
        uri=said.uri,
        language=said.language,
        inside=said.inside,
    )


def _photo(seen: wire.Photo) -> PhotoObservation | InlinePhoto | Problem:
    if (seen.data is UNSET) == (seen.upload_id is UNSET):
        return _bad("", "a photo has either `data` or `uploadId`")
    if not _HEX.fullmatch(seen.sha256):
        return _bad("sha256", "`sha256` is not 64 hex digits")
    if seen.width * seen.height > limits.PHOTO_PIXELS:
        return _bad("", f"the photo has more than {limits.PHOTO_PIXELS} pixels", limit=limits.PHOTO_PIXELS)
    if seen.upload_id is not UNSET:
        return _observation(seen, upload_id=seen.upload_id, size_bytes=0)
    assert seen.data is not UNSET
    data = _base64(seen.data)
    if data is None:
        return _bad("data", "`data` is not base64")
    return _mismatch(seen, data) or InlinePhoto(photo=_observation(seen, upload_id="", size_bytes=len(data)), data=data)


def _mismatch(seen: wire.Photo, data: bytes) -> Problem | None:
    if len(data) > limits.UPLOAD_BYTES:
        return _bad("data", f"the photo is over {limits.UPLOAD_BYTES} bytes", limit=limits.UPLOAD_BYTES)
    if hashlib.sha256(data).hexdigest() != seen.sha256.lower():
        return _bad("sha256", "`sha256` is not the hash of the photo's bytes")
    size = size_of(data, seen.media_type)
    if size is None:
        return _bad("data", f"the bytes are not {seen.media_type}, or are cut short in the header")
    if size != (seen.width, seen.height):
        return _bad("", f"the photo is {size[0]}x{size[1]} pixels, not {seen.width}x{seen.height}")
    return None


def _observation(seen: wire.Photo, *, upload_id: str, size_bytes: int) -> PhotoObservation:
    attachment = Attachment(
        upload_id=upload_id,
        name=f"photo.{_SUFFIX[seen.media_type]}",
        media_type=seen.media_type,
        size_bytes=size_bytes,
        sha256=seen.sha256.lower(),
    )
    return PhotoObservation(photo=attachment, width=seen.width, height=seen.height, observed_at=seen.observed_at)


def _base64(text: str) -> bytes | None:
    """Decode base64 with its padding and nothing else (RFC 4648, 4)."""
    try:
        data = binascii.a2b_base64(text, strict_mode=True)
    except ValueError:
        return None
    # Python's strict mode lets padding after a whole group pass: `AAAA=`.
    return data if len(text) == 4 * ((len(data) + 2) // 3) else None


def _is_moment(text: str) -> bool:
    found = _MOMENT.fullmatch(text)
    if found is None:
        return False
    year, month, day = int(found[1]), int(found[2]), int(found[3])
    leap = month == 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 1 <= day <= _DAYS[month - 1] + leap


def _bad(member: str, message: str, *, limit: int | None = None) -> Problem:
    path = f"{_HERE}.{member}" if member else _HERE
    return Problem(code=Code.BAD_MESSAGE, message=message, path=path, limit=limit)


def command(turn: UserTurn, seen: wire.Observation) -> Showing | Problem:
    """Make the command of a turn that shows something.

    Args:
        turn: the turn, without its observation.
        seen: as decoded.
    Returns:
        The turn, with what was shown; `Photo` or `Refer` where its bytes have to be stored or looked up first.
    """
    checked = check(seen)
    match checked:
        case Problem():
            return checked
        case NfcObservation():
            return msgspec.structs.replace(turn, observation=checked)
        case InlinePhoto():
            turn = msgspec.structs.replace(turn, observation=checked.photo)
            return commands.Photo(turn=turn, data=checked.data)
        case PhotoObservation():
            turn = msgspec.structs.replace(turn, observation=checked)
            return commands.Refer(turn=turn, upload_ids=(checked.photo.upload_id,))
        case _:
            assert_never(checked)
