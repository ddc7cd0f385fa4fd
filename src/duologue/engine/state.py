"""The state of a session: what the fold of its journal leaves. One owner changes it: the engine's step."""

import msgspec

from duologue.engine.call_state import Call, Speaking
from duologue.engine.condition_state import Condition
from duologue.engine.handoff_state import HandoffState
from duologue.engine.memory_state import MemoryState
from duologue.engine.observations_state import ObservationsState
from duologue.engine.routing_state import Route, Routing
from duologue.engine.signals_state import Signals
from duologue.engine.tools_state import ToolsState
from duologue.model import limits
from duologue.model.content import Answer, Interrupt, Message, Modality, Tier, ToolCall, ToolResult, Usage
from duologue.model.events import State
from duologue.model.inputs import ObservationAsked, UserTurn
from duologue.model.resuming import ResumeCause


class TurnMark(msgspec.Struct, frozen=True, array_like=True):
    """What is kept of an accepted turn, to recognise a repeat of it.

    Attributes:
        number: the turn.
        seq: number of its `TurnAccepted`.
        key: by which the client's repeats are recognised, `None` where it gave none.
        print: fingerprint of what was said.
        request_id: as its events have it.
        message_id: by which the history knows what was said.
        response_id: of its first answer.
        after: number of the event with which the turn before it first ended; what lies between belongs to no answer.
    """

    number: int
    seq: int
    key: str | None
    print: str
    request_id: str = ""
    message_id: str = ""
    response_id: str = ""
    after: int = 0


class OpenCall(msgspec.Struct):
    """A tool call that a run made.

    Attributes:
        called_ms: when, ms since 1970.
        part: the place of its message in the run.
        repeatable: running it twice does no harm.
        redact: what of it others than the person do not see.
        response_id: the answer that called it.
        told: what it gave has been told, while others of that answer were still waited for.
    """

    call: ToolCall
    called_ms: int
    part: int = 0
    repeatable: bool = True
    redact: tuple[str, ...] = ()
    response_id: str = ""
    told: bool = False


class Part(msgspec.Struct):
    """Words of the answer that are followed by tool calls; the words may be none."""

    message_id: str
    text: str = ""


class OpenResponse(msgspec.Struct):
    """The run in progress. Times in ms since 1970.

    Attributes:
        pieces: all text so far.
        shown: something that is not text was shown.
        parts: the messages that tool calls have ended.
        told: how many of the pieces are in `parts`.
        paused: the message that was being written has ended; more text opens another.
        writing: id of the message that is being written; empty where none is.
        calls: the tools that were called, in order.
        left: earlier calls that are left to the client with it, as they may run now.
        repeatable: no tool was called whose second run may do harm.
        leg: which run of it is on, from 1; 0 before the first.
        waiting: no run is on: it goes on once what it waits for is there.
        requested: the run has asked for tools whose results another one is to have.
        asked: what the run that has ended asks for besides.
        observe: what the person is asked to show besides.
        usage: what the runs before this one have counted.
        tokens: as their agent counts them; `None` where it does not.
        confident: none of them said that it does not know.
        tier: which tier makes it; `None` for the first agent's.
        judging: the gate's agent is asked how hard the turn is, and nobody answers yet.
        watched: its first sentence is not over, and may show that a better tier has to answer.
        bridge: how many pieces at its begin are not the agent's, but lead over from the answer that it replaces.
    """

    response_id: str
    attempt: int
    started_ms: int
    last_item_ms: int
    first_text_ms: int | None = None
    pieces: list[str] = []
    length: int = 0
    shown: bool = False
    parts: list[Part] = []
    told: int = 0
    paused: bool = False
    writing: str = ""
    calls: list[OpenCall] = []
    repeatable: bool = True
    leg: int = 1
    waiting: bool = False
    requested: bool = False
    asked: tuple[Interrupt, ...] = ()
    observe: ObservationAsked | None = None
    usage: tuple[Usage, ...] = ()
    tokens: int | None = None
    confident: bool = True
    tier: Tier | None = None
    judging: bool = False
    watched: bool = False
    bridge: int = 0
    left: tuple[str, ...] = ()


class OpenTurn(msgspec.Struct):
    """The accepted turn that has not ended.

    Attributes:
        client_plays: the client speaks the answer itself and will report when it has.
        answers: what became of the interrupts that were open before it, one for each.
        interrupts: those interrupts.
        results: what tools have returned that its run is told: the client's, and those of the registry.
        news: those of the registry that the next run is told.
        calls: the agent's own calls of earlier runs that asked about them.
        losses: how many of its runs were lost with a server.
        voice: how it is spoken, where a call was on when it began.
        resumed: why it goes on by itself; `None` where the person has just said it.
        author: who says what follows, by name; empty for the agent.
        since: the turn with which what the agent is asked began: an earlier one where the person only let it go on.
        asks: what the agent is asked, where that is not what was said.
        earlier: messages of runs of this answer that were lost or replaced: tools that have run, words that were heard.
        route: which tier answers it; `None` where it was not routed.
        heard_before: what was heard of answers that were replaced.
        first_text_ms: when the first text of an answer came that was replaced.
        began_seq: number of the event that opened it, now or again.
    """

    number: int
    request_id: str
    said: UserTurn
    response: OpenResponse
    client_plays: bool = False
    answers: tuple[Answer, ...] = ()
    interrupts: tuple[Interrupt, ...] = ()
    results: tuple[ToolResult, ...] = ()
    news: list[ToolResult] = []
    calls: list[OpenCall] = []
    losses: int = 0
    voice: Speaking | None = None
    resumed: ResumeCause | None = None
    author: str = ""
    since: int = 0
    asks: UserTurn | None = None
    earlier: list[Message] = []
    route: Route | None = None
    heard_before: str = ""
    first_text_ms: int | None = None
    began_seq: int = 0


class LastTurn(msgspec.Struct, frozen=True):
    """The turn that has ended last, as it can be taken up again; `number` is 0 where there was none."""

    number: int = 0
    request_id: str = ""
    said: UserTurn = UserTurn(text="")
    since: int = 0
    asks: UserTurn | None = None


class Due(msgspec.Struct, frozen=True):
    """Something for which the last turn is taken up again, once it can be.

    Attributes:
        text: what is to be said then, in the agent's place; empty where the agent is to be run.
        author: who says it.
        results: what the agent is told.
        answers: what became of what it asked for, one by one, while the person was still asked something else.
        interrupts: what they are answers to.
    """

    cause: ResumeCause
    text: str = ""
    author: str = ""
    results: tuple[ToolResult, ...] = ()
    answers: tuple[Answer, ...] = ()
    interrupts: tuple[Interrupt, ...] = ()


class SessionState(msgspec.Struct):
    """Everything that the next step depends on. Encodes to JSON as a snapshot.

    Attributes:
        interrupts: what the last run asked for, and nobody has answered.
        calls: the tool calls of earlier runs that have not returned.
        closed_interrupts: ids of the latest that were answered or given up.
        closed_calls: ids of the latest that returned or were given up.
        call: the call that is on.
        last: the turn that has ended last.
        due: for what it is to be taken up again, in order.
        handoff: who has the conversation.
        signals: the latest estimates, once there is one.
        agent_name: which agent has it, or has it again once no person does; empty for the first.
        tools: the registry's calls.
        observations: what the person is asked to show.
        memory: what was told of memory, once there was something.
        routing: how turns are routed between tiers.
        condition: how much of the machine there is.
        ended_seq: number of the event with which the last turn first ended.
        opened_ms: when it was opened; 0 where its journal does not say so.
    """

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
    interrupts: list[Interrupt] = []
    calls: list[OpenCall] = []
    closed_interrupts: list[str] = []
    closed_calls: list[str] = []
    call: Call | None = None
    last: LastTurn = LastTurn()
    due: list[Due] = []
    handoff: HandoffState = msgspec.field(default_factory=HandoffState)
    signals: Signals | None = None
    agent_name: str = ""
    tools: ToolsState = msgspec.field(default_factory=ToolsState)
    observations: ObservationsState = msgspec.field(default_factory=ObservationsState)
    memory: MemoryState | None = None
    routing: Routing = msgspec.field(default_factory=Routing)
    condition: Condition = msgspec.field(default_factory=Condition)
    ended_seq: int = 0
    opened_ms: int = 0
