"""What agents' runs say in a simulated world: words, items, tools and ends, most of it right and some of it late."""

from typing import Final

from tests.simulation.stage import Stage

from duologue.model.content import Chip, Interrupt, Modality, Usage
from duologue.model.errors import Code
from duologue.model.handoff import HandOff, TransferType
from duologue.model.inputs import (
    AgentAsked,
    AgentCalled,
    AgentCancelled,
    AgentCited,
    AgentFailed,
    AgentFinished,
    AgentHandedOff,
    AgentInput,
    AgentNoted,
    AgentRequested,
    AgentReturned,
    AgentShowed,
    AgentSpoke,
    AgentSuggested,
    ObservationAsked,
)
from duologue.model.tools import Idempotency, ToolSpec

AGENTS: Final = ("a", "travel", "bank")
HANDED: Final[tuple[TransferType, ...]] = ("bot_to_human", "bot_to_human", "warm", "blind", "bot_to_bot")
WORDS: Final = ("one ", "two ", "three ", "é", "🙂🙂", "\n", "```\n", " ", "", "word" * 9)
SPECS: Final = (
    ToolSpec(name="look", kind="python", side_effect="read", timeout_ms=1_000),
    ToolSpec(name="book", kind="python", timeout_ms=1_000, idempotency=Idempotency(mode="input", ttl_ms=20_000)),
    ToolSpec(name="send", kind="http", idempotency=Idempotency(mode="input", safe_to_repeat=True)),
    ToolSpec(
        name="ship", kind="http", idempotency=Idempotency(mode="key", key_arguments=("k",), on_duplicate="reject")
    ),
    ToolSpec(name="pay", kind="python", policy="user_confirm", approval_ttl_ms=8_000),
    ToolSpec(name="pay", kind="python", policy="user_confirm", approval_ttl_ms=8_000),
    ToolSpec(name="close", kind="mcp", policy="supervisor_approve", approval_ttl_ms=20_000),
    ToolSpec(name="audit", kind="http", policy="async_pending", side_effect="read", approval_ttl_ms=20_000),
    ToolSpec(name="wire", kind="http", policy="async_pending", approval_ttl_ms=20_000),
    ToolSpec(name="wipe", kind="python", policy="denied"),
    ToolSpec(name="rare", kind="python", scopes=("rare",)),
)
"""Of each approval policy one, of each way to be idempotent one; `pay` twice, so that more is asked about."""

ARGUMENTS: Final = ('{"k":1}', '{"k":1}', '{"k":2}', '{"k":1,"n":2}')
CALLS: Final = tuple(f"call-{number}" for number in range(6))
ASKED: Final = tuple(f"ask-{number}" for number in range(4))
EXPIRIES: Final = (None, None, None, "2999-01-01T00:00:00Z", "2000-01-01T00:00:00Z", "soon")
OLD_RUNS: Final = 4
"""How many runs that are over may still say something."""


class Agents:
    """The runs of one session's agents.

    Attributes:
        running: the run that was ordered and not stopped; empty where none is.
    """

    def __init__(self, stage: Stage) -> None:
        self.running = ""
        self._stage, self._rng, self._pick = stage, stage.chance, stage.pick
        self._old_runs: list[str] = ["response-0"]
        self._wanted = 0

    def begin(self, response_id: str) -> None:
        """Run; whatever ran before goes on unheard."""
        self.leave(self.running)
        self.running = response_id

    def stop(self, response_id: str) -> None:
        """Stop a run, which may not know it yet."""
        if response_id == self.running:
            self.begin("")

    def leave(self, response_id: str) -> None:
        """Let a run go on of which nothing counts: one that was stopped, or has not been let out."""
        if response_id:
            self._old_runs = [*self._old_runs[1 - OLD_RUNS :], response_id]

    def speaks(self) -> None:
        """Some text."""
        if self.running:
            self._stage.give(AgentSpoke(response_id=self.running, text=self._pick(WORDS)))

    def adds(self) -> None:
        """Something beside the text."""
        if self.running:
            self._stage.give(self._item(self.running))

    def ends(self) -> None:
        """The run ends; one in ten does not know it and goes on."""
        if self.running:
            self._stage.give(self._end_of(self.running))
            if self._rng() < 0.9:
                self.begin("")

    def hands_over(self) -> None:
        """The run wants somebody else to go on."""
        if self.running:
            asked = HandOff(reason="r", transfer=self._pick(HANDED), target=self._pick(AGENTS))
            self._stage.give(AgentHandedOff(response_id=self.running, asked=asked))
            self.begin("")

    def calls(self) -> None:
        """The run has to do with a tool of its own or a client's: most of what it says is right, some is not."""
        if not self.running:
            return
        turn, rng = self._stage.state.open, self._rng
        running = [] if turn is None else [known.call for known in (*turn.response.calls, *turn.calls)]
        open_calls = [call.call_id for call in running if call.result is None and call.runs_on == "agent"]
        chance = rng()
        if chance < 0.45 and open_calls:
            self._stage.give(AgentReturned(response_id=self.running, call_id=self._pick(open_calls), result="{}"))
        elif chance < 0.8:
            fresh = [name for name in CALLS if name not in {call.call_id for call in running}] or list(CALLS)
            called = self._pick(CALLS if rng() < 0.02 else fresh)
            offered = turn is not None and bool(turn.said.tools)
            if rng() < (0.5 if offered else 0.02):
                self._stage.give(AgentRequested(response_id=self.running, call_id=called, name="where", arguments="{}"))
            else:
                self._stage.give(
                    AgentCalled(
                        response_id=self.running, call_id=called, name="t", arguments="{}", repeatable=rng() < 0.7
                    )
                )
        elif chance < 0.85:
            self._stage.give(
                AgentReturned(
                    response_id=self.running,
                    call_id=self._pick(CALLS),
                    result="no",
                    is_error=True,
                    name="t" if rng() < 0.8 else "",
                )
            )

    def wants(self) -> None:
        """The run asks for a tool of the registry."""
        if self.running:
            self._stage.give(self._want_of(self.running))

    def old_run_speaks(self) -> None:
        """A run that is over, or was never let out, says something: words, an item, a wish for a tool, its end."""
        response_id = self._pick(self._old_runs)
        chance = self._rng()
        if chance < 0.4:
            self._stage.give(AgentSpoke(response_id=response_id, text=self._pick(WORDS)))
        elif chance < 0.6:
            self._stage.give(self._item(response_id))
        elif chance < 0.8:
            self._stage.give(self._want_of(response_id))
        else:
            self._stage.give(self._end_of(response_id))

    def _want_of(self, response_id: str) -> AgentRequested:
        """A wish for a tool of the registry, or for one that nobody has; now and then the same once more."""
        rng = self._rng
        spec = self._pick(SPECS) if rng() < 0.95 else None
        self._wanted += 1
        return AgentRequested(
            response_id=response_id,
            call_id=f"tool-{self._wanted}" if rng() < 0.97 else f"tool-{self._wanted - 1}",
            name="nothing" if spec is None else spec.name,
            arguments=self._pick(ARGUMENTS),
            spec=spec,
            wrong="$.k: is no text" if rng() < 0.03 else "",
            waits=rng() < 0.4,
        )

    def _item(self, response_id: str) -> AgentInput:
        chance = self._rng()
        if chance < 0.25:
            return AgentCited(response_id=response_id, title="t", url="/docs/t")
        if chance < 0.5:
            return AgentSuggested(response_id=response_id, chips=(Chip(label="a", text="b"),))
        if chance < 0.75:
            return AgentShowed(response_id=response_id, payload_type="card", data={"n": [1, None, "é"]})
        return AgentNoted(response_id=response_id, category="c", message="m", details={"n": 1.5})

    def _end_of(self, response_id: str) -> AgentInput:
        chance = self._rng()
        if chance < 0.5:
            return AgentFinished(response_id=response_id)
        if chance < 0.6:
            return AgentFinished(response_id=response_id, usage=(Usage(output_tokens=int(chance * 100)), Usage()))
        if chance < 0.7:
            return AgentFinished(response_id=response_id, total_tokens=int(chance * 100), confident=False)
        if chance < 0.86:
            return AgentAsked(response_id=response_id, interrupts=self._interrupts())
        if chance < 0.89:
            return AgentCancelled(response_id=response_id, usage=(Usage(output_tokens=3),))
        if chance < 0.92:
            modality: Modality = "photo" if self._rng() < 0.3 else "nfc"
            return ObservationAsked(response_id=response_id, modality=modality, prompt="show", wait_ms=9_000)
        code = self._pick((Code.AGENT_FAILED, Code.AGENT_TRUNCATED, Code.AGENT_BAD_ITEM))
        return AgentFailed(response_id=response_id, code=code, message="no", retryable=chance < 0.98)

    def _interrupts(self) -> tuple[Interrupt, ...]:
        """What a run asks for; now and then nothing, or the same twice."""
        count = self._pick((1, 1, 1, 2, 3)) if self._rng() < 0.95 else 0
        names = [self._pick(ASKED) for _ in range(count)]
        if self._rng() < 0.9:
            names = sorted(set(names))
        turn = self._stage.state.open
        calls = () if turn is None else turn.response.calls
        return tuple(
            Interrupt(
                interrupt_id=name,
                reason="r",
                expires_at=self._pick(EXPIRIES),
                tool_call_id=calls[-1].call.call_id if calls else None,
            )
            for name in names
        )
