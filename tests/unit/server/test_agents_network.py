"""The agents that are reached over the network, made from the settings."""

import sys
from pathlib import Path

import pytest

from duologue.model.errors import SettingsError
from duologue.server.parts import make_agent, make_others
from duologue.server.settings import AgentSettings, Settings
from duologue.server.settings_agents import PROMPT_CHARS, AguiSettings, LlmSettings, OtherAgent
from duologue.server.settings_load import load_settings


def llm(*, prompt_file: str = "") -> Settings:
    settings = LlmSettings(
        model="m",
        base_url="http://127.0.0.1:1/v1",
        api_key="hunter2",
        fallback_api_key="hunter3",
        system_prompt_file=prompt_file,
    )
    return Settings(agent=AgentSettings(kind="llm"), llm=settings)


def test_the_language_model_is_made_without_being_asked() -> None:
    assert make_agent(llm()).name == "m"


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "cannot be read"), (b"\xff", "is not UTF-8"), (b"x" * (PROMPT_CHARS + 1), "at most")],
)
def test_a_prompt_that_cannot_be_had_is_told(tmp_path: Path, content: bytes | None, said: str) -> None:
    path = tmp_path / "prompt.md"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SettingsError, match=said):
        make_agent(llm(prompt_file=str(path)))


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("duologue.adapters.agent_llm")]:
        monkeypatch.delitem(sys.modules, name)
    for name in [name for name in sys.modules if name.partition(".")[0] == "pydantic_ai"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    with pytest.raises(SettingsError, match=r"duologue\[llm\]"):
        make_agent(llm())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[agent]\nkind = 'llm'\n", "llm.model: is needed"),
        ("[agent]\nkind = 'agui'\n", "agui.url: is needed"),
        ("[agui]\nheaders = ['hunter2']\n", r"agui.headers\[0\]: expected .*(?<!hunter2)$"),
        ('[agui]\nheaders = ["A: b\\nC: d"]\n', r"agui.headers\[0\]: expected"),
        ("[llm]\nmodel = 'm'\nsystem_prompt = 'a'\nsystem_prompt_file = 'b'\n", "llm.system_prompt_file: stands in"),
        ("[llm]\nbase_url = 'http://user:hunter2@host'\n", "llm.base_url: expected"),
    ],
)
def test_settings_that_do_not_fit_are_told(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "duologue.toml").write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError, match=said):
        load_settings({}, tmp_path)


def test_the_agent_elsewhere_is_made_without_being_asked() -> None:
    settings = AguiSettings(url="https://agent.example/run", headers=("Authorization: Bearer hunter2",))
    agent = make_agent(Settings(agent=AgentSettings(kind="agui"), agui=settings))
    assert agent.name == "agent.example"
    assert "hunter2" not in f"{agent!r} {settings} {settings.__rich_repr__()}"


def test_neither_way_of_printing_shows_a_key() -> None:
    settings = llm()
    assert "hunter" not in f"{settings} {settings.llm!r} {settings.llm.__rich_repr__()}"


def test_further_agents_are_made_and_one_that_cannot_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    good = OtherAgent(name="Pages", tier="reflex", folder=str(tmp_path / "pages"), about="answers from pages")
    (made,) = make_others(Settings(agents=(good,)))
    assert (made.name, made.tier, made.about, made.agent.name) == (
        "Pages",
        "reflex",
        "answers from pages",
        "knowledge",
    )
    gone = OtherAgent(name="Gone", folder=str(tmp_path / "nowhere"))
    with pytest.raises(SettingsError, match="agents, 'Gone': "):
        make_others(Settings(agents=(gone,)))
