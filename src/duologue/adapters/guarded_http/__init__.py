"""Going to addresses that others name, and nowhere that they must not lead."""

from duologue.adapters.guarded_http.addresses import Reach, read_networks
from duologue.adapters.guarded_http.transport import GuardedTransport, Resolve, Unreachable, guarded_client

__all__ = ["GuardedTransport", "Reach", "Resolve", "Unreachable", "guarded_client", "read_networks"]
