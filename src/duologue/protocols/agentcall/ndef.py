"""What a record of a tag says. Source: NFC Forum, NDEF 1.0; RTD Text 1.0; RTD URI 1.0."""

import codecs
from typing import Final

_WELL_KNOWN: Final = 1
_ABSOLUTE_URI: Final = 3

_UTF16: Final = 0x80
_RESERVED: Final = 0x40
_LANGUAGE_LENGTH: Final = 0x3F

URI_PREFIXES: Final = (
    "",
    "http://www.",
    "https://www.",
    "http://",
    "https://",
    "tel:",
    "mailto:",
    "ftp://anonymous:anonymous@",
    "ftp://ftp.",
    "ftps://",
    "sftp://",
    "smb://",
    "nfs://",
    "ftp://",
    "dav://",
    "news:",
    "telnet://",
    "imap:",
    "rtsp://",
    "urn:",
    "pop:",
    "sip:",
    "sips:",
    "tftp:",
    "btspp://",
    "btl2cap://",
    "btgoep://",
    "tcpobex://",
    "irdaobex://",
    "file://",
    "urn:epc:id:",
    "urn:epc:tag:",
    "urn:epc:pat:",
    "urn:epc:raw:",
    "urn:epc:",
    "urn:nfc:",
)
"""The abbreviations 0x00 to 0x23. Source: RTD URI 1.0, table 3."""


def say(tnf: int, kind: str, payload: bytes) -> tuple[str | None, str | None]:
    """Decode a record's payload.

    Args:
        tnf: type name format, 0 to 6.
        kind: the record type.
        payload: as read from the tag.
    Returns:
        The text of a text record and the address of a URI record; `None` for what it is not, or where the tag
        holds something that the standard does not allow: the world is as it is, the client cannot mend it.
    """
    match tnf, kind:
        case (1, "T"):
            return _text(payload), None
        case (1, "U"):
            return None, _uri(payload)
        case (3, _):
            return None, kind or None
        case _:
            return None, None


def breach(tnf: int, kind: str, record_id: str, payload: bytes) -> str | None:
    """Say what no reader can have read from a tag, or `None`. Source: NDEF 1.0, 3.2.6."""
    if tnf == 0 and (kind or record_id or payload):
        return "an empty record (tnf 0) has no type, id or payload"
    if tnf in (5, 6) and kind:
        return f"a record with tnf {tnf} has no type"
    return None


def _text(payload: bytes) -> str | None:
    """Source: RTD Text 1.0, 3.2: a status byte, the language, then UTF-8 or big-endian or marked UTF-16."""
    if not payload or payload[0] & _RESERVED:
        return None
    words = payload[1 + (payload[0] & _LANGUAGE_LENGTH) :]
    if len(payload) < 1 + (payload[0] & _LANGUAGE_LENGTH):
        return None
    encoding = "utf-8"
    if payload[0] & _UTF16:
        marked = words.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        encoding = "utf-16" if marked else "utf-16-be"
    return _decoded(words, encoding)


def _uri(payload: bytes) -> str | None:
    """Source: RTD URI 1.0, 3.2.2: one byte for the prefix; a reserved one means none."""
    if not payload:
        return None
    prefix = URI_PREFIXES[payload[0]] if payload[0] < len(URI_PREFIXES) else ""
    rest = _decoded(payload[1:], "utf-8")
    return None if rest is None else prefix + rest


def _decoded(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None
