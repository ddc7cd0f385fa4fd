"""In process: a cursor's frames as an async iterator or through a callback."""

from collections.abc import AsyncGenerator, Callable

from duologue.runtime.cursor import Cursor, Frame


async def frames(cursor: Cursor) -> AsyncGenerator[Frame, None]:
    """Iterate over a cursor's frames until it stops.

    Cancellation: safe; the cursor keeps its place.
    """
    with cursor:
        while cursor.stop is None:
            for frame in await cursor.take():
                yield frame


async def call(cursor: Cursor, callback: Callable[[Frame], object]) -> None:
    """Call back for each frame until the cursor stops; an exception of the callback ends it and is raised."""
    with cursor:
        while cursor.stop is None:
            for frame in await cursor.take():
                callback(frame)
