"""Agent runs: one task per answer that is being made."""

import asyncio
import re
import traceback
from collections.abc import Callable
from contextlib import aclosing
from contextvars import Context
from typing import TypeAlias, assert_never

import msgspec

from duologue.model import limits
from duologue.model.agent import (
    AgentRequest,
    Asked,
    Cancelled,
    Chips,
    Citation,
    Failure,
    Finished,
    Note,
    Rich,
    Text,
    ToolCalled,
    ToolRequested,
    ToolReturned,
)
from duologue.model.content import Interrupt
from duologue.model.effects import JudgeComplexity
from duologue.model.errors import Code, StoreError
from duologue.model.handoff import HandOff
from duologue.model.inputs import (
    AgentAsked,
    AgentCalled,
    AgentCancelled,
    AgentCited,
    AgentFailed,
    AgentFinished,
    AgentHandedOff,
    AgentInput,
    AgentNoted,
    AgentRequested,
    AgentReturned,
    AgentShowed,
    AgentSpoke,
    AgentSuggested,
    ObservationAsked,
    UpgradeAsked,
)
from duologue.model.observations import Observe
from duologue.model.routing import Upgrade
from duologue.ports.agent import WHAT_TO_SAY, Agent, Files, PlainAgent
from duologue.runtime.agents import Agents
from duologue.runtime.blame import ends_the_task
from duologue.runtime.events_log import EventLog
from duologue.runtime.judging import judge
from duologue.runtime.reach import Reach, Waiting, declared
from duologue.runtime.recall import Looks
from duologue.runtime.session import LiveSession
from duologue.runtime.tools.toolbox import Toolbox

Surround: TypeAlias = Callable[[AgentRequest], Context | None]
"""The context variables that a run sees, such as the span that it is in; `None` for those of whoever begins it."""

PLACES = 4
"""Innermost frames of a failed agent that are logged: where it broke and who called."""

START_ROUNDS = 3
"""Rounds of the event loop before an agent is asked: as many as a response takes to begin."""

TEXT_CHARS = limits.AGENT_ITEM_BYTES // 4
"""The longest text of one item: in UTF-8 it is within `limits.AGENT_ITEM_BYTES`."""

_ADDRESS = re.compile(r"(https?://[!-.0-~][!-~]*|/[!-~]*)")
"""Addresses that an agent may cite: absolute, or of a page of this server."""


async def run(
    session: LiveSession,
    *,
    agent: Agent,
    plain: PlainAgent | None,
    request: AgentRequest,
    files: Files,
    log: EventLog,
    toolbox: Toolbox,
    recall: Looks | None = None,
) -> None:
    """Run the agent for one response, and give the session what it says.

    Ends when the agent does, when the session has failed, or when cancelled; a cancelled run says nothing more.
    """
    response_id = request.response_id
    try:
        if recall is not None:
            found = await recall.look(request)
            found.tell(session, response_id)
            request = found.given_to(request)
        ended = await _relay(session, agent=agent, plain=plain, request=request, files=files, toolbox=toolbox)
        if not ended:
            message = "the agent's stream stopped before the answer was finished"
            _fail(session, response_id, code=Code.AGENT_TRUNCATED, message=message)
    except StoreError:
        return
    # The boundary of the actor: an agent may raise anything, and only its own turn may suffer.
    except BaseException as error:
        if ends_the_task(error):
            raise
        log(
            "agent_failed",
            session=request.session_id,
            response=response_id,
            error=type(error).__name__,
            error_at=_place(error),
            **{"pii.detail": str(error)},
        )
        message = "the agent failed; the server's log says how"
        if session.failure is None:
            _fail(session, response_id, code=Code.AGENT_FAILED, message=message)


def _place(error: BaseException) -> str:
    """Where an exception was raised; the names of files and functions say nothing of what people wrote."""
    frames = traceback.extract_tb(error.__traceback__)[-PLACES:]
    return " < ".join(f"{frame.filename}:{frame.lineno} {frame.name}" for frame in reversed(frames))


async def _relay(
    session: LiveSession,
    *,
    agent: Agent,
    plain: PlainAgent | None,
    request: AgentRequest,
    files: Files,
    toolbox: Toolbox,
) -> bool:
    """Pass the agent's items on; true when it said that it was done."""
    response_id = request.response_id
    given = 0
    # Who asked is still being answered: their stream begins first, and the first words do not pile up before it.
    for _ in range(START_ROUNDS):
        await asyncio.sleep(0)
    say, visible = session.say, False
    asked = agent.run(request, files) if plain is None else plain.answer(request, files)
    async with aclosing(asked) as items:
        async for item in items:
            # First the way of all tokens but an answer's first one, with nothing in it that can be left out.
            if not (
                isinstance(item, str) and item.isascii() and len(item) <= TEXT_CHARS and say(response_id, item)
            ) and not _say(session, response_id, item):
                heard = _heard(item, response_id)
                if isinstance(heard, AgentRequested):
                    heard = declared(heard, toolbox, session)
                session.give(heard)
                visible = visible or not isinstance(heard, AgentNoted | AgentCalled | AgentReturned | AgentSpoke)
                match heard:
                    case AgentFinished() | AgentFailed() | AgentAsked() | AgentCancelled():
                        return True
                    case ObservationAsked() | AgentHandedOff() | UpgradeAsked():
                        return True
                    case _:
                        pass
            # A stream that never waits by itself must not starve the others, nor outrun the store.
            given += 1
            if given == limits.RUN_ITEMS:
                given = 0
                await _pause(session)
    return plain is not None and _finish(session, response_id, visible=visible)


def _say(session: LiveSession, response_id: str, item: object) -> bool:
    """Say some more text of any kind; false where it is none, or the first, or cannot be said."""
    said = item.text if isinstance(item, Text) else item
    return isinstance(said, str) and _sayable(said) and session.say(response_id, said)


def _finish(session: LiveSession, response_id: str, *, visible: bool) -> bool:
    """Finish an answer whose stream has ended, if the person can see any of it; blank text is nothing to see."""
    turn = session.state.open
    if turn is None or turn.response.response_id != response_id:
        return True
    if not visible and not "".join(turn.response.pieces).strip():
        return False
    session.give(AgentFinished(response_id=response_id))
    return True


async def _pause(session: LiveSession) -> None:
    await asyncio.sleep(0)
    while session.crowded:
        await session.changed()
        if session.failure is not None:
            raise session.failure


def _fail(session: LiveSession, response_id: str, *, code: Code, message: str) -> None:
    session.give(AgentFailed(response_id=response_id, code=code, message=message, retryable=True))


def _heard(item: object, response_id: str) -> AgentInput:
    """Turn an item into an input, or into a failure where it cannot be stored or shown.

    Raises:
        TypeError: it is no item; the type is named.
    """
    match item:
        case str(text) | Text(text=text):
            if _sayable(text):
                return AgentSpoke(response_id=response_id, text=text)
            return _bad(response_id, "text that is too long or not valid Unicode")
        case Citation(title=title, url=url, snippet=snippet):
            if not _ADDRESS.fullmatch(url):
                return _bad(response_id, "a citation whose address is neither absolute nor a path")
            heard = AgentCited(response_id=response_id, title=title, url=url, snippet=snippet)
        case Chips(chips=chips):
            heard = AgentSuggested(response_id=response_id, chips=chips[: limits.CHIPS])
        case Rich(version=version) if version < 1:
            return _bad(response_id, "a payload whose version is below 1")
        case Rich():
            heard = AgentShowed(
                response_id=response_id, payload_type=item.payload_type, data=item.data, version=item.version
            )
        case Note():
            heard = AgentNoted(
                response_id=response_id, category=item.category, message=item.message, details=item.details
            )
        case ToolCalled() | ToolRequested() | ToolReturned():
            return _heard_of_tool(item, response_id)
        case Asked(interrupts=interrupts) if not all(map(_can_be_asked, interrupts)):
            return _bad(response_id, "an interrupt whose id or reason is missing or too long")
        case Asked(interrupts=interrupts, usage=usage):
            heard = AgentAsked(response_id=response_id, interrupts=interrupts, usage=usage)
        case Observe(modality=modality, prompt=prompt, wait_ms=wait_ms):
            heard = ObservationAsked(response_id=response_id, modality=modality, prompt=prompt, wait_ms=wait_ms)
        case HandOff():
            heard = AgentHandedOff(response_id=response_id, asked=item)
        case Upgrade(reason=reason):
            heard = UpgradeAsked(response_id=response_id, reason=reason)
        case Cancelled(usage=usage):
            heard = AgentCancelled(response_id=response_id, usage=usage)
        case Failure(message=message, retryable=retryable, usage=usage):
            heard = AgentFailed(
                response_id=response_id,
                code=Code.AGENT_FAILED,
                message=message,
                retryable=retryable,
                usage=usage,
            )
        case Finished():
            heard = AgentFinished(
                response_id=response_id,
                total_tokens=item.total_tokens,
                confident=item.confident,
                usage=item.usage,
            )
        case _:
            raise TypeError(f"the agent said a {type(item).__qualname__}; {WHAT_TO_SAY}")
    return heard if _fits(heard) else _bad(response_id, f"a {type(item).__name__} that is too large or no JSON")


def _heard_of_tool(item: ToolCalled | ToolRequested | ToolReturned, response_id: str) -> AgentInput:
    """Turn what an agent says of a tool into an input; arguments are a JSON object for everybody who reads them."""
    call_id, name, arguments = item.call_id, item.name, item.arguments
    named = isinstance(item, ToolReturned) or name
    if not (named and call_id and len(call_id) <= limits.TOOL_CALL_ID_CHARS and len(name) <= limits.TOOL_NAME_CHARS):
        return _bad(response_id, "a tool call whose id or name is missing or too long")
    if arguments and not _is_object(arguments):
        return _bad(response_id, f"a call of {name!r} whose arguments are no JSON object")
    match item:
        case ToolCalled(repeatable=repeatable):
            heard = AgentCalled(
                response_id=response_id,
                call_id=call_id,
                name=name,
                arguments=arguments or "{}",
                repeatable=repeatable,
            )
        case ToolRequested():
            heard = AgentRequested(response_id=response_id, call_id=call_id, name=name, arguments=arguments or "{}")
        case ToolReturned(result=result, is_error=is_error):
            heard = AgentReturned(
                response_id=response_id,
                call_id=call_id,
                result=result,
                is_error=is_error,
                name=name,
                arguments=arguments,
            )
        case _:
            assert_never(item)
    return heard if _fits(heard) else _bad(response_id, f"a {type(item).__name__} that is too large or no JSON")


def _is_object(text: str) -> bool:
    try:
        msgspec.json.decode(text, type=dict[str, object])
    except (ValueError, RecursionError):
        return False
    return True


def _can_be_asked(interrupt: Interrupt) -> bool:
    return (
        bool(interrupt.interrupt_id and interrupt.reason) and len(interrupt.interrupt_id) <= limits.TOOL_CALL_ID_CHARS
    )


def _bad(response_id: str, what: str) -> AgentFailed:
    return AgentFailed(
        response_id=response_id, code=Code.AGENT_BAD_ITEM, message=f"the agent sent {what}", retryable=False
    )


def _sayable(text: str) -> bool:
    """Whether text is short enough and has no lone surrogates, which no protocol can carry."""
    if len(text) > TEXT_CHARS:
        return False
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _fits(heard: AgentInput) -> bool:
    try:
        encoded = msgspec.json.encode(heard)
        msgspec.json.decode(encoded, type=type(heard))
    except (TypeError, ValueError, RecursionError, msgspec.MsgspecError):
        return False
    return len(encoded) <= limits.AGENT_ITEM_BYTES


def _name(request: AgentRequest) -> str:
    return f"run {request.session_id} {request.response_id}"


class Runs:
    """The runs in progress, at most one per session, each a task of the group that owns them.

    Attributes:
        waiting: those that wait for a tool; to be told of durable events.
    """

    def __init__(
        self,
        group: asyncio.TaskGroup,
        *,
        agents: Agents,
        files: Callable[[str], Files],
        log: EventLog,
        surround: Surround | None = None,
        toolbox: Toolbox | None = None,
        recall: Looks | None = None,
    ):
        self._surround, self._toolbox, self._recall = surround, toolbox or Toolbox(), recall
        self._group, self._agents, self._files, self._log = group, agents, files, log
        self.waiting = Waiting()
        self._running: dict[str, tuple[str, asyncio.Task[None]]] = {}
        self._stopping: set[asyncio.Task[None]] = set()

    def start(
        self,
        session: LiveSession,
        request: AgentRequest,
        *,
        agent: Agent | None = None,
        recall: Looks | None = None,
    ) -> None:
        """Start a run; `agent` in place of the usual one goes on with a run that was begun before.

        Args:
            recall: what that run was given of memory.
        """
        key = request.session_id
        request = self._with_tools(session, request)
        asked = agent or self._agents.find(request.agent, request.tier)
        work = run(
            session,
            agent=asked,
            # What goes on is asked as what it is.
            plain=asked if agent is None and isinstance(asked, PlainAgent) else None,
            request=request,
            files=Reach(
                self._files(request.subject),
                session=session,
                request=request,
                toolbox=self._toolbox,
                waiting=self.waiting,
            ),
            log=self._log,
            toolbox=self._toolbox,
            recall=self._recall if agent is None else recall,
        )
        context = None if self._surround is None else self._surround(request)
        self._hold(key, request.response_id, self._group.create_task(work, name=_name(request), context=context))

    def judge(self, session: LiveSession, order: JudgeComplexity) -> None:
        """Ask the gate's agent how hard a turn is; a run stands in the same place, and is stopped the same way."""
        key = session.state.session_id
        files = self._files(session.state.subject)
        work = judge(session, order, agent=self._agents.find(tier="gate"), files=files, log=self._log)
        self._hold(key, order.response_id, self._group.create_task(work, name=f"judge {key} {order.response_id}"))

    def _hold(self, session_id: str, response_id: str, task: asyncio.Task[None]) -> None:
        self._running[session_id] = (response_id, task)
        task.add_done_callback(lambda done: self._forget(session_id, done))

    def _with_tools(self, session: LiveSession, request: AgentRequest) -> AgentRequest:
        """Say which tools of the registry the run may ask for."""
        turn = session.state.open
        if not len(self._toolbox) or turn is None:
            return request
        client = [tool.name for tool in request.tools]
        return msgspec.structs.replace(request, offered=self._toolbox.offered(granted=turn.said.granted, client=client))

    def stop(self, session_id: str, response_id: str | None = None) -> None:
        """Cancel a session's run, if it is that response's; it is given `limits.CANCEL_MS` to clean up."""
        running = self._running.get(session_id)
        if running is None or response_id not in (None, running[0]):
            return
        del self._running[session_id]
        self._stopping.add(running[1])
        self._cancel(running[1])

    def stop_all(self) -> None:
        """Cancel every run."""
        for session_id in list(self._running):
            self.stop(session_id)

    def __len__(self) -> int:
        return len(self._running)

    def __contains__(self, session_id: str) -> bool:
        return session_id in self._running

    async def idle(self) -> None:
        """Wait until no run is left."""
        while self._running:
            await asyncio.wait([task for _, task in self._running.values()])

    async def one_less(self) -> None:
        """Wait until some run ends."""
        if self._running:
            running = [task for _, task in self._running.values()]
            await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)

    async def stopped(self) -> None:
        """Wait until the cancelled runs have let go, `limits.CANCEL_MS` at most."""
        if self._stopping:
            await asyncio.wait(self._stopping, timeout=limits.CANCEL_MS / 1000)

    def _cancel(self, task: asyncio.Task[None]) -> None:
        """Cancel a run, and again for as long as its clean-up takes longer than it may."""
        task.cancel()
        asyncio.get_running_loop().call_later(limits.CANCEL_MS / 1000, self._insist, task)

    def _insist(self, task: asyncio.Task[None]) -> None:
        if not task.done():
            self._log("agent_does_not_stop", run=task.get_name())
            self._cancel(task)

    def _forget(self, session_id: str, done: asyncio.Task[None]) -> None:
        self._stopping.discard(done)
        running = self._running.get(session_id)
        if running is not None and running[1] is done:
            del self._running[session_id]
