"""Where a page of the list went on to, as a text that clients give back unread."""

import base64
import binascii

import msgspec

from duologue.model import limits
from duologue.model.errors import Code, Problem, Refused
from duologue.ports.store import Place, SessionInfo


def place_of(info: SessionInfo) -> Place:
    """Give a session's place in the list."""
    return Place(updated_ms=info.updated_ms, session_id=info.session_id)


def write_place(place: Place) -> str:
    """Write a place as letters that an address may have."""
    pair = msgspec.json.encode((place.updated_ms, place.session_id))
    return base64.urlsafe_b64encode(pair).decode().rstrip("=")


def read_place(text: str) -> Place:
    """Read what `write_place` wrote.

    Raises:
        Refused: it is something else.
    """
    try:
        pair = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        updated_ms, session_id = msgspec.json.decode(pair, type=tuple[int, str])
    except (binascii.Error, ValueError, msgspec.MsgspecError) as error:
        raise _refused() from error
    if not 0 <= updated_ms <= limits.INTEGER_MAX:
        raise _refused()
    return Place(updated_ms=updated_ms, session_id=session_id)


def _refused() -> Refused:
    return Refused(Problem(code=Code.BAD_MESSAGE, message="`after` has to be the `next` of the page before"))
