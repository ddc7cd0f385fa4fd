"""What is put into stores to try them: records, appends, sessions, uploads."""

import asyncio
from collections.abc import Callable
from typing import Final

from duologue.model.content import Attachment
from duologue.model.errors import StoreError
from duologue.model.events import AnyEvent, SessionStarted, TextDelta
from duologue.model.inputs import AgentSpoke
from duologue.model.records import Record, decode_events, encode_record
from duologue.ports.store import Append, Blob, SessionMark, Store

MARK: Final = SessionMark(subject="ann", agent="echo", title="Hello")


def line(first: int, last: int | None = None, *, text: str = "hello ") -> bytes:
    """Make one record that holds the events `first` to `last`."""
    numbers = range(first, (last or first) + 1)
    return encode_record(
        Record(
            at_ms=1_000 + first,
            input=AgentSpoke(response_id="r1", text=text),
            events=tuple(_event(number, text) for number in numbers),
        )
    )


def numbers(lines: bytes) -> list[int]:
    """Tell the numbers of all events in JSON lines."""
    return [event.seq for event in decode_events(lines)]


def append(
    store: Store,
    session_id: str,
    lines: bytes,
    *,
    mark: SessionMark | None = None,
    at_ms: int = 1_000,
    fresh: bool = False,
    told: Callable[[StoreError | None], None] | None = None,
) -> "asyncio.Future[StoreError | None]":
    """Hand in records without waiting; the future is what became of it. `told` is called at once, too."""
    future: asyncio.Future[StoreError | None] = asyncio.get_running_loop().create_future()

    def done(error: StoreError | None) -> None:
        future.set_result(error)
        if told is not None:
            told(error)

    seqs = numbers(lines)
    if mark is None and seqs[0] == 1:
        mark = MARK
    durable = store.append(
        Append(
            session_id=session_id,
            lines=lines,
            first_seq=seqs[0],
            last_seq=seqs[-1],
            at_ms=at_ms,
            mark=mark,
            fresh=fresh,
            done=done,
        )
    )
    if durable:
        done(None)
    return future


async def fill(store: Store, session_id: str, events: int, *, mark: SessionMark = MARK, at_ms: int = 1_000) -> None:
    """Store a session of so many events, each in a record and an append of its own."""
    waiting = [
        append(store, session_id, line(seq), mark=mark if seq == 1 else None, at_ms=at_ms)
        for seq in range(1, events + 1)
    ]
    assert not any(await asyncio.gather(*waiting))


def upload(upload_id: str, *, subject: str = "ann", session_id: str = "", data: bytes = b"data") -> Blob:
    """Make an upload."""
    attachment = Attachment(
        upload_id=upload_id, name="a.txt", media_type="text/plain", size_bytes=len(data), sha256="00"
    )
    return Blob(attachment=attachment, subject=subject, session_id=session_id, at_ms=5, data=data)


def _event(seq: int, text: str) -> AnyEvent:
    if seq == 1:
        return SessionStarted(
            seq=1, at_ms=1, state="idle", session_id="s", agent="echo", tier="workhorse", language="en"
        )
    return TextDelta(seq=seq, at_ms=seq, state="thinking", response_id="r1", message_id="m1", text=text, length=seq)
