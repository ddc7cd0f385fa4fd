"""Whatever bytes come, every decoder gives a command or a problem, the same each time, and never an exception."""

import json
from collections.abc import Callable
from typing import Any, Final

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from duologue.model.errors import Problem
from duologue.protocols.agentcall import AgentCallDialect
from duologue.protocols.agentcall import wire as agentcall
from duologue.protocols.chat import ChatDialect, decode_cancel, decode_end, decode_send
from duologue.protocols.chat import wire as chat
from duologue.protocols.ghost import GhostDialect
from duologue.protocols.ghost import wire as ghost
from duologue.protocols.jambonz import JambonzDialect
from duologue.protocols.jambonz import wire as jambonz

Decode = Callable[[bytes], object]

DECODERS: Final[dict[str, tuple[Decode, object]]] = {
    "agentcall": (AgentCallDialect().decode, agentcall),
    "chat": (ChatDialect().decode, chat),
    "chat-send": (decode_send, chat),
    "chat-cancel": (decode_cancel, chat),
    "chat-end": (decode_end, chat),
    "ghost": (GhostDialect().decode, ghost),
    "jambonz": (JambonzDialect().decode, jambonz),
}
"""Every decoder of a client's bytes, with the module of its frames."""

SCALARS: Final = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["", "\ud800", "\x00", "x" * 300, "NaN", "9" * 400])
)


def struct_types(module: object) -> list[type[msgspec.Struct]]:
    """Give the frames and parts that a module declares."""
    found = [value for value in vars(module).values() if isinstance(value, type) and issubclass(value, msgspec.Struct)]
    return [kind for kind in found if kind.__module__ == getattr(module, "__name__", "")]


def frames(module: object) -> st.SearchStrategy[bytes]:
    """Make objects that look like a protocol's: its tags and members, with any values, nested."""
    kinds = struct_types(module)
    tags = [kind.__struct_config__.tag for kind in kinds if kind.__struct_config__.tag is not None]
    members = sorted({name for kind in kinds for name in kind.__struct_encode_fields__})
    names = st.sampled_from(members) | st.text(max_size=5)
    values = st.recursive(
        SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=5), max_leaves=12
    )
    bodies = st.dictionaries(names, values, max_size=8)
    return st.builds(_tagged, bodies, st.sampled_from(tags) | SCALARS) | (bodies | values).map(_written)


def _tagged(body: dict[str, Any], tag: object) -> bytes:
    return _written({**body, "type": tag})


def _written(value: object) -> bytes:
    return json.dumps(value).encode("utf-8", "surrogatepass")


def broken(good: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    """Cut, double and overwrite bytes of something that looks right."""

    def bend(text: bytes, at: int, more: bytes, cut: int) -> bytes:
        place = at % (len(text) + 1)
        return text[:place] + more + text[place + cut :]

    return st.builds(bend, good, st.integers(0, 10_000), st.binary(max_size=4), st.integers(0, 4))


@pytest.mark.parametrize("name", DECODERS)
def test_any_bytes_are_a_command_or_a_problem(name: str) -> None:
    decode, module = DECODERS[name]
    looks_right = frames(module)

    @given(st.binary(max_size=200) | looks_right | broken(looks_right))
    @example(b"")
    @example(b"[" * 100_000)
    @example(b'{"type":' * 20_000)
    @example(b'{"a": 1e999999, "type": "x"}')
    @example(b'{"type": "\\ud800"}')
    @example(b"\xff\xfe\x00")
    @example(b'{"type": "cancel", "' + b"x" * 100_000 + b'": 1}')
    @example(b'{"type": "session.start", "' + b"x" * 100_000 + b'": 1}')
    @example(b'{"type": "' + b"x" * 100_000 + b'"}')
    @example(b'{"type": "user.turn", "turn": 1, "text": "' + b"\\u0000" * 1_000 + b'"}')
    def attempt(frame: bytes) -> None:
        answer = decode(frame)
        assert answer is not None
        assert decode(frame) == answer
        if isinstance(answer, Problem):
            assert answer.message
            assert answer.message.encode()
            assert len(answer.message) < 1_000

    attempt()


@pytest.mark.parametrize("name", DECODERS)
def test_what_looks_right_is_sometimes_taken(name: str) -> None:
    """The strategy would prove nothing if every frame of it were refused."""
    decode, module = DECODERS[name]
    taken: list[bytes] = []

    @given(frames(module))
    def attempt(frame: bytes) -> None:
        if not isinstance(decode(frame), Problem):
            taken.append(frame)

    attempt()
    if name in ("chat", "ghost"):
        assert taken
