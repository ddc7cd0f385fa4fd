"""The world that tools change, of which the engine knows nothing: what was booked, paid and sent, and how often."""

from typing import Final, Literal

from tests.simulation.stage import Stage

from duologue.model.inputs import ToolReported
from duologue.model.tools import ToolOrder

Report = Literal["completed", "failed", "timed_out"]

REPORTS: Final[tuple[Report, ...]] = ("completed", "completed", "completed", "failed", "timed_out")
DONE_BEFORE: Final = 0.5
"""How often something was done before the process that ordered it died, or before nobody waited any more."""


class Outside:
    """Carries orders out at some moment between order and report, or never; a crash forgets all but what was done.

    Attributes:
        begun: what is being carried out, by the call's id.
    """

    def __init__(self, stage: Stage) -> None:
        self.begun: dict[str, ToolOrder] = {}
        self._stage = stage
        self._told = "tool-1"
        self._done: set[tuple[str, str]] = set()
        self._keys: dict[tuple[str, str], int] = {}
        self._same: dict[tuple[str, str], str] = {}

    def carry_out(self, order: ToolOrder) -> None:
        """Take an order."""
        mark = (order.response_id, order.call_id)
        assert self._same.setdefault(mark, order.key) == order.key, "a call is ordered again under its own key"
        self.begun[order.call_id] = order

    def stop(self, call_id: str) -> None:
        """Nobody waits for it any more; it may have been done."""
        order = self.begun.pop(call_id, None)
        if order is not None:
            self._perhaps(order)

    def die(self) -> None:
        """The process dies that carried things out: some of it was done, and nobody will tell."""
        for order in self.begun.values():
            self._perhaps(order)
        self.begun.clear()

    def recover(self) -> None:
        """The session's time may have fallen back to that of the last record that was kept."""
        at_ms = self._stage.state.at_ms
        self._keys = {key: min(done_ms, at_ms) for key, done_ms in self._keys.items()}

    def reports(self) -> None:
        """Something comes to its end; now and then it is told again, or nobody has ordered it."""
        rng = self._stage.chance
        names = list(self.begun) if rng() < 0.9 else [self._told]
        if not names:
            return
        name = self._told = self._stage.pick(names)
        status: Report = self._stage.pick(REPORTS)
        unsure = status == "failed" and rng() < 0.5
        order = self.begun.pop(name, None)
        if order is not None and status == "completed":
            self._do(order)
        elif order is not None and (unsure or status == "timed_out"):
            self._perhaps(order)
        self._stage.give(ToolReported(call_id=name, status=status, output="{}", perhaps_done=unsure))

    def _perhaps(self, order: ToolOrder) -> None:
        if self._stage.chance() < DONE_BEFORE:
            self._do(order)

    def _do(self, order: ToolOrder) -> None:
        """Change the world, unless whoever does it takes keys, and knows this one."""
        spec, mark, key = order.spec, (order.response_id, order.call_id), (order.spec.name, order.key)
        keeps_keys = spec.idempotency.mode != "none"
        if spec.side_effect == "read" or (keeps_keys and spec.idempotency.safe_to_repeat and key in self._keys):
            return
        self._stage.tally["side effects"] += 1
        assert mark not in self._done, "nothing is done twice"
        self._done.add(mark)
        if keeps_keys:
            # By the session's time, which never falls, but for what a crash has lost of it.
            now_ms = self._stage.state.at_ms
            due_ms = self._keys.get(key, 0) + spec.idempotency.ttl_ms
            assert key not in self._keys or now_ms >= due_ms, "the same is done once, for as long as it is remembered"
            self._keys[key] = now_ms
