"""Uploads, photos, and sessions that are imported."""

from typing import Final

UPLOAD_BYTES: Final = 8 * 2**20
"""Largest upload or photo: a phone's photo fits; memory per request stays small."""

UPLOAD_ID_CHARS: Final = 128
"""Longest upload id that a message may refer to: ours are far shorter."""

PHOTO_SIDE_PIXELS: Final = 16_384
"""Longest side of a photo: WebP ends there, and panoramas fit."""

PHOTO_PIXELS: Final = 50_000_000
"""Most pixels of a photo: a 48-megapixel phone fits; decoded at 4 bytes a pixel it takes 200 MB, not more."""

IMPORT_BYTES: Final = 128 * 2**20
"""Largest session to import over the network: a year of daily talk is 20 MB, ten photos 110; it is held in memory."""
