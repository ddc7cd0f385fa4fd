"""NFC tags."""

from typing import Final

NFC_TAG_ID_BYTES: Final = 32
"""Longest tag id: ISO 14443 has 4, 7 or 10 bytes, ISO 15693 and FeliCa 8; the rest is for others."""

NFC_TECHNOLOGIES: Final = 16
"""Most technologies of a tag: Android knows ten, iOS four."""

NFC_TECHNOLOGY_CHARS: Final = 64
"""Longest technology name: the longest class name of Android's is 34."""

NFC_RECORDS: Final = 64
"""Most NDEF records of a tag: real ones have one to five."""

NFC_FIELD_CHARS: Final = 255
"""Longest record type or id. Source: NDEF 1.0, 3.2.2 and 3.2.5: their length is one byte."""

NFC_MESSAGE_BYTES: Final = 32 * 1024
"""Most payload of a tag, all records together: the largest tags on sale hold 32 KB."""
