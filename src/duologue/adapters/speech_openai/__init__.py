"""Speech by a server that speaks OpenAI's protocol for it: theirs, or one of the many that do the same."""

from duologue.adapters.speech_openai.options import SpeechEndpoint, TranscriptionEndpoint
from duologue.adapters.speech_openai.recogniser import OpenaiSpeechToText
from duologue.adapters.speech_openai.voice import OpenaiTextToSpeech

__all__ = ["OpenaiSpeechToText", "OpenaiTextToSpeech", "SpeechEndpoint", "TranscriptionEndpoint"]
