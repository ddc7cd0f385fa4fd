"""What a run may reach: its person's uploads, and the registry's tools while it goes on."""

import asyncio
from typing import Final, TypeAlias

import msgspec

from duologue.engine import tools
from duologue.model import limits
from duologue.model.agent import AgentRequest
from duologue.model.content import ToolResult
from duologue.model.events import AnyEvent, ToolMoved, ToolReturned
from duologue.model.inputs import AgentRequested
from duologue.ports.agent import Files, id_within
from duologue.runtime.session import LiveSession
from duologue.runtime.tools.toolbox import Toolbox

_Key: TypeAlias = tuple[str, str]

MEANWHILE = frozenset({"pending_supervisor", "async_pending"})
"""Steps of a call after which its run goes on, though it has not come to its end."""


class Waiting:
    """The runs that wait for a tool, each by session and call."""

    def __init__(self) -> None:
        self._futures: dict[_Key, asyncio.Future[ToolResult]] = {}

    def wait(self, session_id: str, call_id: str) -> asyncio.Future[ToolResult]:
        """Wait for what comes of a call; `forget` it in the end."""
        future = asyncio.get_running_loop().create_future()
        self._futures[session_id, call_id] = future
        return future

    def forget(self, session_id: str, call_id: str) -> None:
        """Wait no more."""
        self._futures.pop((session_id, call_id), None)

    def told(self, session_id: str, events: tuple[AnyEvent, ...]) -> None:
        """Hear of durable events; what nobody waits for is skipped."""
        if not self._futures:
            return
        for event in events:
            if isinstance(event, ToolReturned | ToolMoved):
                future = self._futures.get((session_id, event.call_id))
                result = _result(event)
                if future is not None and result is not None and not future.done():
                    future.set_result(result)


def _result(event: ToolReturned | ToolMoved) -> ToolResult | None:
    """What a run that waits is told; `None` where it goes on waiting."""
    match event:
        case ToolReturned():
            return ToolResult(
                call_id=event.call_id,
                content=event.result,
                is_error=event.is_error,
                name=event.name,
                arguments=event.arguments,
                status=event.status or "",
            )
        case ToolMoved(status=status):
            if status not in MEANWHILE:
                return None
            content = msgspec.json.encode({"status": status}).decode()
            return ToolResult(call_id=event.call_id, content=content, name=event.name, status=status)


class Reach:
    """What one run is given as its files; see `ports.agent.Calls`."""

    def __init__(
        self, files: Files, *, session: LiveSession, request: AgentRequest, toolbox: Toolbox, waiting: Waiting
    ) -> None:
        self._files, self._session, self._request = files, session, request
        self._toolbox, self._waiting = toolbox, waiting
        self._count = 0

    async def read(self, upload_id: str) -> bytes:
        """Read an upload; see `ports.agent.Files`."""
        return await self._files.read(upload_id)

    async def call(self, name: str, arguments: str) -> ToolResult:
        """Have a tool run; see `ports.agent.Calls`."""
        request = self._request
        self._count += 1
        call_id = id_within(request.response_id, request.leg, self._count)
        asked = declared(
            AgentRequested(
                response_id=request.response_id,
                call_id=call_id,
                name=name,
                arguments=_checked(name, arguments),
                waits=True,
            ),
            self._toolbox,
            self._session,
        )
        if asked.in_turns or (asked.spec is None and name in {tool.name for tool in request.tools}):
            raise ValueError(
                f"{name!r} is a tool of the client's: yield ToolRequested, its result comes with the next run"
            )
        future = self._waiting.wait(request.session_id, call_id)
        try:
            if not self._session.give(asked).events:
                raise RuntimeError("the run is over")
            return await future
        finally:
            self._waiting.forget(request.session_id, call_id)


def _checked(name: str, arguments: str) -> str:
    """The arguments as they are asked for.

    Raises:
        ValueError: they are no JSON object, or too large.
    """
    arguments = arguments or "{}"
    if not 0 < len(name) <= limits.TOOL_NAME_CHARS or len(arguments) > limits.AGENT_ITEM_BYTES // 4:
        raise ValueError("the name of a tool is missing or too long, or its arguments are too large")
    try:
        msgspec.json.decode(arguments, type=dict[str, object])
        arguments.encode()
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the arguments of {name!r} are no JSON object") from error
    return arguments


RESULTS_IN_TURNS: Final = "agui"
"""The protocol whose clients send what their tools gave with their next turn, and not while the answer waits."""


def declared(heard: AgentRequested, toolbox: Toolbox, session: LiveSession) -> AgentRequested:
    """Add to a request what the registry declares of its tool, so that the engine needs no registry."""
    spec = toolbox.find(heard.name)
    turn = session.state.open
    if spec is None:
        return heard
    in_turns = False
    if spec.kind == "client" and turn is not None and turn.said.protocol == RESULTS_IN_TURNS:
        if not tools.offers(turn, heard.name):
            # Nobody offers to carry it out: it is as unknown as one that nobody declares.
            return heard
        in_turns = True
    wrong = heard.wrong or toolbox.wrong_with(heard.name, heard.arguments)
    return msgspec.structs.replace(heard, spec=spec, wrong=wrong, in_turns=in_turns)
