"""Folding a journal back into a state, and stepping its inputs again."""

from collections.abc import Iterable

import msgspec

from duologue.engine.state import SessionState
from duologue.engine.step import step
from duologue.model.errors import DuologueError
from duologue.model.records import Record

_decoder = msgspec.json.Decoder(SessionState)
_encoder = msgspec.json.Encoder()


class ReplayError(DuologueError):
    """The journal does not lead where it says; the session is kept from being written to."""


def snapshot(state: SessionState) -> bytes:
    """Encode a state; `restore` gives an equal one back."""
    return _encoder.encode(state)


def restore(encoded: bytes) -> SessionState:
    """Decode a state.

    Raises:
        msgspec.MsgspecError: it is not a state of this version.
    """
    return _decoder.decode(encoded)


def fold(state: SessionState, records: Iterable[Record]) -> SessionState:
    """Bring a state up to date by stepping the records' inputs again; the state is changed in place.

    Raises:
        ReplayError: the numbers that come out are not the ones that are stored.
    """
    for record in records:
        stepped = step(state, record.input, now_ms=record.at_ms)
        if [e.seq for e in stepped.events] != [e.seq for e in record.events]:
            raise ReplayError(f"the journal of {state.session_id} does not replay at event {state.seq}")
    return state
