"""Recorded sessions in which an agent acts: tools, approvals, observations, operators, and better tiers."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from tests.unit.server.replay.recordings import Stage

from duologue.model.agent import AgentItem, AgentRequest, Finished, Text, ToolRequested
from duologue.model.content import Answer, NfcObservation
from duologue.model.handoff import HandOff, Operator
from duologue.model.inputs import (
    CapabilitiesDeclared,
    HandedBack,
    HandoffRequested,
    HandoffResolved,
    OperatorJoined,
    OperatorSaid,
    UserTurn,
)
from duologue.model.observations import Observe
from duologue.model.routing import RoutingRules, Upgrade
from duologue.model.tools import ApprovalDecided, ToolSpec
from duologue.ports.agent import Calls, Files
from duologue.ports.tool import ToolContext, ToolFailed
from duologue.runtime.agents import Beside
from duologue.runtime.tools.toolbox import Toolbox


class Counting:
    """A tool that counts how often it was carried out, and takes its time."""

    def __init__(self, spec: ToolSpec) -> None:
        self.spec = spec
        self.made = 0

    # JSON of the tool's own design.
    async def call(self, arguments: dict[str, Any], context: ToolContext) -> object:
        """Carry out a call; see `ports.tool.Tool`."""
        del context
        self.made += 1
        await asyncio.sleep(0.7)
        if arguments.get("fail"):
            raise ToolFailed("no such order", perhaps_done=False)
        return {"made": self.made}


LOOK = ToolSpec(name="look", kind="python", side_effect="read", retries=1)
PAY = ToolSpec(name="pay", kind="python", policy="user_confirm", approval_ttl_ms=9_000)
CLOSE = ToolSpec(name="close", kind="python", policy="supervisor_approve")


def tools() -> list[Counting]:
    """One of each kind."""
    return [Counting(spec) for spec in (LOOK, PAY, CLOSE)]


class Acting:
    """Acts by what it was told."""

    def __init__(self, name: str = "acting") -> None:
        self.name = name

    async def run(self, request: AgentRequest, files: Files) -> AsyncGenerator[AgentItem, None]:
        """Answer; see `ports.agent.Agent`."""
        await asyncio.sleep(0.02)
        word, _, tool = request.text.partition(" ")
        match word:
            case "within":
                assert isinstance(files, Calls)
                yield Text(text="One moment. ")
                result = await files.call(tool, "{}")
                yield Text(text=f"It says {result.content}.")
            case "leg" | "fail" if request.leg == 1 and not request.resumed:
                yield ToolRequested(call_id="t-1", name=tool, arguments='{"fail":true}' if word == "fail" else "{}")
            case "observe" if request.observation is None and not request.resumed:
                yield Observe(modality="nfc", prompt="Show me the tag.", wait_ms=5_000)
                return
            case "odd":
                yield Observe(modality="nfc", prompt="\ud800")
                return
            case "better" if request.tier == "reflex":
                yield Text(text="Perhaps ")
                yield Upgrade()
                return
            case "person":
                yield HandOff(reason="they ask for it")
                return
            case _:
                yield Text(text=f"{request.tier}, leg {request.leg} {request.resumed}: ")
                yield Text(text=request.text or "I see")
        yield Finished()


ROUTING = RoutingRules(tiers=("reflex", "workhorse"), workhorse_above=0.95)


def better() -> Beside:
    """The tier that takes over."""
    return Beside("large", Acting("large"), "workhorse")


def toolbox(made: list[Counting]) -> Toolbox:
    """The registry."""
    return Toolbox(made)


def _approval(stage: Stage) -> str:
    return next(one.approval.approval_id for one in stage.session.state.tools.calls if one.approval is not None)


async def legs_and_calls_within(stage: Stage) -> None:
    """Tools that an answer waits for, in legs and within its run; also failing, unknown and cut ones."""
    for text in ("leg look", "within look", "fail look", "within look", "leg nothing", "within nothing", "hello"):
        await stage.say(text)
        await asyncio.sleep(2.5)
    await stage.begin("within look")
    await asyncio.sleep(0.3)
    await stage.say("something else")
    await asyncio.sleep(5)


async def approvals(stage: Stage) -> None:
    """Approved by a button, by words and by an answer; denied; expired; and a supervisor's."""
    for decision in ("approve", "deny"):
        await stage.say("leg pay")
        await asyncio.sleep(1.25)
        await stage.session.submit(
            ApprovalDecided(approval_id=_approval(stage), decision=decision, by="ada", via="user")
        )
        await stage.over()
    for text in ("yes", "something else"):
        await stage.say("within pay")
        await asyncio.sleep(3)
        await stage.say(text)
    await stage.say("leg pay")
    answer = Answer(interrupt_id=_approval(stage), status="resolved", payload={"approved": True})
    await stage.session.submit(UserTurn(text="", resume=(answer,), if_asked="refuse"))
    await stage.over()
    await stage.say("within pay")
    await asyncio.sleep(20)
    await stage.over()
    await stage.say("leg close")
    await asyncio.sleep(4)
    closing = ApprovalDecided(approval_id=_approval(stage), decision="approve", by="sue", via="supervisor")
    await stage.session.submit(closing)
    await asyncio.sleep(4)
    await stage.over()


async def observations(stage: Stage) -> None:
    """A tag that is shown, one that is not, and a request that cannot be taken."""
    await stage.session.submit(CapabilitiesDeclared(modalities=("nfc",)))
    await stage.say("observe")
    await asyncio.sleep(2)
    tag = NfcObservation(tag_id="04a1", observed_at="2026-01-02T03:04:05Z")
    await stage.session.submit(UserTurn(text="", observation=tag, interaction_id="interaction-1"))
    await stage.over()
    await stage.say("observe")
    await asyncio.sleep(9)
    await stage.over()
    await stage.say("odd")


async def operators(stage: Stage) -> None:
    """A person takes it over in the middle of an answer, says something, and hands it back; then another one does."""
    mia = Operator(operator_id="mia", name="Mia")
    await stage.say("hello")
    await stage.begin("within look")
    await asyncio.sleep(0.2)
    await stage.session.submit(HandoffRequested(cause="api", by="ada", asked=HandOff(reason="r")))
    await asyncio.sleep(1)
    await stage.session.submit(OperatorJoined(handoff_id="s-1~1", operator=mia))
    await stage.say("are you there?")
    await asyncio.sleep(1.5)
    await stage.session.submit(OperatorSaid(handoff_id="s-1~1", operator_id="mia", text="Yes.", message_id="o-1"))
    await asyncio.sleep(1.5)
    await stage.session.submit(HandedBack(handoff_id="s-1~1", operator_id="mia", note="sorted out"))
    await stage.over()
    await stage.say("person please")
    await asyncio.sleep(1)
    await stage.session.submit(OperatorJoined(handoff_id="s-1~2", operator=mia))
    await stage.session.submit(HandoffResolved(handoff_id="s-1~2", operator_id="mia"))
    await stage.over()
    await stage.say("thanks")


async def upgrades(stage: Stage) -> None:
    """A smaller tier that passes a turn on, and one that answers itself."""
    for text in ("hello", "better please", "hello again"):
        await stage.say(text)
        await asyncio.sleep(3)


async def cut_while_a_tool_runs(stage: Stage) -> None:
    """The server stops while something is carried out that must not be done twice."""
    await stage.say("within pay")
    await stage.begin("yes")
    await asyncio.sleep(0.3)
