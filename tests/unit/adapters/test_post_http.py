"""Sending over HTTP, to real sockets: what counts as a receipt, and what as a failure."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from duologue.adapters.post_http import HttpPost
from duologue.model import limits
from duologue.ports.post import Answered, Letter

pytestmark = pytest.mark.anyio

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class Receiver:
    """Reads requests, and answers each with the same bytes.

    Attributes:
        requests: heads and bodies, in order.
        connections: how many were made.
    """

    def __init__(self, answer: bytes) -> None:
        self.answer = answer
        self.requests: list[tuple[str, bytes]] = []
        self.connections = 0
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                lines = {line.partition(": ")[0].lower(): line.partition(": ")[2] for line in head.splitlines()}
                self.requests.append((head, await reader.readexactly(int(lines["content-length"]))))
                writer.write(self.answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def listening(
    serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
) -> AsyncGenerator[int]:
    """Listen on a free port for a block; connections that are open at its end are cut."""
    writers: list[asyncio.StreamWriter] = []

    async def noted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        await serve(reader, writer)

    server = await asyncio.start_server(noted, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for writer in writers:
            writer.transport.abort()
        await server.wait_closed()


@asynccontextmanager
async def posting(*, timeout_ms: int = limits.WEBHOOK_MS) -> AsyncGenerator[HttpPost]:
    post = HttpPost(timeout_ms=timeout_ms)
    try:
        yield post
    finally:
        await post.close()
        await post.close()


def letter(port: int, path: str = "/hook?a=1") -> Letter:
    headers = {"Content-Type": "application/json", "X-Test": "yes"}
    return Letter(url=f"http://127.0.0.1:{port}{path}", headers=headers, body=b'{"a":"\xc3\xa9"}')


async def answered(answer: bytes) -> Answered:
    receiver = Receiver(answer)
    async with listening(receiver.serve) as port, posting() as post:
        return await post.send(letter(port))


async def test_the_letter_arrives_as_it_is_and_connections_are_kept() -> None:
    receiver = Receiver(OK)
    async with listening(receiver.serve) as port, posting() as post:
        for _ in range(3):
            assert await post.send(letter(port)) == Answered()
    head, body = receiver.requests[0]
    assert head.startswith("POST /hook?a=1 HTTP/1.1\r\n")
    assert "\r\nX-Test: yes\r\n" in head
    assert "\r\nContent-Type: application/json\r\n" in head
    assert body == b'{"a":"\xc3\xa9"}'
    assert receiver.connections == 1


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
async def test_any_2xx_is_a_receipt(status: int) -> None:
    assert await answered(f"HTTP/1.1 {status} X\r\nContent-Length: 0\r\n\r\n".encode()) == Answered()


@pytest.mark.parametrize("status", [400, 404, 410, 429, 500, 503])
async def test_any_other_answer_is_a_failure(status: int) -> None:
    answer = f"HTTP/1.1 {status} X\r\nContent-Length: 6\r\n\r\nsecret".encode()
    assert await answered(answer) == Answered(error=f"answered {status}")


@pytest.mark.parametrize(
    ("text", "wait_ms"),
    [("7", 7_000), ("99999999999", limits.WEBHOOK_BACKOFF_MAX_MS), ("Mon, 30 Nov 2026 10:00:00 GMT", 0), ("-1", 0)],
)
async def test_a_receiver_may_ask_to_be_left_alone(text: str, wait_ms: int) -> None:
    answer = f"HTTP/1.1 503 X\r\nRetry-After: {text}\r\nContent-Length: 0\r\n\r\n".encode()
    assert await answered(answer) == Answered(error="answered 503", wait_ms=wait_ms)


async def test_a_redirect_is_not_followed() -> None:
    target, receiver = Receiver(OK), Receiver(b"")
    async with listening(target.serve) as other, listening(receiver.serve) as port, posting() as post:
        receiver.answer = f"HTTP/1.1 307 X\r\nLocation: http://127.0.0.1:{other}/\r\nContent-Length: 0\r\n\r\n".encode()
        assert await post.send(letter(port)) == Answered(error="redirected (307), which is not followed")
    assert target.connections == 0


async def test_a_receiver_that_says_nothing_is_given_up() -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with listening(silent) as port, posting(timeout_ms=100) as post:
        assert await post.send(letter(port)) == Answered(error="no answer within 0.1 s")


async def test_a_receiver_that_drips_is_given_up() -> None:
    async def dripping(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        try:
            while not reader.at_eof():
                writer.write(b"1\r\nx\r\n")
                await writer.drain()
                async with asyncio.timeout(0.01):
                    await reader.read(1)
        except (TimeoutError, ConnectionError):
            pass
        await reader.read()
        writer.close()

    async with listening(dripping) as port, posting(timeout_ms=100) as post:
        assert await post.send(letter(port)) == Answered(error="no answer within 0.1 s")


async def test_an_endless_answer_is_not_read() -> None:
    async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        try:
            while True:
                writer.write(b"1000\r\n" + b"x" * 0x1000 + b"\r\n")
                await writer.drain()
        except ConnectionError:
            writer.close()

    async with listening(endless) as port, posting() as post:
        assert await post.send(letter(port)) == Answered()


async def test_nobody_there() -> None:
    async with listening(Receiver(OK).serve) as port:
        pass
    async with posting() as post:
        assert await post.send(letter(port)) == Answered(error="cannot connect")


@pytest.mark.parametrize("answer", [b"nonsense\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"])
async def test_what_is_no_answer(answer: bytes) -> None:
    async def broken(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        writer.close()

    async with listening(broken) as port, posting() as post:
        error = (await post.send(letter(port))).error
    assert error.startswith("the exchange broke off (")


async def test_an_address_that_is_none_is_a_failure() -> None:
    async with posting() as post:
        bad = Letter(url="http://[::1", headers={}, body=b"")
        assert (await post.send(bad)).error.startswith("the exchange broke off (")


async def test_no_proxy_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    proxy, receiver = Receiver(OK), Receiver(OK)
    async with listening(proxy.serve) as other, listening(receiver.serve) as port, posting() as post:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{other}")
        monkeypatch.setenv("ALL_PROXY", f"http://127.0.0.1:{other}")
        assert await post.send(letter(port)) == Answered()
    assert (proxy.connections, receiver.connections) == (0, 1)
