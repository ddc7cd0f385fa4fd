"""Speech recognised by Whisper on this machine, through faster-whisper. Needs the extra `speech`."""

from duologue.adapters.speech_whisper.options import WhisperOptions, packaged_model
from duologue.adapters.speech_whisper.recogniser import WhisperSpeechToText

__all__ = ["WhisperOptions", "WhisperSpeechToText", "packaged_model"]
