"""What of a journal is the staff's alone: words beside a conversation, and notes about it.

It is struck out and not left out, so that numbers stay whole, and what is exported can be imported again.
"""

from collections.abc import AsyncIterable, AsyncIterator
from typing import Final

import msgspec

from duologue.model.events import AnyEvent, SupervisorNoted
from duologue.model.hiding import MARKS, hidden_record
from duologue.model.inputs import AnyInput, HandedBack, HandoffResolved, SupervisorConsulted
from duologue.model.records import decode_records, encode_record
from duologue.server.auth import Identity
from duologue.server.settings_auth import STAFF_SCOPES

STRUCK: Final = "…"
"""Stands for what is not shown."""

_KINDS: Final = (b'"supervisor_consulted"', b'"supervisor_noted"', b'"handed_back"', b'"handoff_resolved"')


def sees_all(identity: Identity) -> bool:
    """Whether somebody is no mere customer: a backend, or one of the staff."""
    return identity.is_backend or bool(identity.scopes & STAFF_SCOPES)


def public(event: AnyEvent) -> AnyEvent:
    """An event as the person may see it whose conversation it is."""
    return msgspec.structs.replace(event, text=STRUCK) if isinstance(event, SupervisorNoted) else event


async def public_lines(lines: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    """Records, as lines, as that person may see them; other lines are left alone."""
    async for some in lines:
        if any(kind in some for kind in _KINDS):
            yield b"".join(_line(line) for line in some.splitlines(keepends=True))
        else:
            yield some


async def others_lines(lines: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    """Records, as lines, as others than the person see them: without what tools hide."""
    async for some in lines:
        if any(mark in some for mark in MARKS):
            yield b"".join(_others_line(line) for line in some.splitlines(keepends=True))
        else:
            yield some


def _others_line(line: bytes) -> bytes:
    if not line.startswith(b'{"at_ms"') or not any(mark in line for mark in MARKS):
        return line
    return encode_record(hidden_record(next(decode_records(line))))


def _line(line: bytes) -> bytes:
    if not line.startswith(b'{"at_ms"') or not any(kind in line for kind in _KINDS):
        return line
    record = next(decode_records(line))
    events = tuple(public(event) for event in record.events)
    return encode_record(msgspec.structs.replace(record, input=_input(record.input), events=events))


def _input(happened: AnyInput) -> AnyInput:
    match happened:
        case SupervisorConsulted():
            return msgspec.structs.replace(happened, text=STRUCK)
        case HandedBack(note=note) | HandoffResolved(note=note) if note:
            return msgspec.structs.replace(happened, note=STRUCK)
        case _:
            return happened
