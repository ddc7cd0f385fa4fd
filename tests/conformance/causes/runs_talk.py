"""Runs in which people type and are answered in text."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from tests.conformance.causes.world import Story, World
from tests.e2e.harness import serving
from tests.e2e.links import CHAT_WS, GHOST_WS
from tests.e2e.wire import fetch

from duologue.model.agent import (
    AgentRequest,
    Chips,
    Citation,
    Failure,
    Finished,
    Note,
    Rich,
    ToolCalled,
    ToolReturned,
)
from duologue.model.content import Chip
from duologue.testing.scripted_agent import Line, ScriptedAgent, WaitFor


def _script(request: AgentRequest) -> Sequence[Line]:
    match request.text:
        case "everything":
            return [
                "Here ",
                Citation(title="Hours", url="https://example.com/hours", snippet="open at ten"),
                Note(category="search", message="1 page", details={"pages": 1}),
                ToolCalled(call_id="c-1", name="look_up", arguments='{"day": "Monday"}', repeatable=True),
                ToolReturned(call_id="c-1", result='{"opens": 10}'),
                Rich(payload_type="card", data={"title": "Monday"}),
                Chips(chips=(Chip(label="Tuesday?", text="And on Tuesday?"),)),
                "it is.",
            ]
        case "refuse":
            return [Failure(message="not today", retryable=False)]
        case "unsure":
            return ["I do not know.", Finished(confident=False)]
        case "fail":
            return ["Well, ", Failure(message="busy", retryable=True)]
        case "stop me":
            return ["One ", WaitFor(event=asyncio.Event())]
        case _:
            return ["Yes."]


async def _typed(world: World, folder: Path) -> None:
    async with serving(ScriptedAgent(_script), folder) as server, CHAT_WS.link(server.port, "typed") as link:
        for number, text in enumerate(("everything", "refuse", "unsure", "fail"), 1):
            await link.say(text, number)
            await link.over()
        await link.say("stop me", 5)
        await link.until_delta()
        await fetch(server.port, "POST", "/chat/cancel", body={"sessionId": "typed"})
        await link.over()
        await link.say("stop me", 6)
        await link.until_delta()
        await link.say("never mind", 7)
        await link.over()
        await link.over()
        await world.note(server, "typed")


async def _device(world: World, folder: Path) -> None:
    async with serving(ScriptedAgent(_script), folder) as server, GHOST_WS.link(server.port, "device") as link:

        async def recognised() -> None:
            await link.send({"type": "speech_end"})
            await link.send(
                {"type": "stt_complete", "text": "hello", "confidence": 0.9, "stt_ms": 120, "language": "en"}
            )
            await link.over()

        await link.send({"type": "user_activates_mic"})
        await recognised()
        await link.send({"type": "auto_resume"})
        await recognised()
        await link.send({"type": "barge_in"})
        await recognised()
        await link.send({"type": "tts_complete"})
        await link.send({"type": "user_activates_mic"})
        await link.send({"type": "cancel"})
        await link.send({"type": "error"})
        await link.send({"type": "cancel"})
        await link.say("hello", 9)
        await link.over()
        await world.note(server, "device")


STORIES = (
    Story("typed", "a person types; the agent cites, shows, calls a tool, fails, is stopped and written over", _typed),
    Story("device", "a device with its own microphone, recogniser and voice tells what they do", _device),
)
