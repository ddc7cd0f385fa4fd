"""The settings of signals: read from a file, with what does not go together told with its place."""

import sys
from pathlib import Path

import pytest

from duologue.adapters.signals_rule import RuleSignals
from duologue.model.errors import SettingsError
from duologue.server.settings import Settings
from duologue.server.settings_load import load_settings
from duologue.server.settings_signals import SignalsSettings
from duologue.server.signals import escalation_rules, make_signals

FILE = """
[signals]
sources = ["rule"]

[[signals.intents]]
name = "cancel"
examples = ["I want to cancel"]

[[signals.moods]]
mood = "frustration"
examples = ["the router blinks red"]

[[signals.escalation]]
name = "lost"
signal = "cancel"
above = 0.5
turns = 2
skills = ["retention"]
"""


def read(folder: Path, text: str) -> SignalsSettings:
    (folder / "duologue.toml").write_text(text)
    return load_settings({}, folder).signals


def test_intents_moods_and_rules_are_tables(tmp_path: Path) -> None:
    asked = read(tmp_path, FILE)
    assert asked.intents[0].examples == ("I want to cancel",)
    assert (asked.moods[0].mood, asked.moods[0].language) == ("frustration", "en")
    (rule,) = escalation_rules(asked)
    assert (rule.name, rule.signal, rule.above, rule.turns, rule.within) == ("lost", "cancel", 0.5, 2, 5)
    assert rule.skills == ("retention",)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('["rule"]', '["rules"]'), "signals.sources[0]: expected"),
        (('["rule"]', '["model"]'), 'signals.model: is needed for signals.sources with "model"'),
        (("[signals]", '[signals]\napi_key = "k"'), "signals.model: is needed with signals.base_url"),
        (('name = "cancel"', 'name = "anger"'), "signals.intents[0].name: 'anger' is another intent's or a mood's"),
        (('signal = "cancel"', 'signal = "cancle"'), "'cancle' is no mood and no intent; did you mean cancel?"),
        (("turns = 2", "turns = 9"), "signals.escalation[0].turns: 9 turns cannot be among the latest 5"),
        (("above = 0.5", "above = 7"), "signals.escalation[0].above: expected a number from 0 to 1"),
        (('examples = ["I want to cancel"]', ""), "signals.intents[0].examples: is needed"),
        (('mood = "frustration"', 'mood = "boredom"'), "signals.moods[0].mood: expected"),
    ],
)
def test_what_does_not_go_together_is_told_with_its_place(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read(tmp_path, FILE.replace(*change))
    assert said in str(caught.value)


def test_without_a_source_nothing_is_made() -> None:
    assert make_signals(Settings()) is None


def test_rules_alone_load_no_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)
    asked = Settings(signals=read(tmp_path, FILE))
    assert make_signals(asked) is not None
    assert RuleSignals().source == "rule"


def _no_package(_: str) -> None:
    return None


def test_a_source_whose_package_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duologue.adapters.signals_local.adapter.find_spec", _no_package)
    with pytest.raises(SettingsError, match=r"duologue\[signals\]"):
        make_signals(Settings(signals=SignalsSettings(sources=("local",))))


def test_a_key_is_never_shown() -> None:
    asked = SignalsSettings(model="m", api_key="hunter2")
    assert "hunter2" not in repr(asked)
