"""What of an observation is checked beyond its form."""

import base64
import itertools
import json
import re
from typing import Any, TypeAlias

import pytest
from tests.conformance.protocols.agentcall_samples import jpeg, photo, png, record, tag, webp

from duologue.model import commands, limits
from duologue.model.content import NfcObservation, PhotoObservation
from duologue.model.errors import Code, Problem
from duologue.model.inputs import UserTurn
from duologue.protocols.agentcall.decode import decode

# Any: JSON of no known shape.
Json: TypeAlias = Any


def _show(observation: Json, **more: Json) -> commands.Decoded:
    message = {"type": "user.observation", "turn": 4, "observation": observation, **more}
    return decode(json.dumps(message).encode())


def _refused(observation: Json) -> Problem:
    decoded = _show(observation)
    assert isinstance(decoded, Problem)
    assert decoded.code is Code.BAD_MESSAGE
    return decoded


def _read(*records: Json) -> NfcObservation:
    decoded = _show(tag(*records))
    assert isinstance(decoded, UserTurn) and isinstance(decoded.observation, NfcObservation)
    return decoded.observation


def test_a_tag_is_a_turn_without_text_that_may_answer_a_request() -> None:
    context = [{"description": "shelf", "value": "7"}]
    decoded = _show(tag(record(1, "T", b"\x02enhi")), interactionId="i-1", context=context)
    assert isinstance(decoded, UserTurn) and isinstance(decoded.observation, NfcObservation)
    assert (decoded.turn, decoded.text, decoded.interaction_id, decoded.request_id) == (4, "", "i-1", None)
    assert [(item.description, item.value) for item in decoded.context] == [("shelf", "7")]
    assert decoded.observation.tag_id == "04a1b2c3d4e580"
    assert decoded.observation.technologies == ("NfcA", "Ndef")


@pytest.mark.parametrize(
    ("tnf", "kind", "payload", "text", "uri"),
    [
        (1, "T", b"\x02enHello", "Hello", None),
        (1, "T", b"\x05en-GBHello", "Hello", None),
        (1, "T", b"\x00Hello", "Hello", None),
        (1, "T", b"\x02zh" + "你好".encode(), "你好", None),
        (1, "T", b"\x82en" + "é".encode("utf-16-be"), "é", None),
        (1, "T", b"\x82en\xfe\xff" + "é".encode("utf-16-be"), "é", None),
        (1, "T", b"\x82en\xff\xfe" + "é".encode("utf-16-le"), "é", None),
        (1, "U", b"\x00https://a.example", None, "https://a.example"),
        (1, "U", b"\x01a.example", None, "http://www.a.example"),
        (1, "U", b"\x04a.example/x", None, "https://a.example/x"),
        (1, "U", b"\x05+44123", None, "tel:+44123"),
        (1, "U", b"\x23x", None, "urn:nfc:x"),
        (1, "U", b"\x24x", None, "x"),
        (1, "U", b"\xffx", None, "x"),
        (3, "https://a.example", b"", None, "https://a.example"),
        (2, "text/plain", b"Hello", "Hello", None),
        (2, "application/octet-stream", b"Hello", None, None),
        (4, "example.org:thing", b"\x01", None, None),
    ],
)
def test_ndef_records_are_decoded(tnf: int, kind: str, payload: bytes, text: str | None, uri: str | None) -> None:
    """RTD Text 1.0, 3.2; RTD URI 1.0, 3.2.2 and table 3; NDEF 1.0, 3.2.6."""
    (read,) = _read(record(tnf, kind, payload)).records
    assert (read.text, read.uri) == (text, uri)
    assert base64.b64decode(read.payload) == payload


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("T", b""),
        ("T", b"\x05en"),
        ("T", b"\x42enHello"),
        ("T", b"\x02en\xff"),
        ("T", b"\x82en\x00"),
        ("T", b"\x82en\xd8\x00"),
        ("U", b""),
        ("U", b"\x00\xff"),
    ],
)
def test_a_tag_that_breaks_the_standard_is_shown_undecoded(kind: str, payload: bytes) -> None:
    (read,) = _read(record(1, kind, payload)).records
    assert (read.text, read.uri) == (None, None)


@pytest.mark.parametrize(
    ("observation", "path"),
    [
        ({**tag(), "tagId": "04a"}, "$.observation.tagId"),
        ({**tag(), "tagId": "04ag"}, "$.observation.tagId"),
        ({**tag(), "tagId": "04a1\n"}, "$.observation.tagId"),
        (tag({"tnf": 1, "type": "T", "payload": "AmVuaGk"}), "$.observation.records[0].payload"),
        (tag(record(1, "T", b"\x02enhi"), {"tnf": 1, "payload": "é"}), "$.observation.records[1].payload"),
        (tag({**record(1, "T", b"\x02enhi"), "text": "ho"}), "$.observation.records[0].text"),
        (tag({**record(1, "T", b"\x02enhi"), "uri": "hi"}), "$.observation.records[0].uri"),
        (tag({**record(1, "U", b"\x04a"), "uri": "http://a"}), "$.observation.records[0].uri"),
        (tag({**record(2, "text/plain", b"hi"), "text": "ho"}), "$.observation.records[0].text"),
        (tag(record(0, "T", b"")), "$.observation.records[0]"),
        (tag(record(0, "", b"x")), "$.observation.records[0]"),
        (tag(record(5, "x", b"")), "$.observation.records[0]"),
        (tag(record(6, "x", b"")), "$.observation.records[0]"),
    ],
)
def test_a_tag_that_no_reader_can_have_read_is_refused(observation: Json, path: str) -> None:
    refused = _refused(observation)
    assert (refused.path, refused.turn) == (path, 4)


def test_base64_has_its_padding_and_nothing_else() -> None:
    """RFC 4648, 4; the pattern is the schema's."""
    canonical = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
    texts = ("".join(letters) for length in range(10) for letters in itertools.product("A=", repeat=length))
    for text in [*texts, "AA-_", "AA\nAA", "AAA ", " AAA", "AAAA\n", "AAé="]:
        accepted = not isinstance(_show(tag({"tnf": 5, "payload": text})), Problem)
        assert accepted == bool(canonical.fullmatch(text)), text


def test_all_payloads_together_are_bounded() -> None:
    half = limits.NFC_MESSAGE_BYTES // 2
    _read(record(5, "", b"x" * half), record(5, "", b"x" * half))
    refused = _refused(tag(record(5, "", b"x" * half), record(5, "", b"x" * (half + 1))))
    assert (refused.path, refused.limit) == ("$.observation.records", limits.NFC_MESSAGE_BYTES)


@pytest.mark.parametrize("moment", ["2026-01-02T03:04:05Z", "2024-02-29T23:59:59.123456789+14:00"])
def test_a_moment_is_accepted(moment: str) -> None:
    assert not isinstance(_show({**tag(), "observedAt": moment}), Problem)


@pytest.mark.parametrize(
    "moment",
    [
        "",
        "yesterday",
        "2026-01-02",
        "2026-01-02T03:04:05",
        "2026-01-02 03:04:05Z",
        "2026-01-02t03:04:05z",
        "2026-02-29T03:04:05Z",
        "1900-02-29T03:04:05Z",
        "2026-13-01T03:04:05Z",
        "2026-04-31T03:04:05Z",
        "2026-01-00T03:04:05Z",
        "2026-01-02T24:00:00Z",
        "2026-01-02T23:59:60Z",
        "2026-01-02T03:04:05+24:00",
        "2026-01-02T03:04:05Z\n",
        "٢٠٢٦-01-02T03:04:05Z",
    ],
)
def test_what_is_no_moment_is_refused(moment: str) -> None:
    assert _refused({**tag(), "observedAt": moment}).path == "$.observation.observedAt"


@pytest.mark.parametrize(
    ("data", "media_type", "suffix"),
    [
        (png(7, 3), "image/png", "png"),
        (jpeg(7, 3), "image/jpeg", "jpg"),
        (webp(b"VP8 ", 7, 3), "image/webp", "webp"),
        (webp(b"VP8L", 7, 3), "image/webp", "webp"),
        (webp(b"VP8X", 7, 3), "image/webp", "webp"),
    ],
)
def test_an_inline_photo_comes_with_its_bytes(data: bytes, media_type: str, suffix: str) -> None:
    decoded = _show(photo(data, media_type, 7, 3))
    assert isinstance(decoded, commands.Photo)
    assert decoded.data == data
    seen = decoded.turn.observation
    assert isinstance(seen, PhotoObservation)
    assert (seen.width, seen.height, seen.photo.media_type) == (7, 3, media_type)
    assert (seen.photo.upload_id, seen.photo.size_bytes) == ("", len(data))
    assert seen.photo.name == f"photo.{suffix}"


def test_an_uploaded_photo_is_a_reference() -> None:
    shown = photo(png(7, 3), "image/png", 7, 3)
    shown["sha256"] = shown["sha256"].upper()
    del shown["data"]
    decoded = _show({**shown, "uploadId": "u-1"})
    assert isinstance(decoded, commands.Refer)
    assert decoded.upload_ids == ("u-1",)
    seen = decoded.turn.observation
    assert isinstance(seen, PhotoObservation)
    assert (seen.photo.upload_id, seen.photo.sha256) == ("u-1", shown["sha256"].lower())


PNG = photo(png(7, 3), "image/png", 7, 3)


@pytest.mark.parametrize(
    ("observation", "path"),
    [
        ({**PNG, "sha256": "0" * 64}, "$.observation.sha256"),
        ({**PNG, "sha256": "g" * 64}, "$.observation.sha256"),
        ({**PNG, "data": PNG["data"][:-1]}, "$.observation.data"),
        ({**PNG, "data": PNG["data"] + "\n"}, "$.observation.data"),
        ({**PNG, "mediaType": "image/jpeg"}, "$.observation.data"),
        ({**PNG, "width": 8}, "$.observation"),
        ({**PNG, "width": 3, "height": 7}, "$.observation"),
        ({**PNG, "uploadId": "u-1"}, "$.observation"),
        ({name: value for name, value in PNG.items() if name != "data"}, "$.observation"),
        (photo(b"GIF89a\x07\x00\x03\x00", "image/png", 7, 3), "$.observation.data"),
        (photo(png(7, 3)[:30], "image/png", 7, 3), "$.observation.data"),
    ],
)
def test_a_photo_that_is_not_what_it_says_is_refused(observation: Json, path: str) -> None:
    refused = _refused(observation)
    assert (refused.path, refused.turn) == (path, 4)


def test_a_photo_of_too_many_pixels_is_refused_before_anything_is_decoded() -> None:
    refused = _refused({**PNG, "width": 16_000, "height": 16_000, "data": "####"})
    assert refused.limit == limits.PHOTO_PIXELS


def test_a_photo_of_too_many_bytes_is_refused() -> None:
    large = png(7, 3) + bytes(limits.UPLOAD_BYTES)
    refused = _refused(photo(large, "image/png", 7, 3))
    assert refused.path == "$.observation.data" and refused.limit is not None
    almost = png(7, 3) + bytes(limits.UPLOAD_BYTES - len(png(7, 3)))
    assert isinstance(_show(photo(almost, "image/png", 7, 3)), commands.Photo)
    assert _refused(photo(almost + b"x", "image/png", 7, 3)).limit == limits.UPLOAD_BYTES
