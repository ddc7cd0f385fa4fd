"""Whatever bytes come, every decoder gives a command or a problem, the same each time, and never an exception."""

import json
from collections.abc import Callable
from random import Random
from typing import Any, Final

import msgspec
import pytest
from hypothesis import Phase, example, find, given, settings
from hypothesis import strategies as st

from duologue.model.errors import Problem
from duologue.protocols.agentcall import AgentCallDialect
from duologue.protocols.agentcall import wire as agentcall
from duologue.protocols.agui import AguiDialect, decode_run
from duologue.protocols.agui import decode_cancel as decode_agui_cancel
from duologue.protocols.agui import wire as agui
from duologue.protocols.chat import ChatDialect, decode_cancel, decode_end, decode_send, decode_tool_call
from duologue.protocols.chat import incoming as chat
from duologue.protocols.ghost import GhostDialect
from duologue.protocols.ghost import incoming as ghost
from duologue.protocols.jambonz import JambonzDialect
from duologue.protocols.jambonz import wire as jambonz

Decode = Callable[[bytes], object]

DECODERS: Final[dict[str, tuple[Decode, object]]] = {
    "agentcall": (AgentCallDialect().decode, agentcall),
    "agui": (AguiDialect().decode, agui),
    "agui-run": (decode_run, agui),
    "agui-cancel": (decode_agui_cancel, agui),
    "chat": (ChatDialect().decode, chat),
    "chat-send": (decode_send, chat),
    "chat-cancel": (decode_cancel, chat),
    "chat-end": (decode_end, chat),
    "chat-tool-call": (decode_tool_call, chat),
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


def runs() -> st.SearchStrategy[bytes]:
    """Make inputs of AG-UI runs that are whole, or wrong in a member or two."""
    words, ids = st.text(max_size=12), st.text(min_size=1, max_size=12)
    contents = st.sampled_from(["aGk=", "no base64", ""]) | words
    sources = st.fixed_dictionaries(
        {"type": st.sampled_from(["data", "url", "file"]), "value": contents, "mimeType": words}
    )
    parts = st.fixed_dictionaries(
        {"type": st.sampled_from(["text", "image", "document"]), "text": words, "source": sources}
    )
    functions = st.fixed_dictionaries({"name": words, "arguments": words})
    calls = st.fixed_dictionaries({"id": words, "type": st.just("function"), "function": functions})
    messages = st.fixed_dictionaries(
        {
            "id": words,
            "role": st.sampled_from(["user", "user", "tool", "assistant", "system", "reasoning", "activity"]),
            "content": words | st.lists(parts, max_size=3),
            "toolCallId": words,
        },
        optional={
            "toolCalls": st.lists(calls, max_size=2),
            "error": words,
            "metadata": st.dictionaries(words, SCALARS),
        },
    )
    answers = st.fixed_dictionaries(
        {"interruptId": words, "status": st.sampled_from(["resolved", "cancelled"])}, optional={"payload": SCALARS}
    )
    tools = st.fixed_dictionaries({"name": ids, "description": words}, optional={"parameters": SCALARS})
    return st.fixed_dictionaries(
        {"threadId": ids, "runId": ids, "messages": st.lists(messages, max_size=4)},
        optional={
            "state": SCALARS,
            "forwardedProps": SCALARS,
            "tools": st.lists(tools, max_size=2),
            "context": st.lists(st.fixed_dictionaries({"description": words, "value": words}), max_size=2),
            "resume": st.lists(answers, max_size=2),
        },
    ).map(_written)


def likely(name: str) -> st.SearchStrategy[bytes]:
    """Make what looks right to a decoder of `DECODERS`."""
    made = frames(DECODERS[name][1])
    return made | runs() if name.startswith("agui") else made


def broken(good: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    """Cut, double and overwrite bytes of something that looks right."""

    def bend(text: bytes, at: int, more: bytes, cut: int) -> bytes:
        place = at % (len(text) + 1)
        return text[:place] + more + text[place + cut :]

    return st.builds(bend, good, st.integers(0, 10_000), st.binary(max_size=4), st.integers(0, 4))


@pytest.mark.parametrize("name", DECODERS)
def test_any_bytes_are_a_command_or_a_problem(name: str) -> None:
    decode, _ = DECODERS[name]
    looks_right = likely(name)

    @given(st.binary(max_size=200) | looks_right | broken(looks_right))
    @example(b"")
    @example(b"[" * 100_000)
    @example(b'{"type":' * 20_000)
    @example(b'{"a": 1e999999, "type": "x"}')
    @example(b'{"type": "\\ud800"}')
    @example(b"\xff\xfe\x00")
    @example(b'{"type": "cancel", "' + b"x" * 100_000 + b'": 1}')
    @example(b'{"threadId": "t", "runId": "r", "messages": [' + b'{"role":' * 20_000)
    @example(b'{"threadId": "t", "runId": "r", "messages": [], "state": ' + b"[" * 900 + b"]" * 900 + b"}")
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


@pytest.mark.parametrize("name", ["agui", "agui-run", "chat", "ghost"])
def test_what_looks_right_is_sometimes_taken(name: str) -> None:
    """The strategy would prove nothing if every frame of it were refused."""
    decode, _ = DECODERS[name]
    # One in some hundreds is taken, so that it looks until it finds one, and each time in the same order.
    search = settings(max_examples=20_000, phases=[Phase.generate], database=None)
    find(likely(name), lambda frame: not isinstance(decode(frame), Problem), settings=search, random=Random(8420))
