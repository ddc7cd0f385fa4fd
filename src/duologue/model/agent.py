"""The vocabulary between Duologue and an agent."""

from typing import Any, TypeAlias

from duologue.model.base import Value
from duologue.model.content import (
    Attachment,
    Chip,
    ContextItem,
    Message,
    Modality,
    Observation,
    Source,
    SpeechMetadata,
)


class Text(Value, kw_only=True):
    """Some more of the answer; a plain `str` means the same."""

    text: str


class Citation(Value, kw_only=True):
    """Where the answer comes from. `url` is absolute, or begins with `/` for a page of this server."""

    title: str
    url: str
    snippet: str | None = None


class Chips(Value, kw_only=True):
    """What the person may say next."""

    chips: tuple[Chip, ...]


class Rich(Value, kw_only=True):
    """Something to show that is not text: a card, a form, a chart; `data` is JSON."""

    payload_type: str
    # JSON of the agent's own design: no narrower type exists.
    data: dict[str, Any]
    version: int = 1


class Note(Value, kw_only=True):
    """A diagnostic for developers, not for the person."""

    category: str
    message: str
    # JSON of the agent's own design: no narrower type exists.
    details: dict[str, Any] | None = None


class Failure(Value, kw_only=True):
    """The agent says that it could not answer; nothing may follow."""

    message: str
    retryable: bool = True


class Finished(Value, kw_only=True):
    """The answer is whole. The only success: a stream that stops without it was truncated.

    Attributes:
        total_tokens: as the model counts them, where it does.
        confident: false where the agent itself says that it does not know.
    """

    total_tokens: int | None = None
    confident: bool = True


AgentItem: TypeAlias = Text | Citation | Chips | Rich | Note | Failure | Finished


class AgentRequest(Value, kw_only=True):
    """One run: what was just said, and what was said before.

    Attributes:
        session_id: the conversation.
        subject: the person, as authenticated; `local` where nobody is.
        response_id: the run's id, unique in the session.
        turn: the turn's number.
        text: what the person said; empty where they showed something instead.
        source: typed or spoken.
        language: BCP 47 tag.
        history: earlier messages, oldest first, without this turn.
        context: data from the client. Never instructions: keep it out of the system prompt.
        attachments: stored uploads; `Images` gives their bytes.
        observation: a tag or photo that the turn shows.
        speech: what the client's recogniser measured.
        modalities: what the client can be asked to observe.
    """

    session_id: str
    subject: str
    response_id: str
    turn: int
    text: str
    source: Source = "typed"
    language: str = "en"
    history: tuple[Message, ...] = ()
    context: tuple[ContextItem, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    observation: Observation | None = None
    speech: SpeechMetadata | None = None
    modalities: tuple[Modality, ...] = ()
