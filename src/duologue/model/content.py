"""What people and agents exchange: context, uploads, observations, messages."""

from typing import Any, Literal, TypeAlias

from duologue.model.base import Value

Role = Literal["user", "assistant"]
Source = Literal["typed", "voice"]
Modality = Literal["nfc", "photo"]
Tier = Literal["gate", "reflex", "workhorse"]
Runner = Literal["client", "agent", "server"]
"""Who runs a tool: a client, as the agent asks it to, the agent itself, or the server that has it in its registry."""


class ContextItem(Value, kw_only=True):
    """Data for the agent, never an instruction. Source: AG-UI `Context`."""

    description: str
    value: str


class Attachment(Value, kw_only=True):
    """A stored upload that a turn refers to; the bytes stay in the store.

    Attributes:
        sha256: of the bytes as they are stored.
        sent_sha256: of the bytes as they were sent, where metadata was removed from them; else empty.
    """

    upload_id: str
    name: str
    media_type: str
    size_bytes: int
    sha256: str
    sent_sha256: str = ""


class SpeechMetadata(Value, kw_only=True):
    """What a client's own recogniser measured. Times in ms. Source: AgentCall 0.1, `speechMetadata`; Ghost AG-UI 1.0.

    Attributes:
        confidence: how sure it is of the words, 0 to 1.
        stt_ms: how long it took; where a client tells it, it tells of a final transcript.
    """

    engine: str | None = None
    model: str | None = None
    locale: str | None = None
    actionable_revision_ms: int | None = None
    stable_final_ms: int | None = None
    thermal_state: str | None = None
    confidence: float | None = None
    stt_ms: int | None = None


class NdefPart(Value, kw_only=True):
    """One record, as it stands by itself or in a smart poster. Source: NFC Forum, NDEF 1.0.

    Attributes:
        tnf: type name format, 0 to 6.
        type: record type, text.
        record_id: record id, text, may be empty.
        payload: base64 of the payload.
        text: decoded text of a text record, of a media type that is text, or the first title of a smart poster.
        uri: decoded address of a URI record or of a smart poster.
        language: BCP 47 tag of `text`, as the tag says it; `None` where it does not.
    """

    tnf: int
    type: str = ""
    record_id: str = ""
    payload: str = ""
    text: str | None = None
    uri: str | None = None
    language: str | None = None


class NdefRecord(NdefPart, kw_only=True):
    """One record of a tag.

    Attributes:
        inside: the records that a smart poster consists of: the address, titles in several languages, and so on.
    """

    inside: tuple[NdefPart, ...] = ()


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


class ClientTool(Value, kw_only=True):
    """A tool that the client offers to run; `parameters` is a JSON Schema of its arguments, `None` for none."""

    name: str
    description: str
    # JSON Schema of the client's own design: no narrower type exists.
    parameters: Any = None


class ToolCall(Value, kw_only=True):
    """A tool that was called, and what it returned.

    Attributes:
        call_id: unique among the session's open calls.
        arguments: a JSON object, as text.
        runs_on: who runs it.
        result: what it returned, as text; `None` where nothing did: it is still running, or was given up.
        is_error: `result` says why it failed.
        result_id: the client's id of the message that brought the result; empty where none did.
        result_turn: the turn in which it came, where that is a later one than the call's.
        status: how far a call of the registry's has come; empty for others.
    """

    call_id: str
    name: str
    arguments: str
    runs_on: Runner = "agent"
    result: str | None = None
    is_error: bool = False
    result_id: str = ""
    result_turn: int = 0
    status: str = ""


class ToolResult(Value, kw_only=True):
    """What a client's tool returned. The engine fills in `name` and `arguments` for the agent.

    Attributes:
        message_id: the client's id of the message that brings it; empty where there is none.
        status: how far a call of the registry's has come; empty for others.
    """

    call_id: str
    content: str
    is_error: bool = False
    message_id: str = ""
    name: str = ""
    arguments: str = ""
    status: str = ""


class Interrupt(Value, kw_only=True):
    """Something that a run needs from outside before it can go on. Source: AG-UI 1.0, `Interrupt`.

    Attributes:
        interrupt_id: unique among the open ones; an answer names it.
        reason: for programs, the agent's own word.
        message: for the person who answers.
        tool_call_id: the call that it is about, where it asks for an approval.
        response_schema: JSON Schema of the answer's payload.
        expires_at: ISO 8601; from then on it cannot be answered any more. Another text never comes.
        metadata: for programs.
        redact: JSON pointers of the arguments in `metadata` that others than the person do not see.
    """

    interrupt_id: str
    reason: str
    message: str | None = None
    tool_call_id: str | None = None
    # JSON of the agent's own design: no narrower type exists.
    response_schema: dict[str, Any] | None = None
    expires_at: str | None = None
    # JSON of the agent's own design: no narrower type exists.
    metadata: dict[str, Any] | None = None
    redact: tuple[str, ...] = ()


class Answer(Value, kw_only=True):
    """What became of an interrupt: it was answered, with a payload, or given up. Source: AG-UI 1.0, `ResumeEntry`."""

    interrupt_id: str
    status: Literal["resolved", "cancelled"]
    # JSON as the interrupt's schema asks for it: no narrower type exists.
    payload: Any = None
    # JSON of the client's own design: no narrower type exists.
    metadata: dict[str, Any] | None = None


class Message(Value, kw_only=True):
    """One message of the history that the agent is given.

    Attributes:
        text: what was said; of the assistant only what was delivered. Empty where it only called, asked or answered.
        interrupted: the answer was cut short.
        message_id: by which clients know it; empty in journals of earlier versions.
        calls: of the assistant, the tools that it called after these words, with what they returned.
        interrupts: of the assistant, what it asked for at the end.
        answers: of the user, what became of the interrupts before.
        author: who said it in the agent's place, by name; empty for the agent.
    """

    role: Role
    text: str
    turn: int
    interrupted: bool = False
    message_id: str = ""
    calls: tuple[ToolCall, ...] = ()
    interrupts: tuple[Interrupt, ...] = ()
    answers: tuple[Answer, ...] = ()
    author: str = ""


class Chip(Value, kw_only=True):
    """A suggestion that the person may send with one touch; `text` is sent, `label` is shown."""

    label: str
    text: str


class Usage(Value, kw_only=True):
    """Tokens of one model in one run, as its provider counts them. Source: AG-UI 1.0, `TokenUsage`.

    Attributes:
        input_tokens: all that was read, from a cache too.
        output_tokens: all that was written, reasoning too.
        cached_tokens: the part of `input_tokens` that came from a cache.
        reasoning_tokens: the part of `output_tokens` that was reasoning.
    """

    model: str | None = None
    provider: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None


class Figures(Value, kw_only=True):
    """What one response cost, measured once by the engine.

    Attributes:
        ttft_ms: from the response's start to its first text; `None` where there was no text.
        duration_ms: from the response's start to its end.
        total_tokens: tokens of the answer as the agent reports them, else the pieces of text that it sent.
        tps: tokens per second from the first text to the end; 0.0 where it cannot be told.
        quality_pass: see `engine/quality.py` for the rule.
        language: BCP 47 tag of the conversation.
        usage: what the run's models counted, where the agent tells.
    """

    ttft_ms: int | None
    duration_ms: int
    total_tokens: int
    tps: float
    quality_pass: bool
    language: str
    usage: tuple[Usage, ...] = ()
