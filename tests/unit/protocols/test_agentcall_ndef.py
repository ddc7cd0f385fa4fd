"""What tags say: texts with their language, media types, smart posters, and messages of several records."""

import pytest
from tests.unit.protocols.ndef_samples import Record, address, text, write

from duologue.model import limits
from duologue.protocols.observation.ndef import URI_PREFIXES, say
from duologue.protocols.observation.ndef_message import Raw, read

ACTION = Record(1, "act", b"\x00")
ICON = Record(2, "image/png", b"\x89PNG")


@pytest.mark.parametrize(
    ("language", "told"), [("en", "en"), ("pt-BR", "pt-BR"), ("zh-Hant-TW", "zh-Hant-TW"), ("", None), ("e?", None)]
)
def test_a_text_says_its_language(language: str, told: str | None) -> None:
    for wide in (False, True):
        said = say(1, "T", text("Gang 7: Öl", language, wide=wide).payload)
        assert (said.text, said.language, said.uri) == ("Gang 7: Öl", told, None)


@pytest.mark.parametrize("prefix", range(len(URI_PREFIXES)))
def test_each_prefix_of_an_address_is_written_out(prefix: int) -> None:
    assert say(1, "U", bytes([prefix]) + b"a.example").uri == URI_PREFIXES[prefix] + "a.example"


@pytest.mark.parametrize(
    ("kind", "payload", "words"),
    [
        ("text/plain", "Öl".encode(), "Öl"),
        ("TEXT/Plain; charset=UTF-8", "Öl".encode(), "Öl"),
        ("text/plain;charset=iso-8859-1", "Öl".encode("latin-1"), "Öl"),
        ('text/plain; charset="utf-16"', "Öl".encode("utf-16"), "Öl"),
        ("text/plain; charset=utf-16le", "Öl".encode("utf-16-le"), "Öl"),
        ("text/vcard", b"BEGIN:VCARD", "BEGIN:VCARD"),
        ("application/json", b"{}", "{}"),
        ("application/ld+json", b"{}", "{}"),
        ("text/plain; charset=klingon", b"Oil", None),
        ("text/plain; charset=us-ascii", "Öl".encode(), None),
        ("text/plain", b"\xff", None),
        ("image/png", b"PNG", None),
        ("", b"Oil", None),
    ],
)
def test_a_media_type_that_is_text_is_read(kind: str, payload: bytes, words: str | None) -> None:
    assert say(2, kind, payload) == (words, None, None, ())


@pytest.mark.parametrize("short", [True, False])
def test_a_smart_poster_says_its_address_and_its_titles(short: bool) -> None:
    poster = write(
        text("Oat milk", "en"), address("shop.example/7"), text("Hafermilch", "de"), ACTION, ICON, short=short
    )
    said = say(1, "Sp", poster)
    assert (said.text, said.language, said.uri) == ("Oat milk", "en", "https://shop.example/7")
    assert [(one.type, one.text, one.language, one.uri) for one in said.inside] == [
        ("T", "Oat milk", "en", None),
        ("U", None, None, "https://shop.example/7"),
        ("T", "Hafermilch", "de", None),
        ("act", None, None, None),
        ("image/png", None, None, None),
    ]
    assert [one.payload for one in said.inside][3:] == ["AA==", "iVBORw=="]


def test_a_smart_poster_may_have_no_title_and_has_one_address() -> None:
    assert say(1, "Sp", write(address("a.example")))[:3] == (None, "https://a.example", None)
    for records in ((text("only a title"),), (address("a.example"), address("b.example"))):
        assert say(1, "Sp", write(*records)) == (None, None, None, ())


def test_a_smart_poster_in_a_smart_poster_is_left_undecoded() -> None:
    inner = write(address("inner.example"))
    said = say(1, "Sp", write(address("a.example"), Record(1, "Sp", inner)))
    assert (said.inside[1].type, said.inside[1].uri) == ("Sp", None)


def test_a_record_in_chunks_is_put_together() -> None:
    """NDEF 1.0, 2.3.3."""
    long = Record(1, "T", text("x" * 700).payload, record_id="a", pieces=4)
    for short in (True, False):
        message = write(long, address("a.example"), short=short)
        assert read(message) == (Raw(1, "T", "a", long.payload), Raw(1, "U", "", address("a.example").payload))


@pytest.mark.parametrize(
    "message",
    [
        b"",
        write(text("a"))[:-1],
        write(text("a")) + b"\x00",
        write(text("a")) * 2,
        bytes([write(text("a"))[0] & 0x7F]) + write(text("a"))[1:],
        bytes([write(text("a"))[0] & 0xBF]) + write(text("a"))[1:],
        b"\xd6\x00\x01x",
        b"\xd7\x00\x01x",
        b"\xf1\x01\x01Tx",
        b"\xb1\x01\x01Tx\x56\x01\x01Tx",
        b"\xd1\x01\x01\xffx",
        write(*[address("a")] * (limits.NFC_RECORDS + 1)),
    ],
    ids=[
        "empty",
        "cut",
        "more behind",
        "two messages",
        "no begin",
        "no end",
        "a chunk of nothing",
        "reserved",
        "a chunk without the next",
        "a chunk with a type",
        "a type that is no ascii",
        "too many",
    ],
)
def test_a_message_that_breaks_the_standard_is_not_read(message: bytes) -> None:
    assert read(message) is None
    assert say(1, "Sp", message) == (None, None, None, ())
