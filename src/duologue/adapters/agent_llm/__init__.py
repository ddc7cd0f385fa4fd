"""The agent that is a language model, reached through Pydantic AI. Needs the extra `llm`."""

from duologue.adapters.agent_llm.agent import LlmAgent
from duologue.adapters.agent_llm.handing import Handing
from duologue.adapters.agent_llm.options import Endpoint, LlmOptions

__all__ = ["Endpoint", "Handing", "LlmAgent", "LlmOptions"]
