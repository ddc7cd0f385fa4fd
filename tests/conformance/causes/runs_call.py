"""Runs of a spoken conversation, over `WS /audio`, with scripted ears and a scripted voice."""

from collections.abc import Sequence
from pathlib import Path

from tests.conformance.causes.world import Story, World
from tests.e2e.calls import calling, scripted_calls
from tests.e2e.harness import serving
from tests.e2e.lines import SESSION, Seen

from duologue.model.agent import AgentRequest
from duologue.model.events import BargedIn, SpeakingFinished, TurnEnded, WordSpoken
from duologue.model.voice import VoiceRules
from duologue.testing.scripted_agent import Line, Pause, ScriptedAgent
from duologue.testing.scripted_speech import Partial, ScriptedTextToSpeech, Segment

RULES = VoiceRules(early=True, endpoint_ms=500)


def _segment(text: str, partial: str = "") -> Segment:
    return Segment(text=text, partials=(Partial(text=partial or text, at_ms=100),))


def _script(request: AgentRequest) -> Sequence[Line]:
    match request.text:
        case "slow":
            return [Pause(ms=1_200), "Here."]
        case "count to five":
            return ["one two three four five"]
        case _:
            return ["Yes."]


async def _call(world: World, folder: Path) -> None:
    heard = (
        _segment("hello"),
        _segment("slow"),
        # An answer is prepared for what it seems to be, and thrown away for what it is.
        _segment("count to five", "count to four"),
        _segment("stop that please"),
    )
    calls = scripted_calls(*heard, rules=RULES, voice=ScriptedTextToSpeech(word_ms=200))
    async with serving(ScriptedAgent(_script), folder, calls=calls) as server, calling(server.port) as caller:
        await caller.start(SESSION)
        seen = Seen(server)
        await caller.say(300, then_ms=900)
        await seen.has(SpeakingFinished)
        await caller.say(300, then_ms=900)
        await seen.has(SpeakingFinished, count=2)
        await caller.say(300, then_ms=900)
        await seen.has(WordSpoken, count=3)
        await caller.say(700, then_ms=700)
        await seen.has(BargedIn)
        await seen.has(TurnEnded, count=4)
        await world.note(server, SESSION)


STORIES = (Story("call", "a person calls, is answered early and in time, and talks over an answer", _call),)
