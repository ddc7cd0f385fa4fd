"""What is stored, looked at in a copy, so that nothing of it is changed: opening a store recovers and migrates."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Final

import apsw

from duologue.adapters.store_sqlite import SqliteStore
from duologue.model.errors import DuologueError, StoreError
from duologue.ports.store import SessionInfo, Store
from duologue.runtime.portable import export_session
from duologue.server.doctor import folder as outside
from duologue.server.doctor.findings import Finding, fail, note, ok, skip, warn
from duologue.server.replay import law
from duologue.server.replay.recorded import read

COPIED_BYTES: Final = 2**30
"""Largest folder that is copied without being asked to: some seconds, and room that is most likely there."""

PAGE: Final = 100
"""Sessions that are listed at once."""

FUTURE_MS: Final = 60_000
"""How far a stored time may be ahead of the clock before the clock counts as turned back."""

NAMED: Final = 5
"""How many sessions a finding names."""


def look(folder: Path, *, sessions: int, deep: bool, now_ms: int) -> list[Finding]:
    """Look at a folder that nobody has open.

    Args:
        sessions: how many journals are stepped again, the latest first.
        deep: copy the folder whatever its size.
        now_ms: the clock, ms since 1970.
    """
    size = outside.size_of(folder)
    if not any(folder.glob("*.db")):
        return [note("store.open", "nothing is stored yet")]
    if size > COPIED_BYTES and not deep:
        return [skip("store.open", f"{size / 2**30:.1f} GiB would have to be copied", "say --deep to do so")]
    with tempfile.TemporaryDirectory(prefix="duologue-doctor-") as place:
        room = shutil.disk_usage(place).free
        if size * 2 > room:
            return [skip("store.open", f"no room for a copy in {place}", "set TMPDIR to a folder with room")]
        copy = Path(place)
        if not _copied(folder, copy):
            return [skip("store.open", "somebody writes to it just now", "look again, or stop the server first")]
        return [*_integrity(copy), *asyncio.run(_all(_contents(copy, sessions, now_ms)))]


async def _all(findings: AsyncGenerator[Finding, None]) -> list[Finding]:
    return [finding async for finding in findings]


def _copied(folder: Path, copy: Path) -> bool:
    """Copy the files; false where one changed meanwhile."""
    files = [path for path in folder.iterdir() if path.is_file() and not path.name.endswith(".lock")]
    before = [_stamp(path) for path in files]
    for path in files:
        shutil.copyfile(path, copy / path.name)
    return before == [_stamp(path) for path in files] and outside.holder_of(folder) is None


def _stamp(path: Path) -> tuple[int, int]:
    try:
        at = path.stat()
    except OSError:
        return (0, 0)
    return at.st_mtime_ns, at.st_size


def _integrity(copy: Path) -> Iterator[Finding]:
    """Let SQLite read every page of its own file."""
    for path in sorted(copy.glob("*.db")):
        try:
            connection = apsw.Connection(str(path))
            try:
                # apsw's own types name collections.abc.Buffer, which Python 3.11 lacks.
                found = connection.execute("PRAGMA integrity_check(5)")  # pyright: ignore[reportUnknownMemberType]
                rows = [str(row[0]) for row in found]
            finally:
                connection.close()
        except apsw.Error as error:
            rows = [str(error)]
        if rows == ["ok"]:
            yield ok("store.integrity", f"{path.name}: every page is sound")
        else:
            mend = "restore the folder from a backup, or move it away to begin with an empty one"
            yield fail("store.integrity", f"{path.name}: {'; '.join(rows)[:300]}", mend)


async def _contents(copy: Path, sessions: int, now_ms: int) -> AsyncGenerator[Finding, None]:
    store = SqliteStore(copy)
    try:
        await store.open()
    except StoreError as error:
        found, _, mend = str(error).replace(f"{copy}/", "").partition(". ")
        yield fail("store.open", found, mend or "see the message")
        return
    try:
        infos = [info async for info in _listed(store)]
        yield ok("store.open", f"{len(infos)} sessions, data version as expected")
        yield await _journals(store, infos[:sessions], len(infos))
        yield _times(infos, now_ms)
        interrupted = len(await store.interrupted())
        if interrupted:
            yield note("store.open_turns", f"{interrupted} turns were cut", "the next start takes them up by itself")
    except StoreError as error:
        yield fail("store.read", str(error), "restore the folder from a backup")
    finally:
        await store.close()


async def _listed(store: Store) -> AsyncGenerator[SessionInfo, None]:
    before_ms: int | None = None
    seen: set[str] = set()
    while rows := await store.list_sessions(before_ms=before_ms, limit=PAGE):
        new = [row for row in rows if row.session_id not in seen]
        for row in new:
            yield row
        seen = {row.session_id for row in rows}
        before_ms = rows[-1].updated_ms + (1 if new else 0)


async def _journals(store: Store, infos: list[SessionInfo], total: int) -> Finding:
    """Step journals again, and see whether they hold what comes out."""
    broken: list[str] = []
    events = older = 0
    for info in infos:
        try:
            data = b"".join([piece async for piece in export_session(store, info.session_id)])
            verdict = law.verify(read(info.session_id, data))
        except DuologueError as error:
            broken.append(f"{info.session_id} ({error})")
            continue
        events, older = events + verdict.events, older + verdict.older
        if verdict.breach is not None:
            broken.append(f"{info.session_id} at event {verdict.breach.seq}")
    if broken:
        named = ", ".join(broken[:NAMED]) + (", …" if len(broken) > NAMED else "")
        mend = "export them, and see `duologue replay --verify`; such a session is left alone and cannot be used"
        return fail("store.journals", f"{len(broken)} journals do not step to themselves: {named}", mend)
    shown = f"{len(infos)} journals step to themselves, {events:,} events"
    shown += f", {older:,} of them of an earlier version" if older else ""
    rest = f"; the other {total - len(infos)} were not looked at (--sessions)" if total > len(infos) else ""
    return ok("store.journals", shown + rest)


def _times(infos: list[SessionInfo], now_ms: int) -> Finding:
    latest = max((info.updated_ms for info in infos), default=0)
    if latest > now_ms + FUTURE_MS:
        ahead = (latest - now_ms) / 1000
        mend = "set the clock: what comes now carries the time of the last event until the clock has caught up"
        return warn("machine.clock_back", f"the latest event is {ahead:,.0f} s ahead of the clock", mend)
    return ok("machine.clock_back", "no stored time is ahead of the clock")
