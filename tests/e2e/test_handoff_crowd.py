"""Many people and several operators at once: one has each conversation, and everybody is served."""

import asyncio
import random
from pathlib import Path

import pytest
from tests.e2e.desk import Operator, until_step
from tests.e2e.harness import WAIT_S, CountingAgent, serving
from tests.e2e.links import CHAT_WS, GHOST_WS, journal, kinds
from tests.e2e.test_handoff import hands_over, say
from tests.e2e.wire import Json, fetch

from duologue.model import limits
from duologue.server.settings import ServerSettings, Settings
from duologue.server.settings_handoff import HandoffSettings

pytestmark = pytest.mark.anyio

PEOPLE = 16
STAFF = ("mia", "bob", "sue", "kim")
SETTINGS = Settings(server=ServerSettings(drain_ms=500), handoff=HandoffSettings(at_most=2))


async def serve_all(operator: Operator, refusals: list[str]) -> None:
    """Take whoever is first in line until everybody was served, as all the others do at the same time."""
    while len((await operator.get("?state=ended"))["handoffs"]) < PEOPLE:
        line = [one for one in (await operator.get())["handoffs"] if one["status"] == "queued"]
        if not line:
            await asyncio.sleep(0.005)
            continue
        name: str = line[0]["id"]
        taken = await operator.post(f"{name}/take")
        if taken.status != 200:
            refusals.append(taken.body["reason"])
            continue
        await operator.do(name, "say", text=f"{operator.name} here")
        await operator.do(name, "resolve")


async def test_each_is_taken_once_and_nobody_is_left(tmp_path: Path) -> None:
    people = [f"p-{number}" for number in range(PEOPLE)]
    async with serving(CountingAgent(hands_over), tmp_path, SETTINGS) as server:
        port, refusals = server.port, list[str]()
        await asyncio.gather(*(say(port, person, "money", 1) for person in people))
        staff = [Operator(port, name) for name in STAFF]
        async with asyncio.timeout(WAIT_S):
            while await positions(staff[0]) != list(range(1, PEOPLE + 1)):
                await asyncio.sleep(0.01)
            await asyncio.gather(*(serve_all(operator, refusals) for operator in staff))
        assert set(refusals) <= {"handoff_state", "handoff_unknown"}
        for person in people:
            events = await journal(port, person)
            steps = kinds(events, "handoff_moved")
            (connected,) = [one for one in steps if one["status"] == "connected"]
            who = connected["operator"]["name"]
            assert steps[-1]["status"] == "resolved"
            said = [one["text"] for one in kinds(events, "text_completed")]
            assert said == ["A colleague will help. ", f"{who} here"]
        assert server.hub.desk is not None
        assert server.hub.desk.room.entries == {}


async def positions(operator: Operator) -> list[int]:
    """The places of all who wait, in the order of the list."""
    return [one["position"] for one in (await operator.get())["handoffs"] if one["status"] == "queued"]


async def test_two_who_take_it_at_the_same_moment(tmp_path: Path) -> None:
    async with serving(CountingAgent(hands_over), tmp_path) as server:
        mia, bob = Operator(server.port, "mia"), Operator(server.port, "bob")
        for number, act in enumerate(("take", "connect", "take", "connect")):
            session = f"s-{number}"
            await say(server.port, session, "money", 1)
            name = (await mia.waiting(session))["id"]
            both = [mia, bob]
            random.Random(number).shuffle(both)
            answers = await asyncio.gather(*(one.post(f"{name}/{act}") for one in both))
            won, lost = sorted(answers, key=lambda answer: answer.status)
            winner: str = won.body["handoff"]["operator"]["id"]
            assert (lost.status, lost.body["reason"]) == (409, "handoff_state")
            what = "has it already" if act == "take" else "is taking it"
            assert lost.body["message"] == f"{winner} {what}"
            owner = mia if winner == "mia" else bob
            # The same button twice is one take.
            twice = await asyncio.gather(*(owner.post(f"{name}/take") for _ in range(2)))
            assert [one.status for one in twice] == [200, 200]
            await owner.do(name, "resolve")
            moved = kinds(await journal(server.port, session), "handoff_moved")
            assert [one["status"] for one in moved].count("connected") == 1


async def test_nobody_takes_more_than_they_may_also_not_at_once(tmp_path: Path) -> None:
    async with serving(CountingAgent(hands_over), tmp_path, SETTINGS) as server:
        mia, names = Operator(server.port, "mia"), list[str]()
        for session in ("a", "b", "c", "d"):
            await say(server.port, session, "money", 1)
            names.append((await mia.waiting(session))["id"])
        answers = await asyncio.gather(*(mia.post(f"{name}/take") for name in names))
        assert sorted(one.status for one in answers) == [200, 200, 409, 409]
        refused = next(one for one in answers if one.status == 409)
        assert refused.body["message"] == "you have 2 conversations, and at most 2 at once; finish one first"
        assert (await mia.get())["me"]["has"] == 2


async def test_a_page_that_is_loaded_again_shows_what_was_going_on(tmp_path: Path) -> None:
    async with serving(CountingAgent(hands_over), tmp_path) as server:
        await say(server.port, "s-1", "money", 1)
        async with Operator(server.port, "mia") as mia:
            name = (await mia.waiting("s-1"))["id"]
            await mia.do(name, "take")
            await mia.do(name, "say", text="Mia here", messageId="m-1")
        await say(server.port, "s-1", "are you there?", 2)
        again = Operator(server.port, "mia")
        async with again:
            everything = again.news[0]
            (row,) = everything["handoffs"]
            assert (row["status"], row["operator"]["id"], everything["me"]["has"]) == ("connected", "mia", 1)
            assert row["said"] == {"role": "customer", "text": "are you there?", "turn": 2}
            # What the page could not know was sent is sent again, and said once.
            assert (await again.post(f"{name}/say", text="Mia here", messageId="m-1")).body["repeated"]
            await again.do(name, "say", text="Yes", messageId="m-2")
            while (told := await again.told("said"))["said"]["text"] != "Yes":
                pass
            assert told["said"]["author"] == "mia"
        texts = [event["text"] for event in kinds(await journal(server.port, "s-1"), "text_completed")]
        assert texts == ["A colleague will help. ", "Mia here", "Yes"]


async def test_a_customer_with_two_devices_sees_the_same_on_both(tmp_path: Path) -> None:
    async with (
        serving(CountingAgent(hands_over), tmp_path) as server,
        Operator(server.port, "mia") as mia,
        CHAT_WS.link(server.port, "s") as phone,
        GHOST_WS.link(server.port, "s") as laptop,
    ):
        await phone.say("money", 1)
        name = (await mia.waiting("s"))["id"]
        await mia.do(name, "take")
        await until_step(phone, "connected")
        await laptop.say("I am at my desk now", 2)
        await mia.do(name, "say", text="Mia here. ")
        last = phone.last
        await phone.drop()
        await mia.do(name, "say", text="Still there?")
        while not laptop.text.endswith("Still there?"):
            await laptop.next()
        async with CHAT_WS.link(server.port, "s", last) as back:
            while not back.text.endswith("Still there?"):
                await back.next()
            whole = [frame for frame in phone.frames if frame.seq <= last] + back.frames
            numbers = [frame.seq for frame in whole]
            assert numbers == sorted(set(numbers))
            text = "".join(back.dialect.delta(frame.body) for frame in whole)
            assert text == laptop.text == "A colleague will help. Mia here. Still there?"
        heard = [one["said"]["text"] for one in mia.news if one["type"] == "said"]
        while heard.count("Still there?") < 1:
            heard.append((await mia.told("said"))["said"]["text"])
        assert heard.count("I am at my desk now") == 1


LONG = "x" * (limits.TURN_TEXT_CHARS + 1)
WHY = "r" * (limits.HANDOFF_REASON_CHARS + 1)


ODD: tuple[tuple[str, Json, str | None, str], ...] = (
    ("say", {}, "$", "missing required field `text`"),
    ("say", {"text": ""}, "$.text", "length >= 1"),
    ("say", {"text": " \n"}, "$.text", "the message is empty"),
    ("say", {"text": 3}, "$.text", "Expected `str`, got `int`"),
    ("say", {"text": LONG}, "$.text", f"length <= {limits.TURN_TEXT_CHARS}"),
    ("say", {"text": "a", "messageId": "m" * 300}, "$.messageId", f"length <= {limits.REQUEST_ID_CHARS}"),
    ("say", {"text": "a", "loud": True}, "$", "unknown field `loud`"),
    ("say", [], "$", "Expected `object`, got `array`"),
    ("say", b'{"text":"a","text":"b"}', None, "given twice"),
    ("say", b"\xff", None, "not valid JSON"),
    ("transfer", {"transfer": "sideways"}, "$.transfer", "'sideways'"),
    ("transfer", {"transfer": "warm", "priority": 101}, "$.priority", "<= 100"),
    ("transfer", {"transfer": "warm", "skills": ["s"] * 17}, "$.skills", "length <= 16"),
    ("transfer", {"transfer": "warm", "reason": WHY}, "$.reason", "length <= 1000"),
    ("transfer", {"transfer": "warm", "target": "operator: "}, "$.target", "who is meant behind 'operator:'"),
    ("consult", {"text": " "}, "$.text", f"1 to {limits.TURN_TEXT_CHARS} characters"),
    ("hand-back", {"note": WHY}, "$.note", "length <= 1000"),
    ("resolve", {"note": 5}, "$.note", "Expected `str`, got `int`"),
    ("cancel", {"reason": WHY}, "$.reason", "length <= 1000"),
)
"""What operators may send by mistake: to which address, the body, the place of the fault, and words of the answer."""


async def test_odd_input_of_operators_is_refused_with_its_place(tmp_path: Path) -> None:
    async with serving(CountingAgent(hands_over), tmp_path) as server:
        mia = Operator(server.port, "mia")
        await say(server.port, "s", "money", 1)
        name = (await mia.waiting("s"))["id"]
        await mia.do(name, "take")
        before = len(await journal(server.port, "s"))
        for act, body, path, words in ODD:
            address = f"/api/handoffs/{name}/{act}"
            answer = await fetch(server.port, "POST", address, body=body, headers=mia.headers)
            assert (answer.status, answer.body.get("path")) == (400, path), (act, answer.raw)
            assert words in answer.body["message"]
        assert len(await journal(server.port, "s")) == before
