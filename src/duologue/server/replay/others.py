"""Who stands beside the agent of a recording: what they did then is among its inputs, and is not done again."""

import asyncio
from collections.abc import Callable
from typing import Final

from duologue.model.effects import CloseHandoff, PlaceHandoff, ReleaseAnswer, VoiceEffect
from duologue.model.tools import ToolOrder
from duologue.ports.clock import Clock
from duologue.runtime.desk.desk import Desk
from duologue.runtime.desk.rules import DeskRules
from duologue.runtime.events_log import EventLog
from duologue.runtime.hub import Hub
from duologue.runtime.session import LiveSession
from duologue.runtime.tools.attempts import Attempts
from duologue.runtime.tools.runs import ToolRuns
from duologue.runtime.tools.toolbox import Toolbox

NO_PAUSE: Final[Callable[[], float]] = float
"""Nothing is tried again here, so nothing is waited for in between."""


class RecordedTools(ToolRuns):
    """Carries out nothing: a payment that was made is not made once more because somebody looks at it."""

    def __init__(self, log: EventLog) -> None:
        super().__init__(asyncio.TaskGroup(), Attempts(Toolbox(), log=log, chance=NO_PAUSE))

    def start(self, session: LiveSession, order: ToolOrder) -> None:
        """Leave it to the recorded report."""


class RecordedDesk(Desk):
    """Places nobody: the recording tells where each handoff went."""

    def __init__(self, clock: Clock, log: EventLog) -> None:
        super().__init__(DeskRules(), clock=clock, log=log)

    def loaded(self, session: LiveSession) -> None:
        """Look for nothing that is open."""

    def carry_out(self, effect: PlaceHandoff | CloseHandoff) -> None:
        """Leave it to what was told then."""


def stand_in(hub: Hub) -> None:
    """Put them in their places, in a hub that has been entered."""
    hub.tools = RecordedTools(hub.log)
    hub.desk = RecordedDesk(hub.clock, hub.log)

    def voice(session: LiveSession, effect: VoiceEffect) -> None:
        # What was prepared is told from here on; the rest of a call was heard and spoken then.
        if isinstance(effect, ReleaseAnswer):
            hub.runs.start(session, effect.request)

    hub.voice = voice
