"""The built-in tool by which a model lets somebody else go on: a person, or another agent."""

from typing import Any, Final

import msgspec
from pydantic_ai.tools import ToolDefinition

from duologue.model import limits
from duologue.model.base import Value
from duologue.model.handoff import HandOff

HAND_OFF: Final = "hand_off"
"""The tool's name; no other tool can have it."""

_ABOUT: Final = (
    "Let somebody else go on with this conversation. Use it when the person asks for a human, or when you cannot or may"
    " not do what they need. Tell the person in the same answer that you pass them on; your turn ends with this call."
)


class Handing(Value, kw_only=True):
    """To whom a model may pass conversations on: queues of people, and other agents with what they are for."""

    queues: tuple[str, ...] = ()
    agents: tuple[tuple[str, str], ...] = ()

    def tool(self) -> ToolDefinition:
        """The tool, as the model is told of it."""
        properties: dict[str, Any] = {
            "reason": {
                "type": "string",
                "maxLength": limits.HANDOFF_REASON_CHARS,
                "description": "Why, in a few words; people read it.",
            },
            "summary": {
                "type": "string",
                "maxLength": limits.HANDOFF_REASON_CHARS,
                "description": "What the person wants and what was done so far, for whoever goes on.",
            },
        }
        if self.queues:
            properties["queue"] = {"enum": list(self.queues), "description": "Which people; leave it out if unsure."}
        if self.agents:
            known = "; ".join(f"{name}: {about}" if about else name for name, about in self.agents)
            properties["agent"] = {
                "enum": [name for name, _ in self.agents],
                "description": f"Another agent, in place of people. {known}",
            }
        schema = {"type": "object", "properties": properties, "required": ["reason"], "additionalProperties": False}
        return ToolDefinition(name=HAND_OFF, description=_ABOUT, parameters_json_schema=schema)


class _Arguments(msgspec.Struct):
    reason: str = ""
    summary: str = ""
    queue: str = ""
    agent: str = ""


def read(arguments: str) -> HandOff:
    """What a model asked for; what it wrote wrongly is left to the rules, since it wants somebody else anyway."""
    try:
        asked = msgspec.json.decode(arguments or "{}", type=_Arguments)
    except msgspec.MsgspecError:
        asked = _Arguments()
    return HandOff(
        reason=asked.reason[: limits.HANDOFF_REASON_CHARS] or "the agent asked for somebody else",
        transfer="bot_to_bot" if asked.agent else "bot_to_human",
        target=(asked.agent or asked.queue)[: limits.HANDOFF_REASON_CHARS],
        summary=asked.summary[: limits.HANDOFF_REASON_CHARS],
    )
