"""Uploads: kept in the store, bound to the person who sent them."""

import hashlib
from typing import NamedTuple

import msgspec

from duologue.model.commands import Photo, Refer
from duologue.model.content import Attachment, PhotoObservation
from duologue.model.errors import Code, Problem, Refused
from duologue.model.inputs import UserTurn
from duologue.ports.store import Blob, Store


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


async def keep_photo(store: Store, command: Photo, *, subject: str, session_id: str, at_ms: int) -> UserTurn:
    """Store a photo that came inside a turn, and return the turn that refers to it.

    The id is made of whose it is and of its hash, so that a repeated turn is recognised as the same.
    """
    turn = command.turn
    match turn.observation:
        case PhotoObservation(photo=photo) as seen:
            upload_id = owned_id("photo", subject=subject, session_id=session_id, sha256=photo.sha256)
            kept = msgspec.structs.replace(photo, upload_id=upload_id)
            await store.put_blob(
                Blob(attachment=kept, subject=subject, session_id=session_id, at_ms=at_ms, data=command.data)
            )
            return msgspec.structs.replace(turn, observation=msgspec.structs.replace(seen, photo=kept))
        case _:
            return turn


def owned_id(kind: str, *, subject: str, session_id: str, sha256: str) -> str:
    """Name a file that came inside a message: the same one of the same person has the same id."""
    whose = hashlib.blake2b(f"{subject}\n{session_id}\n{sha256}".encode(), digest_size=20)
    return f"{kind}-{whose.hexdigest()}"


async def look_up(store: Store, command: Refer, *, subject: str) -> UserTurn:
    """Fill in what the uploads are that a turn refers to.

    Raises:
        Refused: this person has no such upload, or it is not the photo that the turn describes.
        StoreError: the store cannot read now.
    """
    found = [await _find(store, upload_id, subject) for upload_id in command.upload_ids]
    turn = command.turn
    match turn.observation:
        case PhotoObservation(photo=photo) as seen:
            if (photo.sha256, photo.media_type) != (found[0].sha256, found[0].media_type):
                problem = "the upload is not the photo that the observation describes"
                raise Refused(Problem(code=Code.UPLOAD_REFUSED, message=problem, path="$.observation"))
            return msgspec.structs.replace(turn, observation=msgspec.structs.replace(seen, photo=found[0]))
        case _:
            return msgspec.structs.replace(turn, attachments=tuple(found))


async def _find(store: Store, upload_id: str, subject: str) -> Attachment:
    blob = await store.get_blob(upload_id)
    if blob is None or blob.subject != subject:
        message = f"there is no upload {upload_id[:64]!r}; upload it first"
        raise Refused(Problem(code=Code.UPLOAD_UNKNOWN, message=message))
    return blob.attachment
