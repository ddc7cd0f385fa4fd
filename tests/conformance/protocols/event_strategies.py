"""Hypothesis strategies over every event, built from the structs' own fields."""

from typing import Any, Literal, get_args, get_origin

import msgspec
from hypothesis import strategies as st

from duologue.model import limits
from duologue.model.content import Interrupt, NdefRecord
from duologue.model.events import AnyEvent, Event, Noted, ResponseEnded

AT_MS_MAX = 253_402_300_799_999
"""The last millisecond of the year 9999, the last that RFC 3339 can write."""

_texts = st.text(max_size=40)
_names = st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=1, max_size=12)
_languages = st.sampled_from(["en", "en-GB", "de", "zh-Hant-TW"])
_counts = st.integers(0, 1_000_000)
_leaves = (
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | _texts
)
# Any: JSON of no known shape.
_json: st.SearchStrategy[Any] = st.recursive(
    _leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_texts, inner, max_size=3),
    max_leaves=6,
)
_objects = st.dictionaries(_texts, _json, max_size=3)
_paths = st.sampled_from(
    [
        "/docs/chat",
        "/docs/chat#send-a-message",
        "/docs/naïve page?q=a b|c",
        "/docs/a%20b%zz",
        "https://example.org/",
        "https://example.org/caf\u00e9?x=[1]#\u00fc",
        "HTTP://example.org",
        "mailto:a@example.org",
        "docs/relative",
        "//example.org/x",
        "",
        "not a uri at all: \u4f60\u597d",
        "javascript:alert(1)",
        "http://[bad",
    ]
)
_urls = _paths | _texts | _texts.map(lambda text: "/" + text) | _texts.map(lambda text: "https://example.org/" + text)


# Any: strategies of many types by field name.
_BY_NAME: dict[str, st.SearchStrategy[Any]] = {
    "seq": st.integers(1, limits.INTEGER_MAX),
    "at_ms": st.integers(0, AT_MS_MAX),
    "turn": st.integers(0, 2**31 - 1),
    "request_id": st.just("") | _names | st.text(max_size=256),
    "attempt": st.integers(1, 3),
    "version": st.integers(1, 9),
    "language": _languages,
    "url": _urls,
    "data": _objects,
    "arguments": _objects.map(lambda value: msgspec.json.encode(value).decode()),
    "result": _texts | _json.map(lambda value: msgspec.json.encode(value).decode()),
    "call_id": _names,
    "interrupt_id": _names,
    "metadata": st.none() | _objects,
    "response_schema": st.none() | _objects,
    "parameters": _json,
    "payload": _json,
    "details": st.none() | _objects,
    "size_bytes": st.integers(0, 8 * 2**20),
    "score": st.floats(0, 1),
    "complexity": st.floats(0, 1),
    "importance": st.floats(0, 1),
    "latency_ms": st.floats(0, 1e6, allow_nan=False),
    "expires_ms": st.integers(0, AT_MS_MAX),
    "bundle": st.none() | _objects,
    "voice": st.none() | _objects,
    "probability": st.floats(0, 1),
    "times": st.integers(1, 9),
    "tps": st.floats(0, 1e6, allow_nan=False),
    "ttft_ms": st.none() | _counts,
    "session_id": _names,
    "response_id": st.just("r-1") | _names,
    "message_id": _names,
    "upload_id": _names,
    "sha256": st.just("0" * 64),
    "observed_at": st.just("2026-01-02T03:04:05.678Z"),
    "tag_id": st.just("04a1b2c3"),
}


def _built(kind: type[msgspec.Struct]) -> st.SearchStrategy[Any]:
    """Build one struct: a required field always, an optional one sometimes."""
    required: dict[str, st.SearchStrategy[Any]] = {}
    optional: dict[str, st.SearchStrategy[Any]] = {}
    for field in msgspec.structs.fields(kind):
        # A tag's payload is text, an answer's is any JSON.
        strategy = None if kind is NdefRecord else _BY_NAME.get(field.name)
        if field.name == "confidence":
            strategy = st.floats(0, 1) if field.required else st.none() | st.floats(0, 1)
        if strategy is None:
            strategy = _of(field.type)
        (required if field.required else optional)[field.name] = strategy
    return st.fixed_dictionaries(required, optional=optional).map(lambda values: kind(**values))


# Any: a type as data.
def _of(kind: Any) -> st.SearchStrategy[Any]:
    arguments = get_args(kind)
    if get_origin(kind) is tuple:
        return st.lists(_of(arguments[0]), max_size=3).map(tuple)
    if arguments and get_origin(kind) is not Literal:
        return st.one_of(*[_of(argument) for argument in arguments])
    match kind:
        case type() if issubclass(kind, msgspec.Struct):
            return _built(kind)
        case type() if kind is str:
            return _texts
        case type() if kind is int:
            return _counts
        case _:
            # Any: what it draws has the type that `kind` says.
            drawn: st.SearchStrategy[Any] = st.from_type(kind)
            return drawn


KINDS: tuple[type[Event], ...] = get_args(AnyEvent)
"""Every event class."""

EVENTS_OF: dict[type[Event], st.SearchStrategy[AnyEvent]] = {kind: _built(kind) for kind in KINDS}
"""One strategy per event class."""

EVENTS_OF[Noted] = st.tuples(EVENTS_OF[Noted], st.booleans()).map(
    lambda two: msgspec.structs.replace(two[0], response_id="") if two[1] else two[0]
)

_asked = st.lists(_built(Interrupt), min_size=1, max_size=2).map(tuple)


def _ended(ended: ResponseEnded, interrupts: tuple[Interrupt, ...]) -> ResponseEnded:
    """Only what asks has interrupts, and then at least one."""
    return msgspec.structs.replace(ended, interrupts=interrupts if ended.outcome == "asked" else ())


EVENTS_OF[ResponseEnded] = st.builds(_ended, _built(ResponseEnded), _asked)

EVENTS: st.SearchStrategy[AnyEvent] = st.one_of(*EVENTS_OF.values())
"""Any event, with members in sane bounds and texts of every kind."""
