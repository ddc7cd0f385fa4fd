"""Pages of operators are told what waits for a decision as it happens, and only who may decide is."""

from pathlib import Path

import msgspec
import pytest
from tests.e2e.desk import Operator
from tests.e2e.harness import CountingAgent, Live, serving
from tests.e2e.test_approvals import AUTH, PAY, SETTINGS, SUPERVISOR, Bank, asks, bearer, decide, key, say

pytestmark = pytest.mark.anyio

OPERATOR = "a-key-of-somebody-who-operates-only"
STAFFED = msgspec.structs.replace(
    SETTINGS, auth=msgspec.structs.replace(AUTH, api_keys=(*AUTH.api_keys, key("front", OPERATOR, "operate")))
)


def page(live: Live, credential: str, name: str) -> Operator:
    return Operator(live.port, name, headers=bearer(credential, name))


async def test_a_page_hears_of_calls_as_they_come_and_go(tmp_path: Path) -> None:
    bank = Bank()
    async with serving(CountingAgent(asks), tmp_path, STAFFED, tools=bank.tools) as live:
        async with page(live, SUPERVISOR, "grace") as grace:
            assert grace.news[0]["approvals"] == []
            await say(live, PAY)
            asked = (await grace.told("approval"))["approval"]
            assert asked["prompt"] == "Pay 900 € to [hidden]?"
            assert "DE00" not in str(grace.news)
            # Who comes now, or comes back, is told the same first.
            async with page(live, SUPERVISOR, "hugo") as hugo:
                assert hugo.news[0]["approvals"] == [asked]
            body = {"decision": "approve", "digest": asked["digest"]}
            assert (await decide(live, asked["approvalId"], body))[0] == 200
            assert (await grace.told("approval_closed"))["approvalId"] == asked["approvalId"]
        async with page(live, SUPERVISOR, "grace") as again:
            assert again.news[0]["approvals"] == []


async def test_who_may_not_decide_is_told_of_no_call(tmp_path: Path) -> None:
    async with serving(CountingAgent(asks), tmp_path, STAFFED, tools=Bank().tools) as live:
        await say(live, PAY)
        async with page(live, OPERATOR, "olga") as olga, page(live, SUPERVISOR, "grace") as grace:
            assert "approvals" not in olga.news[0]
            await say(live, PAY, session="s2")
            await grace.told("approval")
            # What is told after it, to everybody: who is there.
            async with page(live, OPERATOR, "otto"):
                while len((await olga.told("operators"))["operators"]) < 3:
                    pass
        assert {news["type"] for news in olga.news} <= {"everything", "operators"}
