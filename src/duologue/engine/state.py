"""The state of a session: what the fold of its journal leaves. One owner changes it: the engine's step."""

import msgspec

from duologue.model import limits
from duologue.model.content import Message, Modality, Tier
from duologue.model.events import State
from duologue.model.inputs import UserTurn


class TurnMark(msgspec.Struct, frozen=True, array_like=True):
    """What is kept of an accepted turn, to recognise a repeat of it.

    Attributes:
        number: the turn.
        seq: number of its `TurnAccepted`.
        key: by which the client's repeats are recognised, `None` where it gave none.
        print: fingerprint of what was said.
    """

    number: int
    seq: int
    key: str | None
    print: str


class OpenResponse(msgspec.Struct):
    """The run in progress. Times in ms since 1970."""

    response_id: str
    attempt: int
    started_ms: int
    last_item_ms: int
    first_text_ms: int | None = None
    pieces: list[str] = []
    length: int = 0
    shown: bool = False


class OpenTurn(msgspec.Struct):
    """The accepted turn that has not ended.

    Attributes:
        client_plays: the client speaks the answer itself and will report when it has.
    """

    number: int
    request_id: str
    said: UserTurn
    response: OpenResponse
    client_plays: bool = False


class SessionState(msgspec.Struct):
    """Everything that the next step depends on. Encodes to JSON as a snapshot."""

    session_id: str = ""
    subject: str = ""
    agent: str = ""
    tier: Tier = "workhorse"
    language: str = "en"
    silence_ms: int = limits.AGENT_SILENCE_MS
    response_ms: int = limits.RESPONSE_MS
    seq: int = 0
    at_ms: int = 0
    state: State = "idle"
    ended: bool = False
    title: str = ""
    turns: int = 0
    last_turn: int = 0
    responses: int = 0
    modalities: tuple[Modality, ...] = ()
    open: OpenTurn | None = None
    marks: list[TurnMark] = []
    history: list[Message] = []
