"""How a server of tools is reached, and what its tools may do."""

from collections.abc import Callable
from typing import TypeAlias

from duologue.model.base import Value
from duologue.model.tools import SideEffect, ToolSpec


class Listed(Value, kw_only=True):
    """A tool as its server lists it; everything about it is the server's own word.

    Attributes:
        name: as the server knows it.
        description: for the agent.
        input_schema: JSON Schema.
        output_schema: JSON Schema of structured results; `None` where it declares none.
        side_effect: as its annotations hint.
    """

    name: str
    description: str
    # JSON Schema of others: JSON of many shapes.
    input_schema: dict[str, object]
    # JSON Schema of others: JSON of many shapes.
    output_schema: dict[str, object] | None
    side_effect: SideEffect


Over: TypeAlias = Callable[[Listed], ToolSpec | None]
"""Decides what is declared of a listed tool; `None` leaves it out. Its server has no say in what it may do."""


class McpOptions(Value, kw_only=True):
    """A server, over one of the two transports.

    Attributes:
        name: short, for people and figures.
        command: program and arguments of a server that is talked to over its stdin and stdout.
        env: variables that it gets besides the few that every program needs.
        url: where a server is, over streamable HTTP.
        headers: sent with each request; may hold secrets.
    """

    name: str
    command: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    url: str = ""
    headers: tuple[tuple[str, str], ...] = ()

    def __repr__(self) -> str:
        return f"McpOptions({self.name!r})"
