"""Headers of images, whole and broken."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conformance.protocols.agentcall_samples import jpeg, png, webp

from duologue.images.sizes import size_of

TYPES = ["image/png", "image/jpeg", "image/webp"]
SAMPLES = {
    "png": ("image/png", png(300, 2)),
    "jpeg": ("image/jpeg", jpeg(300, 2)),
    "lossy": ("image/webp", webp(b"VP8 ", 300, 2)),
    "lossless": ("image/webp", webp(b"VP8L", 300, 2)),
    "extended": ("image/webp", webp(b"VP8X", 300, 2)),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_the_size_is_read_for_the_right_type_only(name: str) -> None:
    media_type, data = SAMPLES[name]
    sizes = {kind: size_of(data, kind) for kind in [*TYPES, "image/gif"]}
    assert sizes == {kind: ((300, 2) if kind == media_type else None) for kind in sizes}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_header_that_is_cut_short_has_no_size(name: str) -> None:
    media_type, data = SAMPLES[name]
    header_bytes = {"png": 33, "jpeg": len(data) - 5}.get(name, len(data))
    assert all(size_of(data[:length], media_type) is None for length in range(header_bytes))


@given(st.sampled_from(TYPES), st.binary(max_size=80))
def test_any_bytes_are_read_without_an_exception(media_type: str, tail: bytes) -> None:
    for _, data in SAMPLES.values():
        size_of(tail, media_type)
        size_of(data[: len(tail)] + tail, media_type)


def test_a_png_header_with_a_wrong_checksum_or_no_area_has_no_size() -> None:
    data = bytearray(png(300, 2))
    data[19] ^= 1
    assert size_of(bytes(data), "image/png") is None
    assert size_of(png(0, 2), "image/png") is None
    assert size_of(jpeg(300, 0), "image/jpeg") is None


def test_the_walk_through_a_jpeg_is_bounded() -> None:
    assert size_of(b"\xff\xd8" + b"\xff" * 1_000_000, "image/jpeg") is None
    assert size_of(b"\xff\xd8" + b"\xff\xd0" * 500_000, "image/jpeg") is None
    assert size_of(b"\xff\xd8\xff\xe0\x00\x00\xff\xe0", "image/jpeg") is None
    assert size_of(b"\xff\xd8\xff\xda\x00\x04\x00\x00" + jpeg(1, 1), "image/jpeg") is None
