"""The machine's condition, from its sensors to the sessions, and tiers from their agents to Ghost."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from duologue.adapters.agent_canned import Canned, CannedAgent
from duologue.adapters.sensors_file import FileSensors
from duologue.adapters.sensors_machine import MachineSensors
from duologue.engine.standing import Thresholds
from duologue.model import limits
from duologue.model.agent import AgentRequest, Finished
from duologue.model.commands import Join
from duologue.model.condition import Readings
from duologue.model.errors import Code, Refused
from duologue.model.events import AgentDegraded, AnswerUpgraded, SessionStarted, TurnEnded, TurnRouted
from duologue.model.inputs import UserTurn
from duologue.model.routing import RoutingRules, Upgrade
from duologue.protocols.ghost import GhostDialect
from duologue.runtime.agents import Beside
from duologue.runtime.clock import SystemClock
from duologue.runtime.condition import ConditionWatch
from duologue.runtime.hub import Hub
from duologue.runtime.hub_settings import HubSettings
from duologue.runtime.judging import number
from duologue.runtime.loading import Loading
from duologue.runtime.session import LiveSession
from duologue.testing.memory_store import MemoryStore
from duologue.testing.scripted_agent import Script, ScriptedAgent
from duologue.testing.scripted_sensors import ScriptedSensors

HARD = "Compare A and B for a small team, explain the pros and cons of each, and write a plan with at most five steps."


def quiet(event: str, **fields: object) -> None:
    """Log nothing."""


def quick(request: AgentRequest) -> Script:
    if "score" in request.text or request.judge:
        return ["0.9"]
    return ["I'm not sure."] if "when" in request.text else ["Quick."]


class World:
    """A hub with three tiers, whose sensors say what a test says."""

    def __init__(self, hub: Hub, sensors: ScriptedSensors, watch: ConditionWatch) -> None:
        self.hub, self.sensors, self.watch = hub, sensors, watch

    async def reads(self, readings: Readings) -> None:
        self.sensors.now = readings
        await self.watch.look()

    async def open(self, session_id: str = "s") -> LiveSession:
        return await self.hub.join(Join(session_id=session_id), subject="ada")

    async def ask(self, session: LiveSession, text: str) -> None:
        await self.hub.submit(session, UserTurn(text=text))
        while session.state.open is not None:
            await session.changed()

    def frames(self, session: LiveSession) -> list[dict[str, object]]:
        dialect = GhostDialect()
        said = [dialect.project(event) for event in session.tail.after(0, limit=500) or ()]
        return [json.loads(frame) for frame in said if frame is not None]


@asynccontextmanager
async def world(*, rules: RoutingRules | None = None) -> AsyncGenerator[World]:
    sensors = ScriptedSensors()
    hub = Hub(
        store=MemoryStore(),
        agent=ScriptedAgent(["Well thought out."]),
        clock=SystemClock(),
        log=quiet,
        settings=HubSettings(routing=rules or RoutingRules(gate_below=0.05)),
        others=(
            Beside(name="Gate", agent=CannedAgent(), tier="gate"),
            Beside(name="Quick", agent=ScriptedAgent(quick), tier="reflex"),
        ),
    )
    hub.counting.loading = Loading({tier: hub.agents.find(tier=tier) for tier in hub.agents.tiers}, log=quiet)
    watch = ConditionWatch(
        sensors,
        loading=hub.counting.loading,
        thresholds=Thresholds(settle_ms=0),
        every_ms=60_000,
        condition=hub.condition,
        changed=hub.condition_changed,
        log=quiet,
    )
    hub.accompany(watch)
    async with hub:
        yield World(hub, sensors, watch)


def told(session: LiveSession, kind: type) -> list[object]:
    return [event for event in session.tail.after(0, limit=500) or () if isinstance(event, kind)]


@pytest.mark.anyio
async def test_figures_name_the_agent_that_answered() -> None:
    async with world() as here:
        session = await here.open()
        for text in ("Hi!", "What time is it?", HARD):
            await here.ask(session, text)
        assert {agent for agent, _ in here.hub.figures.durations} == {"Gate", "Quick", here.hub.agent.name}


@pytest.mark.anyio
async def test_each_tier_answers_what_is_its_own_and_ghost_is_told() -> None:
    async with world() as here:
        session = await here.open()
        for text in ("Hi!", "What time is it?", HARD):
            await here.ask(session, text)
        assert [message.text for message in session.state.history][1::2] == [
            "Hello! How can I help you?",
            "Quick.",
            "Well thought out.",
        ]
        frames = here.frames(session)
        routed = [frame["payload"] for frame in frames if frame["type"] == "turn.routing"]
        assert [one["tier_target"] for one in routed if isinstance(one, dict)] == ["gate", "reflex", "workhorse"]
        assert told(session, SessionStarted)[0].tiers == ("gate", "reflex", "workhorse")  # type: ignore[attr-defined]


@pytest.mark.anyio
async def test_an_answer_that_hedges_is_upgraded_and_ghost_is_told_once_for_each_turn() -> None:
    async with world() as here:
        session = await here.open()
        await here.ask(session, "when does it open?")
        assert len(told(session, AnswerUpgraded)) == len(told(session, TurnEnded)) == 1
        kinds = [frame["type"] for frame in here.frames(session)]
        assert kinds.count("turn.upgrade") == kinds.count("turn.complete") == 1
        assert [message.text for message in session.state.history] == ["when does it open?", "Well thought out."]


@pytest.mark.anyio
async def test_the_gate_s_agent_is_asked_for_a_number_and_the_rules_where_it_has_none() -> None:
    async with world(rules=RoutingRules(gate_judges=True)) as here:
        session = await here.open()
        await here.ask(session, "What time is it?")
        (routed,) = told(session, TurnRouted)
        assert isinstance(routed, TurnRouted)
        assert (routed.judged_by, routed.target) == ("rules", "reflex")


@pytest.mark.anyio
async def test_sessions_are_told_of_the_condition_when_it_changes_and_when_they_are_joined() -> None:
    async with world() as here:
        session = await here.open()
        await here.reads(Readings(battery=0.15))
        await here.reads(Readings(battery=0.15))
        (degraded,) = told(session, AgentDegraded)
        assert isinstance(degraded, AgentDegraded)
        assert (degraded.condition, degraded.reason, degraded.previous) == ("conservative", "battery", "full_power")
        later = await here.open("later")
        await later.settled()
        assert len(told(later, AgentDegraded)) == 1
        await here.reads(Readings())
        await here.reads(Readings())
        assert len(told(session, AgentDegraded)) == len(told(later, AgentDegraded)) == 2


@pytest.mark.anyio
async def test_in_an_emergency_nobody_new_is_let_in_and_who_is_there_is_answered_by_the_reflex() -> None:
    async with world() as here:
        session = await here.open()
        await here.reads(Readings(temperature_c=110))
        with pytest.raises(Refused) as refused:
            await here.open("new")
        assert refused.value.problem.code is Code.SERVER_FULL
        assert await here.open() is session
        await here.ask(session, HARD)
        assert session.state.history[-1].text == "Quick."


@pytest.mark.anyio
async def test_a_tier_whose_runs_fail_again_and_again_is_not_loaded() -> None:
    async with world() as here:
        loading = here.hub.counting.loading
        assert loading is not None
        for _ in range(limits.TIER_FAILURES):
            loading.ran("workhorse", well=False)
        await here.watch.look()
        assert here.hub.condition.standing.condition == "conservative"
        assert here.hub.condition.standing.reason == "model_unloaded"
        assert here.hub.condition.tiers == ("gate", "reflex")


class Loads(ScriptedAgent):
    """Cannot be loaded."""

    async def warm(self) -> None:
        raise RuntimeError("no such model")


@pytest.mark.anyio
async def test_a_tier_that_cannot_be_loaded_is_told() -> None:
    loading = Loading({"reflex": ScriptedAgent([]), "workhorse": Loads([])}, log=quiet)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(loading.warm())
        await loading.changed()
        assert loading.with_unloaded(Readings()).unloaded == ("workhorse",)
        task.cancel()


def test_a_number_is_found_in_what_a_gate_says() -> None:
    assert [number(text) for text in ("0.7", "Score: .25.", "1", "about 0", "42", "none", "1.5")] == [
        0.7,
        0.25,
        1.0,
        0.0,
        None,
        None,
        None,
    ]


class NoFiles:
    """No uploads."""

    async def read(self, upload_id: str) -> bytes:
        raise LookupError(upload_id)


@pytest.mark.anyio
async def test_a_canned_agent_answers_what_it_knows_and_passes_on_the_rest() -> None:
    agent = CannedAgent([Canned(said=("Opening hours?", "when are you open"), answer="9 to 5.")])

    async def says(text: str, language: str = "en") -> list[object]:
        request = AgentRequest(
            session_id="s", subject="a", response_id="r", turn=1, text=text, language=language, tier="gate"
        )
        return [getattr(item, "text", item) async for item in agent.run(request, NoFiles())]

    assert await says("OPENING HOURS") == ["9 to 5.", Finished()]
    assert await says("Danke!", "de-AT") == ["Gern geschehen!", Finished()]
    assert await says("Why?") == [Upgrade()]
    assert await says("Hello", "eo") == [Upgrade()]


def test_a_file_s_readings_stand_in_place_of_the_machine_s(tmp_path: Path) -> None:
    machine = ScriptedSensors(Readings(temperature_c=40, free_memory_mb=900))
    path = tmp_path / "readings.json"
    sensors = FileSensors(path, machine)
    assert sensors.read() == machine.now
    path.write_text('{"battery": 0.1, "plugged": false, "temperature_c": 91.5, "unloaded": ["workhorse"]}')
    assert sensors.read() == Readings(
        temperature_c=91.5, battery=0.1, plugged=False, free_memory_mb=900, unloaded=("workhorse",)
    )
    for wrong in ("{", "[]", '{"battery": "low"}', ""):
        path.write_text(wrong)
        assert sensors.read() == machine.now


def test_the_machine_s_own_sensors_say_what_there_is_and_nothing_else(tmp_path: Path) -> None:
    readings = MachineSensors(sys=tmp_path).read()
    assert readings.free_memory_mb is not None
    assert readings.free_memory_mb > 0
    zone = tmp_path / "class/thermal/thermal_zone0"
    zone.mkdir(parents=True)
    (zone / "type").write_text("cpu-thermal\n")
    (zone / "temp").write_text("61500\n")
    supply = tmp_path / "class/power_supply/BAT0"
    supply.mkdir(parents=True)
    for name, text in (("type", "Battery"), ("capacity", "42"), ("status", "Discharging")):
        (supply / name).write_text(f"{text}\n")
    sensors = MachineSensors(sys=tmp_path)
    celsius, battery = sensors.temperature_c(), sensors.battery()
    if MachineSensors(sys=tmp_path / "nothing").temperature_c() is None:
        assert celsius == 61.5
    if MachineSensors(sys=tmp_path / "nothing").battery() is None:
        assert battery is not None
        assert (battery.level, battery.plugged) == (0.42, False)
