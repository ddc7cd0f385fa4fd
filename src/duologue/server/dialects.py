"""The protocols that this server speaks: the only list of them.

One that stands here can be talked over its socket, is looked through in `/api` and the console, counted, let in and
bounded like the others, and its schemas are published. HTTP addresses of its own are a module of `server/routes`.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from duologue.ports.dialect import Dialect
from duologue.protocols.agentcall import AgentCallDialect
from duologue.protocols.agui import AguiDialect
from duologue.protocols.chat import ChatDialect
from duologue.protocols.ghost import GhostDialect
from duologue.protocols.jambonz import JambonzDialect


class Spoken(NamedTuple):
    """One protocol.

    Attributes:
        make: makes its dialect, given the address at which people reach this server, without a slash at its end.
        socket: where a client talks over a WebSocket; empty where it does not.
    """

    make: Callable[[str], Dialect]
    socket: str = ""


def anywhere(kind: Callable[[], Dialect]) -> Callable[[str], Dialect]:
    """Make a dialect that is the same wherever people reach this server."""

    def make(_address: str) -> Dialect:
        return kind()

    return make


SPOKEN: Final = (
    Spoken(anywhere(AgentCallDialect), "/agentcall"),
    Spoken(anywhere(AguiDialect)),
    Spoken(ChatDialect, "/chat/ws"),
    Spoken(anywhere(GhostDialect), "/ghost"),
    Spoken(anywhere(JambonzDialect)),
)
