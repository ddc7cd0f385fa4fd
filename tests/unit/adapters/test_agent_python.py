"""The agent that is a Python function: what it is given, what it may say, and how it ends."""

import asyncio
import sys
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import cast

import msgspec
import pytest

from duologue.adapters.agent_python import Answer, Image, PythonAgent, Said, Turn, load_agent
from duologue.model import limits
from duologue.model.agent import AgentItem, AgentRequest, Chips, Citation, Failure, Finished, Note, Rich, Text
from duologue.model.content import Attachment, Chip, ContextItem, Message, PhotoObservation
from duologue.model.errors import SettingsError

pytestmark = pytest.mark.anyio


class MemoryFiles:
    """Uploads by id."""

    def __init__(self, **files: bytes) -> None:
        self._files = files

    async def read(self, upload_id: str) -> bytes:
        if upload_id not in self._files:
            raise LookupError(upload_id)
        return self._files[upload_id]


def attachment(upload_id: str, media_type: str = "image/png") -> Attachment:
    return Attachment(upload_id=upload_id, name=upload_id, media_type=media_type, size_bytes=3, sha256="")


REQUEST = AgentRequest(
    session_id="s1",
    subject="ada",
    response_id="r1",
    turn=3,
    text="hello",
    source="voice",
    language="de",
    history=(Message(role="user", text="before", turn=2),),
    context=(ContextItem(description="d", value="v"),),
    attachments=(attachment("b"), attachment("c", "application/pdf"), attachment("a")),
    observation=PhotoObservation(photo=attachment("a", "image/jpeg"), width=1, height=1, observed_at="now"),
    modalities=("photo",),
)


async def answers(function: Answer, request: AgentRequest = REQUEST) -> list[AgentItem]:
    return [item async for item in PythonAgent(function).run(request, MemoryFiles(a=b"A", b=b"B"))]


async def test_streams_text_and_ends_finished() -> None:
    async def answer(turn: Turn) -> AsyncIterator[Said]:
        yield f"You said {turn.text}"
        yield ""
        yield "."

    assert await answers(answer) == ["You said hello", ".", Finished()]


async def test_passes_every_item_as_it_is() -> None:
    items: list[AgentItem] = [
        Text(text="a"),
        Citation(title="t", url="/docs/t"),
        Chips(chips=(Chip(label="l", text="t"),)),
        Rich(payload_type="card", data={"a": 1}),
        Note(category="c", message="m"),
    ]

    async def answer(_: Turn) -> AsyncIterator[Said]:
        for item in items:
            yield item

    assert await answers(answer) == [*items, Finished()]


@pytest.mark.parametrize("end", [Finished(confident=False, total_tokens=7), Failure(message="no")])
async def test_nothing_follows_an_end_of_its_own(end: AgentItem) -> None:
    ran_on = False

    async def answer(_: Turn) -> AsyncIterator[Said]:
        nonlocal ran_on
        yield "a"
        yield end
        ran_on = True
        yield "b"

    assert await answers(answer) == ["a", end]
    assert not ran_on


@pytest.mark.parametrize("said", [(), ("",), (" \n",), (Note(category="c", message="m"),)])
async def test_does_not_invent_success_when_nothing_was_shown(said: tuple[Said, ...]) -> None:
    async def answer(_: Turn) -> AsyncIterator[Said]:
        for item in said:
            yield item

    assert not any(isinstance(item, Finished) for item in await answers(answer))


async def test_a_rich_payload_alone_is_an_answer() -> None:
    async def answer(_: Turn) -> AsyncIterator[Said]:
        yield Rich(payload_type="card", data={})

    assert (await answers(answer))[-1] == Finished()


async def test_takes_coroutine_and_plain_functions() -> None:
    async def later(turn: Turn) -> str:
        return turn.text

    def whole(turn: Turn) -> str:
        return turn.text

    class Callable:
        async def __call__(self, turn: Turn) -> AsyncIterator[Said]:
            yield turn.text

    expected = ["hello", Finished()]
    assert await answers(later) == expected
    assert await answers(whole) == expected
    assert await answers(cast(Answer, Callable())) == expected
    assert await answers(lambda _: None) == []


async def test_a_plain_function_does_not_hold_up_the_loop() -> None:
    loop = asyncio.get_running_loop()
    ticked = asyncio.Event()

    def blocks(_: Turn) -> str:
        # Only ends when the loop goes on meanwhile.
        asyncio.run_coroutine_threadsafe(ticked.wait(), loop).result(timeout=10)
        return "done"

    loop.call_soon(ticked.set)
    assert await answers(blocks) == ["done", Finished()]


class Slow:
    """A plain function that waits until it is let go, and notes who was answered."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.go, self._started = threading.Semaphore(0), asyncio.Semaphore(0)
        self._loop = asyncio.get_running_loop()
        self.agent = PythonAgent(self.answer)

    def answer(self, turn: Turn) -> str:
        self.begun.append(turn.text)
        self._loop.call_soon_threadsafe(self._started.release)
        assert self.go.acquire(timeout=20)
        return turn.text

    async def ask(self, text: str) -> list[AgentItem]:
        asked = msgspec.structs.replace(REQUEST, text=text)
        return [item async for item in self.agent.run(asked, MemoryFiles())]

    async def started(self, more: int = 1) -> None:
        """Wait until so many more have begun."""
        async with asyncio.timeout(20):
            for _ in range(more):
                await self._started.acquire()


async def test_plain_functions_that_are_slow_delay_nobody_else() -> None:
    slow, many = Slow(), limits.AGENT_THREADS
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(slow.ask(str(number))) for number in range(many)]
        await slow.started(many)
        async with asyncio.timeout(20):
            assert await answers(lambda turn: turn.text) == ["hello", Finished()], (
                "another agent has threads of its own"
            )
            await asyncio.to_thread(slow.go.release, many)
    assert [task.result()[0] for task in tasks] == [str(number) for number in range(many)]


async def test_who_finds_no_thread_waits_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duologue.model.limits.AGENT_THREADS", 1)
    slow = Slow()
    async with asyncio.TaskGroup() as group:
        for number in range(4):
            group.create_task(slow.ask(str(number)))
        for begun in range(1, 5):
            await slow.started()
            assert len(slow.begun) == begun
            slow.go.release()
    assert slow.begun == ["0", "1", "2", "3"]


async def test_where_all_threads_hang_it_is_told_and_the_place_of_a_stopped_answer_is_free_when_it_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("duologue.model.limits.AGENT_THREADS", 1)
    monkeypatch.setattr("duologue.model.limits.AGENT_THREAD_WAIT_MS", 20)
    slow = Slow()
    stopped = asyncio.create_task(slow.ask("stopped"))
    await slow.started()
    stopped.cancel()
    message = "1 earlier answers of this agent have not ended, and no more are begun"
    assert await slow.ask("too much") == [Failure(message=message, retryable=True)]
    slow.go.release(2)
    monkeypatch.setattr("duologue.model.limits.AGENT_THREAD_WAIT_MS", 20_000)
    assert await slow.ask("later") == ["later", Finished()]
    assert slow.begun == ["stopped", "later"]
    assert stopped.cancelled()


async def test_a_plain_function_may_return_a_generator() -> None:
    async def answer(turn: Turn, word: str) -> AsyncGenerator[Said, None]:
        yield f"{turn.text} {word}"

    assert await answers(lambda turn: answer(turn, "you")) == ["hello you", Finished()]


@pytest.mark.parametrize("wrong", [3, None, b"bytes", {"text": "a"}, ["a"]])
async def test_names_the_type_of_what_it_cannot_take(wrong: object) -> None:
    closed = False

    async def answer(_: Turn) -> AsyncIterator[Said]:
        nonlocal closed
        try:
            yield cast(str, wrong)
        finally:
            closed = True

    with pytest.raises(TypeError, match=f"said a {type(wrong).__name__}; yield str"):
        await answers(answer)
    assert closed


async def test_an_exception_goes_through() -> None:
    async def answer(_: Turn) -> AsyncIterator[Said]:
        yield "a"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await answers(answer)


async def test_closing_the_run_closes_the_generator() -> None:
    ended: list[str] = []

    async def answer(_: Turn) -> AsyncIterator[Said]:
        try:
            yield "a"
            yield "b"
        except GeneratorExit:
            ended.append("closed")
            raise

    async with aclosing(PythonAgent(answer).run(REQUEST, MemoryFiles())) as run:
        assert await anext(run) == "a"
    assert ended == ["closed"]


async def test_cancelling_the_run_cancels_the_function() -> None:
    started, ended = asyncio.Event(), list[str]()

    async def answer(_: Turn) -> AsyncIterator[Said]:
        try:
            started.set()
            await asyncio.Event().wait()
            yield "never"
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    async with asyncio.TaskGroup() as group:
        task = group.create_task(answers(answer))
        await started.wait()
        task.cancel()
    assert ended == ["cancelled"]


async def test_the_turn_has_what_came_with_it() -> None:
    turn = Turn(REQUEST, MemoryFiles(a=b"A", b=b"B"))
    assert (turn.text, turn.number, turn.subject, turn.session_id, turn.response_id) == (
        "hello", 3, "ada", "s1", "r1",
    )  # fmt: skip
    assert (turn.source, turn.language, turn.modalities, turn.speech) == ("voice", "de", ("photo",), None)
    assert turn.history == REQUEST.history
    assert turn.context == REQUEST.context
    assert turn.observation == REQUEST.observation
    assert len(turn.attachments) == 3
    assert await turn.read("b") == b"B"
    with pytest.raises(LookupError):
        await turn.read("gone")
    assert "hello" not in repr(turn)


async def test_images_are_the_photo_first_and_each_once() -> None:
    images = await Turn(REQUEST, MemoryFiles(a=b"A", b=b"B")).images()
    assert images == [Image(media_type="image/jpeg", data=b"A"), Image(media_type="image/png", data=b"B")]
    bare = AgentRequest(session_id="s", subject="a", response_id="r", turn=1, text="")
    assert await Turn(bare, MemoryFiles()).images() == []


def test_refuses_what_is_no_function_of_one_turn() -> None:
    def generator(turn: Turn) -> Iterator[str]:
        yield turn.text

    def two(turn: Turn, other: Turn) -> str:
        return turn.text + other.text

    for wrong, message in [
        (generator, "without async"),
        (two, "one argument"),
        (3, "int and not"),
        (Turn, "class"),
    ]:
        with pytest.raises(TypeError, match=message):
            PythonAgent(cast(Answer, wrong))


def test_is_named_after_the_function() -> None:
    async def reception(_: Turn) -> AsyncIterator[Said]:
        yield "a"

    assert PythonAgent(reception).name == "reception"
    assert PythonAgent(reception, name="desk").name == "desk"


MODULE = """
from duologue.adapters.agent_python import PythonAgent

async def answer(turn):
    yield "hi " + turn.text

def no_turn():
    return "a"

ready = PythonAgent(answer, name="ready")
number = 3
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "loader_agent.py").write_text(MODULE)
    (tmp_path / "loader_broken.py").write_text("1 / 0")
    (tmp_path / "loader_needs.py").write_text("import not_installed_here")
    for name in ("loader_agent", "loader_broken", "loader_needs"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


async def test_loads_a_function_by_name(module: Path) -> None:
    agent = load_agent("loader_agent:answer", folder=module)
    assert agent.name == "answer"
    assert [item async for item in agent.run(REQUEST, MemoryFiles())] == ["hi hello", Finished()]


def test_loads_an_agent_object_as_it_is(module: Path) -> None:
    assert load_agent("loader_agent:ready", folder=module).name == "ready"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("loader_agent", "write package.module:name"),
        ("loader_agent:", "write package.module:name"),
        ("loader_agent.py:answer", r"for that file: loader_agent\)"),
        ("some/agent.py:answer", "for that file: some.agent"),
        (":answer", "not a module's name"),
        ("no_such_module_here:answer", "no module 'no_such_module_here'"),
        ("loader_agent.sub:answer", "loader_agent"),
        ("loader_needs:answer", "imports 'not_installed_here', which is not installed"),
        ("loader_broken:answer", "failed: ZeroDivisionError: division by zero"),
        ("loader_agent:anwser", "did you mean 'answer'"),
        ("loader_agent:no_turn", r"takes \(\), but is called with one argument"),
        ("loader_agent:number", "is a int and not a function"),
    ],
)
def test_says_what_is_wrong_with_the_name(module: Path, spec: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message) as caught:
        load_agent(spec, folder=module)
    assert repr(spec) in str(caught.value)
