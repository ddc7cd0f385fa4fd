"""Which of several vendors of speech is asked: the first that has not just failed."""

from collections.abc import Callable, Sequence
from typing import Final, Generic, Protocol, TypeVar

from duologue.model import limits
from duologue.model.errors import SpeechError
from duologue.runtime.events_log import EventLog


class Named(Protocol):
    """A vendor."""

    @property
    def name(self) -> str:
        """A short name for people and figures."""
        ...


Vendor = TypeVar("Vendor", bound=Named)

_LONGEST_DOUBLINGS: Final = 5


class _Health:
    """How a vendor has been doing."""

    def __init__(self) -> None:
        self.failures = 0
        self.rests_until = 0.0


class Vendors(Generic[Vendor]):
    """Vendors in the order in which they were configured, and what is remembered of their failures.

    One that failed rests for `limits.VENDOR_REST_MS`, doubled with each failure in a row; while it rests, it is asked
    only where no other can.

    Args:
        vendors: at least one; the first is preferred.
        clock: seconds that never go back.
        log: is told of each failure.
    """

    def __init__(self, vendors: Sequence[Vendor], *, clock: Callable[[], float], log: EventLog) -> None:
        assert vendors, "somebody has to be asked"
        self.all = tuple(vendors)
        self._clock = clock
        self._log = log
        self._health = {id(vendor): _Health() for vendor in vendors}

    @property
    def name(self) -> str:
        """All names."""
        return "+".join(vendor.name for vendor in self.all)

    def attempts(self) -> list[Vendor]:
        """Whom to ask, one after the other: all once, then the first again, `limits.VENDOR_ATTEMPTS` in all."""
        now = self._clock()
        order = sorted(self.all, key=lambda vendor: self._health[id(vendor)].rests_until > now)
        count = max(len(order), limits.VENDOR_ATTEMPTS)
        return [order[number % len(order)] for number in range(count)]

    def did_well(self, vendor: Vendor) -> None:
        """Note that it works."""
        self._health[id(vendor)].failures = 0

    def failed(self, vendor: Vendor, error: SpeechError) -> None:
        """Note that it failed."""
        health = self._health[id(vendor)]
        rest_ms = limits.VENDOR_REST_MS * 2 ** min(health.failures, _LONGEST_DOUBLINGS)
        health.failures += 1
        health.rests_until = self._clock() + rest_ms / 1000
        self._log("speech_vendor_failed", vendor=vendor.name, why=str(error), rest_ms=rest_ms)
