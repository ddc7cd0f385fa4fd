"""The watch over the machine's condition, as the settings ask for it."""

from pathlib import Path
from typing import TYPE_CHECKING

from duologue.model import limits
from duologue.model.condition import Readings
from duologue.model.content import Tier
from duologue.ports.agent import Agent
from duologue.ports.sensors import Sensors
from duologue.server.log import event_log
from duologue.server.settings_tiers import ConditionSettings

if TYPE_CHECKING:
    from duologue.runtime.condition import ConditionWatch
    from duologue.runtime.hub import Hub


class LateSensors:
    """Sensors that are made when they are first read, in the thread that reads them: the server starts without them."""

    def __init__(self, settings: ConditionSettings) -> None:
        self._settings, self._made = settings, None

    def read(self) -> Readings:
        """Read them; see `ports.sensors.Sensors`."""
        if self._made is None:
            self._made: Sensors | None = make_sensors(self._settings)
        return self._made.read()


def make_sensors(settings: ConditionSettings) -> Sensors:
    """Make the sensors that the settings name: the machine's own, with a file's readings in their place."""
    from duologue.adapters.sensors_machine import MachineSensors

    machine = MachineSensors()
    if not settings.readings_file:
        return machine
    from duologue.adapters.sensors_file import FileSensors

    return FileSensors(Path(settings.readings_file), machine)


def make_watch(settings: ConditionSettings, hub: "Hub", sensors: Sensors | None = None) -> "ConditionWatch | None":
    """Make the watch of a hub, which is told what loads and what runs; `None` where nobody watches."""
    if not settings.watch:
        return None
    from duologue.runtime.condition import ConditionWatch
    from duologue.runtime.loading import Loading

    tiers: dict[Tier, Agent] = {tier: hub.agents.find(tier=tier) for tier in hub.agents.tiers}
    log = event_log("duologue")
    first_ms = min(limits.CONDITION_FIRST_MS, settings.every_ms)
    hub.counting.loading = Loading(tiers, log=log, first_ms=first_ms)
    return ConditionWatch(
        sensors or LateSensors(settings),
        loading=hub.counting.loading,
        thresholds=settings.thresholds(),
        every_ms=settings.every_ms,
        first_ms=first_ms,
        condition=hub.condition,
        changed=hub.condition_changed,
        log=log,
    )
