"""Text spoken by Piper on this machine, in a process of its own: Piper is under the GPL-3. Needs the extra `piper`."""

from duologue.adapters.speech_piper.options import PiperOptions, packaged_voice
from duologue.adapters.speech_piper.voice import PiperTextToSpeech

__all__ = ["PiperOptions", "PiperTextToSpeech", "packaged_voice"]
