"""What another desk is told: each step of a handoff to people, and what the person says while people have it."""

from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec

from duologue.adapters.desk_webhook.signing import HEADER, sign
from duologue.model.events import AnyEvent, HandoffMoved, TurnEnded

Kind = Literal["handoff.status", "customer.message"]

_encode: Final = msgspec.json.Encoder().encode


class _Notice(msgspec.Struct, frozen=True, kw_only=True, rename="camel", tag_field="type", omit_defaults=True):
    sequence: int
    at: int


class _Status(_Notice, frozen=True, kw_only=True, tag="handoff.status"):
    handoff_id: str
    status: str
    transfer: str
    reason: str
    queue: str = ""
    skills: tuple[str, ...] = ()
    priority: int = 0
    position: int = 0
    wait_ms: int | None = None
    operator_id: str = ""
    operator_name: str = ""
    failure: str = ""
    bundle_id: str = ""
    # JSON of the bundle: told as it is.
    bundle: dict[str, Any] | None = None


class _Message(_Notice, frozen=True, kw_only=True, tag="customer.message"):
    turn: int
    text: str


class DeskNotices:
    """Notices for another desk; see `duologue.ports.notices.Notices`. Whose session it is stands in a header."""

    def kind(self, event: AnyEvent) -> str | None:
        """The notice's type."""
        match event:
            case HandoffMoved(transfer="bot_to_bot" | "supervisor_consult"):
                return None
            case HandoffMoved():
                return "handoff.status"
            case TurnEnded(outcome="passed"):
                return "customer.message"
            case _:
                return None

    def body(self, event: AnyEvent) -> bytes:
        """The notice."""
        if isinstance(event, HandoffMoved):
            return _encode(_status(event))
        assert isinstance(event, TurnEnded), "it was asked for a notice"
        return _encode(_Message(sequence=event.seq, at=event.at_ms, turn=event.turn, text=event.text))

    def proof(self, body: bytes, *, secret: str, now_ms: int) -> Mapping[str, str]:
        """The signature."""
        return {HEADER: sign(body, secret=secret, now_ms=now_ms)}


def _status(event: HandoffMoved) -> _Status:
    operator = event.operator
    return _Status(
        sequence=event.seq,
        at=event.at_ms,
        handoff_id=event.handoff_id,
        status=event.status,
        transfer=event.transfer,
        reason=event.reason,
        queue=event.target,
        skills=event.skills,
        priority=event.priority,
        position=event.position,
        wait_ms=event.wait_ms,
        operator_id="" if operator is None else operator.operator_id,
        operator_name="" if operator is None else operator.name,
        failure=event.failure,
        bundle_id=event.bundle_id,
        bundle=event.bundle,
    )
