"""Strict reading of JSON frames, the same for every dialect."""

import re
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from duologue.model.errors import Code, Problem

T = TypeVar("T")

_WHERE = re.compile(r"^(?P<what>.*?)(?: - at `(?P<path>[^`]*)`)?$", re.DOTALL)


class _Envelope(msgspec.Struct):
    type: str | msgspec.UnsetType = msgspec.UNSET


_envelope = msgspec.json.Decoder(_Envelope)


def read_tagged(frame: bytes, decoders: Mapping[str, "msgspec.json.Decoder[T]"]) -> T | Problem:
    """Read a JSON object whose `type` chooses its decoder.

    Args:
        frame: UTF-8 JSON, already within the size limit.
        decoders: one decoder per known `type`.
    Returns:
        The decoded message, or what is wrong with it.
    """
    try:
        kind = _envelope.decode(frame).type
    except msgspec.ValidationError as error:
        return _invalid(error)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return _broken(error)
    if kind is msgspec.UNSET:
        return Problem(code=Code.BAD_MESSAGE, message="the message has no `type`", path="$.type")
    decoder = decoders.get(kind)
    if decoder is None:
        known = ", ".join(sorted(decoders))
        return Problem(
            code=Code.UNKNOWN_TYPE, message=f"unknown type {kind[:64]!r}; known types: {known}", path="$.type"
        )
    return read(frame, decoder)


def read(frame: bytes, decoder: "msgspec.json.Decoder[T]") -> T | Problem:
    """Read JSON with one decoder; what is wrong comes back as a `Problem` that names the place.

    JSON Schema counts 1.0 as an integer, msgspec does not: such a frame is read a second time, slowly.
    """
    try:
        return decoder.decode(frame)
    except msgspec.ValidationError as error:
        if "got `float`" not in str(error):
            return _invalid(error)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return _broken(error)
    try:
        return msgspec.convert(_whole(msgspec.json.decode(frame)), decoder.type)
    except msgspec.ValidationError as error:
        return _invalid(error)


# Any: this walks JSON of no known shape.
def _whole(value: Any) -> Any:
    """Turn floats without a fraction into integers, at every depth."""
    match value:
        case float():
            return int(value) if value.is_integer() else value
        case list():
            return [_whole(item) for item in value]
        case dict():
            return {key: _whole(item) for key, item in value.items()}
        case _:
            return value


def _invalid(error: msgspec.ValidationError) -> Problem:
    found = _WHERE.match(str(error))
    what, path = (found["what"], found["path"] or "$") if found else (str(error), "$")
    return Problem(code=Code.BAD_MESSAGE, message=f"{what[:300]} at {path[:200]}", path=path[:200])


def _broken(error: Exception) -> Problem:
    return Problem(code=Code.BAD_JSON, message=f"not valid JSON: {str(error)[:200]}")
