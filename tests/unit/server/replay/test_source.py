"""Where a recording comes from when a server has the data folder open."""

from pathlib import Path

import msgspec
import pytest

from duologue.adapters.store_sqlite import SqliteStore
from duologue.server.replay import source
from duologue.server.sessions_access import ServerSaidNoError
from duologue.server.settings import ServerSettings, Settings

pytestmark = pytest.mark.anyio


async def test_a_server_at_another_address_is_to_be_named(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    await store.open()
    # Nobody listens at port 1.
    server = msgspec.structs.replace(ServerSettings(), data=str(tmp_path), port=1)
    with pytest.raises(ServerSaidNoError) as told:
        await source.from_folder("s", Settings(server=server), token=None)
    await store.close()
    for words in (str(tmp_path), "http://127.0.0.1:1 does not answer", "add --url"):
        assert words in str(told.value)
