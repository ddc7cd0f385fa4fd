"""Tags: what was written is read, in whatever pieces; and any bytes are read without an exception."""

from hypothesis import given
from hypothesis import strategies as st
from tests.unit.protocols.ndef_samples import Record, address, text, write

from duologue.protocols.observation.ndef import say
from duologue.protocols.observation.ndef_message import Raw, read

_names = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=12)
_words = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
_records = st.builds(
    Record,
    st.integers(1, 5),
    _names,
    st.binary(max_size=600),
    record_id=_names,
    pieces=st.integers(1, 5),
)


@given(st.lists(_records, min_size=1, max_size=6), st.booleans())
def test_what_is_written_is_read(records: list[Record], short: bool) -> None:
    expected = tuple(Raw(one.tnf, one.kind, one.record_id, one.payload) for one in records)
    assert read(write(*records, short=short)) == expected


@given(_words, st.from_regex(r"[a-z]{2}(-[A-Z]{2})?", fullmatch=True), st.booleans())
def test_any_text_is_read_with_its_language(words: str, language: str, wide: bool) -> None:
    # What begins with a mark of the byte order is read by it.
    plain = words.lstrip("\ufeff\ufffe")
    assert say(1, "T", text(plain, language, wide=wide).payload)[:3] == (plain, None, language)


@given(_words, st.lists(_words, max_size=4), st.booleans())
def test_any_smart_poster_is_read(rest: str, titles: list[str], short: bool) -> None:
    said = say(1, "Sp", write(address(rest), *[text(title) for title in titles], short=short))
    assert said.uri == "https://" + rest
    assert [one.text for one in said.inside[1:]] == titles
    assert said.text == (titles[0] if titles else None)


@given(st.integers(0, 6), st.sampled_from(["T", "U", "Sp", "text/plain", "text/x; charset=utf-16", ""]), st.binary())
def test_any_bytes_are_read(tnf: int, kind: str, payload: bytes) -> None:
    said = say(tnf, kind, payload)
    assert said == say(tnf, kind, payload)
    read(payload)
