"""The agent that is reached over HTTP by the AG-UI protocol."""

from duologue.adapters.agent_agui.agent import AguiAgent
from duologue.adapters.agent_agui.options import AguiOptions

__all__ = ["AguiAgent", "AguiOptions"]
