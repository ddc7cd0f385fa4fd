"""How much each person and each address may ask for."""

from typing import Annotated, Final

from msgspec import Meta

from duologue.model import limits
from duologue.server.settings_section import Section

RATE_MAX: Final = 1_000_000
"""Highest rate a minute that can be set: beyond it, 0 says that there is no bound."""

CONNECTIONS_MAX: Final = 1_000_000
"""Most connections that can be set: more than one process holds."""


class LimitsSettings(Section):
    """How much one person or one address may ask for where [auth] is set; 0 is no bound."""

    turns_per_person: Annotated[
        int, Meta(ge=0, le=RATE_MAX, description="Turns and uploads of one person, in a minute.")
    ] = limits.TURNS_PER_PERSON
    turns_per_address: Annotated[
        int, Meta(ge=0, le=RATE_MAX, description="Turns and uploads from one address, in a minute.")
    ] = limits.TURNS_PER_ADDRESS
    sessions_per_person: Annotated[
        int, Meta(ge=0, le=RATE_MAX, description="New sessions of one person, in a minute.")
    ] = limits.SESSIONS_PER_PERSON
    sessions_per_address: Annotated[
        int, Meta(ge=0, le=RATE_MAX, description="New sessions from one address, in a minute.")
    ] = limits.SESSIONS_PER_ADDRESS
    requests_per_person: Annotated[
        int, Meta(ge=0, le=RATE_MAX, description="Requests and new connections of one person, in a minute.")
    ] = limits.REQUESTS_PER_PERSON
    requests_per_address: Annotated[
        int, Meta(ge=0, le=RATE_MAX, description="Requests and new connections from one address, in a minute.")
    ] = limits.REQUESTS_PER_ADDRESS
    frames_per_person: Annotated[
        int,
        Meta(ge=0, le=RATE_MAX, description="Messages of one person on sockets, in a minute; more have to wait."),
    ] = limits.FRAMES_PER_PERSON
    frames_per_address: Annotated[
        int,
        Meta(ge=0, le=RATE_MAX, description="Messages from one address on sockets, in a minute; more have to wait."),
    ] = limits.FRAMES_PER_ADDRESS
    auth_failures_per_address: Annotated[
        int,
        Meta(
            ge=0,
            le=RATE_MAX,
            description="Wrong credentials from one address, in a minute; then it is not listened to for a while.",
        ),
    ] = limits.AUTH_FAILURES_PER_ADDRESS
    connections: Annotated[
        int,
        Meta(ge=1, le=CONNECTIONS_MAX, description="Most open sockets and streams in all, with and without [auth]."),
    ] = limits.CONNECTIONS
    connections_per_person: Annotated[
        int, Meta(ge=0, le=CONNECTIONS_MAX, description="Most open sockets and streams of one person.")
    ] = limits.CONNECTIONS_PER_PERSON
    connections_per_address: Annotated[
        int, Meta(ge=0, le=CONNECTIONS_MAX, description="Most open sockets and streams from one address.")
    ] = limits.CONNECTIONS_PER_ADDRESS
    live_sessions_per_person: Annotated[
        int,
        Meta(
            ge=0,
            le=CONNECTIONS_MAX,
            description="Most sessions of one person in memory at once; then no new one is opened.",
        ),
    ] = limits.LIVE_SESSIONS_PER_PERSON
