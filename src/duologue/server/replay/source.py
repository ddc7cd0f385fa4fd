"""Where recordings come from: an export, a folder of them, the data folder, or the server that has it open."""

from pathlib import Path

from duologue.model.errors import StoreLocked
from duologue.server import sessions_access
from duologue.server.replay.recorded import Recorded, read
from duologue.server.settings import Settings


async def from_folder(session_id: str, settings: Settings, *, token: str | None) -> Recorded:
    """Read a session from the data folder; where a server has it open, from that server.

    Raises:
        Refused: there is no such session.
        StoreError: the folder cannot be used.
        ServerSaidNoError: the server that has it open refused, or does not answer where the settings say.
    """
    try:
        async with sessions_access.in_folder(Path(settings.server.data)) as found:
            return await _export(found, session_id)
    except StoreLocked:
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.server.host, settings.server.host)
        url = f"http://[{host}]:{settings.server.port}" if ":" in host else f"http://{host}:{settings.server.port}"
        try:
            return await from_server(session_id, url, token=token, subject=None)
        except sessions_access.ServerSaidNoError as error:
            folder = settings.server.data
            message = f"a server has {folder} open, and {error}. Where it has another address, add --url"
            raise sessions_access.ServerSaidNoError(message) from error


async def from_server(session_id: str, url: str, *, token: str | None, subject: str | None) -> Recorded:
    """Read a session from a running server.

    Raises:
        ServerSaidNoError: it refused, or is not there.
    """
    async with sessions_access.at_server(url, token=token, subject=subject) as found:
        return await _export(found, session_id)


async def _export(found: sessions_access.Sessions, session_id: str) -> Recorded:
    data = b"".join([piece async for piece in found.export(session_id)])
    return read(session_id, data)
