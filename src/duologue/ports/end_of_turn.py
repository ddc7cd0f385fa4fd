"""The port through which Duologue asks whether a person who paused has finished."""

from typing import Protocol


class EndOfTurn(Protocol):
    """Judges by how it sounded, or by what was said. One instance serves all calls."""

    async def probability(self, audio: bytes, text: str) -> float:
        """Judge whether the turn is over.

        Args:
            audio: the turn so far, up to the pause: PCM16, 16,000 Hz, mono; only the last
                `limits.END_OF_TURN_AUDIO_MS` count. May be empty.
            text: what was understood of it so far; may be empty.
        Returns:
            How likely it is that the person has finished, from 0 to 1.
        Raises:
            SpeechError: it cannot judge; the caller then goes by silence alone.
        Cancellation: safe; what was being computed goes on for some ms, and nobody hears of it.
        """
        ...
