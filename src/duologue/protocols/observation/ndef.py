"""What a record of a tag says. Source: NFC Forum, NDEF 1.0; RTD Text 1.0; RTD URI 1.0; RTD Smart Poster 1.1."""

import binascii
import codecs
import re
from typing import Final, NamedTuple

from duologue.model.content import NdefPart
from duologue.protocols.observation.ndef_message import Raw, read

_UTF16: Final = 0x80
_RESERVED: Final = 0x40
_LANGUAGE_LENGTH: Final = 0x3F
_LANGUAGE: Final = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
"""A language tag, as far as its form goes. Source: RFC 5646."""

_CHARSET: Final = re.compile(r"charset\s*=\s*\"?([a-z0-9_-]+)")
_CHARSETS: Final = {
    "utf-8": "utf-8",
    "us-ascii": "ascii",
    "iso-8859-1": "latin-1",
    "windows-1252": "cp1252",
    "utf-16": "utf-16",
    "utf-16be": "utf-16-be",
    "utf-16le": "utf-16-le",
}
"""The charsets that are read, by their registered names in lower case."""

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


class Said(NamedTuple):
    """What a record says: its text with the language, its address, and the records inside it."""

    text: str | None = None
    uri: str | None = None
    language: str | None = None
    inside: tuple[NdefPart, ...] = ()


_NOTHING: Final = Said()


def say(tnf: int, kind: str, payload: bytes) -> Said:
    """Decode a record's payload.

    Args:
        tnf: type name format, 0 to 6.
        kind: the record type.
        payload: as read from the tag.
    Returns:
        What it says; nothing for what it is not, or where the tag holds something that the standard does not allow:
        the world is as it is, the client cannot mend it.
    """
    match tnf, kind:
        case (1, "Sp"):
            return _poster(payload)
        case _:
            return _plain(tnf, kind, payload)


def _plain(tnf: int, kind: str, payload: bytes) -> Said:
    """Decode what holds no other records."""
    match tnf, kind:
        case (1, "T"):
            return _text(payload)
        case (1, "U"):
            return Said(uri=_uri(payload))
        case (2, _):
            return Said(text=_media(kind, payload))
        case (3, _):
            return Said(uri=kind or None)
        case _:
            return _NOTHING


def breach(tnf: int, kind: str, record_id: str, payload: bytes) -> str | None:
    """Say what no reader can have read from a tag, or `None`. Source: NDEF 1.0, 3.2.6."""
    if tnf == 0 and (kind or record_id or payload):
        return "an empty record (tnf 0) has no type, id or payload"
    if tnf in (5, 6) and kind:
        return f"a record with tnf {tnf} has no type"
    return None


def _text(payload: bytes) -> Said:
    """Source: RTD Text 1.0, 3.2: a status byte, the language, then UTF-8 or big-endian or marked UTF-16."""
    if not payload or payload[0] & _RESERVED:
        return _NOTHING
    words_at = 1 + (payload[0] & _LANGUAGE_LENGTH)
    if len(payload) < words_at:
        return _NOTHING
    encoding = _utf16(payload[words_at:]) if payload[0] & _UTF16 else "utf-8"
    text = _decoded(payload[words_at:], encoding)
    language = _decoded(payload[1:words_at], "ascii") if text is not None else None
    return Said(text=text, language=language if language and _LANGUAGE.fullmatch(language) else None)


def _utf16(words: bytes) -> str:
    return "utf-16" if words.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-16-be"


def _uri(payload: bytes) -> str | None:
    """Source: RTD URI 1.0, 3.2.2: one byte for the prefix; a reserved one means none."""
    if not payload:
        return None
    prefix = URI_PREFIXES[payload[0]] if payload[0] < len(URI_PREFIXES) else ""
    rest = _decoded(payload[1:], "utf-8")
    return None if rest is None else prefix + rest


def _media(kind: str, payload: bytes) -> str | None:
    """The text of a media type that is text. Source: NDEF 1.0, 3.2.6; RFC 2046, 4.1; RFC 6657; RFC 8259, 8.1."""
    name, _, parameters = kind.lower().partition(";")
    name = name.strip()
    if not (name.startswith("text/") or name == "application/json" or name.endswith(("+json", "+xml"))):
        return None
    named = _CHARSET.search(parameters)
    encoding = _CHARSETS.get(named[1]) if named else "utf-8"
    if encoding == "utf-16":
        encoding = _utf16(payload)
    return None if encoding is None else _decoded(payload, encoding)


def _poster(payload: bytes) -> Said:
    """Source: RTD Smart Poster 1.1, 3: one address, titles of different languages, and what else there is to know."""
    records = read(payload)
    if records is None:
        return _NOTHING
    inside = tuple([_told(record) for record in records])
    addresses = [record.uri for record in inside if record.type == "U" and record.uri is not None]
    if len(addresses) != 1:
        return _NOTHING
    title = next((record for record in inside if record.type == "T" and record.text is not None), None)
    if title is None:
        return Said(uri=addresses[0], inside=inside)
    return Said(uri=addresses[0], text=title.text, language=title.language, inside=inside)


def _told(record: Raw) -> NdefPart:
    said = _plain(record.tnf, record.kind, record.payload)
    return NdefPart(
        tnf=record.tnf,
        type=record.kind,
        record_id=record.record_id,
        payload=binascii.b2a_base64(record.payload, newline=False).decode(),
        text=said.text,
        uri=said.uri,
        language=said.language,
    )


def _decoded(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None
