"""The messages beside the sound on `WS /audio`: our own small protocol. Sound goes in binary messages between them."""

from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from duologue.model import limits

OPUS_HZ: Final = 48_000
"""The rate that Opus is spoken of. Source: RFC 6716, 2; RFC 7587, 4.1."""

LANGUAGE_CHARS: Final = 35
"""Longest language tag. Source: RFC 5646, section 4.4.1."""

RESPONSE_ID_CHARS: Final = 64
"""Longest response id: ours are `response-` and a number."""

REASON_CHARS: Final = 200
"""Longest reason of a client for hanging up: it is stored."""

PLAYED_MS_MAX: Final = 86_400_000
"""Longest playback that is believed: a day."""

SessionId: TypeAlias = Annotated[str, Meta(min_length=1, max_length=limits.SESSION_ID_CHARS)]
ResponseId: TypeAlias = Annotated[str, Meta(min_length=1, max_length=RESPONSE_ID_CHARS)]
Language: TypeAlias = Annotated[str, Meta(max_length=LANGUAGE_CHARS, pattern=r"^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*\Z")]
Turn: TypeAlias = Annotated[int, Meta(ge=1, le=limits.TURN_NUMBER_MAX)]
Rate: TypeAlias = Literal[8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
Codec: TypeAlias = Literal["pcm16", "opus"]
TurnControl: TypeAlias = Literal["open", "explicit"]


class Wire(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, rename="camel"):
    """A piece of a message."""


class Format(Wire, frozen=True, kw_only=True):
    """How sound is written: mono; PCM16 little-endian at a rate, or one Opus packet a message."""

    codec: Codec = "pcm16"
    rate_hz: Rate | UnsetType = UNSET

    @property
    def hz(self) -> int:
        """The rate of its samples: 16,000 for PCM16 where none is said, 48,000 for Opus."""
        if self.codec == "opus":
            return OPUS_HZ
        return 16_000 if self.rate_hz is UNSET else self.rate_hz


# --- client to server -------------------------------------------------------------------------------


class Start(Wire, frozen=True, kw_only=True, tag="start"):
    """The first message: which session the call is of, and how sound is written.

    Without `sessionId` a new session is made. With `playback`, the client tells how much it has played in `playback`
    messages, and that is what counts as heard; else it is taken from the clock. `turns` says who ends a turn: what is
    heard (`open`), or the client's `turn.commit` (`explicit`).
    """

    session_id: SessionId | UnsetType = UNSET
    language: Language | UnsetType = UNSET
    turns: TurnControl | UnsetType = UNSET
    input: Format = Format()
    output: Format = Format()
    playback: bool = False


class Playback(Wire, frozen=True, kw_only=True, tag="playback"):
    """So much of an answer's sound has been played, counted from its beginning."""

    response_id: ResponseId
    played_ms: Annotated[int, Meta(ge=0, le=PLAYED_MS_MAX)]


class TurnStart(Wire, frozen=True, kw_only=True, tag="turn.start"):
    """With explicit turns: what is said from here on is a turn; sound before it is discarded."""

    turn: Turn | UnsetType = UNSET


class TurnCommit(Wire, frozen=True, kw_only=True, tag="turn.commit"):
    """With explicit turns: the turn is over; answer it."""

    turn: Turn | UnsetType = UNSET


class TurnCancel(Wire, frozen=True, kw_only=True, tag="turn.cancel"):
    """With explicit turns: discard the turn."""

    turn: Turn | UnsetType = UNSET


class ClientHangUp(Wire, frozen=True, kw_only=True, tag="hangup"):
    """The person hangs up. Closing the socket does the same."""

    reason: Annotated[str, Meta(max_length=REASON_CHARS)] = ""


ClientMessage: TypeAlias = Start | Playback | TurnStart | TurnCommit | TurnCancel | ClientHangUp


# --- server to client -------------------------------------------------------------------------------


class Ready(Wire, frozen=True, kw_only=True, tag="ready"):
    """The call has begun. Sound may come a little ahead of when it is to be played: up to `leadMs`."""

    session_id: str
    call_id: str
    turns: TurnControl
    input: Format
    output: Format
    lead_ms: int


class Speech(Wire, frozen=True, kw_only=True, tag="speech"):
    """The binary messages that follow are this answer's sound, from its beginning."""

    response_id: str


class SpeechSent(Wire, frozen=True, kw_only=True, tag="speech.sent"):
    """All of an answer's sound has been sent."""

    response_id: str
    duration_ms: int


class Clear(Wire, frozen=True, kw_only=True, tag="clear"):
    """Drop what you hold of this answer's sound, at once; none of it follows."""

    response_id: str


class Pause(Wire, frozen=True, kw_only=True, tag="pause"):
    """Stand still: somebody may be interrupting."""

    response_id: str


class Resume(Wire, frozen=True, kw_only=True, tag="resume"):
    """Go on where it stood: it was no interruption."""

    response_id: str


class Error(Wire, frozen=True, kw_only=True, tag="error"):
    """Something of the client's was refused, and has changed nothing."""

    code: str
    message: str
    retryable: bool
    path: str | UnsetType = UNSET
    limit: int | UnsetType = UNSET
    retry_after_ms: int | UnsetType = UNSET


class HangUp(Wire, frozen=True, kw_only=True, tag="hangup"):
    """The call is over; the socket closes."""

    reason: str
    message: str = ""


ServerMessage: TypeAlias = Ready | Speech | SpeechSent | Clear | Pause | Resume | Error | HangUp
