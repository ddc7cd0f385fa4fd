"""Uploads: kept in the store, bound to the person who sent them."""

import asyncio
import hashlib
from typing import Final, NamedTuple

import msgspec

from duologue.images.metadata import without_metadata
from duologue.images.sizes import size_of
from duologue.model.commands import Photo, Refer
from duologue.model.content import PhotoObservation
from duologue.model.errors import Code, Problem, Refused
from duologue.model.inputs import UserTurn
from duologue.ports.store import Blob, Store

AT_ONCE_BYTES: Final = 256 * 1024
"""Pictures up to this are read on the loop's thread: that takes under 2 ms."""


class StoredFiles(NamedTuple):
    """What an agent may read during a run: the uploads of the run's own person."""

    store: Store
    subject: str

    async def read(self, upload_id: str) -> bytes:
        """Read an upload; see `ports.agent.Files`."""
        blob = await self.store.get_blob(upload_id)
        if blob is None or blob.subject != self.subject:
            raise LookupError(f"there is no upload {upload_id!r}")
        return blob.data


async def keep_photo(
    store: Store, command: Photo, *, subject: str, session_id: str, at_ms: int, as_sent: bool = False
) -> UserTurn:
    """Store a photo that came inside a turn, and return the turn that refers to it.

    The id is made of whose it is and of the hash of what was sent, so that a repeated turn is recognised as the same.

    Args:
        as_sent: keep its metadata.
    Raises:
        Refused: the photo is broken.
        StoreError: the store cannot do it now; nothing was kept.
    """
    turn = command.turn
    match turn.observation:
        case PhotoObservation(photo=photo) as seen:
            upload_id = owned_id("photo", subject=subject, session_id=session_id, sha256=photo.sha256)
            sent = Blob(
                attachment=msgspec.structs.replace(photo, upload_id=upload_id),
                subject=subject,
                session_id=session_id,
                at_ms=at_ms,
                data=command.data,
            )
            kept = sent if as_sent else await _cleaned(sent, path="$.observation.data")
            await store.put_blob(kept)
            return msgspec.structs.replace(turn, observation=msgspec.structs.replace(seen, photo=kept.attachment))
        case _:
            return turn


async def _cleaned(blob: Blob, *, path: str) -> Blob:
    """Remove a picture's metadata; what is large is not done on the loop's thread."""
    if len(blob.data) > AT_ONCE_BYTES:
        return await asyncio.to_thread(cleaned, blob, path=path)
    return cleaned(blob, path=path)


def cleaned(blob: Blob, *, path: str = "") -> Blob:
    """Remove a picture's metadata, and note what was sent; what is no picture, or has none, stays as it is.

    Raises:
        Refused: it is broken, so that nobody can tell what it holds.
    """
    attachment = blob.attachment
    data = without_metadata(blob.data, attachment.media_type)
    if data is None:
        message = f"the picture is broken: it is no whole {attachment.media_type}"
        raise Refused(Problem(code=Code.UPLOAD_REFUSED, message=message, path=path))
    if data == blob.data:
        return blob
    kept = msgspec.structs.replace(
        attachment,
        size_bytes=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        sent_sha256=attachment.sent_sha256 or attachment.sha256,
    )
    return msgspec.structs.replace(blob, attachment=kept, data=data)


def owned_id(kind: str, *, subject: str, session_id: str, sha256: str) -> str:
    """Name a file that came inside a message: the same one of the same person has the same id."""
    whose = hashlib.blake2b(f"{subject}\n{session_id}\n{sha256}".encode(), digest_size=20)
    return f"{kind}-{whose.hexdigest()}"


async def look_up(store: Store, command: Refer, *, subject: str, as_sent: bool = False) -> UserTurn:
    """Fill in what the uploads are that a turn refers to.

    Args:
        as_sent: a photo is used with the metadata that its upload has.
    Raises:
        Refused: this person has no such upload, or it is not the photo that the turn describes.
        StoreError: the store cannot read now.
    """
    found = [await _find(store, upload_id, subject) for upload_id in command.upload_ids]
    turn = command.turn
    match turn.observation:
        case PhotoObservation() as seen:
            blob = found[0]
            _check_photo(seen, blob)
            photo = blob if as_sent else await _cleaned(blob, path="$.observation.uploadId")
            if photo is not blob:
                photo = await _kept_beside(store, photo)
            return msgspec.structs.replace(turn, observation=msgspec.structs.replace(seen, photo=photo.attachment))
        case _:
            return msgspec.structs.replace(turn, attachments=tuple(blob.attachment for blob in found))


def _check_photo(seen: PhotoObservation, blob: Blob) -> None:
    """Check that an upload is the photo that a turn describes, by its content.

    Raises:
        Refused: it is not.
    """
    said, kept = seen.photo, blob.attachment
    size = size_of(blob.data, kept.media_type)
    if said.sha256 not in (kept.sha256, kept.sent_sha256) or said.media_type != kept.media_type:
        problem = "the upload is not the photo that the observation describes"
    elif size is None:
        problem = f"the upload is no {kept.media_type}, or is cut short in the header"
    elif size != (seen.width, seen.height):
        problem = f"the photo is {size[0]}x{size[1]} pixels, not {seen.width}x{seen.height}"
    else:
        return
    raise Refused(Problem(code=Code.UPLOAD_REFUSED, message=problem, path="$.observation"))


async def _kept_beside(store: Store, photo: Blob) -> Blob:
    """Keep what an upload is without its metadata, which an earlier version or another setting had left."""
    upload_id = owned_id(
        "photo", subject=photo.subject, session_id=photo.session_id, sha256=photo.attachment.sent_sha256
    )
    beside = msgspec.structs.replace(photo, attachment=msgspec.structs.replace(photo.attachment, upload_id=upload_id))
    await store.put_blob(beside)
    return beside


async def _find(store: Store, upload_id: str, subject: str) -> Blob:
    blob = await store.get_blob(upload_id)
    if blob is None or blob.subject != subject:
        message = f"there is no upload {upload_id[:64]!r}; upload it first"
        raise Refused(Problem(code=Code.UPLOAD_UNKNOWN, message=message))
    return blob
