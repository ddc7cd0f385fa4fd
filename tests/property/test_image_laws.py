"""Whatever bytes come: pictures are read without an exception, and what is kept holds nothing to remove."""

from typing import Final

from hypothesis import given
from hypothesis import strategies as st
from tests.unit.images.pictures import SECRET, loaded, pixels, plain

from duologue.images.metadata import STRIPPED, without_metadata
from duologue.images.sizes import size_of

LOADED: Final = {kind: loaded(kind, 6) for kind in STRIPPED}
PIXELS: Final = {kind: pixels(plain(kind)) for kind in STRIPPED}
KINDS: Final = st.sampled_from(sorted(STRIPPED))


@given(KINDS, st.binary(max_size=200))
def test_any_bytes_are_read(kind: str, data: bytes) -> None:
    for head in (b"", LOADED[kind][:12], LOADED[kind][:40]):
        kept = without_metadata(head + data, kind)
        assert kept is None or without_metadata(kept, kind) == kept
        size_of(head + data, kind)


@given(KINDS, st.data())
def test_damage_never_lets_a_place_through_unseen(kind: str, data: st.DataObject) -> None:
    """One changed byte may spoil the picture; what is kept can be read again and says the same."""
    whole = bytearray(LOADED[kind])
    whole[data.draw(st.integers(0, len(whole) - 1))] ^= data.draw(st.integers(1, 255))
    kept = without_metadata(bytes(whole), kind)
    assert kept is None or without_metadata(kept, kind) == kept


@given(st.lists(st.tuples(st.integers(0xE0, 0xEF) | st.just(0xFE), st.binary(max_size=60)), max_size=8))
def test_any_application_segment_of_a_jpeg_is_removed(segments: list[tuple[int, bytes]]) -> None:
    """Each says where it was; colour profiles are told by their name."""
    data = plain("image/jpeg")
    inside = b"".join(
        b"\xff" + bytes([kind]) + (2 + len(body) + len(SECRET)).to_bytes(2, "big") + body + SECRET
        for kind, body in segments
        if not body.startswith((b"ICC_PROFILE", b"Adobe"))
    )
    kept = without_metadata(data[:2] + inside + data[2:], "image/jpeg")
    assert kept is not None and SECRET not in kept
    assert pixels(kept) == PIXELS["image/jpeg"]
