"""Whom a request about handoffs is about: the desk, its operator, one handoff."""

from starlette.requests import Request

from duologue.model.errors import Code, Problem, Refused
from duologue.runtime.desk.desk import NOBODY, Desk
from duologue.runtime.desk.rules import Card
from duologue.server.auth import Identity
from duologue.server.context import Context
from duologue.server.desk import card_of


def desk_of(context: Context) -> Desk:
    """The desk.

    Raises:
        Refused: there is none.
    """
    if context.hub.desk is None:
        raise Refused(Problem(code=Code.UNSUPPORTED, message=f"{NOBODY}: handoff.enabled is false"))
    return context.hub.desk


def operator_of(context: Context, identity: Identity) -> Card:
    """Who asks, as an operator."""
    return card_of(identity, context.settings.handoff)


def named_in(request: Request) -> str:
    """The handoff that an address names."""
    handoff_id: str = request.path_params["handoff_id"]
    return handoff_id
