"""What pages of operators are told, and to whom."""

import json

import pytest

from duologue.model import limits
from duologue.runtime.desk.feed import Feed, Reader

pytestmark = pytest.mark.anyio


async def heard(reader: Reader) -> object:
    """The next that one is told; everything is told as `all`."""
    told = await reader.next(lambda: b'"all"')
    return None if told is None else json.loads(told)


async def test_only_who_decides_hears_of_decisions() -> None:
    feed = Feed()
    with feed.reader() as olga, feed.reader(decides=True) as grace:
        assert [await heard(olga), await heard(grace)] == ["all", "all"]
        feed.tell("a call waits", to_deciders=True)
        feed.tell("a handoff")
        assert [await heard(grace), await heard(grace)] == ["a call waits", "a handoff"]
        assert await heard(olga) == "a handoff"


async def test_who_is_too_slow_is_told_everything_anew_with_all_that_waits() -> None:
    feed = Feed()
    with feed.reader(decides=True) as grace:
        assert await heard(grace) == "all"
        for _ in range(limits.DESK_FEED + 1):
            feed.tell("a call waits", to_deciders=True)
        assert await heard(grace) == "all"
        feed.tell("the next")
        assert await heard(grace) == "the next"
        feed.close()
        assert await heard(grace) is None
