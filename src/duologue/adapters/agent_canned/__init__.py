"""An agent that answers greetings, thanks and what it was given answers for, without a model."""

from duologue.adapters.agent_canned.agent import Canned, CannedAgent

__all__ = ["Canned", "CannedAgent"]
