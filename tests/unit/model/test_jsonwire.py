"""Strict reading of JSON, the same for every dialect."""

import msgspec
import pytest

from duologue.model.errors import Code, Problem
from duologue.model.jsonwire import read_tagged


class _Note(msgspec.Struct, tag_field="type", tag="note"):
    n: int = 0
    s: str = ""


DECODERS = {"note": msgspec.json.Decoder(_Note)}


def _read(frame: bytes) -> _Note | Problem:
    return read_tagged(frame, DECODERS)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (b"", "Expecting value"),
        (b"\xef\xbb\xbf{}", ""),
        (b'{"type":"note"', ""),
        (b'{"type":"note"} {}', "Extra data"),
        (b'{"type":"note","x":NaN}', "NaN"),
        (b'{"type":"note","s":"\\ud800"}', "surrogate"),
        (b'{"type":"note","x":"\\udc00"}', "surrogate"),
        (b'{"type":"note","n":1.0,"s":"\\ud800"}', "surrogate"),
        (b'{"type":"note","s":"\xff"}', "utf-8"),
        (b'{"type":"note","x":"\xff"}', "utf-8"),
        (b'{"type":"note","x":"\xed\xa0\x80"}', "utf-8"),
        (b'{"type":"note","n":1,"n":2}', "'n' is given twice"),
        (b'{"type":"note","type":"note"}', "'type' is given twice"),
        (b'{"type":"note","n":1.0,"x":[{"y":1,"\\u0079":1}]}', "'y' is given twice"),
        (b'{"type":"note","x":' + b"[" * 200_000, "nested too deeply"),
        (b'{"type":"note","x":' + b"[" * 200_000 + b"]" * 200_000 + b"}", "nested too deeply"),
        (b'{"type":"note","n":1.0,"x":' + b"[" * 5_000 + b"]" * 5_000 + b"}", "nested too deeply"),
        (b"[" * 200_000, ""),
    ],
)
def test_what_is_no_json_is_a_problem(frame: bytes, message: str) -> None:
    read = _read(frame)
    assert isinstance(read, Problem)
    assert read.code is Code.BAD_JSON or (message == "" and read.code is Code.BAD_MESSAGE)
    assert message in read.message


def test_a_whole_float_is_an_integer() -> None:
    assert _read(b'{"x":[1.5,{"y":2.0}],"type":"note","n":1.0e2}') == _Note(n=100)
    refused = _read(b'{"type":"note","n":1.5}')
    assert isinstance(refused, Problem) and refused.path == "$.n"


def test_members_that_nobody_asked_for_are_skipped_whatever_their_size() -> None:
    assert _read(b'{"type":"note","x":' + b"9" * 5_000 + b',"y":1e999,"n":3}') == _Note(n=3)


@pytest.mark.parametrize(
    ("frame", "code", "path"),
    [
        (b'{"n":1}', Code.BAD_MESSAGE, "$.type"),
        (b'{"type":null}', Code.BAD_MESSAGE, "$.type"),
        (b'{"type":"other"}', Code.UNKNOWN_TYPE, "$.type"),
        (b'{"type":"note","n":null}', Code.BAD_MESSAGE, "$.n"),
        (b"[]", Code.BAD_MESSAGE, "$"),
        (b"null", Code.BAD_MESSAGE, "$"),
    ],
)
def test_a_message_of_another_form_is_refused_at_its_place(frame: bytes, code: Code, path: str) -> None:
    read = _read(frame)
    assert isinstance(read, Problem)
    assert (read.code, read.path) == (code, path)
