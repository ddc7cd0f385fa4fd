"""Reading what somebody who watches a session sends: that they have got something, and nothing else."""

from typing import Final

import msgspec

from duologue.model import jsonwire
from duologue.model.commands import Ack, Decoded
from duologue.model.errors import Problem
from duologue.protocols.jambonz import wire

_BY_TYPE: Final = {"ack": msgspec.json.Decoder(wire.Ack)}


def decode(frame: bytes) -> Decoded:
    """Read a frame."""
    read = jsonwire.read_tagged(frame, _BY_TYPE)
    return read if isinstance(read, Problem) else Ack(seq=int(read.msgid))
