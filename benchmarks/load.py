"""Load: many streams at once, read by clients that cost little."""

import asyncio
import gc
import json
import random
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

import psutil

TOKEN = re.compile(rb"(\d{9,}) tok")
READ_BYTES = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One load against one server.

    Attributes:
        events: tokens that arrived.
        rate: tokens a second, all clients together.
        p50_ms: median time from a token's making to its arrival.
        p99_ms: 99th percentile of the same.
        cpu_us: the server's CPU time per token, user and system, all threads.
    """

    events: int
    rate: float
    p50_ms: float
    p99_ms: float
    cpu_us: float


def cpu_s(process: psutil.Process) -> float:
    """CPU seconds that a process has used."""
    times = process.cpu_times()
    return times.user + times.system


async def stream(url: str, body: bytes, *, wait_s: float = 0.0) -> list[int]:
    """Wait, then read one stream to its end; returns the delivery time of each token in ns."""
    await asyncio.sleep(wait_s)
    address = urlsplit(url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port, limit=2**20)
    writer.write(
        b"POST %b HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        b"Accept: text/event-stream\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
        % (address.path.encode(), len(body))
        + body
    )
    delays_ns: list[int] = []
    rest = b""
    while chunk := await reader.read(READ_BYTES):
        now_ns = time.monotonic_ns()
        seen = rest + chunk
        end = 0
        for found in TOKEN.finditer(seen):
            # A text that is shown again when it is complete repeats its tokens; only a delta counts.
            if seen[found.start() - 1 : found.start()] == b'"' and seen[found.end() : found.end() + 1] == b'"':
                delays_ns.append(now_ns - int(found[1]))
            end = found.end()
        rest = seen[max(end, len(seen) - 40) :] if end < len(seen) else b""
    writer.close()
    return delays_ns


async def load(
    process: psutil.Process, url: str, *, body: Callable[[int], dict[str, object]], clients: int, within_s: float = 0.0
) -> Measured:
    """Run `clients` streams at once and measure the server.

    Streams of the same rate whose clients all came at once share their beats, as far as the server took their requests
    in one round: how warm its code is then depends on how quickly it takes requests, and people do not come like that.

    Args:
        process: the server.
        url: where to post.
        body: from a client's number to what it posts.
        clients: how many.
        within_s: they come within so many seconds, each at a moment of its own, the same in every run.
    """
    gc.collect()
    before_s, start = cpu_s(process), time.monotonic()
    bodies = [json.dumps(body(number)).encode() for number in range(clients)]
    chance = random.Random(clients)
    streams = [stream(url, one, wait_s=chance.uniform(0, within_s)) for one in bodies]
    delays = [delay for one in await asyncio.gather(*streams) for delay in one]
    took_s, used_s = time.monotonic() - start, cpu_s(process) - before_s
    delays.sort()
    return Measured(
        events=len(delays),
        rate=len(delays) / took_s,
        p50_ms=delays[len(delays) // 2] / 1e6,
        p99_ms=delays[int(len(delays) * 0.99)] / 1e6,
        cpu_us=used_s / len(delays) * 1e6,
    )
