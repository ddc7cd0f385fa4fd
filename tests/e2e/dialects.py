"""The three dialects as their clients see them: what they send, and what the frames that come mean."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from tests.e2e.wire import Json

Outcome = Literal["completed", "cancelled", "interrupted", "failed", "again"]
"""How an answer ended; `again`: it was lost and is being made anew."""


class Dialect(Protocol):
    """One dialect."""

    @property
    def name(self) -> str:
        """Its name in test ids."""
        ...

    @property
    def path(self) -> str:
        """Where its socket is."""
        ...

    def hello(self, session: str, after: int) -> Json:
        """Open or join."""
        ...

    def turn(self, text: str, number: int) -> Json:
        """The person says something; the same number is the same client message id."""
        ...

    def cancel(self) -> Json:
        """Stop."""
        ...

    def end(self) -> Json:
        """End the session."""
        ...

    def number(self, body: Json) -> int:
        """An event's number; 0 for what is no event."""
        ...

    def delta(self, body: Json) -> str:
        """The piece of text that an event brings."""
        ...

    def outcome(self, body: Json) -> Outcome | None:
        """How the answer ended, if this event says so."""
        ...

    def asked(self, body: Json) -> str | None:
        """What the person said, if this event shows it."""
        ...

    def refusal(self, body: Json) -> str | None:
        """The code of a refusal; `None` where it is none."""
        ...


def compact(**members: Json) -> Json:
    """Leave out what is nothing."""
    return {name: value for name, value in members.items() if value is not None}


@dataclass(frozen=True)
class AgentCall:
    """AgentCall."""

    name: str = "agentcall"
    path: str = "/agentcall"

    def hello(self, session: str, after: int) -> Json:
        return compact(type="session.start", sessionId=session, resumeFromSequence=after or None)

    def turn(self, text: str, number: int) -> Json:
        return {"type": "user.turn", "turn": number, "text": text}

    def cancel(self) -> Json:
        return {"type": "response.cancel"}

    def end(self) -> Json:
        return {"type": "session.end"}

    def number(self, body: Json) -> int:
        return body["sequence"] if body["type"] == "agui.event" else 0

    def delta(self, body: Json) -> str:
        event = body["event"]
        return event["delta"] if event["type"] == "TEXT_MESSAGE_CONTENT" else ""

    def outcome(self, body: Json) -> Outcome | None:
        event = body["event"]
        if event["type"] == "RUN_ERROR":
            return "again" if event["metadata"]["duologue"]["willRetry"] else "failed"
        if event["type"] == "RUN_FINISHED":
            return event["metadata"]["duologue"]["outcome"]
        return None

    def asked(self, body: Json) -> str | None:
        event = body["event"]
        return event["value"]["text"] if event.get("name") == "duologue.turn.accepted" else None

    def refusal(self, body: Json) -> str | None:
        return body["code"] if body.get("type") == "error" else None


@dataclass(frozen=True)
class Chat:
    """Chat."""

    name: str = "chat"
    path: str = "/chat/ws"

    def hello(self, session: str, after: int) -> Json:
        return compact(type="session.start", sessionId=session, cursor=after or None)

    def turn(self, text: str, number: int) -> Json:
        return {"type": "message.send", "requestId": f"message-{number}", "text": text}

    def cancel(self) -> Json:
        return {"type": "response.cancel"}

    def end(self) -> Json:
        return {"type": "session.end"}

    def number(self, body: Json) -> int:
        return body["sequence"] if "requestId" in body and "timestamp" in body and "sequence" in body else 0

    def delta(self, body: Json) -> str:
        return body["delta"] if body["type"] == "text.delta" else ""

    def outcome(self, body: Json) -> Outcome | None:
        if body["type"] == "error":
            return "again" if body.get("willRetry") else "failed"
        return body["outcome"] if body["type"] == "response.completed" else None

    def asked(self, body: Json) -> str | None:
        return body["message"] if body.get("category") == "turn.accepted" else None

    def refusal(self, body: Json) -> str | None:
        return body["reason"] if body.get("type") == "error" and "sequence" not in body else None


@dataclass(frozen=True)
class Ghost:
    """Ghost."""

    name: str = "ghost"
    path: str = "/ghost"

    def hello(self, session: str, after: int) -> Json:
        return compact(type="session.open", session_id=session, after=after or None)

    def turn(self, text: str, number: int) -> Json:
        return {"type": "user_sends_text", "turn_id": f"message-{number}", "text": text}

    def cancel(self) -> Json:
        return {"type": "cancel"}

    def end(self) -> Json:
        return {"type": "session.end"}

    def number(self, body: Json) -> int:
        return body["sequence"] if "payload" in body else 0

    def delta(self, body: Json) -> str:
        return body["payload"]["token"] if body["type"] == "turn.token" else ""

    def outcome(self, body: Json) -> Outcome | None:
        if body["type"] == "turn.complete":
            return "completed"
        if body["type"] != "turn.error":
            return None
        # The contract has no word for a run that is being made anew; its text says it.
        match body["payload"]["error"]:
            case "cancelled" | "interrupted" as outcome:
                return outcome
            case str() as error if error.endswith("it is being made again"):
                return "again"
            case _:
                return "failed"

    def asked(self, body: Json) -> str | None:
        return body["payload"]["text"] if body["type"] == "turn.start" else None

    def refusal(self, body: Json) -> str | None:
        return body["code"] if body.get("type") == "ghost.error" else None


AGENTCALL: Final = AgentCall()
CHAT: Final = Chat()
GHOST: Final = Ghost()
DIALECTS: Final[Mapping[str, Dialect]] = {"agentcall": AGENTCALL, "chat": CHAT, "ghost": GHOST}
