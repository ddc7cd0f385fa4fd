"""Case 8 over AG-UI: an approval is an interrupt, decided by a run that resumes: offered again, decided once."""

import asyncio
from pathlib import Path
from typing import Final

import pytest
from tests.e2e.agents import refunding_agent
from tests.e2e.agui import Json, Stream, agui_input, refused, run, user
from tests.e2e.conftest import Serve
from tests.e2e.harness import serving
from tests.e2e.wire import fetch

from duologue.adapters.agent_python import PythonAgent

pytestmark = [pytest.mark.anyio, pytest.mark.counterpart("ag-ui-validate", "ag-ui-protocol")]

EXACTLY: Final[Json] = {"approved": True, "arguments": {"order": "7"}}


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where refunds are written down, by a server of this process or of its own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / refunding_agent.BOOK


def paid(book: Path) -> list[str]:
    """The orders that were paid back."""
    return book.read_text("utf-8").splitlines() if book.exists() else []


def decide(run_id: str, interrupt: Json, **payload: Json) -> Json:
    """A run that decides, as the official client sends one."""
    entry = {"interruptId": interrupt["id"], "status": "resolved", "payload": payload}
    return agui_input("t-1", run_id, resume=[entry])


def asked(stream: Stream) -> Json:
    """The one approval that a run has ended with."""
    assert stream.last["outcome"]["type"] == "interrupt"
    (interrupt,) = stream.last["outcome"]["interrupts"]
    return interrupt


async def test_case_8_an_approval_survives_and_is_decided_once(serve: Serve, book: Path) -> None:
    server = await asyncio.to_thread(serve, "--agent", "refunding_agent:answer")
    port = server.port
    interrupt = asked(await run(port, agui_input("t-1", "r-1", user("my money", "u-1"))))
    assert (interrupt["reason"], interrupt["message"], interrupt["toolCallId"]) == (
        "tool_approval",
        "Refund order 7?",
        "call-1",
    )
    assert interrupt["metadata"]["arguments"] == {"order": "7"}

    # The page reloads, the server is killed and started, and another device looks: the same is offered each time.
    assert asked(await run(port, agui_input("t-1", "look-1"))) == interrupt
    await asyncio.to_thread(server.kill)
    await asyncio.to_thread(server.start)
    offered = await run(port, agui_input("t-1", "look-2"))
    assert asked(offered) == interrupt
    assert [one["role"] for one in offered.of("MESSAGES_SNAPSHOT")[-1]["messages"]] == ["user", "assistant"]

    # What was edited or invented is refused, and a plain message as well: nothing is done.
    for refusal, body in (
        ("approval_changed", decide("r-2", interrupt, approved=True, arguments={"order": "8"})),
        ("approval_changed", decide("r-3", interrupt, approved=True, digest="0" * 32)),
        ("interrupt_unknown", decide("r-4", interrupt | {"id": "0" * 24}, approved=True)),
        ("bad_message", decide("r-5", interrupt, allowed=True)),
        ("interrupts_open", agui_input("t-1", "r-6", user("and?", "u-2"))),
    ):
        status_code, error = await refused(port, body)
        assert (status_code in (400, 404, 409), error["code"]) == (True, refusal), error
    assert asked(await run(port, agui_input("t-1", "look-3"))) == interrupt
    assert paid(book) == []

    # The second device decides, and the first one is told so; edited and invented ones are still refused.
    body = decide("r-7", interrupt, **EXACTLY, digest=interrupt["metadata"]["digest"])
    decided = await run(port, body)
    assert (decided.text, decided.last["outcome"]["type"]) == ("It is completed.", "success")
    for late in (
        decide("r-8", interrupt, **EXACTLY),
        decide("r-9", interrupt, approved=True, arguments={"order": "8"}),
    ):
        status_code, error = await refused(port, late)
        assert (status_code, error["code"]) == (409, "interrupt_closed")
        assert "already been decided" in error["message"]

    # All of that holds after another crash, and the run that decided is still the same run.
    await asyncio.to_thread(server.kill)
    await asyncio.to_thread(server.start)
    assert (await run(port, body)).sent == decided.sent
    assert (await refused(port, decide("r-10", interrupt, **EXACTLY)))[1]["code"] == "interrupt_closed"
    assert (await run(port, agui_input("t-1", "look-4"))).last["outcome"] == {"type": "success"}
    assert paid(book) == ["7"]


async def test_case_8_what_was_denied_stays_so(book: Path, tmp_path: Path) -> None:
    async with serving(PythonAgent(refunding_agent.answer), tmp_path) as server:
        interrupt = asked(await run(server.port, agui_input("t-1", "r-1", user("my money", "u-1"))))
        assert (await run(server.port, decide("r-2", interrupt, approved=False))).text == "It is denied."
    async with serving(PythonAgent(refunding_agent.answer), tmp_path) as server:
        assert (await refused(server.port, decide("r-3", interrupt, **EXACTLY)))[1]["code"] == "interrupt_closed"
    assert paid(book) == []


async def test_case_8_two_devices_decide_at_the_same_moment(book: Path, tmp_path: Path) -> None:
    async with serving(PythonAgent(refunding_agent.answer), tmp_path) as server:
        interrupt = asked(await run(server.port, agui_input("t-1", "r-1", user("my money", "u-1"))))

        async def device(number: int) -> str:
            answer = await fetch(server.port, "POST", "/agui", body=decide(f"device-{number}", interrupt, **EXACTLY))
            return "taken" if answer.status == 200 else answer.body["code"]

        assert sorted(await asyncio.gather(*map(device, range(4)))) == ["interrupt_closed"] * 3 + ["taken"]
    assert paid(book) == ["7"]


@pytest.mark.parametrize("first", ["agui", "chat"])
async def test_case_8_the_devices_speak_two_protocols(book: Path, tmp_path: Path, first: str) -> None:
    async with serving(PythonAgent(refunding_agent.answer), tmp_path) as server:
        interrupt = asked(await run(server.port, agui_input("t-1", "r-1", user("my money", "u-1"))))
        told = {"sessionId": "t-1", "toolCallId": "call-1", "decision": "approve", "arguments": {"order": "7"}}
        if first == "agui":
            assert (await run(server.port, decide("r-2", interrupt, **EXACTLY))).text == "It is completed."
            answer = await fetch(server.port, "POST", "/chat/tool-call", body=told)
            assert answer.status == 409 and "already decided" in answer.body["message"]
        else:
            assert (await fetch(server.port, "POST", "/chat/tool-call", body=told)).status == 200
            late = await refused(server.port, decide("r-2", interrupt, **EXACTLY))
            assert late[1]["code"] == "interrupt_closed"
    assert paid(book) == ["7"]
