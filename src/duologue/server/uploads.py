"""Uploads over HTTP: one file of a form, checked by its content."""

import asyncio
import hashlib
from typing import Final
from urllib.parse import quote

from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from duologue.images.metadata import STRIPPED
from duologue.images.sizes import size_of
from duologue.model import limits
from duologue.model.base import Value
from duologue.model.content import Attachment
from duologue.model.errors import Code, Problem, Refused
from duologue.ports.store import Blob
from duologue.runtime.files import AT_ONCE_BYTES, cleaned
from duologue.server.context import read_body

FORM_BYTES: Final = 64 * 1024
"""What a form may have around its file: boundaries, headers and the session id."""

NAME_CHARS: Final = 200
"""Longest file name that is kept: it is shown on one line."""

MAGIC: Final[tuple[tuple[str, bytes, int], ...]] = (
    ("image/png", b"\x89PNG\r\n\x1a\n", 0),
    ("image/jpeg", b"\xff\xd8\xff", 0),
    ("image/webp", b"WEBP", 8),
    ("image/gif", b"GIF8", 0),
    ("application/pdf", b"%PDF-", 0),
)
"""Media types that are taken, by the bytes that they have at an offset."""

TEXTS: Final = frozenset({"text/plain", "text/markdown", "text/csv", "application/json"})
"""Media types that are taken as text, when they are UTF-8."""


SHOWN: Final = frozenset({"image/png", "image/jpeg", "image/webp", "image/gif"})
"""Media types that a browser may show by itself: they hold no program. All else it may only save."""

SAVED: Final = "application/octet-stream"
"""What a file is given back as that may only be saved."""


class UploadedFile(Value, kw_only=True):
    """One file as it came."""

    name: str
    declared: str
    data: bytes
    session_id: str | None


async def read_form(request: Request, *, limit: int) -> UploadedFile:
    """Read a multipart form with a field `file`, and perhaps `sessionId`.

    Raises:
        Refused: it is no such form, or the file has more than `limit` bytes.
    """
    if not request.headers.get("content-type", "").startswith("multipart/form-data"):
        raise _refused("send a multipart form with the file in the field `file`")
    body = await read_body(request, limit=limit + FORM_BYTES)

    async def chunks():
        yield body

    try:
        form = await MultiPartParser(request.headers, chunks(), max_files=1, max_fields=4).parse()
    except MultiPartException as error:
        raise _refused(f"the form cannot be read: {error.message}") from error
    file, session_id = form.get("file"), form.get("sessionId")
    if not isinstance(file, UploadFile):
        raise _refused("the form has no file in the field `file`")
    data = await file.read()
    await file.close()
    if len(data) > limit:
        message = f"the file has {len(data)} bytes; at most {limit} are taken"
        raise Refused(Problem(code=Code.TOO_LARGE, message=message, limit=limit))
    return UploadedFile(
        name=file.filename or "file",
        declared=(file.content_type or "").partition(";")[0].strip().lower(),
        data=data,
        session_id=session_id if isinstance(session_id, str) and session_id else None,
    )


async def to_blob(
    file: UploadedFile, *, upload_id: str, subject: str, session_id: str, now_ms: int, as_sent: bool
) -> Blob:
    """Check a file and make it ready to be stored; what is large is not looked through on the loop's thread.

    Args:
        as_sent: a picture keeps its metadata.
    Raises:
        Refused: it is empty, or its content is of no type that is taken, or not of the type that it claims; a picture
            is broken, or would take too much memory once it is decompressed.
    """

    def made() -> Blob:
        blob = _checked(file, upload_id=upload_id, subject=subject, session_id=session_id, now_ms=now_ms)
        return blob if as_sent else cleaned(blob)

    return made() if len(file.data) <= AT_ONCE_BYTES else await asyncio.to_thread(made)


def _checked(file: UploadedFile, *, upload_id: str, subject: str, session_id: str, now_ms: int) -> Blob:
    """Check a file.

    Raises:
        Refused: as `to_blob`.
    """
    found = media_type(file.data, file.declared)
    if not file.data or found is None:
        known = ", ".join([kind for kind, _, _ in MAGIC] + sorted(TEXTS))
        raise _refused(f"the file is empty or of a type that is not taken; taken are {known}")
    if file.declared not in ("", "application/octet-stream", found):
        raise _refused(f"the file is {found} and not {file.declared[:80]}, as it claims")
    _check_size(file.data, found)
    name = "".join(letter for letter in file.name.replace("\\", "/").rpartition("/")[2] if letter.isprintable())
    attachment = Attachment(
        upload_id=upload_id,
        name=name[:NAME_CHARS] or "file",
        media_type=found,
        size_bytes=len(file.data),
        sha256=hashlib.sha256(file.data).hexdigest(),
    )
    return Blob(attachment=attachment, subject=subject, session_id=session_id, at_ms=now_ms, data=file.data)


def _check_size(data: bytes, kind: str) -> None:
    """Check by its header that a picture can be shown: a few bytes may stand for gigabytes of pixels.

    Raises:
        Refused: it is too large, or its header is broken.
    """
    if kind not in STRIPPED:
        return
    size = size_of(data, kind)
    if size is None:
        raise _refused(f"the file is no whole {kind}: its header is cut short or broken")
    if max(size) > limits.PHOTO_SIDE_PIXELS or size[0] * size[1] > limits.PHOTO_PIXELS:
        raise _refused(
            f"the picture has {size[0]}x{size[1]} pixels; at most {limits.PHOTO_SIDE_PIXELS} a side"
            f" and {limits.PHOTO_PIXELS} in all are taken"
        )


def media_type(data: bytes, declared: str) -> str | None:
    """Tell a file's type by its content; `None` where it is none that is taken."""
    for kind, magic, offset in MAGIC:
        if data[offset : offset + len(magic)] == magic:
            return kind
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    if "\x00" in text:
        return None
    return declared if declared in TEXTS else "text/plain"


def download_headers(kept: Attachment) -> dict[str, str]:
    """Say what a stored file is, so that no browser takes it for a page of ours.

    The name follows RFC 6266 and RFC 8187: percent-encoded, with a plain one for old readers.
    """
    shown = kept.media_type in SHOWN
    plain = "".join(
        letter if letter.isascii() and (letter.isalnum() or letter in " ._-") else "_" for letter in kept.name
    )
    way = "inline" if shown else "attachment"
    return {
        "Content-Type": kept.media_type if shown else SAVED,
        "Content-Disposition": f"{way}; filename=\"{plain}\"; filename*=UTF-8''{quote(kept.name, safe='')}",
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "X-Content-Type-Options": "nosniff",
    }


def _refused(message: str) -> Refused:
    return Refused(Problem(code=Code.UPLOAD_REFUSED, message=message))
