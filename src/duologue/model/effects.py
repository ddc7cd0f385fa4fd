"""Effects: what the engine orders. The runtime carries them out once their cause is stored."""

from typing import TypeAlias

from duologue.model.agent import AgentRequest
from duologue.model.base import Value


class RunAgent(Value, kw_only=True):
    """Start the agent; its items come back as inputs that name `request.response_id`."""

    request: AgentRequest


class StopAgent(Value, kw_only=True):
    """Stop the run; what it still says is ignored."""

    response_id: str


Effect: TypeAlias = RunAgent | StopAgent
