"""The HTTP operations: each route module declares its own, once; routes, guards and the API's description follow."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from duologue.model.base import Value
from duologue.protocols.chat import wire as chat
from duologue.server.auth import Identity
from duologue.server.context import Context
from duologue.server.settings_auth import Scope

Json: TypeAlias = dict[str, Any]
"""A JSON Schema. Any: JSON of many shapes."""

Handler: TypeAlias = Callable[[Context, Request, Identity], Awaitable[Response]]

JSON: Final = "application/json"
JSON_LINES: Final = "application/jsonl"
EVENT_STREAM: Final = "text/event-stream"
FORM: Final = "multipart/form-data"


class Body(Value, kw_only=True):
    """A body, of a request or an answer.

    Attributes:
        shape: the type that it is decoded or encoded as.
        shapes: where it may be any of several types, these.
        schema: its JSON Schema, where no type says it. Without any of the three it is no JSON.
        media_type: how it is written.
        required: of a request: it may not be left out.
    """

    # Type expressions have no static type of their own before TypeForm (PEP 747).
    shape: Any = None
    shapes: tuple[Any, ...] = ()
    schema: Json | None = None
    media_type: str = JSON
    required: bool = True

    def types(self) -> tuple[Any, ...]:
        """All types that it may be of."""
        return self.shapes if self.shape is None else (self.shape,)


class Parameter(Value, kw_only=True):
    """A header or a part of the query."""

    name: str
    place: str
    about: str
    shape: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method at one address.

    Attributes:
        method: in capitals.
        path: as Starlette has it, with `{names}`.
        summary: what it does, in one sentence.
        handler: does it.
        scope: what its caller has to be allowed; `None`: anybody may.
        body: what it takes.
        parameters: besides those in the path.
        answers: by status; several media types of one status are several pairs.
        problems: statuses of refusals besides those that every operation of its kind has.
        refusal: the type of a refusal's body.
        probe: whoever watches over the server asks, so it is never too often.
        audited: what the audit trail calls it, such as `session.deleted`; empty where it is not noted.
    """

    method: str
    path: str
    summary: str
    handler: Handler
    scope: Scope | None
    body: Body | None = None
    parameters: tuple[Parameter, ...] = ()
    answers: tuple[tuple[int, Body], ...] = ()
    problems: tuple[int, ...] = ()
    refusal: type[msgspec.Struct] = chat.ErrorFrame
    probe: bool = False
    audited: str = ""


ABOUT: Final = "duologue.about"
"""Where a request keeps what the audit trail says of it."""

RESUME: Final = (
    Parameter(
        name="Last-Event-ID",
        place="header",
        about="The number of the last event that was received; everything after it follows.",
        shape={"type": "integer", "minimum": 0},
    ),
    Parameter(
        name="after",
        place="query",
        about="The same, for whom cannot send the header; the header goes before it.",
        shape={"type": "integer", "minimum": 0},
    ),
)
"""Where a stream goes on."""

SUBJECT: Final = Parameter(
    name="Duologue-Subject",
    place="header",
    about="The person for whom a backend acts.",
    shape={"type": "string", "minLength": 1, "maxLength": 256},
)


def noted(request: Request, **about: str | None) -> None:
    """Add to what the audit trail says of a request, besides the names in its address: ids and names only."""
    known: dict[str, str] = request.scope.setdefault(ABOUT, {})
    known.update({name: value for name, value in about.items() if value is not None})
