"""What a user's function is given."""

import asyncio
from collections.abc import Iterator
from typing import Any

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
    ToolResult,
)
from duologue.model.errors import StoreError
from duologue.model.memory import MemoryItem
from duologue.model.signals import Signal
from duologue.ports.agent import Files


class Image(Value, frozen=True, kw_only=True):
    """A picture that came with the turn; `data` holds the file's bytes as they were sent."""

    media_type: str
    data: bytes


class Turn:
    """One turn of the person: what they said and showed, and what was said before."""

    __slots__ = ("_files", "request")

    def __init__(self, request: AgentRequest, files: Files) -> None:
        self.request = request
        self._files = files

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
    def tool_results(self) -> tuple[ToolResult, ...]:
        """What the client's tools returned that the last run asked for."""
        return self.request.tool_results

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
