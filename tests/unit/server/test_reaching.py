"""Where hooks may lead: wherever somebody trusted names, but not where a machine is told its credentials."""

import httpx2
import pytest
from tests.unit.adapters.loopback import Said, listening

from duologue.server.reaching import anywhere_but_metadata

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/latest/meta-data/iam",
        "http://[::ffff:169.254.169.254]/",
        "http://0xa9fea9fe/",
        "http://[fd00:ec2::254]/",
        "http://100.100.100.200/",
        "http://168.63.129.16/",
        "http://[fe80::1]/",
    ],
)
async def test_nobody_has_a_hook_where_a_machine_is_told_its_credentials(url: str) -> None:
    async with anywhere_but_metadata() as client:
        with pytest.raises(httpx2.ConnectError, match="credentials"):
            await client.post(url, content=b"{}")


async def test_an_inner_machine_may_have_one() -> None:
    async with listening(lambda _: Said(status=204, body=b"")) as server, anywhere_but_metadata() as client:
        assert (await client.post(server.url, content=b"{}")).status_code == 204
