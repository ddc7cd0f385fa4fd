"""A whole conversation in one program, with no server: first as an iterator, then through a callback.

    python examples/ghost_in_process.py

Give `data="some-folder"` to `Ghost` to find the conversation again the next time.
"""

import asyncio
from collections.abc import AsyncGenerator

from duologue.ghost import Ghost, GhostEvent, Turn


async def answer(turn: Turn) -> AsyncGenerator[str, None]:
    """Answer one turn, as a stream."""
    earlier = sum(message.role == "user" for message in turn.history)
    for word in f"You said: {turn.text}. That was message {earlier + 1}.".split(" "):
        yield word + " "


def show(event: GhostEvent) -> None:
    """Print an event on a line."""
    print(f"{event.sequence:3} {event.state:9} {event.type:14} {event.payload}")


async def main() -> None:
    """Talk twice."""
    async with Ghost(answer) as ghost:
        session = await ghost.session("kitchen")
        async for event in session.say("hello"):
            if event.type == "turn.token":
                print(event.payload["token"], end="", flush=True)
        print()

        # The same session again, from its beginning, each event as it comes.
        session = await ghost.session("kitchen", on_event=show)
        await session.send("hello again")
        # Leaving the block waits for the answer.


if __name__ == "__main__":
    asyncio.run(main())
