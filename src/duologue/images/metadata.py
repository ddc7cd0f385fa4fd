"""What is removed from pictures before they are kept."""

from typing import Final

from duologue.images import gif, jpeg, png, webp

STRIPPED: Final = {
    "image/jpeg": jpeg.stripped,
    "image/png": png.stripped,
    "image/webp": webp.stripped,
    "image/gif": gif.stripped,
}
"""The media types of which metadata can be removed, with how."""


def without_metadata(data: bytes, media_type: str) -> bytes | None:
    """Remove all that a picture says besides itself: the place, the time, the camera, names, earlier versions of it.

    What makes the picture stays as it is, byte for byte, with its colour profile and which way up it is.

    Args:
        data: the whole file.
        media_type: of its content.
    Returns:
        The file, equal to `data` where there is nothing to remove, also where the media type is no picture's;
        `None` where it is broken, so that nobody can tell what it holds.
    """
    strip = STRIPPED.get(media_type)
    return data if strip is None else strip(data)
