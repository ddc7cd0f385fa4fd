"""A client of the chat protocol over plain HTTP, which loses its connection and misses nothing.

    python examples/chat_sse_client.py "How do I configure the port?" http://127.0.0.1:8420

It sends a message, reads some events, drops the connection as a phone in a tunnel would, sends the message
once more (which runs nothing twice), and reads the rest of the answer from where it was.
"""

import json
import sys
import uuid
from collections.abc import Iterable, Iterator
from typing import Any

import httpx2

CUT_AFTER = 5
"""Events before the connection is lost."""


def main(text: str, url: str) -> None:
    """Send, lose the connection, and resume."""
    message = {"sessionId": str(uuid.uuid4()), "requestId": "message-1", "text": text}
    # The same key makes it the same message, however often it is sent.
    headers = {"Idempotency-Key": str(uuid.uuid4())}
    last = 0
    answer = ""
    with httpx2.Client(base_url=url, timeout=30) as client:
        with client.stream("POST", "/chat/stream", json=message, headers=headers) as response:
            response.raise_for_status()
            for count, event in enumerate(events(response.iter_lines()), start=1):
                last, answer = event["sequence"], answer + event.get("delta", "")
                if count == CUT_AFTER:
                    break
        print(f"(connection lost after event {last})")

        with client.stream("POST", "/chat/stream", json=message, headers=headers) as response:
            print(f"(sent again: {response.status_code})")

        resume = {"Last-Event-ID": str(last)}
        path = f"/chat/sessions/{message['sessionId']}/events"
        with client.stream("GET", path, headers=resume) as response:
            response.raise_for_status()
            for event in events(response.iter_lines()):
                assert event["sequence"] > last, "nothing comes twice"
                last, answer = event["sequence"], answer + event.get("delta", "")
                if event["type"] == "citation":
                    print(f"(source: {event['title']}, {event['url']})")
                # The stream of a session goes on for ever; this answer is over.
                if event["type"] in ("response.completed", "error", "session.ended"):
                    break
    print(answer)


def events(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Read server-sent events; lines that begin with a colon are heartbeats."""
    for line in lines:
        if line.startswith("data: "):
            yield json.loads(line.removeprefix("data: "))


if __name__ == "__main__":
    given = dict(enumerate(sys.argv))
    main(given.get(1, "How do I configure the port?"), given.get(2, "http://127.0.0.1:8420"))
