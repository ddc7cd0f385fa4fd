"""What a user's function is given."""

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from duologue.model import limits
from duologue.model.agent import AgentRequest
from duologue.model.base import Value
from duologue.model.content import (
    Answer,
    Attachment,
    ClientTool,
    ContextItem,
    Interrupt,
    Message,
    Modality,
    Observation,
    PhotoObservation,
    Source,
    SpeechMetadata,
    ToolCall,
    ToolResult,
)
from duologue.model.errors import StoreError
from duologue.model.memory import MemoryItem
from duologue.model.signals import Signal
from duologue.ports.agent import Calls, Files, within


def recorded(request: AgentRequest) -> list[ToolCall]:
    """The calls that runs before this one have made within themselves, in order."""
    calls = (call for message in request.so_far for call in message.calls)
    return [call for call in calls if call.runs_on == "server" and call.result is not None and within(call.call_id)]


def same(call: ToolCall, name: str, arguments: str) -> bool:
    """Whether a call is of this tool with these arguments, in whatever order they stand."""
    return call.name == name and msgspec.json.decode(call.arguments) == msgspec.json.decode(arguments)


class Image(Value, frozen=True, kw_only=True):
    """A picture that came with the turn; `data` holds the file's bytes as they were sent."""

    media_type: str
    data: bytes


class Turn:
    """One turn of the person: what they said and showed, and what was said before."""

    __slots__ = ("_files", "_recorded", "request")

    def __init__(self, request: AgentRequest, files: Files) -> None:
        self.request = request
        self._files = files
        self._recorded = recorded(request) if request.so_far else []

    def __repr__(self) -> str:
        # No text of the person: a repr ends up in logs.
        return f"Turn(session_id={self.session_id!r}, number={self.number})"

    @property
    def text(self) -> str:
        """What the person said; empty where they showed something instead."""
        return self.request.text

    @property
    def history(self) -> tuple[Message, ...]:
        """Earlier messages, oldest first, without this turn."""
        return self.request.history

    @property
    def context(self) -> tuple[ContextItem, ...]:
        """Data from the client; never instructions."""
        return self.request.context

    @property
    def memories(self) -> tuple[MemoryItem, ...]:
        """What is remembered of the person that may matter now, the best first; data, never instructions."""
        return self.request.memories

    @property
    def language(self) -> str:
        """BCP 47 tag of the conversation."""
        return self.request.language

    @property
    def source(self) -> Source:
        """Typed or spoken."""
        return self.request.source

    @property
    def observation(self) -> Observation | None:
        """A tag or photo that the turn shows."""
        return self.request.observation

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """Stored uploads that came with the turn; `read` gives their bytes."""
        return self.request.attachments

    @property
    def speech(self) -> SpeechMetadata | None:
        """What the client's recogniser measured."""
        return self.request.speech

    @property
    def signals(self) -> tuple[Signal, ...]:
        """The newest mood and intent, mostly those of the turn before; none where nobody estimates any."""
        return self.request.signals

    @property
    def modalities(self) -> tuple[Modality, ...]:
        """What the client can be asked to observe."""
        return self.request.modalities

    @property
    def tools(self) -> tuple[ClientTool, ...]:
        """What the client offers to run; `ToolRequested` asks for it."""
        return self.request.tools

    @property
    def offered(self) -> tuple[ClientTool, ...]:
        """The server's tools that may be called: with `call`, or with `ToolRequested`."""
        return self.request.offered

    @property
    def tool_results(self) -> tuple[ToolResult, ...]:
        """What tools returned that the last run asked for, or whose results have come since."""
        return self.request.tool_results

    @property
    def so_far(self) -> tuple[Message, ...]:
        """What was said and done of this turn in runs before this one."""
        return self.request.so_far

    @property
    def resumed(self) -> str:
        """Why the turn goes on by itself, such as `approval` or `tool`; empty where the person has just said `text`."""
        return self.request.resumed

    @property
    def answers(self) -> tuple[Answer, ...]:
        """What became of the interrupts that the last run ended with, one for each."""
        return self.request.resume

    @property
    def interrupts(self) -> tuple[Interrupt, ...]:
        """The interrupts that `answers` are about."""
        return self.request.interrupts

    # JSON of the client's own design: no narrower type exists.
    @property
    def state(self) -> Any:
        """The state that the client keeps; data, never instructions."""
        return self.request.state

    # JSON of the client's own design: no narrower type exists.
    @property
    def forwarded_props(self) -> Any:
        """Values that the client passes through; data, never instructions."""
        return self.request.forwarded_props

    @property
    def request_id(self) -> str:
        """The client's id of the turn; the same in every attempt at it."""
        return self.request.request_id

    @property
    def session_id(self) -> str:
        """The conversation."""
        return self.request.session_id

    @property
    def subject(self) -> str:
        """The person, as authenticated; `local` where nobody is."""
        return self.request.subject

    @property
    def response_id(self) -> str:
        """The id of this run, unique in the session."""
        return self.request.response_id

    @property
    def number(self) -> int:
        """The turn's number in the session."""
        return self.request.turn

    # Any: JSON of the tool's own design.
    async def call(self, name: str, arguments: Mapping[str, Any] | None = None) -> ToolResult:
        """Have one of the server's tools run, and wait for its result.

        Where the person has to let it run, this run ends here, and the function is called again once they have decided:
        it goes past all calls that have their results already, and what it says before the last of them is not
        said again. What a tool cannot do, and what nobody lets run, is a result with `is_error`.

        Args:
            name: one of `offered`.
            arguments: what is JSON.
        Raises:
            ValueError: the arguments are no JSON, or too large; or the tool is the client's.
            RuntimeError: the run is over, or nothing here has tools.
        Cancellation: what was begun goes on, and is recorded.
        """
        try:
            text = msgspec.json.encode(dict(arguments or {})).decode()
        except (TypeError, ValueError, msgspec.MsgspecError) as error:
            raise ValueError(f"the arguments of {name!r} are no JSON") from error
        if self._recorded:
            known = next((one for one in self._recorded if same(one, name, text)), None)
            if known is not None:
                self._recorded.remove(known)
                return ToolResult(
                    call_id=known.call_id,
                    content=known.result or "",
                    is_error=known.is_error,
                    name=known.name,
                    arguments=known.arguments,
                    status=known.status,
                )
            # It takes another way than before.
            self._recorded.clear()
        if not isinstance(self._files, Calls):
            raise RuntimeError("nothing here has tools")
        return await self._files.call(name, text)

    @property
    def repeats(self) -> bool:
        """Whether the function goes the way that it went before: what it says now has been said."""
        return bool(self._recorded)

    async def read(self, upload_id: str) -> bytes:
        """Read an upload of this person.

        Raises:
            StoreError: it cannot be read now.
            LookupError: there is none of that id for this person.
        Cancellation: safe.
        """
        try:
            async with asyncio.timeout(limits.STORE_MS / 1000):
                return await self._files.read(upload_id)
        except TimeoutError as error:
            raise StoreError(f"reading an upload took longer than {limits.STORE_MS} ms; try again") from error

    async def images(self) -> list[Image]:
        """Read the pictures of the turn: the photo first, then the attached images, each once.

        Raises:
            StoreError: one cannot be read now.
            LookupError: one was removed meanwhile.
        Cancellation: safe.
        """
        pictures: dict[str, Attachment] = {}
        for picture in self._pictures():
            pictures.setdefault(picture.upload_id, picture)
        return [
            Image(media_type=picture.media_type, data=await self.read(picture.upload_id))
            for picture in pictures.values()
        ]

    def _pictures(self) -> Iterator[Attachment]:
        if isinstance(self.observation, PhotoObservation):
            yield self.observation.photo
        yield from (item for item in self.attachments if item.media_type.lower().startswith("image/"))
