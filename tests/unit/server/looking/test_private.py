"""What of a journal is the staff's alone."""

from collections.abc import AsyncGenerator

import pytest
from tests.unit.engine.conversation import of
from tests.unit.engine.desk_talk import SUE, DeskTalk

from duologue.engine.replay import fold
from duologue.engine.state import SessionState
from duologue.model.events import SupervisorNoted
from duologue.model.records import decode_records, encode_record
from duologue.server.auth import Identity
from duologue.server.dialects import SPOKEN
from duologue.server.looking.private import STRUCK, public, public_lines, sees_all

pytestmark = pytest.mark.anyio


def talk() -> DeskTalk:
    """A conversation beside which people have talked."""
    talk = DeskTalk()
    talk.exchange("hello", "hi")
    first = talk.taken()
    talk.consult("is he SECRET?")
    talk.consult("he is SECRET", by=SUE, answer=True)
    talk.hand_back(note="SECRET", handoff_id=first)
    return talk


async def test_words_beside_the_conversation_are_struck_out_and_the_rest_stays_and_replays() -> None:
    whole = b"".join(encode_record(record) for record in talk().records)
    assert whole.count(b"SECRET") == 5

    async def lines(text: bytes) -> AsyncGenerator[bytes, None]:
        yield text

    shown = b"".join([some async for some in public_lines(lines(b'{"duologue":"session"}\n' + whole))])
    assert b"SECRET" not in shown
    assert shown.count(STRUCK.encode()) == 5
    header, _, rest = shown.partition(b"\n")
    assert header == b'{"duologue":"session"}'
    pairs = zip(whole.splitlines(), rest.splitlines(), strict=True)
    assert all((before == after) == (b"SECRET" not in before) for before, after in pairs)
    fold(SessionState(), decode_records(rest))


def test_who_is_no_mere_customer_sees_all() -> None:
    assert not sees_all(Identity(subject="ada"))
    assert sees_all(Identity(subject="mia", scopes=frozenset({"operate"})))
    assert sees_all(Identity(subject="ada", is_backend=True))


def test_no_dialect_tells_them() -> None:
    noted = of(talk().events, SupervisorNoted)
    assert noted[0].text == "is he SECRET?"
    for event in noted:
        assert public(event) != event
        for spoken in SPOKEN:
            frame = spoken.make("http://localhost").project(event)
            assert frame is None or b"SECRET" not in frame
