"""Speech recognised by a plugin of LiveKit Agents."""

from typing import Any

from duologue.adapters.speech_livekit.plugins import agents
from duologue.adapters.speech_livekit.transcription import LivekitTranscription
from duologue.model.errors import SpeechError
from duologue.ports.speech_to_text import Transcription


class LivekitSpeechToText:
    """See `ports.speech_to_text.SpeechToText`. Needs a plugin that streams, as nearly all do; one that takes whole
    recordings only can be put into LiveKit's own `StreamAdapter`.

    Raises:
        SpeechError: LiveKit Agents is not installed, or the plugin is none that recognises speech as it comes.
    """

    # The plugin is somebody else's class.
    def __init__(self, plugin: Any) -> None:
        if not isinstance(plugin, agents().stt.STT):
            raise SpeechError(f"{type(plugin).__name__} is no plugin that recognises speech", retryable=False)
        if not plugin.capabilities.streaming:
            raise SpeechError("the plugin does not recognise speech as it comes: use a StreamAdapter", retryable=False)
        self._plugin = plugin
        self.name = f"livekit-{plugin.provider}" if plugin.provider != "unknown" else "livekit"

    def open(self, language: str | None) -> Transcription:
        """Begin to listen to somebody."""
        return LivekitTranscription(self._plugin, name=self.name, language=language)

    async def warm(self) -> None:
        """Let the plugin connect."""
        self._plugin.prewarm()

    async def aclose(self) -> None:
        """Close the plugin."""
        await self._plugin.aclose()
