"""Where `duologue sessions` finds sessions: in the data folder itself, or at a running server."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, Protocol
from urllib.parse import quote

import httpx2
import msgspec

from duologue.adapters.store_sqlite import SqliteStore
from duologue.model import limits
from duologue.model.errors import Code, DuologueError, Problem, Refused, SettingsError
from duologue.ports.store import SessionInfo, Store
from duologue.runtime import portable

LISTED: Final = 100
"""Sessions on one page, as the server has them."""

SERVER_S: Final = 60.0
"""How long a server may say nothing: an import is checked before it answers."""


class Row(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A session in the list. Times in ms since 1970."""

    session_id: str
    title: str
    agent: str
    turns: int
    open: bool
    ended: bool
    first_sequence: int
    last_sequence: int
    epoch: int
    created_at: int
    updated_at: int


class ServerSaidNoError(DuologueError):
    """The server refused, or is not there; the message says why."""


class Sessions(Protocol):
    """What the commands do, wherever the sessions are. All raise `DuologueError` with what to do."""

    def rows(self) -> AsyncGenerator[Row, None]:
        """All sessions, latest change first."""
        ...

    async def row(self, session_id: str) -> Row:
        """One session."""
        ...

    def journal(self, session_id: str) -> AsyncGenerator[bytes, None]:
        """The records of a session, in pieces of whole lines."""
        ...

    def export(self, session_id: str) -> AsyncGenerator[bytes, None]:
        """All of a session, to be imported elsewhere, in pieces of any size."""
        ...

    async def take_in(self, data: bytes) -> Row:
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
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    async def rows(self) -> AsyncGenerator[Row, None]:
        """All sessions, page by page."""

        async def page(before_ms: int | None) -> list[Row]:
            return [_row(info) for info in await self._store.list_sessions(before_ms=before_ms, limit=LISTED)]

        async for row in _all(page):
            yield row

    async def row(self, session_id: str) -> Row:
        """One session."""
        info = await self._store.info(session_id)
        if info is None:
            raise _unknown(session_id)
        return _row(info)

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
        async for lines in portable.export_session(self._store, session_id):
            yield lines

    async def take_in(self, data: bytes) -> Row:
        """Store an exported session."""
        imported = await portable.read_session(data.splitlines())
        await portable.store_session(self._store, imported)
        return _row(imported.info)

    async def delete(self, session_id: str) -> None:
        """Remove a session."""
        if not await self._store.delete_session(session_id):
            raise _unknown(session_id)

    async def forget(self, subject: str) -> Sequence[str]:
        """Remove everything about a person."""
        return await self._store.delete_subject(subject)


class _Listed(msgspec.Struct):
    sessions: list[Row]


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

    async def rows(self) -> AsyncGenerator[Row, None]:
        """All sessions, page by page."""

        async def page(before_ms: int | None) -> list[Row]:
            params = {} if before_ms is None else {"before": str(before_ms)}
            body = await self._ask("GET", "/api/sessions", params=params)
            return msgspec.json.decode(body, type=_Listed).sessions

        async for row in _all(page):
            yield row

    async def row(self, session_id: str) -> Row:
        """One session."""
        return msgspec.json.decode(await self._ask("GET", _path(session_id)), type=Row)

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

    async def take_in(self, data: bytes) -> Row:
        """Store an exported session."""
        if len(data) > limits.IMPORT_BYTES:
            raise ServerSaidNoError(
                f"the file has {len(data)} bytes; a server takes {limits.IMPORT_BYTES}. "
                "Stop the server and import without --url."
            )
        return msgspec.json.decode(await self._ask("POST", "/api/sessions/import", content=data), type=Row)

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


async def _all(page: Callable[[int | None], Awaitable[list[Row]]]) -> AsyncGenerator[Row, None]:
    """Go through the pages; sessions that changed in the same ms as the last one of a page are not missed."""
    seen: set[str] = set()
    before_ms: int | None = None
    while rows := await page(before_ms):
        new = [row for row in rows if row.session_id not in seen]
        for row in new:
            yield row
        seen = {row.session_id for row in rows}
        before_ms = rows[-1].updated_at + (1 if new else 0)


@asynccontextmanager
async def in_folder(folder: Path) -> AsyncGenerator[Sessions, None]:
    """Open a data folder, making it where it is missing.

    Raises:
        StoreError: a server has it open, it is damaged or cannot be used.
    """
    store = SqliteStore(folder)
    await store.open()
    try:
        yield FolderSessions(store)
    finally:
        await store.close()


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


def _row(info: SessionInfo) -> Row:
    mark = info.mark
    return Row(
        session_id=info.session_id,
        title=mark.title,
        agent=mark.agent,
        turns=mark.turns,
        open=mark.open_turn,
        ended=mark.ended,
        first_sequence=info.first_seq,
        last_sequence=info.last_seq,
        epoch=info.epoch,
        created_at=info.created_ms,
        updated_at=info.updated_ms,
    )
