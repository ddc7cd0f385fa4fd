"""Real pictures with metadata of every kind, made by FFmpeg's encoders."""

import io
import zlib
from typing import Final

import av
import numpy as np
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

SECRET: Final = b"51.5007N 0.1246W"
"""What no picture may still hold."""

WIDTH, HEIGHT = 48, 32

_FORMATS: Final = {
    "image/jpeg": ("mjpeg", "image2pipe", "yuvj420p"),
    "image/png": ("png", "image2pipe", "rgb24"),
    "image/webp": ("libwebp", "webp", "yuv420p"),
    "image/gif": ("gif", "gif", "rgb8"),
}


def plain(media_type: str) -> bytes:
    """Encode a picture with colours all over."""
    codec, container, pixels = _FORMATS[media_type]
    across, down = np.meshgrid(np.arange(WIDTH), np.arange(HEIGHT))
    shown = np.stack([across * 5, down * 7, (across ^ down) * 3], axis=-1).astype(np.uint8)
    target = io.BytesIO()
    with av.open(target, "w", format=container) as out:
        # PyAV leaves parts of its own types unknown, here and below.
        stream = out.add_stream(codec, rate=1)  # pyright: ignore[reportUnknownMemberType]
        assert isinstance(stream, VideoStream)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, pixels
        frame = VideoFrame.from_ndarray(shown, format="rgb24").reformat(format=pixels)
        out.mux(stream.encode(frame))  # pyright: ignore[reportUnknownMemberType]
        out.mux(stream.encode())  # pyright: ignore[reportUnknownMemberType]
    return target.getvalue()


def pixels(data: bytes) -> bytes:
    """Decode a picture."""
    with av.open(io.BytesIO(data), "r") as source:
        frame = next(source.decode(video=0))
        return frame.to_ndarray(format="rgb24").tobytes()


def tiff(turned: int = 1) -> bytes:
    """An EXIF block with an orientation and a place; the place stands where no header would look."""
    head = b"II*\x00\x08\x00\x00\x00\x02\x00"
    entry = b"\x12\x01\x03\x00\x01\x00\x00\x00" + turned.to_bytes(2, "little") + b"\x00\x00"
    place = b"\x25\x88\x04\x00\x01\x00\x00\x00\x26\x00\x00\x00"
    return head + entry + place + b"\x00\x00\x00\x00" + SECRET


def jpeg(turned: int = 1) -> bytes:
    """A JPEG with EXIF, XMP, IPTC, a comment, several pictures (MPF), a thumbnail, and something after its end."""
    data = plain("image/jpeg")
    rest = data[2:]
    if rest.startswith(b"\xff\xe0"):
        rest = rest[2 + int.from_bytes(rest[2:4], "big") :]
    jfif = b"JFIF\x00\x01\x02\x00\x00\x01\x00\x01\x08\x01" + SECRET + b"\x00" * 8
    parts = [
        (0xE0, jfif),
        (0xE0, b"JFXX\x00\x10" + SECRET),
        (0xE1, b"Exif\x00\x00" + tiff(turned)),
        (0xE1, b"http://ns.adobe.com/xap/1.0/\x00<x>" + SECRET),
        (0xED, b"Photoshop 3.0\x008BIM" + SECRET),
        (0xE2, b"MPF\x00" + SECRET),
        (0xE2, b"ICC_PROFILE\x00\x01\x01colours"),
        (0xFE, SECRET),
    ]
    segments = b"".join(b"\xff" + bytes([kind]) + (len(part) + 2).to_bytes(2, "big") + part for kind, part in parts)
    return b"\xff\xd8" + segments + rest + b"\xff\xd8\xff\xe1" + SECRET


def png(turned: int = 1) -> bytes:
    """A PNG with EXIF, texts, a time, a private chunk, and something after its end."""
    data = plain("image/png")
    chunks = [
        (b"eXIf", tiff(turned)),
        (b"tEXt", b"Comment\x00" + SECRET),
        (b"iTXt", b"XML:com.adobe.xmp\x00\x00\x00\x00\x00" + SECRET),
        (b"zTXt", b"Comment\x00\x00" + zlib.compress(SECRET)),
        (b"tIME", b"\x07\xea\x01\x02\x03\x04\x05"),
        (b"prVt", SECRET),
    ]
    inside = b"".join(
        len(body).to_bytes(4, "big") + kind + body + zlib.crc32(kind + body).to_bytes(4, "big") for kind, body in chunks
    )
    return data[:33] + inside + data[33:] + SECRET


def webp(turned: int = 1) -> bytes:
    """An extended WebP with EXIF, XMP, an unknown chunk, and something after its end."""
    data = plain("image/webp")
    picture = data[data.index(b"VP8 ") :]
    size = (WIDTH - 1).to_bytes(3, "little") + (HEIGHT - 1).to_bytes(3, "little")
    head = b"VP8X\x0a\x00\x00\x00\x0c\x00\x00\x00" + size
    others = b"".join(
        kind + len(body).to_bytes(4, "little") + body + b"\x00" * (len(body) % 2)
        for kind, body in [(b"EXIF", tiff(turned)), (b"XMP ", b"<x>" + SECRET), (b"ABCD", SECRET)]
    )
    inside = b"WEBP" + head + picture + others
    return b"RIFF" + len(inside).to_bytes(4, "little") + inside + SECRET


def gif() -> bytes:
    """A GIF with a comment, XMP, loops, and something after its end."""
    data = plain("image/gif")
    table = 3 << (data[10] & 7) + 1 if data[10] & 0x80 else 0
    at = 13 + table
    secret = bytes([len(SECRET)]) + SECRET + b"\x00"
    inside = b"\x21\xfe" + secret + b"\x21\xff\x0bXMP DataXMP" + secret + b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"
    return data[:at] + inside + data[at:] + SECRET


def loaded(media_type: str, turned: int = 1) -> bytes:
    """A picture with all of that."""
    match media_type:
        case "image/jpeg":
            return jpeg(turned)
        case "image/png":
            return png(turned)
        case "image/webp":
            return webp(turned)
        case _:
            return gif()
