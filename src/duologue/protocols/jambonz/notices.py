"""Agent events as notices: the body of a webhook is the agent event itself."""

from typing import Final

import msgspec

from duologue.model.events import AnyEvent
from duologue.protocols.jambonz.project import agent_event
from duologue.protocols.jambonz.signature import sign

_encode: Final = msgspec.json.Encoder().encode


class AgentEventNotices:
    """Agent events; see `duologue.ports.notices.Notices`."""

    def kind(self, event: AnyEvent) -> str | None:
        """The agent event's type."""
        said = agent_event(event)
        return None if said is None else str(said.__struct_config__.tag)

    def body(self, event: AnyEvent) -> bytes:
        """The agent event."""
        said = agent_event(event)
        assert said is not None, "it was asked for a notice"
        return _encode(said)

    def proof(self, body: bytes, *, secret: str, now_ms: int) -> dict[str, str]:
        """The signature, as jambonz makes it."""
        return {"Jambonz-Signature": sign(body, secret=secret, now_ms=now_ms)}
