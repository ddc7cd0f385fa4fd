"""What the agent is told when it is made."""

from duologue.adapters.agent_llm.handing import Handing
from duologue.model import limits
from duologue.model.base import Value


class Endpoint(Value, kw_only=True):
    """Which model is asked, and where.

    Attributes:
        model: Pydantic AI's name, such as `openai:gpt-5-mini`; with `base_url` the server's own name for it.
        base_url: an OpenAI-compatible server, up to and including `/v1`; empty: where the provider is.
        api_key: for the provider or server; empty: what the provider's own environment variable says.
    """

    model: str
    base_url: str = ""
    api_key: str = ""

    def __repr__(self) -> str:
        key = "set" if self.api_key else "not set"
        return f"Endpoint(model={self.model!r}, base_url={self.base_url!r}, api_key {key})"


class LlmOptions(Value, kw_only=True):
    """How a language model is asked; `model/limits/` has the reasons of the defaults.

    Attributes:
        endpoint: the model that is asked first.
        fallback: asked where the first cannot answer, before it has said anything.
        system_prompt: the operator's instructions; nothing of a client's gets into them.
        history_tokens: how much of earlier messages is sent, as `budget.tokens` estimates.
        max_tokens: most tokens of an answer; 0 leaves it to the provider.
        images: whether pictures are sent to models that take them.
        silence_ms: longest wait for the first piece of an answer, and between two.
        attempts: how often one model is asked before it is given up.
        handing: to whom it may pass conversations on; `None`: to nobody.
    """

    endpoint: Endpoint
    fallback: Endpoint | None = None
    system_prompt: str = ""
    history_tokens: int = limits.LLM_HISTORY_TOKENS
    max_tokens: int = 0
    images: bool = True
    silence_ms: int = limits.LLM_SILENCE_MS
    attempts: int = limits.LLM_ATTEMPTS
    handing: Handing | None = None
