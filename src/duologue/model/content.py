"""What people and agents exchange: context, uploads, observations, messages."""

from typing import Literal, TypeAlias

from duologue.model.base import Value

Role = Literal["user", "assistant"]
Source = Literal["typed", "voice"]
Modality = Literal["nfc", "photo"]
Tier = Literal["gate", "reflex", "workhorse"]


class ContextItem(Value, kw_only=True):
    """Data for the agent, never an instruction. Source: AG-UI `Context`."""

    description: str
    value: str


class Attachment(Value, kw_only=True):
    """A stored upload that a turn refers to; the bytes stay in the store."""

    upload_id: str
    name: str
    media_type: str
    size_bytes: int
    sha256: str


class SpeechMetadata(Value, kw_only=True):
    """What a client's own recogniser measured. Times in ms. Source: AgentCall 0.1, `speechMetadata`."""

    engine: str | None = None
    model: str | None = None
    locale: str | None = None
    actionable_revision_ms: int | None = None
    stable_final_ms: int | None = None
    thermal_state: str | None = None


class NdefRecord(Value, kw_only=True):
    """One record of a tag. Source: NFC Forum, NDEF 1.0.

    Attributes:
        tnf: type name format, 0 to 6.
        type: record type, text.
        record_id: record id, text, may be empty.
        payload: base64 of the payload.
        text: decoded text of a text record.
        uri: decoded address of a URI record.
    """

    tnf: int
    type: str = ""
    record_id: str = ""
    payload: str = ""
    text: str | None = None
    uri: str | None = None


class NfcObservation(Value, kw_only=True, tag_field="kind", tag="nfc"):
    """A tag that the client read; `tag_id` in lower-case hex, `observed_at` RFC 3339."""

    tag_id: str
    technologies: tuple[str, ...] = ()
    records: tuple[NdefRecord, ...] = ()
    observed_at: str


class PhotoObservation(Value, kw_only=True, tag_field="kind", tag="photo"):
    """A photo that the client took, as a stored upload; sizes in pixels, `observed_at` RFC 3339."""

    photo: Attachment
    width: int
    height: int
    observed_at: str


Observation: TypeAlias = NfcObservation | PhotoObservation


class Message(Value, kw_only=True):
    """One message of the history that the agent is given.

    Attributes:
        text: what was said; of the assistant only what was delivered.
        interrupted: the answer was cut short.
    """

    role: Role
    text: str
    turn: int
    interrupted: bool = False


class Chip(Value, kw_only=True):
    """A suggestion that the person may send with one touch; `text` is sent, `label` is shown."""

    label: str
    text: str


class Figures(Value, kw_only=True):
    """What one response cost, measured once by the engine.

    Attributes:
        ttft_ms: from the response's start to its first text; `None` where there was no text.
        duration_ms: from the response's start to its end.
        total_tokens: tokens as the agent reports them, else the pieces of text that it sent.
        tps: tokens per second from the first text to the end; 0.0 where it cannot be told.
        quality_pass: see `engine/quality.py` for the rule.
        language: BCP 47 tag of the conversation.
    """

    ttft_ms: int | None
    duration_ms: int
    total_tokens: int
    tps: float
    quality_pass: bool
    language: str
