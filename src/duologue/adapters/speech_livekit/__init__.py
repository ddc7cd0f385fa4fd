"""Speech by any vendor that LiveKit Agents has a plugin for. Needs the extra `livekit`, and the plugin's package."""

from duologue.adapters.speech_livekit.plugins import load_plugin
from duologue.adapters.speech_livekit.recogniser import LivekitSpeechToText
from duologue.adapters.speech_livekit.voice import LivekitTextToSpeech

__all__ = ["LivekitSpeechToText", "LivekitTextToSpeech", "load_plugin"]
