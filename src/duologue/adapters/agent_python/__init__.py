"""The agent that is a Python function of yours."""

from duologue.adapters.agent_python.agent import Answer, PythonAgent, Said
from duologue.adapters.agent_python.load import is_agent, load_agent
from duologue.adapters.agent_python.turn import Image, Turn

__all__ = ["Answer", "Image", "PythonAgent", "Said", "Turn", "is_agent", "load_agent"]
