"""What a client's frame can mean besides an input: things between it and its connection."""

from typing import TypeAlias

from duologue.model.base import Value
from duologue.model.content import Modality
from duologue.model.errors import Problem
from duologue.model.inputs import AnyInput, AudioTurnInput, CancelRequested, EndRequested, UserTurn, VoiceTriggered
from duologue.model.tools import Decision
from duologue.model.voice import VoiceMode


class Join(Value, kw_only=True):
    """Open or join a session.

    Attributes:
        session_id: `None` asks for a new one.
        after: the last number that the client has; 0 for nothing.
        modalities: what the client can be asked to observe; `None` says nothing about it.
        language: BCP 47 tag for a new session.
        audio_turns: who says when the person has finished, in a call of the session; `None` says nothing about it.
    """

    session_id: str | None
    after: int = 0
    modalities: tuple[Modality, ...] | None = None
    language: str | None = None
    audio_turns: VoiceMode | None = None


class Ack(Value, kw_only=True):
    """The client has durably processed everything up to `seq`."""

    seq: int


class Photo(Value, kw_only=True):
    """A turn whose photo came inside the frame; the bytes are stored before the turn is.

    Attributes:
        turn: the turn, its observation still without an upload id.
        data: the image's bytes, checked against type, size and hash.
    """

    turn: UserTurn
    data: bytes


class Refer(Value, kw_only=True):
    """A turn that refers to uploads by id; the runtime fills in what they are."""

    turn: UserTurn
    upload_ids: tuple[str, ...]


class GiveOutput(Value, kw_only=True):
    """A tool of the client's has run, whose call waits for it.

    Attributes:
        output: what it gave, as text; JSON where it has structure. Of a failure, why.
    """

    call_id: str
    output: str
    is_error: bool = False


class Decide(Value, kw_only=True):
    """The person decides about a call that waits for them: named by its approval, or else by itself.

    Attributes:
        arguments: what they decided about, as JSON text, where they say; another than the call's is refused.
        digest: of what they decided about, where they say.
        reason: in their words.
    """

    decision: Decision
    approval_id: str | None = None
    call_id: str | None = None
    arguments: str | None = None
    digest: str | None = None
    reason: str = ""


ClientInput: TypeAlias = UserTurn | CancelRequested | EndRequested | VoiceTriggered | AudioTurnInput
Asked: TypeAlias = ClientInput | Photo | Refer | GiveOutput | Decide
"""What a client asks of a session; the runtime makes an input of it."""

Command: TypeAlias = Join | Ack | Asked
Decoded: TypeAlias = Command | Problem

__all__ = [
    "Ack",
    "AnyInput",
    "Asked",
    "ClientInput",
    "Command",
    "Decide",
    "Decoded",
    "GiveOutput",
    "Join",
    "Photo",
    "Refer",
]
