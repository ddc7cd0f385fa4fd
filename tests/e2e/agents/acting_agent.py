"""The agent behind the browser tests of tools, approvals, observations and handoffs; its first word says what to do."""

import asyncio
import json
from collections.abc import AsyncGenerator

from duologue import ToolRequested, Turn, tool
from duologue.model.agent import AgentItem
from duologue.model.handoff import HandOff
from duologue.model.observations import Observe

PACE_S = 0.02
"""Between two words: slow enough to be caught in the middle, also on a busy machine."""


@tool(policy="user_confirm", confirm="Refund {amount} for order {order}?", side_effect="destructive")
def refund(order: int, amount: float) -> dict[str, float]:
    """Pay money back."""
    return {"order": order, "refunded": amount}


@tool(policy="supervisor_approve", confirm="Give {amount} as a voucher?", redact=("/account",))
def voucher(amount: int, account: str) -> dict[str, int]:
    """Give a voucher, which a supervisor lets pass."""
    return {"letters": len(account), "voucher": amount}


async def answer(turn: Turn) -> AsyncGenerator[str | AgentItem, None]:
    """Answer as told: count, refund, voucher, clock, photo, tag, human; else with what was said and came of tools."""
    came = outcome(turn)
    if came:
        yield came
        return
    match turn.text.partition(" ")[0]:
        case "count":
            for number in range(400):
                yield f"word-{number} "
                await asyncio.sleep(PACE_S)
        case "refund":
            yield "I can do that. "
            yield ToolRequested(call_id="call-refund", name="refund", arguments='{"order": 4711, "amount": 12.5}')
        case "voucher":
            yield "I have to ask. "
            yield ToolRequested(
                call_id="call-voucher", name="voucher", arguments='{"amount": 20, "account": "DE12 secret"}'
            )
        case "clock":
            yield ToolRequested(call_id="call-clock", name="page_local_time")
        case "photo":
            yield "Let me see it."
            yield Observe(modality="photo", prompt="Take a photo of the box.")
        case "tag":
            yield Observe(modality="nfc", prompt="Hold the phone to the tag.")
        case "human":
            yield "I am getting a colleague."
            yield HandOff(reason="wants a refund", priority=2, summary="A parcel was lost; money is wanted back.")
        case _:
            said = [message.text for message in turn.history if message.role == "user" or message.author]
            yield f"I know: {' | '.join([*said, turn.text])}"


def outcome(turn: Turn) -> str:
    """What has come of what this turn asked for; empty where it asked for nothing yet."""
    if turn.observation is not None:
        return f"I see a {turn.observation.__struct_config__.tag}."
    results = {call.name: call.result for message in turn.request.so_far for call in message.calls}
    results |= {result.name: result.content for result in turn.tool_results}
    told = [f"{name}: {written(result)}" for name, result in results.items() if result is not None]
    return f"It came to {'; '.join(told)}." if told else ""


def written(result: str) -> str:
    """A result, its members in order."""
    try:
        return json.dumps(json.loads(result), sort_keys=True)
    except ValueError:
        return result
