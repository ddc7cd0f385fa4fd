"""The knowledge agent: what it answers, what it does not know, and how it keeps up with its folder."""

import asyncio
import os
import re
from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path
from urllib.parse import unquote

import pytest

from duologue.adapters.agent_knowledge import KnowledgeAgent, pages
from duologue.adapters.agent_knowledge.index import one_error
from duologue.adapters.agent_knowledge.markdown import Slugs, row_text, sentences, split
from duologue.adapters.agent_knowledge.quote import quotation, write
from duologue.model.agent import AgentItem, AgentRequest, Chips, Citation, Finished, Note, Text
from duologue.model.base import Value
from duologue.model.content import (
    Attachment,
    ContextItem,
    Message,
    NdefRecord,
    NfcObservation,
    Observation,
    PhotoObservation,
)
from duologue.model.errors import SettingsError

pytestmark = pytest.mark.anyio

PAGES = {
    "index.md": """
# Duologue

Duologue holds a conversation between a person and an agent. Nothing is lost: every event is in a journal.

## Install

Install it with pip:

```sh
pip install duologue
```

It needs Python 3.11 or newer. Then start the server:

```sh
duologue serve
```

The server listens on `127.0.0.1:8420`.

## How it works

A conversation is a journal, and everything else is a function of it.

## Why?

Because an answer that got lost is worse than none.
""",
    "configuration.md": """---
title: Settings
---
<!-- made by a tool -->
# Configuration

Settings are read from `duologue.toml`. An unknown key is an error.

## Server settings

| key | default | what it does |
|---|---:|---|
| `server.port` | 8420 | the port that the server listens on |
| `server.host` | `127.0.0.1` | the address; any other than loopback needs authentication |

## Storage

The journal is kept in SQLite. Durability can be one of these:

- `process`: survives a crash of the process
- `power`: survives a power failure, as each group is synced to disk

## Approvals

A tool that has side effects can ask a person first. The approval is stored, so that it survives a restart.
For example, a weather tool needs none.
""",
    "protocols/chat.md": """
# Chat

The chat protocol streams transport events over SSE or a WebSocket.

## Tokens

`POST /chat/token` gives a token. It is valid for one hour. Send it in the `Authorization` header.

## Reconnecting

A client that reconnects sends the last sequence number that it has. It then gets every later event once.
""",
    "protocols/ghost.md": """
# Ghost

Ghost is for user interfaces on a device.

## Tokens

Ghost uses no tokens of its own: it runs in process.

## Größe der Häuser

Die Größe der Häuser wird in Metern gemessen. Über die Straße führt ein Weg.
""",
}


class NoFiles:
    """A knowledge agent reads no uploads."""

    async def read(self, upload_id: str) -> bytes:
        raise AssertionError(f"{upload_id} was read")


class Hand:
    """A clock that is moved by hand, in seconds."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


class Said(Value, frozen=True, kw_only=True):
    """A whole answer."""

    items: tuple[AgentItem, ...]

    @property
    def text(self) -> str:
        return "".join(item.text for item in self.items if isinstance(item, Text))

    @property
    def citations(self) -> list[Citation]:
        return [item for item in self.items if isinstance(item, Citation)]

    @property
    def titles(self) -> list[str]:
        return [item.title for item in self.citations]

    @property
    def chips(self) -> list[str]:
        return [chip.text for item in self.items if isinstance(item, Chips) for chip in item.chips]

    @property
    def notes(self) -> list[Note]:
        return [item for item in self.items if isinstance(item, Note)]

    @property
    def confident(self) -> bool:
        end = self.items[-1]
        assert isinstance(end, Finished)
        return end.confident


class Asker:
    """Asks one agent, in one conversation where `go_on` is used."""

    def __init__(self, agent: KnowledgeAgent) -> None:
        self.agent = agent
        self.history: tuple[Message, ...] = ()

    async def __call__(
        self,
        text: str,
        *,
        history: Sequence[Message] = (),
        observation: Observation | None = None,
        attachments: tuple[Attachment, ...] = (),
        context: tuple[ContextItem, ...] = (),
        language: str = "en",
    ) -> Said:
        request = AgentRequest(
            session_id="s",
            subject="ada",
            response_id="r",
            turn=1,
            text=text,
            history=tuple(history),
            observation=observation,
            attachments=attachments,
            context=context,
            language=language,
        )
        return Said(items=tuple([item async for item in self.agent.run(request, NoFiles())]))

    async def go_on(self, text: str) -> Said:
        said = await self(text, history=self.history)
        self.history += (
            Message(role="user", text=text, turn=1),
            Message(role="assistant", text=said.text, turn=1),
        )
        return said


def write_pages(folder: Path, files: dict[str, str] = PAGES) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def move(one: Path, other: Path) -> None:
    one.rename(other)


def listed(folder: Path) -> pages.Scan:
    return pages.scan(folder.resolve())


@pytest.fixture
def clock() -> Hand:
    return Hand()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_pages(tmp_path)
    return tmp_path


@pytest.fixture
async def ask(folder: Path, clock: Hand) -> AsyncGenerator[Asker, None]:
    agent = KnowledgeAgent(folder, clock=clock)
    yield Asker(agent)
    await agent.close()


# What it answers.


@pytest.mark.parametrize(
    ("question", "title", "words"),
    [
        ("What is Duologue?", "Duologue", "holds a conversation"),
        ("How do I install it?", "Duologue › Install", "`pip install duologue`"),
        ("What Python version do I need?", "Duologue › Install", "It needs Python 3.11 or newer."),
        ("Which port does the server use?", "Configuration › Server settings", "8420"),
        ("How do I change the port number?", "Configuration › Server settings", "8420"),
        ("how does durability survive a power failure", "Configuration › Storage", "synced to disk"),
        ("what is ghost?", "Ghost", "user interfaces on a device"),
        (
            "how does my client get events when reconnecting after a blackout",
            "Chat › Reconnecting",
            "every later",
        ),
        ("Do approvals survive a restart?", "Configuration › Approvals", "survives a restart"),
        ("Do I need a token for chat?", "Chat › Tokens", "POST /chat/token"),
        ("does GHOST have tokens", "Ghost › Tokens", "no tokens of its own"),
        ("what happens when a client reconnects?", "Chat › Reconnecting", "last sequence number"),
        ("reconecting clients", "Chat › Reconnecting", "last sequence number"),
        ("Wie groß sind die Häuser?", "Ghost › Größe der Häuser", "in Metern"),
        ("hauser grosse", "Ghost › Größe der Häuser", "in Metern"),
        ("Wo ist die Strasse?", "Ghost › Größe der Häuser", "ein Weg"),
    ],
)
async def test_answers_from_the_passage_and_cites_it(ask: Asker, question: str, title: str, words: str) -> None:
    said = await ask(question)
    assert said.titles[0] == title
    assert words in said.text
    assert said.confident
    assert len(said.text) < 1_200


async def test_citations_lead_to_the_page_and_section(ask: Asker) -> None:
    (citation,) = (await ask("Do I need a token for chat?")).citations
    assert citation.url == "/docs/protocols/chat#tokens"
    assert citation.snippet == "`POST /chat/token` gives a token."
    (german,) = (await ask("Wie groß sind die Häuser?")).citations
    assert unquote(german.url) == "/docs/protocols/ghost#größe-der-häuser"
    assert german.url.isascii()


async def test_the_prefix_of_addresses_can_be_set(folder: Path) -> None:
    agent = KnowledgeAgent(folder, url_prefix="https://example.org/help/")
    said = await Asker(agent)("Do I need a token for chat?")
    assert said.citations[0].url == "https://example.org/help/protocols/chat#tokens"
    await agent.close()


async def test_streams_word_by_word(ask: Asker) -> None:
    said = await ask("What is Duologue?")
    pieces = [item.text for item in said.items if isinstance(item, Text)]
    assert pieces[:3] == ["Duologue ", "holds ", "a "]
    assert all(len(piece.split()) == 1 for piece in pieces)


async def test_is_the_same_every_time(ask: Asker, folder: Path) -> None:
    questions = ["How do I install it?", "tokens", "hello", "weather in Paris", "journal"]
    first = [await ask(question) for question in questions]
    again = KnowledgeAgent(folder)
    assert first == [await Asker(again)(question) for question in questions]
    await again.close()


async def test_a_short_list_is_quoted_whole_with_its_lead(ask: Asker) -> None:
    said = await ask("how does durability survive a power failure")
    assert "Durability can be one of these:\n- `process`" in said.text
    assert "\n- `power`: survives" in said.text


async def test_comments_and_front_matter_are_not_quoted(ask: Asker) -> None:
    assert not (await ask("made by a tool?")).text.count("<!--")
    said = await ask("Tell me about Configuration")
    assert said.text.startswith("Settings are read from")
    assert "title:" not in said.text


async def test_every_chip_finds_the_passage_that_it_names(ask: Asker) -> None:
    wanted = [
        "What is Duologue?",
        "Do I need a token for chat?",
        "Do approvals survive a restart?",
        "hello",
        "xyzzy",
    ]
    history = (Message(role="user", text="what is the port?", turn=1),)
    seen = 0
    for question in wanted:
        for chip in (await ask(question)).chips:
            seen += 1
            said = await ask(chip, history=history)
            heading = re.sub(r"^Tell me about | \(.*\)$", "", chip)
            assert said.titles[0].endswith(heading), chip
            assert said.confident
    assert seen > 8


async def test_chips_tell_apart_headings_that_are_on_several_pages(ask: Asker) -> None:
    chips = (await ask("what happens when a client reconnects?")).chips
    assert "Tell me about Tokens (Chat)" in chips
    assert (await ask("Tell me about Tokens (Chat)")).titles == ["Chat › Tokens"]


# What it does not know.


@pytest.mark.parametrize(
    "question",
    [
        "what's the weather in Paris?",
        "What is the weather like in Paris today?",
        "What is the capital of France?",
        "who won the world cup?",
        "How many people live in Berlin?",
        "write me a poem about love",
        "Wie wird das Wetter morgen in München?",
        "is the server on the moon?",
        "zxcvbnm",
    ],
)
async def test_says_that_it_does_not_know(ask: Asker, question: str) -> None:
    said = await ask(question)
    assert said.text.startswith("I don't know.")
    assert not said.confident
    assert not said.citations
    assert said.chips


@pytest.mark.parametrize("question", ["", "   ", "😀😀", "?!", "the of and", "\u0000", "日"])
async def test_nothing_to_go_by_is_not_answered(ask: Asker, question: str) -> None:
    said = await ask(question)
    assert said.text.startswith("I don't know")
    assert not said.confident


@pytest.mark.parametrize(
    "question",
    [
        'token" OR "x',
        "token AND (",
        "NEAR(token chat, 5)",
        "title:token",
        "{title} : token",
        "token*",
        "^token",
        "-token + chat",
        "'; drop table passage; --",
        'chat """token"""',
        "token\u0000chat",
        "chat \ud800 token",
        "%s %d {0} chat token",
    ],
)
async def test_search_syntax_is_only_words(ask: Asker, question: str) -> None:
    await ask(question)
    assert (await ask("Do I need a token for chat?")).titles == ["Chat › Tokens"]


async def test_a_very_long_question_is_answered_in_bounded_work(ask: Asker) -> None:
    said = await ask("Do I need a token for chat? " + "blah " * 13_000)
    assert isinstance(said.items[-1], Finished)
    said = await ask("a" * 65_536)
    assert not said.confident
    many = " ".join(f"word{number}" for number in range(8_000))
    assert not (await ask(many)).confident


async def test_context_is_ignored(ask: Asker) -> None:
    context = (ContextItem(description="topic", value="Do I need a token for chat?"),)
    assert await ask("xyzzy", context=context) == await ask("xyzzy")


# Talk about itself.


@pytest.mark.parametrize("text", ["hi", "Hello!", "hey there", "Good morning", "Guten Tag", "hi, what can you do?"])
async def test_greets_and_says_what_it_is_for(ask: Asker, text: str) -> None:
    said = await ask(text)
    assert "Duologue, Configuration, Chat and Ghost" in said.text
    assert said.confident
    assert said.chips[0] == "Tell me about Duologue"


async def test_takes_thanks_and_questions_about_itself(ask: Asker) -> None:
    assert "welcome" in (await ask("thank you very much!")).text
    assert "I answer questions from these pages" in (await ask("Who are you?")).text
    assert "Ich beantworte Fragen" in (await ask("Was kannst du?", language="de-CH")).text


async def test_speaks_german_where_the_conversation_is(ask: Asker) -> None:
    said = await ask("Wie wird das Wetter?", language="de")
    assert said.text.startswith("Das weiß ich nicht.")
    assert said.chips[0] == "Erzähl mir von Duologue"
    assert (await ask(said.chips[0], language="de")).titles == ["Duologue"]


# Follow-up questions.


async def test_a_follow_up_goes_on_with_the_topic(ask: Asker) -> None:
    assert (await ask.go_on("What is the chat protocol?")).titles[0].startswith("Chat")
    assert (await ask.go_on("and which tokens does it use?")).titles == ["Chat › Tokens"]
    said = await ask.go_on("how long is it valid?")
    assert said.titles == ["Chat › Tokens"]
    assert "one hour" in said.text


async def test_and_how_takes_the_topic_from_before(ask: Asker) -> None:
    await ask.go_on("What is Duologue?")
    said = await ask.go_on("and how does it work?")
    assert said.titles == ["Duologue › How it works"]


async def test_a_new_topic_is_not_answered_by_the_old_one(ask: Asker) -> None:
    await ask.go_on("Do I need a token for chat?")
    for question in ("what about the weather in Paris?", "and the moon?", "is it made of cheese?"):
        assert not (await ask.go_on(question)).confident
    assert (await ask.go_on("How do I install it?")).titles == ["Duologue › Install"]


async def test_more_brings_what_was_not_said_until_there_is_none(ask: Asker) -> None:
    await ask.go_on("Do I need a token for chat?")
    answers = [await ask.go_on("tell me more") for _ in range(8)]
    quoted = [said.text for said in answers if said.confident]
    assert quoted
    assert len(set(quoted)) == len(quoted)
    assert answers[-1].text == "I don't know more about that than I have said."


async def test_a_first_question_that_points_back_to_nothing(ask: Asker) -> None:
    assert not (await ask("and more?")).confident
    assert (await ask("how does it work?")).titles == ["Duologue › How it works"]


# What it cannot look at.

TAG = NfcObservation(
    tag_id="04a1",
    records=(NdefRecord(tnf=1, text="Room 12"), NdefRecord(tnf=1, uri="https://example.org/12")),
    observed_at="2026-01-01T00:00:00Z",
)
UPLOAD = Attachment(upload_id="u", name="a.png", media_type="image/png", size_bytes=1, sha256="")
PHOTO = PhotoObservation(photo=UPLOAD, width=1, height=1, observed_at="2026-01-01T00:00:00Z")


async def test_says_that_it_cannot_look_at_photos_and_files(ask: Asker) -> None:
    for said in (await ask("", observation=PHOTO), await ask("what is this?", attachments=(UPLOAD,))):
        assert said.text.startswith("I can't look at pictures or files")
        assert not said.confident


async def test_says_what_a_tag_says(ask: Asker) -> None:
    said = await ask("", observation=TAG)
    assert "The tag says: “Room 12”, “https://example.org/12”." in said.text
    assert not said.confident
    empty = await ask("", observation=NfcObservation(tag_id="04a1", observed_at="2026-01-01T00:00:00Z"))
    assert "The tag says" not in empty.text


async def test_answers_the_words_that_came_with_a_photo_and_says_so(ask: Asker) -> None:
    said = await ask("Do I need a token for chat?", observation=PHOTO)
    assert said.text.startswith("I can't look at what you sent, so this goes by your words alone. `POST")
    assert said.titles == ["Chat › Tokens"]


# The folder.


async def test_a_page_that_changes_is_noticed_within_a_second(ask: Asker, folder: Path, clock: Hand) -> None:
    assert not (await ask("What is a zeppelin?")).confident
    write_pages(folder, {"zeppelin.md": "# Zeppelin\n\nA zeppelin is an airship.\n"})
    clock.now_s += 0.9
    assert not (await ask("What is a zeppelin?")).confident
    clock.now_s += 0.1
    assert (await ask("What is a zeppelin?")).text == "A zeppelin is an airship."
    write_pages(folder, {"zeppelin.md": "# Zeppelin\n\nA zeppelin is a balloon.\n"})
    clock.now_s += 1
    assert (await ask("What is a zeppelin?")).text == "A zeppelin is a balloon."
    (folder / "zeppelin.md").unlink()
    clock.now_s += 1
    assert not (await ask("What is a zeppelin?")).confident


async def test_a_replaced_file_of_the_same_size_and_time_is_noticed(
    ask: Asker, folder: Path, clock: Hand, tmp_path_factory: pytest.TempPathFactory
) -> None:
    page = folder / "zeppelin.md"
    page.write_text("# Zeppelin\n\nIt is red.\n")
    assert "red" in (await ask("zeppelin")).text
    other = tmp_path_factory.mktemp("other") / "zeppelin.md"
    other.write_text("# Zeppelin\n\nIt is sad.\n")
    status = page.stat()
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    other.replace(page)
    clock.now_s += 1
    assert "sad" in (await ask("zeppelin")).text


async def test_a_folder_that_is_away_for_a_moment_costs_nothing(ask: Asker, folder: Path, clock: Hand) -> None:
    assert (await ask("Do I need a token for chat?")).confident
    move(folder, folder.with_name("away"))
    clock.now_s += 1
    said = await ask("Do I need a token for chat?")
    assert said.confident
    assert [note.category for note in said.notes] == ["knowledge.skipped"]
    move(folder.with_name("away"), folder)
    clock.now_s += 1
    assert not (await ask("Do I need a token for chat?")).notes


async def test_an_empty_folder_is_said_to_be_empty(tmp_path: Path, clock: Hand) -> None:
    agent = KnowledgeAgent(tmp_path, clock=clock)
    ask = Asker(agent)
    assert (await ask("What is a zeppelin?")).text.startswith("I don't know anything yet")
    assert "holds none yet" in (await ask("hello")).text
    write_pages(tmp_path, {"zeppelin.md": "A zeppelin is an airship."})
    clock.now_s += 1
    assert (await ask("What is a zeppelin?")).titles == ["Zeppelin"]
    await agent.close()


@pytest.mark.parametrize("make", [Path.mkdir, Path.touch])
def test_a_missing_folder_is_a_setting_that_is_wrong(tmp_path: Path, make: Callable[[Path], None]) -> None:
    path = tmp_path / "pages"
    if make is Path.touch:
        make(path)
    with pytest.raises(SettingsError, match="put Markdown files"):
        KnowledgeAgent(path)


async def test_what_cannot_be_used_is_skipped_and_noted_once(
    ask: Asker, folder: Path, clock: Hand, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(pages, "FILE_BYTES", 2_000)
    (folder / "large.md").write_text("# Large\n\n" + "zeppelin " * 500)
    (folder / "latin.md").write_bytes("# Zeppelin\n\nGr\xfc\xdfe".encode("latin-1"))
    (folder / "dangling.md").symlink_to(folder / "nowhere.md")
    secret = folder.parent / "secret.md"
    secret.write_text("# Secret zeppelin\n")
    (folder / "leak.md").symlink_to(secret)
    (folder / ".hidden.md").write_text("# Hidden zeppelin\n")
    said = await ask("What is a zeppelin?")
    assert not said.confident
    assert said.notes[0].details == {
        "files": [
            {"path": "dangling.md", "reason": "cannot be read: No such file or directory"},
            {"path": "large.md", "reason": "is larger than 2000 bytes"},
            {"path": "leak.md", "reason": "is a link that leads out of the folder"},
            {"path": "latin.md", "reason": "is not UTF-8 (byte 14)"},
        ]
    }
    assert len(caplog.records) == 4
    clock.now_s += 1
    assert not (await ask("What is a zeppelin?")).notes
    (folder / "latin.md").write_text("# Zeppelin\n\nA zeppelin is an airship.")
    clock.now_s += 1
    assert (await ask("What is a zeppelin?")).confident


async def test_the_number_of_files_is_bounded(ask: Asker, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "FILES", 2)
    monkeypatch.setattr(pages, "FOLDER_BYTES", 400)
    scan = listed(folder)
    assert len(scan.files) <= 2
    assert {"beyond" in item.reason for item in scan.skipped} == {True}
    monkeypatch.setattr(pages, "ENTRIES", 1)
    assert "directory entries" in listed(folder).skipped[0].reason
    assert (await ask("hello")).notes


async def test_warming_indexes_before_the_first_question(folder: Path, clock: Hand) -> None:
    agent = KnowledgeAgent(folder, clock=clock)
    await agent.warm()
    for name in PAGES:
        (folder / name).unlink()
    assert (await Asker(agent)("Do I need a token for chat?")).titles == ["Chat › Tokens"]
    await agent.close()
    await agent.close()


async def test_many_sessions_ask_at_once(ask: Asker) -> None:
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(ask("Do I need a token for chat?")) for _ in range(50)]
    assert {task.result().titles[0] for task in tasks} == {"Chat › Tokens"}


async def test_a_cancelled_question_leaves_the_agent_working(ask: Asker) -> None:
    async with asyncio.TaskGroup() as group:
        task = group.create_task(ask("Do I need a token for chat?"))
        await asyncio.sleep(0)
        task.cancel()
    assert task.cancelled()
    assert (await ask("Do I need a token for chat?")).confident


# Markdown.


def test_slugs_are_githubs() -> None:
    slugs = Slugs()
    made = [
        slugs.make(text) for text in ("Héllo_World — 2.0!", "A  b", "Same", "Same", "Same-1", "Same", "日本 語", "🎉 x")
    ]
    assert made == ["héllo_world--20", "a--b", "same", "same-1", "same-1-1", "same-2", "日本-語", "-x"]


def test_splits_by_heading_with_what_is_above_it() -> None:
    passages = split(
        "a/some-page", "Before.\n\n# One\n\nText.\n\n## Two\n\n### Three\n\nMore.\n\n```\n# no heading\n```\n"
    )
    assert [(p.title, p.trail, p.slug) for p in passages] == [
        ("One", (), ""),
        ("One", (), "one"),
        ("One", ("Two", "Three"), "three"),
    ]
    assert [unit.kind for unit in passages[2].units] == ["prose", "code"]
    assert split("a/some-page", "Only text.")[0].title == "Some page"
    assert split("empty", "# Nothing\n") == []


def test_a_very_long_section_is_several_passages_with_one_slug() -> None:
    passages = split("long", "# Long\n\n" + "A sentence of some length. " * 1_000)
    assert len(passages) > 3
    assert {p.slug for p in passages} == {"long"}
    assert [p.part for p in passages] == list(range(len(passages)))
    assert max(len(unit.text) for unit in split("x", "y" * 50_000)[0].units) <= 2_000


def test_splits_sentences() -> None:
    text = "See e.g. Foo. It runs! (Does it?) “Yes.” Dr. No, 3.5 z. B. Äpfel. Über uns… Ende"
    assert sentences(text) == [
        "See e.g. Foo.",
        "It runs!",
        "(Does it?)",
        "“Yes.”",
        "Dr. No, 3.5 z. B. Äpfel.",
        "Über uns…",
        "Ende",
    ]


def test_writes_rows_as_phrases() -> None:
    assert row_text(["port", "8420", "", "the port"]) == "port: 8420; the port"
    assert row_text(["only"]) == "only"
    assert row_text([]) == ""


def test_quotes_the_sentence_before_one_that_goes_on_from_it() -> None:
    passage = split("a", "A token is needed. It is valid for one hour. Much else is said here. And then more.")[0]
    chosen = quotation(passage.units, (0.0, 1.0, 0.0, 0.0), room_chars=60)
    assert write(passage.units, chosen) == "A token is needed. It is valid for one hour."


def test_one_error_is_a_letter_too_many_missing_wrong_or_swapped() -> None:
    assert all(one_error("token", other) for other in ("tokken", "tken", "tohen", "otken", "tokens", "toke"))
    assert not any(one_error("token", other) for other in ("tokkeen", "tk", "nekot", "tekon"))


# The docs of the project itself.

DOCS = Path(__file__).parents[3] / "docs"


async def test_answers_from_the_projects_own_docs() -> None:
    agent = KnowledgeAgent(DOCS)
    ask = Asker(agent)
    for question in ("what's the weather in Paris?", "Who is Albert Einstein?", "How do I bake a cake?"):
        assert not (await ask(question)).confident, question
    hello = await ask("hello")
    assert not hello.notes
    for chip in hello.chips:
        assert (await ask(chip)).citations, chip
    await agent.close()
