"""The port through which Duologue has speech recognised."""

from collections.abc import AsyncGenerator
from typing import Protocol

from duologue.model.speech import Heard


class Transcription(Protocol):
    """What one person says in one call. Its owner is one task; all but `heard` and `aclose` return at once."""

    def push(self, pcm: bytes) -> None:
        """Give some more audio, in order; silence may be left out.

        Args:
            pcm: mono, signed 16-bit little-endian, `audio.RATE_HZ`; whole samples.
        At most `limits.SEGMENT_MS` waits to be recognised (policy: the oldest is forgotten).
        """
        ...

    def finish(self) -> int:
        """End the segment: the person may be done. Its final follows soon, also where nothing was said (empty).

        Returns:
            The number of the segment that this ended. Audio from now on belongs to the next.
        """
        ...

    def drop(self) -> None:
        """Forget the audio of the segment that is not finished; it was noise. Its number stays.

        Partials of what was dropped are not delivered any more. Finals of earlier segments are.
        """
        ...

    def heard(self) -> AsyncGenerator[Heard, None]:
        """Tell what is recognised, until closed; called once.

        Returns:
            Partials of the open segment, as often as the recogniser has the time; then, for each `finish`, exactly
            one final, in order. A partial that was overtaken is left out. At most `limits.HEARD_WAITING` wait for a
            slow reader (policy: partials are dropped first, then the oldest finals).
        Raises:
            SpeechError: the recogniser failed; nothing more comes. What was pushed and is not final is lost.
        Cancellation: safe; the transcription stays and has to be closed.
        """
        ...

    async def aclose(self) -> None:
        """Let go of all of it; `heard` ends. Harmless when called again. Within `limits.CANCEL_MS`."""
        ...


class SpeechToText(Protocol):
    """A recogniser. One instance serves all calls at once."""

    @property
    def name(self) -> str:
        """A short name for people and figures."""
        ...

    def open(self, language: str | None) -> Transcription:
        """Begin to listen to somebody; returns at once.

        Args:
            language: BCP 47 tag of what is expected; `None` lets the recogniser find out.
        What goes wrong shows in `heard`.
        """
        ...

    async def warm(self) -> None:
        """Load what takes time, so that the first call does not wait. Harmless when called again.

        Raises:
            SpeechError: it cannot work as configured; the message says why.
        Cancellation: loading may go on behind.
        """
        ...

    async def aclose(self) -> None:
        """Let go of workers and connections, once, when no transcription is left. Within `limits.CANCEL_MS`."""
        ...
