"""A server whose callers speak and are spoken to by a script, as a process that can be killed.

What they say is `--says` (split at `|`), the same in every call, and its agent repeats it in the words that count.
"""

import argparse
import sys
from collections.abc import AsyncGenerator
from contextlib import closing

from tests.e2e.calls import scripted_calls
from tests.e2e.harness import CountingAgent

from duologue.model.agent import AgentItem, AgentRequest, Finished
from duologue.model.voice import VoiceRules
from duologue.server.app import join, make_context
from duologue.server.log import configure
from duologue.server.serve import listen, make_server
from duologue.server.settings import ServerSettings, Settings
from duologue.testing.scripted_speech import ScriptedTextToSpeech, Segment

RULES = VoiceRules(silence_ms=100, endpoint_ms=50, min_speech_ms=200)
"""Quick ones: what takes its time here is people."""


async def counts(request: AgentRequest) -> AsyncGenerator[AgentItem, None]:
    """Say how much is known of the conversation, and ten words."""
    yield f"{len(request.history)} one two three four five six seven eight nine ten."
    yield Finished()


def main() -> None:
    """Serve until told to stop."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int)
    parser.add_argument("--data")
    parser.add_argument("--says", default="hello|hello again|once more")
    parser.add_argument("--word-ms", type=int, default=100)
    parser.add_argument("--drain-ms", type=int, default=5_000)
    given = parser.parse_args()
    server = ServerSettings(port=given.port, data=given.data, drain_ms=given.drain_ms)
    configure(server.log, pii=False)
    segments = [Segment(text=text) for text in given.says.split("|")]
    calls = scripted_calls(*segments, rules=RULES, voice=ScriptedTextToSpeech(word_ms=given.word_ms))
    with closing(listen(server)) as listener:
        address = f"http://127.0.0.1:{given.port}"
        app = join(make_context(Settings(server=server), CountingAgent(counts), own_url=address, calls=calls))

        def started() -> None:
            print(f"Duologue answers at {address}", file=sys.stderr, flush=True)

        make_server(app, server, started=started).run(sockets=[listener])


if __name__ == "__main__":
    main()
