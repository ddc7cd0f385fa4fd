"""Agent runs: one task per answer that is being made."""

import asyncio
from collections.abc import Callable
from contextvars import Context
from typing import TypeAlias

import msgspec

from duologue.model import limits
from duologue.model.agent import AgentRequest
from duologue.model.effects import JudgeComplexity
from duologue.ports.agent import Agent, Files, PlainAgent
from duologue.runtime.agents import Agents
from duologue.runtime.events_log import EventLog
from duologue.runtime.judging import judge
from duologue.runtime.reach import Reach, Waiting
from duologue.runtime.recall import Looks
from duologue.runtime.relay import relay
from duologue.runtime.session import LiveSession
from duologue.runtime.tools.toolbox import Toolbox

Surround: TypeAlias = Callable[[AgentRequest], Context | None]
"""The context variables that a run sees, such as the span that it is in; `None` for those of whoever begins it."""


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
        work = relay(
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


def _name(request: AgentRequest) -> str:
    return f"run {request.session_id} {request.response_id}"
