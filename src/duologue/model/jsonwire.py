"""Strict reading of JSON frames, the same for every dialect."""

import json
import re
from collections.abc import Mapping
from typing import Final, Never, TypeAlias, TypeVar

import msgspec

from duologue.model.errors import Code, Problem

T = TypeVar("T")
Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

_WHERE = re.compile(r"^(?P<what>.*?)(?: - at `(?P<path>[^`]*)`)?$", re.DOTALL)
_BOUND = re.compile(r"(?:<=|>=) (-?[0-9]{1,15})$")


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
        return _broken(frame, error)
    except RecursionError:
        return _TOO_DEEP
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

    What msgspec lets pass is refused too: bytes that are not UTF-8 inside members that nobody asked for, and
    a member given twice, of which two readers may see different ones.
    JSON Schema counts 1.0 as an integer, msgspec does not: such a frame is read a second time, slowly.
    """
    try:
        message = decoder.decode(frame)
    except msgspec.ValidationError as error:
        if "got `float`" not in str(error):
            return _invalid(error)
        read_again = _read_whole(frame, decoder)
        return read_again if isinstance(read_again, Problem) else _fault(frame) or read_again
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return _broken(frame, error)
    except RecursionError:
        return _TOO_DEEP
    return _fault(frame) or message


def _read_whole(frame: bytes, decoder: "msgspec.json.Decoder[T]") -> T | Problem:
    try:
        return msgspec.convert(_whole(msgspec.json.decode(frame)), decoder.type)
    except msgspec.ValidationError as error:
        return _invalid(error)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return _broken(frame, error)
    except RecursionError:
        return _TOO_DEEP


def _whole(value: Json) -> Json:
    """Turn floats without a fraction into integers, at every depth."""
    match value:
        case float():
            return int(value) if value.is_integer() else value
        case list():
            return [_whole(item) for item in value]
        case dict():
            return {name: _whole(member) for name, member in value.items()}
        case _:
            return value


class _Twice(ValueError):
    """A member is given twice."""


def _once(members: list[tuple[str, object]]) -> None:
    seen: set[str] = set()
    for name, _ in members:
        if name in seen:
            raise _Twice(f"the member {name[:64]!r} is given twice")
        seen.add(name)


def _no_number(text: str) -> Never:
    raise ValueError(f"{text} is not JSON")


# Numbers stay text: this pass looks at the form only, and Python limits the digits of an integer.
_form: Final = json.JSONDecoder(
    object_pairs_hook=_once, parse_int=str, parse_float=str, parse_constant=_no_number
).decode


def _fault(frame: bytes) -> Problem | None:
    try:
        _form(frame.decode())
    except ValueError as error:
        return Problem(code=Code.BAD_JSON, message=f"not valid JSON: {str(error)[:200]}")
    except RecursionError:
        return _TOO_DEEP
    return None


def _invalid(error: msgspec.ValidationError) -> Problem:
    found = _WHERE.match(str(error))
    what, path = (found["what"], found["path"] or "$") if found else (str(error), "$")
    bound = _BOUND.search(what)
    return Problem(
        code=Code.BAD_MESSAGE,
        message=f"{what[:300]} at {path[:200]}",
        path=path[:200],
        limit=int(bound[1]) if bound else None,
    )


def _broken(frame: bytes, error: Exception) -> Problem:
    """Say where the form is broken; what only msgspec refuses is half of a surrogate pair in a string."""
    hint = " (half of a surrogate pair in a string?)" if b"\\u" in frame else ""
    return _fault(frame) or Problem(code=Code.BAD_JSON, message=f"not valid JSON: {str(error)[:200]}{hint}")


_TOO_DEEP: Final = Problem(code=Code.BAD_JSON, message="the message is nested too deeply to be read")
