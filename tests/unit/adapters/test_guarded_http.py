import asyncio

import httpx2
import pytest
from tests.unit.adapters.loopback import Received, listening

from duologue.adapters.guarded_http import EVERYWHERE, Reach, guarded_client, read_networks

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.9.9.9",
        "0.0.0.0",
        "10.0.0.5",
        "172.16.0.1",
        "192.168.1.1",
        "100.64.0.1",
        "169.254.169.254",
        "100.100.100.200",
        "168.63.129.16",
        "224.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "fe80::1",
        "fe80::1%eth0",
        "fd00:ec2::254",
        "fc00::1",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::7f00:1",
        "2002:7f00:1::",
        "::127.0.0.1",
        "::ffff:0:127.0.0.1",
        "fec0::1",
        "192.0.0.192",
        "2001:db8::1",
        "localhost",
        "",
    ],
)
async def test_what_is_no_address_of_the_internet_is_refused(address: str) -> None:
    assert Reach().fault_of(address) is not None


@pytest.mark.parametrize("address", ["1.1.1.1", "93.184.215.14", "2606:4700:4700::1111", "::ffff:1.1.1.1"])
async def test_addresses_of_the_internet_may_be_reached(address: str) -> None:
    assert Reach().fault_of(address) is None


async def test_named_networks_may_be_reached_and_no_others() -> None:
    reach = Reach(read_networks(["10.1.0.0/16", "::1"]))
    assert reach.fault_of("10.1.2.3") is None
    assert reach.fault_of("::ffff:10.1.2.3") is None
    assert reach.fault_of("::1") is None
    assert reach.fault_of("10.2.0.1") is not None
    assert reach.fault_of("127.0.0.1") is not None


@pytest.mark.parametrize("wide", ["0.0.0.0/0", "169.0.0.0/8", "100.64.0.0/10", "168.0.0.0/8"])
async def test_a_wide_network_does_not_open_where_credentials_are_told(wide: str) -> None:
    reach = Reach(read_networks([wide]))
    assert all(reach.fault_of(address) for address in ("169.254.169.254", "100.100.100.200", "168.63.129.16"))


async def test_where_credentials_are_told_can_be_named_by_itself() -> None:
    assert Reach(read_networks(["169.254.169.254"])).fault_of("169.254.169.254") is None
    assert Reach(read_networks(["169.254.169.254"])).fault_of("169.254.170.2") is not None


class Names:
    """Gives names addresses, another answer each time where there are several."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, int]] = []

    async def __call__(self, host: str, port: int) -> list[str]:
        self.asked.append((host, port))
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def client_of(reach: Reach, names: Names) -> httpx2.AsyncClient:
    return guarded_client(reach, resolve=names)


LOOPBACK = Reach(read_networks(["127.0.0.1"]))


async def test_a_name_is_connected_to_at_the_address_that_was_checked() -> None:
    async with listening() as server, client_of(LOOPBACK, Names(["127.0.0.1"])) as client:
        response = await client.get(f"http://shop.example:{server.port}/a?b=c")
        assert response.status_code == 200
        received: Received = server.received[0]
        assert received.path == "/a?b=c"
        assert received.headers["host"] == f"shop.example:{server.port}"


async def test_a_name_that_changes_its_address_after_the_check_leads_nowhere_else() -> None:
    """The second look-up of a rebinding name would be the connection's; there is none."""
    reach = Reach(read_networks(["127.0.0.2"]))
    async with listening() as server:
        names = Names(["127.0.0.2"], ["127.0.0.1"])
        async with client_of(reach, names) as client:
            with pytest.raises(httpx2.ConnectError):
                await client.get(f"http://rebind.example:{server.port}/")
            assert len(names.asked) == 1
            with pytest.raises(httpx2.ConnectError, match=r"127\.0\.0\.1 is no address of the internet"):
                await client.get(f"http://rebind.example:{server.port}/")
        assert server.received == []


async def test_one_inner_address_of_a_name_closes_it() -> None:
    async with client_of(Reach(), Names(["93.184.215.14", "10.0.0.1"])) as client:
        with pytest.raises(httpx2.ConnectError, match=r"10\.0\.0\.1 is no address of the internet"):
            await client.get("http://mixed.example/")


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:9/", "http://[::1]:9/", "http://2130706433/", "http://0x7f.1/", "http://localhost:9/"]
)
async def test_this_machine_is_not_reached_however_it_is_written(url: str) -> None:
    async with guarded_client(Reach()) as client:
        with pytest.raises(httpx2.ConnectError):
            await client.get(url)


async def test_a_redirect_is_not_followed() -> None:
    away = {"location": "http://169.254.169.254/"}
    async with listening(status=302, headers=away) as server, guarded_client(LOOPBACK) as client:
        response = await client.get(server.url)
    assert response.status_code == 302


async def test_the_next_address_is_tried_where_one_does_not_answer() -> None:
    reach = Reach(read_networks(["127.0.0.0/8"]))
    async with listening() as server, client_of(reach, Names(["127.0.0.2", "127.0.0.1"])) as client:
        response = await client.post(f"http://shop.example:{server.port}/", content=b"once")
        assert response.status_code == 200
        assert [one.body for one in server.received] == [b"once"]


async def test_the_name_and_not_the_address_is_what_tls_is_asked_for() -> None:
    hello = asyncio.Queue[bytes]()

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        hello.put_nowait(await reader.read(4_096))
        writer.close()

    server = await asyncio.start_server(listen, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, client_of(LOOPBACK, Names(["127.0.0.1"])) as client:
        with pytest.raises(httpx2.TransportError):
            await client.get(f"https://shop.example:{port}/")
        assert b"shop.example" in await hello.get()


async def test_everywhere_is_all_but_where_credentials_are_told() -> None:
    reach = Reach(read_networks(EVERYWHERE))
    assert reach.fault_of("10.0.0.1") is None
    assert reach.fault_of("::1") is None
    assert reach.fault_of("169.254.169.254") is not None
    assert reach.fault_of("fd00:ec2::254") is not None


async def test_a_name_without_an_address_is_told_so() -> None:
    async with client_of(Reach(), Names([])) as client:
        with pytest.raises(httpx2.ConnectError, match="has no address"):
            await client.get("http://nowhere.example/")
