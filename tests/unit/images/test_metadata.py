"""Metadata of pictures: all of it is removed, and the picture stays."""

import pytest
from tests.unit.images.pictures import HEIGHT, SECRET, WIDTH, jpeg, loaded, pixels, plain, png, tiff, webp

from duologue.images import exif
from duologue.images.metadata import STRIPPED, without_metadata
from duologue.images.sizes import size_of

KINDS = sorted(STRIPPED)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_left_but_the_picture(kind: str) -> None:
    data = loaded(kind)
    assert SECRET in data
    kept = without_metadata(data, kind)
    assert kept is not None and SECRET not in kept
    for trace in (b"xmp", b"Exif", b"EXIF", b"eXIf", b"8BIM", b"tIME", b"Comment", b"prVt", b"ABCD", b"MPF"):
        assert trace not in kept
    assert size_of(kept, kind) == (WIDTH, HEIGHT)
    assert pixels(kept) == pixels(plain(kind))
    assert without_metadata(kept, kind) == kept


@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_without_metadata_keeps_its_pixels(kind: str) -> None:
    kept = without_metadata(plain(kind), kind)
    assert kept is not None and pixels(kept) == pixels(plain(kind))


@pytest.mark.parametrize("kind", ["image/jpeg", "image/png", "image/webp"])
@pytest.mark.parametrize("turned", range(2, 9))
def test_which_way_up_it_is_stays_known(kind: str, turned: int) -> None:
    kept = without_metadata(loaded(kind, turned), kind)
    assert kept is not None and SECRET not in kept
    at = kept.index(b"MM\x00*")
    assert exif.orientation(kept[at:]) == turned
    assert pixels(kept) == pixels(plain(kind))
    assert without_metadata(kept, kind) == kept


def test_an_orientation_that_cannot_be_read_is_upright() -> None:
    assert exif.orientation(tiff(6)) == 6
    assert exif.orientation(exif.upright(8)) == 8
    assert [exif.orientation(tiff(turned)) for turned in (0, 1, 9, 65_535)] == [1, 1, 1, 1]
    assert [exif.orientation(tiff(6)[:length]) for length in range(19)] == [1] * 19
    assert exif.orientation(b"II*\x00\xff\xff\xff\xff") == 1


def test_the_colour_profile_stays() -> None:
    kept = without_metadata(jpeg(), "image/jpeg")
    assert kept is not None and b"ICC_PROFILE\x00\x01\x01colours" in kept
    assert kept.startswith(b"\xff\xd8\xff\xe0\x00\x10JFIF")


def test_a_picture_of_which_something_is_missing_is_not_taken() -> None:
    for data, kind in ((png(), "image/png"), (webp(), "image/webp"), (loaded("image/gif"), "image/gif")):
        whole = len(without_metadata(data, kind) or b"")
        assert all(without_metadata(data[:length], kind) is None for length in range(0, whole - 1, 7))
    head = jpeg()[: jpeg().index(b"\xff\xda")]
    inside = set(range(3, len(head))) - _ends(head)
    assert all(without_metadata(head[:length], "image/jpeg") is None for length in inside)


def _ends(head: bytes) -> set[int]:
    """Where segments end: a file that is cut there looks like one without an end."""
    found, at = {2}, 2
    while at < len(head):
        at += 2 + int.from_bytes(head[at + 2 : at + 4], "big")
        found.add(at)
    return found


def test_a_jpeg_that_was_cut_off_in_its_data_is_taken_as_it_is() -> None:
    data = plain("image/jpeg")
    cut = data[: len(data) - 40]
    kept = without_metadata(cut, "image/jpeg")
    assert kept is not None and kept.endswith(cut[-100:])


def test_the_walk_through_a_jpeg_is_bounded() -> None:
    for data in (b"\xff" * 1_000_000, b"\xff\xd0" * 500_000, b"\xff\xfe\x00\x02" * 250_000):
        assert without_metadata(b"\xff\xd8" + data, "image/jpeg") is None


def test_what_is_no_picture_stays() -> None:
    assert without_metadata(SECRET, "text/plain") == SECRET
    for kind in KINDS:
        assert without_metadata(b"", kind) is None
        assert without_metadata(b"no picture", kind) is None
