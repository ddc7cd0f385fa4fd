"""What the state keeps of signals."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import msgspec

from duologue.model.signals import Signal, SignalScope, SignalSource

RANKS: Final[Mapping[SignalSource, int]] = MappingProxyType({"rule": 0, "local": 1, "model": 2, "server": 3})
"""How good a source is."""


class Standing(msgspec.Struct, frozen=True):
    """An estimate that holds until a better one replaces it.

    Attributes:
        of_turn: the turn that it is about; of a session, the latest one.
        of_seq: the event whose text was read; 0 where that is not known.
    """

    of_turn: int
    scope: SignalScope
    signal: Signal
    source: SignalSource
    adapter: str
    message_id: str = ""
    of_seq: int = 0


class Signals(msgspec.Struct):
    """The latest estimates, at most one of each kind about each message, turn and session.

    Attributes:
        standing: in the order in which they were first made; `limits.SIGNALS_KEPT` at most.
        escalated: by the name of a rule, how many turns there had been when it last asked for a handoff.
    """

    standing: list[Standing] = []
    escalated: dict[str, int] = {}
