"""Going to addresses that others name, and nowhere that they must not lead."""

from duologue.adapters.guarded_http.addresses import EVERYWHERE, Reach, read_networks
from duologue.adapters.guarded_http.transport import GuardedBackend, GuardedTransport, Resolve, guarded_client

__all__ = ["EVERYWHERE", "GuardedBackend", "GuardedTransport", "Reach", "Resolve", "guarded_client", "read_networks"]
