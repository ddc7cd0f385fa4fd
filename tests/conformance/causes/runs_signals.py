"""Runs in which what people feel and want is estimated: by rules, a classifier, a model and a backend."""

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.conformance.causes.world import Json, Story, World
from tests.counterparts.language_model import language_model
from tests.e2e.harness import serving
from tests.e2e.links import CHAT_WS, Link
from tests.e2e.wire import fetch

from duologue.model.agent import Finished
from duologue.server.settings import ServerSettings, Settings
from duologue.server.settings_signals import IntentSettings, SignalsSettings
from duologue.testing.scripted_agent import ScriptedAgent

SAID: Final = (
    "I am so frustrated, it still doesn't work",
    "You thieves, this is outrageous",
    "I don't understand what you mean",
    "This is urgent, I need it right now",
    "Thanks, that was helpful",
    "Wow, I love it, amazing",
    "I want to cancel my contract, and where is my invoice?",
    "The support is great, but the app keeps crashing",
)
"""One for each mood, with the neutral one; the last one is of both kinds."""

INTENTS: Final = (
    IntentSettings(name="cancel", examples=("I want to cancel my contract",)),
    IntentSettings(name="invoice", examples=("Where is my invoice?", "I need my invoice")),
)

PATIENCE: Final = 3
"""How often a signal is waited for, each time as long as for anything else."""

GIVEN: Final[Json] = {
    "adapter": "crm",
    "turn": 1,
    "latencyMs": 12,
    "signals": [{"kind": "sentiment", "category": "anger", "score": 0.8, "confidence": 0.9, "polarity": "negative"}],
}


def _settings(sources: Sequence[str], address: str) -> Settings:
    asked = SignalsSettings(
        sources=tuple(one for one in ("rule", "local", "model") if one in sources),  # pyright: ignore[reportArgumentType]
        model="smollm2" if address else "",
        base_url=f"{address}/v1" if address else "",
        timeout_ms=30_000,
        intents=INTENTS,
    )
    return Settings(server=ServerSettings(drain_ms=500), signals=asked)


async def _until(link: Link, source: str) -> None:
    """Read on until somebody has estimated something; loading takes its time on a busy machine."""
    for _ in range(PATIENCE):
        with contextlib.suppress(TimeoutError):
            while not any(_is_signal(frame.body, source) for frame in link.frames):
                await link.next()
            return
    raise TimeoutError(f"no signal of the source {source}")


def _is_signal(body: Json, source: str) -> bool:
    return body["type"] == "signal.update" and body["source"] == source


async def _felt(world: World, folder: Path) -> None:
    agent = ScriptedAgent(["I see.", Finished()])
    asked = _settings(("rule", "local"), "")
    async with serving(agent, folder, asked) as server, CHAT_WS.link(server.port, "felt") as link:
        for number, text in enumerate(SAID, 1):
            await link.say(text, number)
            await link.over()
        await _until(link, "local")
        await fetch(server.port, "POST", "/api/sessions/felt/signals", body=GIVEN)
        await _until(link, "server")
        await world.note(server, "felt")


async def _judged(world: World, folder: Path) -> None:
    agent = ScriptedAgent(["I see.", Finished()])
    with language_model() as address:
        asked = _settings(("model",), address)
        async with serving(agent, folder, asked) as server, CHAT_WS.link(server.port, "judged") as link:
            await link.say(SAID[0], 1)
            await link.over()
            await _until(link, "model")
            await world.note(server, "judged")


STORIES = (
    Story("felt", "people are angry, lost, in a hurry and glad; rules, a classifier and a backend tell it", _felt),
    Story("judged", "a language model judges what somebody feels", _judged),
)
