"""A conversation whose agent calls tools of the registry: what the tests of tools and approvals talk to."""

from typing import Literal

from tests.unit.engine.conversation import Conversation, of

from duologue.engine.step import Stepped
from duologue.model.effects import RunTool
from duologue.model.events import AnyEvent, ToolMoved, ToolReturned
from duologue.model.inputs import AgentRequested, ApprovalDecided, ToolReported
from duologue.model.tools import Approval, DecidedBy, Decision, Idempotency, ToolOrder, ToolSpec

READ = ToolSpec(name="look", kind="python", side_effect="read")
WRITE = ToolSpec(name="book", kind="python", side_effect="write")
CONFIRM = ToolSpec(name="refund", kind="python", policy="user_confirm", confirm="Refund {amount} for {order}?")
SUPERVISED = ToolSpec(name="close", kind="python", policy="supervisor_approve")
PENDING = ToolSpec(name="audit", kind="python", policy="async_pending")
DENIED = ToolSpec(name="wipe", kind="python", policy="denied")
ONCE = ToolSpec(name="pay", kind="python", idempotency=Idempotency(mode="input", ttl_ms=60_000))
KEYED = ToolSpec(name="ship", kind="http", idempotency=Idempotency(mode="key", key_arguments=("order",)))


class ToolTalk(Conversation):
    """Lets the open run call tools, tells what came of them, and decides."""

    def call(
        self,
        spec: ToolSpec | None,
        call_id: str = "call-1",
        arguments: str = "{}",
        *,
        name: str = "",
        wrong: str = "",
        waits: bool = False,
        after_ms: int = 0,
    ) -> Stepped:
        """Let the open run ask for a tool."""
        name = name or (spec.name if spec is not None else "nothing")
        asked = AgentRequested(
            response_id=self.response_id,
            call_id=call_id,
            name=name,
            arguments=arguments,
            spec=spec,
            wrong=wrong,
            waits=waits,
        )
        return self.give(asked, after_ms=after_ms)

    def report(
        self,
        output: str = '{"ok":true}',
        *,
        call_id: str = "call-1",
        status: Literal["completed", "failed", "timed_out"] = "completed",
        code: str = "",
        after_ms: int = 0,
    ) -> Stepped:
        """Tell what came of a call."""
        told = ToolReported(call_id=call_id, status=status, output=output, code=code)
        return self.give(told, after_ms=after_ms)

    def decide(
        self,
        decision: Decision = "approve",
        *,
        approval: Approval | None = None,
        by: str = "ada",
        via: DecidedBy = "user",
        after_ms: int = 0,
        digest: str | None = None,
        arguments: str | None = None,
    ) -> Stepped:
        """Decide about the latest approval, or another one."""
        made = ApprovalDecided(
            approval_id=(approval or self.approval).approval_id,
            decision=decision,
            by=by,
            via=via,
            digest=digest,
            arguments=arguments,
        )
        return self.give(made, after_ms=after_ms)

    @property
    def approval(self) -> Approval:
        """The approval that was asked for last."""
        return [event.approval for event in of(self.events, ToolMoved) if event.approval is not None][-1]

    @property
    def orders(self) -> list[ToolOrder]:
        """What was ordered of tools."""
        return [effect.order for effect in of(self.effects, RunTool)]

    def asked(self, spec: ToolSpec = CONFIRM, arguments: str = '{"amount":40,"order":"A-1"}') -> None:
        """A turn whose answer ends with the question whether a tool may run."""
        self.say("give it back")
        self.speak("Let me see.")
        self.call(spec, arguments=arguments)
        self.finish()


def walk(events: list[AnyEvent], call_id: str = "call-1") -> list[str | None]:
    """The statuses of a call, in order."""
    return [
        event.status
        for event in events
        if isinstance(event, ToolMoved | ToolReturned) and event.call_id == call_id and event.status is not None
    ]
