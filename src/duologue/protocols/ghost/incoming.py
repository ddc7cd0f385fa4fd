"""What ghost clients send: triggers by their names in the state model, and messages of ours."""

from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from duologue.model import limits
from duologue.model.content import Modality
from duologue.model.tools import Decision
from duologue.protocols.observation import wire as seen

STT_MS_MAX: Final = 86_400_000
"""Longest recognition time in ms that is believed: a day."""

LANGUAGE_CHARS: Final = 35
"""Longest language tag. Source: RFC 5646, section 4.4.1."""

SessionId: TypeAlias = Annotated[str, Meta(min_length=1, max_length=limits.SESSION_ID_CHARS)]
TurnId: TypeAlias = Annotated[str, Meta(min_length=1, max_length=limits.REQUEST_ID_CHARS)]
Language: TypeAlias = Annotated[str, Meta(max_length=LANGUAGE_CHARS, pattern=r"^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*\Z")]
Text: TypeAlias = Annotated[str, Meta(min_length=1, max_length=limits.TURN_TEXT_CHARS)]
CallId: TypeAlias = Annotated[str, Meta(min_length=1, max_length=limits.TOOL_CALL_ID_CHARS)]
Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=limits.SESSION_ID_CHARS)]
Sequence: TypeAlias = Annotated[int, Meta(ge=0, le=limits.INTEGER_MAX)]

MovedBy = Literal["user_activates_mic", "speech_end", "first_token", "tts_complete", "auto_resume", "barge_in", "error"]
"""The triggers that carry nothing but their name."""


class Wire(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A piece of a message."""


class Context(Wire, frozen=True, kw_only=True):
    """A `{description, value}` pair for the agent: data, never an instruction."""

    description: Annotated[str, Meta(min_length=1, max_length=limits.CONTEXT_DESCRIPTION_CHARS)]
    value: Annotated[str, Meta(max_length=limits.CONTEXT_VALUE_CHARS)]


Contexts: TypeAlias = Annotated[tuple[Context, ...], Meta(max_length=limits.CONTEXT_ITEMS)]


Modalities: TypeAlias = Annotated[tuple[Modality, ...], Meta(max_length=2)]


class SessionOpen(Wire, frozen=True, kw_only=True, tag="session.open"):
    """Open or join a session; `after` is the last sequence that the client has.

    `modalities` is what the person can be asked to show; without it, what was said before holds.
    """

    session_id: SessionId | UnsetType = UNSET
    after: Sequence = 0
    language: Language | UnsetType = UNSET
    modalities: Modalities | UnsetType = UNSET


class OfferedTool(Wire, frozen=True, kw_only=True):
    """A tool that the client runs, should the agent ask for it; `parameters` is a JSON Schema of its arguments."""

    name: Annotated[str, Meta(min_length=1, max_length=limits.TOOL_NAME_CHARS)]
    description: str
    # JSON Schema of the client's own design: no narrower type exists.
    parameters: dict[str, Any] | UnsetType = UNSET


Tools: TypeAlias = Annotated[tuple[OfferedTool, ...], Meta(max_length=limits.CLIENT_TOOLS)]


class UserSendsText(Wire, frozen=True, kw_only=True, tag="user_sends_text"):
    """The person wrote."""

    text: Text
    turn_id: TurnId | UnsetType = UNSET
    language: Language | UnsetType = UNSET
    context: Contexts = ()
    tools: Tools = ()


class SttComplete(Wire, frozen=True, kw_only=True, tag="stt_complete"):
    """The client's recogniser is done: the person said this."""

    text: Text
    turn_id: TurnId | UnsetType = UNSET
    confidence: Annotated[float, Meta(ge=0, le=1)] | UnsetType = UNSET
    language: Language | UnsetType = UNSET
    stt_ms: Annotated[int, Meta(ge=0, le=STT_MS_MAX)] | UnsetType = UNSET
    context: Contexts = ()
    tools: Tools = ()


class ObservationShow(Wire, frozen=True, kw_only=True, tag="observation.show"):
    """The person shows a tag or a photo, in AgentCall's form; `interaction_id` answers what the agent asked for."""

    observation: seen.Observation
    interaction_id: Name | UnsetType = UNSET
    turn_id: TurnId | UnsetType = UNSET
    context: Contexts = ()


class ToolOutput(Wire, frozen=True, kw_only=True, tag="tool.output"):
    """What a tool of the client's gave, or why it could not."""

    tool_call_id: CallId
    # JSON of the tool's own design: no narrower type exists.
    output: Any = UNSET
    error: Annotated[str, Meta(min_length=1, max_length=limits.TOOL_RESULT_CHARS)] | UnsetType = UNSET


class ApprovalDecide(Wire, frozen=True, kw_only=True, tag="approval.decide"):
    """The person decides about a call that waits for them, named by its id or its approval's.

    `arguments` and `digest` bind the decision to what was shown.
    """

    decision: Decision
    approval_id: Name | UnsetType = UNSET
    tool_call_id: CallId | UnsetType = UNSET
    # The tool's own arguments: no narrower type exists.
    arguments: dict[str, Any] | UnsetType = UNSET
    digest: Name | UnsetType = UNSET
    reason: Annotated[str, Meta(max_length=limits.CONTEXT_DESCRIPTION_CHARS)] = ""


class Cancel(Wire, frozen=True, kw_only=True, tag="cancel"):
    """The person stopped the answer."""


class SessionEnd(Wire, frozen=True, kw_only=True, tag="session.end"):
    """End the session."""


class Moved(Wire, frozen=True, kw_only=True):
    """The client's microphone, recogniser or player moved the state machine."""

    type: MovedBy


ClientFrame: TypeAlias = (
    SessionOpen
    | UserSendsText
    | SttComplete
    | ObservationShow
    | ToolOutput
    | ApprovalDecide
    | Cancel
    | SessionEnd
    | Moved
)
