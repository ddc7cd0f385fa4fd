"""Where `duologue sessions` finds sessions: in the data folder itself, or at a running server."""

import functools
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final, Protocol
from urllib.parse import quote

import httpx2
import msgspec

from duologue.adapters.memory_sqlite import SqliteMemory
from duologue.adapters.outbox_sqlite import SqliteOutbox
from duologue.adapters.store_sqlite import SqliteStore
from duologue.model import limits
from duologue.model.errors import Code, DuologueError, Problem, Refused, SettingsError
from duologue.ports.memory import Memory
from duologue.ports.outbox import Outbox
from duologue.ports.store import Place, Standing, Store
from duologue.runtime import portable
from duologue.runtime.clock import SystemClock
from duologue.server.audit import Audit
from duologue.server.log import event_log
from duologue.server.looking.answers import SessionRow, describe
from duologue.server.looking.search import Query, find

SERVER_S: Final = 60.0
"""How long a server may say nothing: an import is checked before it answers."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Which sessions are listed: how they stand, whose they are, what words they hold."""

    standing: Standing | None = None
    subject: str | None = None
    text: str = ""


class ServerSaidNoError(DuologueError):
    """The server refused, or is not there; the message says why."""


class Sessions(Protocol):
    """What the commands do, wherever the sessions are. All raise `DuologueError` with what to do."""

    def rows(self, wanted: Wanted) -> AsyncGenerator[SessionRow, None]:
        """All sessions that are wanted, latest change first."""
        ...

    async def row(self, session_id: str) -> SessionRow:
        """One session."""
        ...

    def journal(self, session_id: str) -> AsyncGenerator[bytes, None]:
        """The records of a session, in pieces of whole lines."""
        ...

    def export(self, session_id: str) -> AsyncGenerator[bytes, None]:
        """All of a session, to be imported elsewhere, in pieces of any size."""
        ...

    async def take_in(self, data: bytes) -> SessionRow:
        """Store an exported session."""
        ...

    async def delete(self, session_id: str) -> None:
        """Remove a session."""
        ...

    async def forget(self, subject: str) -> Sequence[str]:
        """Remove everything about a person; the ids of the removed sessions."""
        ...


class FolderSessions:
    """The sessions of a data folder that no server has open, of all people.

    Args:
        store: open.
        audit: what is done here is noted there.
        outbox: open, where the folder has one.
        memory: as that.
    """

    def __init__(self, store: Store, audit: Audit, outbox: Outbox | None, memory: Memory | None) -> None:
        self._store, self._outbox, self._memory = store, outbox, memory
        self._note = functools.partial(audit.note, who="command line")

    async def rows(self, wanted: Wanted) -> AsyncGenerator[SessionRow, None]:
        """All that are wanted, page by page."""
        after: Place | None = None
        while True:
            query = Query(subject=wanted.subject, standing=wanted.standing, text=wanted.text, after=after)
            found = await find(self._store, query)
            for hit in found.hits:
                yield describe(hit.info, hit.match)
            if found.next is None:
                return
            after = found.next

    async def row(self, session_id: str) -> SessionRow:
        """One session."""
        info = await self._store.info(session_id)
        if info is None:
            raise _unknown(session_id)
        return describe(info)

    async def journal(self, session_id: str) -> AsyncGenerator[bytes, None]:
        """The records."""
        row = await self.row(session_id)
        after = row.first_sequence - 1
        while after < row.last_sequence:
            lines = await self._store.read(session_id, after=after, limit=limits.READ_EVENTS)
            after = portable.last_seq(lines)
            yield lines

    async def export(self, session_id: str) -> AsyncGenerator[bytes, None]:
        """All of it."""
        await self.row(session_id)
        self._note("session.exported", about={"session_id": session_id})
        async for lines in portable.export_session(self._store, session_id):
            yield lines

    async def take_in(self, data: bytes) -> SessionRow:
        """Store an exported session."""
        imported = await portable.read_session(data.splitlines())
        await portable.store_session(self._store, imported)
        if self._outbox is not None:
            await self._outbox.skip(imported.info.session_id, seq=imported.info.last_seq)
        self._note("session.imported", about={"session_id": imported.info.session_id})
        return describe(imported.info)

    async def delete(self, session_id: str) -> None:
        """Remove a session."""
        if self._outbox is not None:
            await self._outbox.forget([session_id])
        if self._memory is not None:
            await self._memory.forget_sessions([session_id])
        if not await self._store.delete_session(session_id):
            raise _unknown(session_id)
        self._note("session.deleted", about={"session_id": session_id})

    async def forget(self, subject: str) -> Sequence[str]:
        """Remove everything about a person."""
        if self._outbox is not None:
            await self._outbox.forget([row.session_id async for row in self.rows(Wanted(subject=subject))])
        if self._memory is not None:
            await self._memory.forget_subject(subject)
        self._note("person.deleted", about={"subject": subject})
        return await self._store.delete_subject(subject)


class _Listed(msgspec.Struct):
    sessions: list[SessionRow]
    next: str | None = None


class _Deleted(msgspec.Struct):
    deleted: list[str]


class _Refusal(msgspec.Struct):
    message: str = ""
    error: str = ""


class ServerSessions:
    """The sessions of one person at a running server.

    Args:
        client: has the server's address and the credential.
    """

    def __init__(self, client: httpx2.AsyncClient) -> None:
        self._client = client

    async def rows(self, wanted: Wanted) -> AsyncGenerator[SessionRow, None]:
        """All that are wanted, page by page."""
        asked = {"state": wanted.standing, "subject": wanted.subject, "q": wanted.text}
        params = {name: value for name, value in asked.items() if value}
        while True:
            page = msgspec.json.decode(await self._ask("GET", "/api/sessions", params=params), type=_Listed)
            for row in page.sessions:
                yield row
            if page.next is None:
                return
            params["after"] = page.next

    async def row(self, session_id: str) -> SessionRow:
        """One session."""
        return msgspec.json.decode(await self._ask("GET", _path(session_id)), type=SessionRow)

    async def journal(self, session_id: str) -> AsyncGenerator[bytes, None]:
        """The records, in one piece."""
        yield await self._ask("GET", f"{_path(session_id)}/journal")

    async def export(self, session_id: str) -> AsyncGenerator[bytes, None]:
        """All of it."""
        async with self._client.stream("GET", f"{_path(session_id)}/export") as response:
            if not response.is_success:
                raise _said_no(response, await response.aread())
            async for piece in response.aiter_bytes():
                yield piece

    async def take_in(self, data: bytes) -> SessionRow:
        """Store an exported session."""
        if len(data) > limits.IMPORT_BYTES:
            raise ServerSaidNoError(
                f"the file has {len(data)} bytes; a server takes {limits.IMPORT_BYTES}. "
                "Stop the server and import without --url."
            )
        return msgspec.json.decode(await self._ask("POST", "/api/sessions/import", content=data), type=SessionRow)

    async def delete(self, session_id: str) -> None:
        """Remove a session."""
        await self._ask("DELETE", _path(session_id))

    async def forget(self, subject: str) -> Sequence[str]:
        """Remove everything about a person."""
        body = await self._ask("DELETE", f"/api/people/{quote(subject, safe='')}")
        return msgspec.json.decode(body, type=_Deleted).deleted

    async def _ask(
        self, method: str, path: str, *, params: dict[str, str] | None = None, content: bytes | None = None
    ) -> bytes:
        response = await self._client.request(method, path, params=params, content=content)
        if not response.is_success:
            raise _said_no(response, response.content)
        return response.content


@asynccontextmanager
async def in_folder(folder: Path) -> AsyncGenerator[Sessions, None]:
    """Open a data folder, making it where it is missing.

    Raises:
        StoreError: a server has it open, it is damaged or cannot be used.
    """
    store, outbox, memory = SqliteStore(folder), SqliteOutbox(folder), SqliteMemory(folder)
    await store.open()
    audit = Audit(folder, clock=SystemClock(), log=event_log("duologue"))
    try:
        yield FolderSessions(
            store,
            audit,
            outbox if await outbox.open(create=False) else None,
            memory if await memory.open(create=False) else None,
        )
    finally:
        audit.close()
        async with AsyncExitStack() as last:
            last.push_async_callback(store.close)
            last.push_async_callback(outbox.close)
            last.push_async_callback(memory.close)


@asynccontextmanager
async def at_server(url: str, *, token: str | None, subject: str | None) -> AsyncGenerator[Sessions, None]:
    """Use a running server.

    Args:
        url: its address.
        token: the credential.
        subject: whose sessions; only for an API key, or on the server's own machine.
    Raises:
        ServerSaidNoError: it is not there.
    """
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    headers |= {"Duologue-Subject": subject} if subject else {}
    try:
        async with httpx2.AsyncClient(base_url=url, headers=headers, timeout=SERVER_S) as client:
            yield ServerSessions(client)
    except (httpx2.InvalidURL, httpx2.UnsupportedProtocol) as error:
        raise SettingsError(f"--url {url}: write it like http://127.0.0.1:8420") from error
    except httpx2.HTTPError as error:
        raise ServerSaidNoError(f"the server at {url} does not answer: {error or type(error).__name__}") from error


def _path(session_id: str) -> str:
    return f"/api/sessions/{quote(session_id, safe='')}"


def _said_no(response: httpx2.Response, body: bytes) -> ServerSaidNoError:
    try:
        refusal = msgspec.json.decode(body, type=_Refusal)
    except msgspec.MsgspecError:
        refusal = _Refusal()
    said = refusal.message or refusal.error or f"it answered {response.status_code}"
    return ServerSaidNoError(f"the server refused: {said}")


def _unknown(session_id: str) -> Refused:
    message = f"there is no session {session_id[:128]!r}; `duologue sessions list` shows all"
    return Refused(Problem(code=Code.SESSION_UNKNOWN, message=message))
