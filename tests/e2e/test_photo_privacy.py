"""Where a photo was taken is gone before it is stored: inside messages, as uploads, and as photos of old uploads."""

import hashlib
import json
from base64 import b64encode
from pathlib import Path

import msgspec
import pytest
from tests.e2e.harness import Live, serving
from tests.e2e.links import AGENTCALL_WS, Link
from tests.e2e.test_agentcall_live import Looking, show
from tests.e2e.wire import Json, fetch
from tests.unit.images.pictures import HEIGHT, SECRET, WIDTH, loaded, pixels, plain

from duologue.model.content import Attachment, PhotoObservation
from duologue.model.errors import Code
from duologue.ports.store import Blob
from duologue.server.settings import Settings
from duologue.server.settings_photos import PhotosSettings

pytestmark = pytest.mark.anyio

KINDS = ["image/jpeg", "image/png", "image/webp"]
AS_SENT = msgspec.structs.replace(Settings(), photos=PhotosSettings(keep_location=True))


def photo(data: bytes, kind: str) -> Json:
    """Say what a photo says, without its bytes."""
    return {
        "kind": "photo",
        "mediaType": kind,
        "width": WIDTH,
        "height": HEIGHT,
        "sha256": hashlib.sha256(data).hexdigest(),
        "observedAt": "2026-01-02T03:04:05Z",
    }


async def upload(server: Live, data: bytes, kind: str) -> tuple[int, Json]:
    form = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\nContent-Type: ' + kind.encode()
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    answer = await fetch(
        server.port, "POST", "/chat/upload", body=form + b"\r\n\r\n" + data + b"\r\n--x--\r\n", headers=headers
    )
    return answer.status, json.loads(answer.raw)


def stored(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("kind", KINDS)
async def test_a_photo_inside_a_message_is_kept_without_its_place(kind: str, tmp_path: Path) -> None:
    agent, data = Looking(), loaded(kind, 6)
    async with serving(agent, tmp_path) as server, AGENTCALL_WS.link(server.port, "s-1") as link:
        inline = photo(data, kind) | {"data": b64encode(data).decode()}
        await show(link, 1, inline)
        (seen,) = agent.seen
        assert SECRET not in seen and pixels(seen) == pixels(plain(kind))
        observed = agent.requests[0].observation
        assert isinstance(observed, PhotoObservation)
        assert observed.photo.sha256 == hashlib.sha256(seen).hexdigest()
        assert observed.photo.sent_sha256 == hashlib.sha256(data).hexdigest()
        assert observed.photo.size_bytes == len(seen)
        # Sent again, as the answer was lost, it is the same turn.
        await link.send({"type": "user.observation", "turn": 1, "observation": inline})
        await show(link, 2, inline)
        assert len(agent.requests) == 2
    assert SECRET not in stored(tmp_path)


@pytest.mark.parametrize("kind", KINDS)
async def test_an_upload_is_kept_without_its_place_and_found_by_either_hash(kind: str, tmp_path: Path) -> None:
    agent, data = Looking(), loaded(kind)
    async with serving(agent, tmp_path) as server, AGENTCALL_WS.link(server.port, "s-1") as link:
        status, kept = await upload(server, data, kind)
        assert (status, kept["mediaType"]) == (201, kind)
        assert kept["sha256"] != hashlib.sha256(data).hexdigest()
        await show(link, 1, photo(data, kind) | {"uploadId": kept["uploadId"]})
        await show(link, 2, photo(data, kind) | {"uploadId": kept["uploadId"], "sha256": kept["sha256"]})
        assert {hashlib.sha256(seen).hexdigest() for seen in agent.seen} == {kept["sha256"]}
        body = {"requestId": "r-3", "sessionId": "s-1", "text": "look", "attachments": [kept["uploadId"]]}
        await fetch(server.port, "POST", "/chat/stream", body=body, headers={"Accept": "application/json"})
        assert len(agent.seen) == 3
    assert SECRET not in stored(tmp_path)


async def test_photos_are_kept_as_they_are_where_the_settings_say_so(tmp_path: Path) -> None:
    agent, data = Looking(), loaded("image/jpeg", 6)
    async with serving(agent, tmp_path, AS_SENT) as server, AGENTCALL_WS.link(server.port, "s-1") as link:
        await show(link, 1, photo(data, "image/jpeg") | {"data": b64encode(data).decode()})
        _, kept = await upload(server, data, "image/jpeg")
        await show(link, 2, photo(data, "image/jpeg") | {"uploadId": kept["uploadId"]})
        assert agent.seen == [data, data]
        assert kept["sha256"] == hashlib.sha256(data).hexdigest()


async def test_an_upload_of_an_earlier_time_loses_its_place_once_it_is_a_photo(tmp_path: Path) -> None:
    agent, data = Looking(), loaded("image/jpeg")
    async with serving(agent, tmp_path) as server, AGENTCALL_WS.link(server.port, "s-1") as link:
        old = Attachment(
            upload_id="old",
            name="a.jpg",
            media_type="image/jpeg",
            size_bytes=len(data),
            sha256=hashlib.sha256(data).hexdigest(),
        )
        await server.hub.store.put_blob(Blob(attachment=old, subject="local", session_id="", at_ms=1, data=data))
        await show(link, 1, photo(data, "image/jpeg") | {"uploadId": "old"})
        assert SECRET not in agent.seen[0]
        assert (await server.hub.store.get_blob("old")) is not None


async def test_a_photo_that_is_not_what_it_seems_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    data = loaded("image/png")
    agent = Looking()
    async with serving(agent, tmp_path) as server, AGENTCALL_WS.link(server.port, "s-1") as link:
        cut = plain("image/png")[:-4]
        refused = await _refused(link, photo(cut, "image/png") | {"data": b64encode(cut).decode()})
        assert (refused["code"], refused["path"]) == (Code.UPLOAD_REFUSED, "$.observation.data")
        _, kept = await upload(server, data, "image/png")
        wide = photo(data, "image/png") | {"uploadId": kept["uploadId"], "width": WIDTH + 1}
        refused = await _refused(link, wide)
        assert (refused["code"], refused["path"]) == (Code.UPLOAD_REFUSED, "$.observation")
        assert agent.requests == []
        # A few hundred bytes that stand for 400 million pixels.
        bomb = _gif(20_000, 20_000)
        status, body = await upload(server, bomb, "image/gif")
        assert (status, body["reason"]) == (415, "upload_refused")
        assert "20000x20000 pixels" in body["message"]
        status, body = await upload(server, cut, "image/png")
        assert (status, body["reason"]) == (415, "upload_refused")


def _gif(width: int, height: int) -> bytes:
    data = plain("image/gif")
    return data[:6] + width.to_bytes(2, "little") + height.to_bytes(2, "little") + data[10:]


async def _refused(link: Link, observation: Json) -> Json:
    await link.send({"type": "user.observation", "turn": 1, "observation": observation})
    return await link.refused()
