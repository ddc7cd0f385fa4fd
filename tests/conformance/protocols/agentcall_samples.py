"""True observations: tags whose records decode, photos whose hash and header are right."""

import base64
import hashlib
import zlib
from typing import Any, TypeAlias

from hypothesis import strategies as st

# Any: JSON of no known shape.
Json: TypeAlias = Any

OBSERVED_AT = "2026-01-02T03:04:05.678Z"


def png(width: int, height: int) -> bytes:
    """Write a grey PNG that every viewer opens."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    header = width.to_bytes(4, "big") + height.to_bytes(4, "big") + b"\x08\x00\x00\x00\x00"
    rows = (b"\x00" + b"\x7f" * width) * height
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def jpeg(width: int, height: int) -> bytes:
    """Write a JPEG's head: APP0, a comment with fill bytes before it, the header of a progressive frame."""
    app0 = b"\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"
    comment = b"\xff\xff\xff\xfe\x00\x07\xff\xc0\x00\x11\x08"
    frame = b"\xff\xc2\x00\x0b\x08" + height.to_bytes(2, "big") + width.to_bytes(2, "big") + b"\x01\x01\x11\x00"
    return b"\xff\xd8" + app0 + comment + frame + b"\xff\xd9"


def webp(kind: bytes, width: int, height: int) -> bytes:
    """Write a WebP's head, lossy (`VP8 `), lossless (`VP8L`) or extended (`VP8X`)."""
    bodies = {
        b"VP8 ": b"\x30\x01\x00\x9d\x01\x2a" + width.to_bytes(2, "little") + height.to_bytes(2, "little"),
        b"VP8L": b"\x2f" + ((width - 1) | (height - 1) << 14).to_bytes(4, "little") + b"\x07\x10",
        b"VP8X": b"\x10\x00\x00\x00" + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little"),
    }
    body = bodies[kind] + b"\x00" * 8
    chunk = kind + len(body).to_bytes(4, "little") + body
    return b"RIFF" + (4 + len(chunk)).to_bytes(4, "little") + b"WEBP" + chunk


def photo(data: bytes, media_type: str, width: int, height: int) -> Json:
    """Say what an inline photo says."""
    return {
        "kind": "photo",
        "mediaType": media_type,
        "width": width,
        "height": height,
        "sha256": hashlib.sha256(data).hexdigest(),
        "data": base64.b64encode(data).decode(),
        "observedAt": OBSERVED_AT,
    }


def record(tnf: int, kind: str, payload: bytes) -> Json:
    """Say what one record of a tag says."""
    return {"tnf": tnf, "type": kind, "payload": base64.b64encode(payload).decode()}


def tag(*records: Json) -> Json:
    """Say what a tag says."""
    return {
        "kind": "nfc",
        "tagId": "04A1b2c3d4e580",
        "technologies": ["NfcA", "Ndef"],
        "records": list(records),
        "observedAt": OBSERVED_AT,
    }


def _png(width: int, height: int) -> Json:
    return photo(png(width, height), "image/png", width, height)


def _jpeg(width: int, height: int) -> Json:
    return photo(jpeg(width, height), "image/jpeg", width, height)


def _webp(kind: bytes, width: int, height: int) -> Json:
    return photo(webp(kind, width, height), "image/webp", width, height)


def _uploaded(shown: Json, upload: str) -> Json:
    named = {**shown, "uploadId": upload}
    del named["data"]
    return named


def _unknown(payload: bytes) -> Json:
    return {**record(5, "", payload), "id": "x"}


_side = st.integers(1, 40)
_photos = st.one_of(
    st.builds(_png, _side, _side),
    st.builds(_jpeg, _side, _side),
    st.builds(_webp, st.sampled_from([b"VP8 ", b"VP8L", b"VP8X"]), _side, _side),
)
_records = st.one_of(
    st.just({"tnf": 0, "payload": ""}),
    st.just({**record(1, "T", b"\x02enhi"), "text": "hi"}),
    st.just({**record(1, "U", b"\x04a.example"), "uri": "https://a.example"}),
    st.builds(record, st.integers(1, 4), st.sampled_from(["T", "U", "text/plain", ""]), st.binary(max_size=9)),
    st.builds(_unknown, st.binary(max_size=9)),
)
_tags = st.lists(_records, max_size=3).map(lambda records: tag(*records))

OBSERVATIONS: st.SearchStrategy[Json] = st.one_of(
    _tags, _photos, st.builds(_uploaded, _photos, st.sampled_from(["u-1", "é" * 128]))
)
"""Observations that the schema and the content checks accept."""
