"""Where the servers are, and what they are asked for."""

from typing import Literal

from duologue.model.base import Value

OPENAI = "https://api.openai.com/v1"


class TranscriptionEndpoint(Value, kw_only=True):
    """`POST {base_url}/audio/transcriptions`.

    Attributes:
        model: the server's name for it.
        base_url: up to and including `/v1`.
        api_key: sent as a bearer token; empty for none.
        response_format: `verbose_json` also tells how sure the model is; not every model takes it.
        partial_ms: how much new speech is sent again before the end; 0 for finals only, as each is paid for.
    """

    model: str = "whisper-1"
    base_url: str = OPENAI
    api_key: str = ""
    response_format: Literal["json", "verbose_json"] = "json"
    partial_ms: int = 0

    def __repr__(self) -> str:
        return (
            f"TranscriptionEndpoint(model={self.model!r}, base_url={self.base_url!r}, api_key {_shown(self.api_key)})"
        )


class SpeechEndpoint(Value, kw_only=True):
    """`POST {base_url}/audio/speech`, with sound as PCM16, streamed.

    Attributes:
        model: the server's name for it.
        voice: the server's name for it.
        base_url: up to and including `/v1`.
        api_key: sent as a bearer token; empty for none.
        instructions: how to speak, for models that take it.
        speed: 1.0 is the voice's own.
        rate_hz: samples a second of what comes; OpenAI's, and what most others do.
    """

    model: str = "gpt-4o-mini-tts"
    voice: str = "alloy"
    base_url: str = OPENAI
    api_key: str = ""
    instructions: str = ""
    speed: float = 1.0
    rate_hz: int = 24_000

    def __repr__(self) -> str:
        return f"SpeechEndpoint(model={self.model!r}, base_url={self.base_url!r}, api_key {_shown(self.api_key)})"


def _shown(key: str) -> str:
    return "set" if key else "not set"
