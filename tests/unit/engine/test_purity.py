"""What no tool sees: the engine reaches for no clock, chance, file, socket, task or log while it steps."""

import gc
import sys
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

import pytest
from tests.unit.engine.conversation import Conversation
from tests.unit.engine.test_replay import long_talk
from tests.unit.engine.test_responses import items

from duologue.engine.deadlines import next_deadline_ms
from duologue.model.inputs import CancelRequested, DeadlinePassed, EndRequested, ServerRestarted

FORBIDDEN = (
    "asyncio",
    "datetime",
    "io",
    "logging",
    "os",
    "posix",
    "random",
    "_random",
    "secrets",
    "select",
    "selectors",
    "socket",
    "_socket",
    "ssl",
    "subprocess",
    "tempfile",
    "threading",
    "_thread",
    "time",
    "uuid",
)
"""Modules of which no function may be called, be it written in Python or in C."""

BUILTINS = {"open", "input", "print", "exec", "eval", "__import__"}


class Impure(AssertionError):
    """The engine called something that it must not."""


def judge(frame: FrameType, event: str, called: object) -> None:
    """Judge one call; Python tells of calls into Python and into C apart."""
    if event == "call":
        module, name = frame.f_globals.get("__name__") or "", frame.f_code.co_name
    elif event == "c_call":
        owner = getattr(called, "__self__", None)
        home = owner if isinstance(owner, type) else type(owner)
        module = getattr(called, "__module__", None) or home.__module__
        name = getattr(called, "__name__", "")
    else:
        return
    if module.partition(".")[0] in FORBIDDEN or (module == "builtins" and name in BUILTINS):
        raise Impure(f"{module}.{name}")


@contextmanager
def guard() -> Generator[None]:
    """Fail on any forbidden call until the block ends."""
    # A test tool's callback on garbage collection reads the clock; that is not the engine's doing.
    gc.disable()
    sys.setprofile(judge)
    try:
        yield
    finally:
        sys.setprofile(None)
        gc.enable()


def reach_for_the_clock() -> None:
    import time

    time.monotonic()


def reach_for_chance() -> None:
    import random

    random.random()


def reach_for_a_file() -> None:
    open("/dev/null").close()


def reach_for_a_socket() -> None:
    import socket

    socket.socket().close()


def reach_for_a_task() -> None:
    import asyncio

    asyncio.new_event_loop().close()


def reach_for_the_date() -> None:
    import datetime

    datetime.datetime.now()


@pytest.mark.parametrize(
    "reach",
    [
        reach_for_the_clock,
        reach_for_chance,
        reach_for_a_file,
        reach_for_a_socket,
        reach_for_a_task,
        reach_for_the_date,
    ],
)
def test_the_guard_sees_what_it_must(reach: object) -> None:
    assert callable(reach)
    with pytest.raises(Impure), guard():
        reach()


def test_a_step_calls_nothing_outside() -> None:
    with guard():
        talk = long_talk()
        for item in items(talk.response_id):
            talk.give(item)
        talk.say("a")
        talk.say("a", turn=talk.state.last_turn)
        talk.say("b", turn=1)
        talk.give(ServerRestarted())
        next_deadline_ms(talk.state)
        talk.give(DeadlinePassed(), after_ms=10**7)
        talk.say("c")
        talk.give(CancelRequested())
        talk.give(EndRequested())
        talk.say("d")


def test_the_same_inputs_give_the_same_events() -> None:
    one, two = long_talk(), long_talk()
    assert one.records == two.records
    assert one.effects == two.effects
    assert Conversation().records != one.records
