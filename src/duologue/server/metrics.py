"""Figures for Prometheus, read from the running server when they are asked for."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from duologue.ports.outbox import Counts
from duologue.runtime.courier import DeliveryFigures
from duologue.runtime.histogram import Histogram
from duologue.runtime.hub import Hub
from duologue.server.tools_trail import ToolsTrail

if TYPE_CHECKING:
    from duologue.runtime.memory.figures import MemoryFigures
    from duologue.runtime.voice.calls import Calls


class HubCollector(Collector):
    """Reads a hub's counters."""

    def __init__(self, hub: Hub, connections: Mapping[tuple[str, str], int]) -> None:
        self._hub, self._connections = hub, connections

    def collect(self) -> Iterable[Metric]:
        """Make all figures anew."""
        hub, figures = self._hub, self._hub.figures
        yield GaugeMetricFamily("duologue_sessions_live", "Sessions in memory.", value=len(hub.sessions))
        yield GaugeMetricFamily("duologue_runs", "Answers being made.", value=len(hub.runs))
        yield CounterMetricFamily("duologue_events", "Events stored.", value=figures.events)
        yield CounterMetricFamily("duologue_repeats", "Turns recognised as repeats.", value=figures.repeats)
        opened = GaugeMetricFamily("duologue_connections", "Open connections.", labels=["protocol", "transport"])
        for key, value in sorted(self._connections.items()):
            opened.add_metric(key, value)
        yield opened
        yield _labelled(CounterMetricFamily, "duologue_turns", "Ended turns.", "outcome", figures.turns)
        yield _labelled(CounterMetricFamily, "duologue_run_failures", "Failed runs.", "code", figures.failures)
        yield _labelled(CounterMetricFamily, "duologue_refusals", "Refused inputs.", "code", figures.refusals)
        yield _tokens(hub.agent.name, figures.tokens)
        yield _histogram("duologue_turn_duration_seconds", "How long answers took in all.", figures.durations)
        yield _histogram("duologue_time_to_first_text_seconds", "Until the first words.", figures.first_texts)


class DoorCollector(Collector):
    """Reads what was refused before it reached the hub: rates and bounds, and credentials."""

    def __init__(self, limited: Mapping[str, int], auth: Mapping[str, int]) -> None:
        self._limited, self._auth = limited, auth

    def collect(self) -> Iterable[Metric]:
        """Make all figures anew."""
        about = "What was too much for a person or an address, by what was asked for."
        yield _labelled(CounterMetricFamily, "duologue_rate_limited", about, "asked", self._limited)
        yield _labelled(CounterMetricFamily, "duologue_auth_refusals", "Who was not let in.", "code", self._auth)


class CallsCollector(Collector):
    """Reads the figures of calls."""

    def __init__(self, calls: "Calls") -> None:
        self._calls = calls

    def collect(self) -> Iterable[Metric]:
        """Make all figures anew."""
        figures = self._calls.figures
        yield GaugeMetricFamily("duologue_calls_live", "Calls that are on.", value=len(self._calls))
        yield CounterMetricFamily("duologue_calls", "Calls that have begun.", value=figures.begun)
        over = "Calls that are over, by reason."
        yield _labelled(CounterMetricFamily, "duologue_calls_ended", over, "reason", figures.ended)
        yield CounterMetricFamily("duologue_barge_ins", "Interruptions of the assistant.", value=figures.barge_ins)
        early = "Answers that were prepared early, by what became of them."
        yield _labelled(CounterMetricFamily, "duologue_preflights", early, "outcome", figures.preflights)
        waited = HistogramMetricFamily(
            "duologue_voice_latency_seconds", "What spoken turns waited for.", labels=["part"]
        )
        for part, value in sorted(figures.latencies.items()):
            waited.add_metric([part], value.buckets(), sum_value=value.sum_s)
        yield waited


class ToolsCollector(Collector):
    """Reads the figures of the registry's tools."""

    def __init__(self, trail: ToolsTrail, *, running: int, waiting: int) -> None:
        self._trail, self._running, self._waiting = trail, running, waiting

    def collect(self) -> Iterable[Metric]:
        """Make all figures anew."""
        calls = CounterMetricFamily("duologue_tool_calls", "Calls of tools that have ended.", labels=["tool", "status"])
        for key, value in sorted(self._trail.calls.items()):
            calls.add_metric(key, value)
        yield calls
        took = HistogramMetricFamily("duologue_tool_duration_seconds", "From call to end.", labels=["tool"])
        for name, value in sorted(self._trail.durations.items()):
            took.add_metric([name], value.buckets(), sum_value=value.sum_s)
        yield took
        yield GaugeMetricFamily("duologue_tools_running", "Calls that are carried out now.", value=self._running)
        yield GaugeMetricFamily("duologue_approvals_waiting", "Calls that wait for a decision.", value=self._waiting)


class DeliveriesCollector(Collector):
    """Reads the figures of webhooks; `counts` is what stands in the outbox."""

    def __init__(self, figures: DeliveryFigures, counts: Counts) -> None:
        self._figures, self._counts = figures, counts

    def collect(self) -> Iterable[Metric]:
        """Make all figures anew."""
        attempts = self._figures.attempts
        yield _labelled(
            CounterMetricFamily, "duologue_webhook_attempts", "Attempts to deliver webhooks.", "outcome", attempts
        )
        waiting = "Hooks of sessions that have something waiting."
        yield GaugeMetricFamily("duologue_webhooks_waiting", waiting, value=self._counts.waiting)
        dead = "Webhooks that could not be delivered."
        yield GaugeMetricFamily("duologue_webhook_dead_letters", dead, value=self._counts.dead)


class MemoryCollector(Collector):
    """Reads the figures of memory; `items` is how much is remembered of all people."""

    def __init__(self, figures: "MemoryFigures", items: int) -> None:
        self._figures, self._items = figures, items

    def collect(self) -> Iterable[Metric]:
        """Make all figures anew."""
        figures = self._figures
        yield GaugeMetricFamily("duologue_memory_items", "What is remembered of people.", value=self._items)
        done = figures.recalls - figures.late - figures.failed
        recalls = {"done": done, "failed": figures.failed, "late": figures.late}
        what = "Runs for which memory was looked into, by what became of it."
        yield _labelled(CounterMetricFamily, "duologue_memory_recalls", what, "outcome", recalls)
        changes = {"stored": figures.stored, "forgotten": figures.forgotten, "missed": figures.missed}
        what = "Memories that were stored or forgotten, and turns that a model could not look through."
        yield _labelled(CounterMetricFamily, "duologue_memory_changes", what, "change", changes)


def _tokens(agent: str, tokens: Mapping[str, Mapping[str, int]]) -> Metric:
    what = "Tokens as agents report them; cached is part of input, reasoning of output."
    family = CounterMetricFamily("duologue_tokens", what, labels=["agent", "model", "kind"])
    for model, kinds in sorted(tokens.items()):
        for kind, number in sorted(kinds.items()):
            family.add_metric([agent, model, kind], number)
    return family


def _histogram(name: str, what: str, values: Mapping[tuple[str, str], Histogram]) -> Metric:
    family = HistogramMetricFamily(name, what, labels=["agent", "protocol"])
    for key, value in sorted(values.items()):
        family.add_metric(key, value.buckets(), sum_value=value.sum_s)
    return family


def _labelled(
    kind: type[CounterMetricFamily] | type[GaugeMetricFamily],
    name: str,
    what: str,
    label: str,
    values: Mapping[str, int],
) -> Metric:
    family = kind(name, what, labels=[label])
    for key, value in sorted(values.items()):
        family.add_metric([key], value)
    return family


def exposition(hub: Hub, connections: Mapping[tuple[str, str], int], *more: Collector) -> bytes:
    """The figures in Prometheus' text format."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(HubCollector(hub, connections))
    for collector in more:
        registry.register(collector)
    return generate_latest(registry)
