"""Who decides in a simulated world about calls that wait: the person by a button, a supervisor, a program elsewhere."""

from typing import Final, NamedTuple

import msgspec
from tests.simulation.customers import MOMENTS_MS
from tests.simulation.stage import Stage

from duologue.model.inputs import ApprovalDecided
from duologue.model.tools import Approval, ApprovalPolicy, DecidedBy, Decision
from duologue.server import signing

SECRET: Final = "known to this server and to the program elsewhere"
BUTTONS: Final[dict[ApprovalPolicy, DecidedBy]] = {"user_confirm": "user", "supervisor_approve": "supervisor"}
REMEMBERED: Final = 4
"""How many approvals that are over somebody may still try to decide."""

HESITATING: Final = 0.04
"""How often somebody decides in the last moment, or in the one after it."""

OLD: Final = 0.25
"""How often somebody tries where nothing waits."""


class Callback(NamedTuple):
    """A message from elsewhere, as it travels."""

    approval_id: str
    body: bytes
    signature: str


class Deciders:
    """Those who let tools run: each knows an approval only by what was shown of it.

    Attributes:
        said: what the program elsewhere has really decided, by approval; others may forge it.
    """

    def __init__(self, stage: Stage) -> None:
        self.said: dict[str, Decision] = {}
        self._stage, self._rng, self._pick = stage, stage.chance, stage.pick
        self._old: list[Approval] = []
        self._sent: list[Callback] = []

    def decides(self) -> None:
        """Somebody decides about a call, mostly who may, and mostly one that waits."""
        rng = self._rng
        open_ones = [one.approval for one in self._stage.state.tools.calls if one.approval is not None]
        if open_ones and rng() < 0.9:
            approval = self._pick(open_ones)
            self._old = [*self._old[1 - REMEMBERED :], approval]
        elif self._old and rng() < OLD:
            approval = self._pick(self._old)
        else:
            return
        if rng() < HESITATING:
            self._stage.now_ms = max(self._stage.now_ms, approval.expires_ms + self._pick(MOMENTS_MS))
        if approval.policy == "async_pending" and rng() < 0.9:
            self._calls_back(approval)
        else:
            self._presses(approval)

    def _decision(self) -> Decision:
        return "approve" if self._rng() < 0.7 else "deny"

    def _presses(self, approval: Approval) -> None:
        """A button, of the person's or of a supervisor's page; now and then of somebody who has no say."""
        rng = self._rng
        via = BUTTONS.get(approval.policy, "supervisor") if rng() < 0.9 else "supervisor"
        self._stage.give(
            ApprovalDecided(
                approval_id=approval.approval_id if rng() < 0.95 else "invented",
                decision=self._decision(),
                by="ada" if rng() < 0.95 else "eve",
                via=via,
                digest=self._pick((None, approval.digest, approval.digest, "0")) if rng() < 0.3 else None,
            )
        )

    def _calls_back(self, approval: Approval) -> None:
        """The program elsewhere answers; or somebody forges it, alters it, or sends it once more."""
        chance = self._rng()
        if chance < 0.6:
            made = self.said.setdefault(approval.approval_id, self._decision())
            self._arrives(self._signed(approval, made, SECRET))
        elif chance < 0.7:
            self._arrives(self._signed(approval, "approve", "guessed"))
        elif self._sent and chance < 0.85:
            sent = self._pick(self._sent)
            other = msgspec.json.encode({"decision": "approve", "digest": approval.digest})
            altered = sent._replace(body=other) if sent.body != other else sent._replace(signature="")
            self._arrives(altered)
            self._arrives(sent._replace(approval_id=approval.approval_id))
        elif self._sent:
            self._arrives(self._pick(self._sent))

    def _signed(self, approval: Approval, decision: Decision, secret: str) -> Callback:
        body = msgspec.json.encode({"decision": decision, "digest": approval.digest})
        signature = signing.sign(secret, approval.approval_id, body, now_ms=self._stage.now_ms)
        made = Callback(approval.approval_id, body, signature)
        if secret == SECRET:
            self._sent = [*self._sent[1 - REMEMBERED :], made]
        return made

    def _arrives(self, callback: Callback) -> None:
        """The server looks at the signature first, as `POST /api/approvals/{id}/callback` does."""
        now_ms = self._stage.now_ms
        approval_id, body, signature = callback
        if signing.fault_of(signature, secret=SECRET, approval_id=approval_id, body=body, now_ms=now_ms) is not None:
            self._stage.tally["callbacks refused"] += 1
            return
        told = msgspec.json.decode(body)
        self._stage.tally["callbacks taken"] += 1
        self._stage.give(
            ApprovalDecided(
                approval_id=approval_id,
                decision=told["decision"],
                by="callback",
                via="callback",
                digest=told["digest"],
            )
        )
