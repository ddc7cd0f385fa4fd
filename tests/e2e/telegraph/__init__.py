"""A protocol that nobody has: words over a wire. All that it takes to join the server is in this folder."""

from typing import Final

import msgspec

from duologue.model.commands import Decoded, Join
from duologue.model.errors import Code, Problem
from duologue.model.events import AnyEvent, TextDelta, TurnAccepted, TurnEnded
from duologue.model.inputs import UserTurn
from duologue.model.replies import Repeated

_encode: Final = msgspec.json.Encoder().encode


class Wire(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A frame of a client: a line to hold, or words to say on it."""

    line: str = ""
    after: int = 0
    say: str = ""


_read: Final = msgspec.json.Decoder(Wire)


class TelegraphDialect:
    """The telegraph dialect; see `duologue.ports.dialect.Dialect`."""

    @property
    def name(self) -> str:
        """The protocol's name."""
        return "telegraph"

    def decode(self, frame: bytes) -> Decoded:
        """Read a frame."""
        try:
            wire = _read.decode(frame)
        except msgspec.MsgspecError as error:
            return Problem(code=Code.BAD_MESSAGE, message=str(error))
        return UserTurn(text=wire.say) if wire.say else Join(session_id=wire.line or None, after=wire.after)

    def project(self, event: AnyEvent) -> bytes | None:
        """Write what is said, and when it is over."""
        match event:
            case TurnAccepted():
                return _encode({"no": event.seq, "asked": event.text})
            case TextDelta():
                return _encode({"no": event.seq, "said": event.text})
            case TurnEnded():
                return _encode({"no": event.seq, "stop": event.outcome})
            case _:
                return None

    def refuse(self, problem: Problem, *, request_id: str, now_ms: int) -> bytes:  # noqa: ARG002
        """Write a refusal."""
        return _encode({"trouble": problem.code})

    def opened(self, session_id: str, *, after: int, last_seq: int) -> bytes:  # noqa: ARG002
        """Write that the line is held."""
        return _encode({"line": session_id})

    def repeated(self, reply: Repeated, *, request_id: str) -> None:  # noqa: ARG002
        """Nothing is ever repeated: there are no ids."""
        return
