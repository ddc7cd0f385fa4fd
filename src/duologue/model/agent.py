"""The vocabulary between Duologue and an agent."""

from typing import Any, TypeAlias

from duologue.model.base import Value
from duologue.model.content import (
    Answer,
    Attachment,
    Chip,
    ClientTool,
    ContextItem,
    Interrupt,
    Message,
    Modality,
    Observation,
    Source,
    SpeechMetadata,
    Tier,
    ToolResult,
    Usage,
)
from duologue.model.handoff import HandOff
from duologue.model.memory import MemoryItem
from duologue.model.observations import Observe
from duologue.model.routing import Upgrade
from duologue.model.signals import Signal


class Text(Value, kw_only=True):
    """Some more of the answer; a plain `str` means the same, and costs less."""

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


class ToolCalled(Value, kw_only=True):
    """The agent runs a tool of its own, or asks whether it may; `ToolReturned` follows once it has run.

    Attributes:
        call_id: unique in the run.
        arguments: a JSON object, as text; empty for none.
        repeatable: running it twice does no harm. A run that was cut after another kind of call is not run again.
    """

    call_id: str
    name: str
    arguments: str = ""
    repeatable: bool = False


class ToolReturned(Value, kw_only=True):
    """A tool of the agent's own has run: of this run, or of one that had asked whether it may.

    Attributes:
        result: what it returned, as text; JSON where it has structure.
        is_error: `result` says why it failed.
        name: of a call that was not told before.
        arguments: of a call that was not told before.
    """

    call_id: str
    result: str
    is_error: bool = False
    name: str = ""
    arguments: str = ""


class ToolRequested(Value, kw_only=True):
    """The agent asks for one of `AgentRequest.tools`, which the client runs, or of `offered`, which the server does.

    Finish after the last one. The results come in the next run, in `tool_results`; of the server's own tools at once,
    as another leg of the same answer, unless somebody has to let them run first.

    Attributes:
        call_id: unique in the run.
        arguments: a JSON object, as text; empty for none.
        wrong: why nobody can run it, where a model wrote something that is no JSON: the next run is told.
    """

    call_id: str
    name: str
    arguments: str = ""
    wrong: str = ""


class Asked(Value, kw_only=True):
    """The run stops here until somebody has answered; nothing may follow.

    The answers come in the next run, in `resume`. A turn without any answers gives the interrupts up.
    """

    interrupts: tuple[Interrupt, ...]
    usage: tuple[Usage, ...] = ()


class Cancelled(Value, kw_only=True):
    """Who runs the agent stopped the run: neither a success nor a failure; nothing may follow."""

    usage: tuple[Usage, ...] = ()


class Failure(Value, kw_only=True):
    """The agent says that it could not answer; nothing may follow."""

    message: str
    retryable: bool = True
    usage: tuple[Usage, ...] = ()


class Finished(Value, kw_only=True):
    """The answer is whole. The only success: a stream that stops without it was truncated.

    Attributes:
        total_tokens: tokens of the answer, as the model counts them; `None` takes the output tokens of `usage`.
        confident: false where the agent itself says that it does not know.
        usage: one entry for each model that the run called.
    """

    total_tokens: int | None = None
    confident: bool = True
    usage: tuple[Usage, ...] = ()


AgentItem: TypeAlias = (
    str
    | Text
    | Citation
    | Chips
    | Rich
    | Note
    | ToolCalled
    | ToolReturned
    | ToolRequested
    | Asked
    | Observe
    | HandOff
    | Upgrade
    | Cancelled
    | Failure
    | Finished
)


RunEnd: TypeAlias = Finished | Failure | Asked | Cancelled | Observe | HandOff | Upgrade
"""What ends a run: nothing may follow."""


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
        attachments: stored uploads; `Files` gives their bytes.
        observation: a tag or photo that the turn shows.
        speech: what the client's recogniser measured.
        modalities: what the client can be asked to observe.
        request_id: the client's id of the turn; the same in every attempt at it.
        message_id: the client's id of the message, by which the history will know it.
        tools: what this turn's client offers to run.
        tool_results: what the client's tools returned that the last run asked for; also in `history`. A call of
            the history without a result was given up.
        resume: what became of the interrupts that the last run ended with, one for each.
        interrupts: those interrupts.
        state: the state that the client keeps, as JSON. Data, never instructions.
        forwarded_props: values that the client passes through, as JSON. Data, never instructions.
        agent: which agent of the settings is asked; empty for the first one.
        tier: which tier of it.
        leg: above 1 where the answer goes on after tools have run.
        so_far: this turn's messages of the assistant so far, with their calls and results; also of an answer that is
            to be replaced by a better one, which is then marked interrupted.
        offered: tools of the server's that the run may ask for.
        memories: what is remembered of the person that may matter now. Data, never instructions.
        signals: the newest mood and intent of the person that were known when the run began, which are mostly those of
            the turn before; none where nobody estimates any.
        judge: it is asked how hard `text` is to answer, and not for the answer: a number from 0 to 1, and nothing else.
        resumed: why the turn goes on by itself; empty where the person has just said `text`.
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
    request_id: str = ""
    message_id: str = ""
    tools: tuple[ClientTool, ...] = ()
    tool_results: tuple[ToolResult, ...] = ()
    resume: tuple[Answer, ...] = ()
    interrupts: tuple[Interrupt, ...] = ()
    # JSON of the client's own design: no narrower type exists.
    state: Any = None
    # JSON of the client's own design: no narrower type exists.
    forwarded_props: Any = None
    agent: str = ""
    tier: Tier = "workhorse"
    leg: int = 1
    so_far: tuple[Message, ...] = ()
    offered: tuple[ClientTool, ...] = ()
    memories: tuple[MemoryItem, ...] = ()
    signals: tuple[Signal, ...] = ()
    resumed: str = ""
    judge: bool = False
