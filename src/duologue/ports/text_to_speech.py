"""The port through which Duologue has text spoken."""

from collections.abc import AsyncGenerator
from typing import Protocol

from duologue.model.speech import Spoken


class TextToSpeech(Protocol):
    """A voice. One instance serves all calls at once, and several `speak` may run at a time."""

    @property
    def name(self) -> str:
        """A short name for people and figures."""
        ...

    def speak(self, text: str, language: str | None) -> AsyncGenerator[Spoken, None]:
        """Speak a piece of text, as a stream.

        Args:
            text: what to say, as plain text; at most `limits.PIECE_CHARS`. A sentence or a clause sounds best.
            language: BCP 47 tag of the text; `None` where it is not known.
        Returns:
            Audio in order, as soon as there is some; nothing is made far ahead of who reads it. Nothing at all where
            the text has nothing to say. The audio of a whole call is at most `limits.PIECE_AUDIO_MS`.
        Raises:
            SpeechError: it failed, maybe after some audio; what was yielded holds.
        Cancellation: the generator is cancelled or closed when the person interrupts; it lets go within
            `limits.CANCEL_MS`, and what the vendor still makes of it is thrown away.
        """
        ...

    async def warm(self) -> None:
        """Load what takes time, so that the first word does not wait. Harmless when called again.

        Raises:
            SpeechError: it cannot work as configured; the message says why.
        Cancellation: loading may go on behind.
        """
        ...

    async def aclose(self) -> None:
        """Let go of workers and connections, once, when nothing is spoken any more. Within `limits.CANCEL_MS`."""
        ...
