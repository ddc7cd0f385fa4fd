"""Settings: where they come from, what is refused and in which words."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import jsonschema_rs
import pytest

from duologue.model import limits
from duologue.model.errors import SettingsError
from duologue.server import settings_docs
from duologue.server.settings import AuthSettings, Settings
from duologue.server.settings_keys import all_keys, config_schema, section_types
from duologue.server.settings_load import load_settings, settings_file

ROOT = Path(__file__).parents[3]
NOTHING: Mapping[str, str] = MappingProxyType({})


def refused(
    folder: Path,
    text: str = "",
    *,
    env: Mapping[str, str] = NOTHING,
    flags: Mapping[str, object] = NOTHING,
) -> list[str]:
    """Give the lines of the error that a file, an environment or flags lead to."""
    (folder / "duologue.toml").write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        load_settings(env, folder, flags=flags)
    return str(caught.value).splitlines()


def test_without_any_source_the_defaults_hold(tmp_path: Path) -> None:
    settings = load_settings({}, tmp_path)
    assert settings == Settings()
    assert settings.server.port == 8420
    assert settings.server.host == "127.0.0.1"
    assert settings.server.heartbeat_ms == limits.HEARTBEAT_MS


def test_each_source_overrides_the_one_before(tmp_path: Path) -> None:
    (tmp_path / "duologue.toml").write_text("[server]\nport = 1\nmax_sessions = 1\ndrain_ms = 1\n")
    env = {"DUOLOGUE_SERVER__MAX_SESSIONS": "2", "DUOLOGUE_SERVER__DRAIN_MS": "2"}
    settings = load_settings(env, tmp_path, flags={"server.drain_ms": 3, "server.port": None})
    assert (settings.server.port, settings.server.max_sessions, settings.server.drain_ms) == (1, 2, 3)


def test_the_command_line_names_the_file_before_the_environment_does(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.toml").write_text(f'[agent]\nname = "{name}"\n')
    env = {"DUOLOGUE_CONFIG": "a.toml"}
    assert load_settings(env, tmp_path).agent.name == "a"
    assert load_settings(env, tmp_path, config=tmp_path / "b.toml").agent.name == "b"
    assert settings_file({}, tmp_path) is None


def test_a_named_file_has_to_be_there(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"gone\.toml: cannot be read"):
        load_settings({"DUOLOGUE_CONFIG": "gone.toml"}, tmp_path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[server]\nprot = 1\n", "server.prot: unknown key ({}); did you mean server.port?"),
        (
            "[server]\ndurability = 'power'\n",
            "server.durability: unknown key ({}); did you mean store.durability?",
        ),
        ("port = 1\n", "port: unknown key ({}); did you mean server.port?"),
        ("[sever]\nport = 1\n", "sever: unknown key ({}); did you mean server?"),
        (
            "[zzz]\nport = 1\n",
            f"zzz: unknown key ({{}}); sections are {', '.join(section_types())}",
        ),
        ("server = 3\n", "server: expected a table, [server] ({})"),
        ("[server]\nport = '1x'\n", 'server.port: expected a whole number from 0 to 65535, got "1x" ({})'),
        ("[server]\nport = 70000\n", "server.port: expected a whole number from 0 to 65535, got 70000 ({})"),
        ("[server]\nport = true\n", "server.port: expected a whole number from 0 to 65535, got true ({})"),
        ("[server]\nlog_pii = 1\n", "server.log_pii: expected true or false, got 1 ({})"),
        ("[server]\nlog = 'xml'\n", 'server.log: expected "json" or "text", got "xml" ({})'),
        (
            "[server]\nallowed_origins = ['https://a.example', '*']\n",
            "server.allowed_origins[1]: expected a list of at most 256, each an origin as browsers send it,"
            ' such as https://app.example.com, got ["https://a.example", "*"] ({})',
        ),
        (
            "[agent]\nkind = 'python'\n",
            'agent.function: is needed for agent.kind = "python"; write module:name, like my_agent:answer',
        ),
    ],
)
def test_a_mistake_in_the_file_is_told_precisely(tmp_path: Path, text: str, said: str) -> None:
    assert refused(tmp_path, text) == [said.format(tmp_path / "duologue.toml")]


def test_what_is_not_toml_is_told_with_its_place(tmp_path: Path) -> None:
    (line,) = refused(tmp_path, "[server\n")
    assert line.startswith(f"{tmp_path / 'duologue.toml'}: is not TOML: ")
    assert "line 1" in line


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    lines = refused(
        tmp_path,
        "[server]\nprot = 1\nport = -1\n",
        env={"DUOLOGUE_SERVER_PORT": "1", "DUOLOGUE_STORE__RETAIN_EVENTS": "many", "HOME": "/"},
        flags={"server.log": "xml"},
    )
    assert [line.partition(":")[0] for line in lines] == [
        "server.prot",
        "server.port",
        "DUOLOGUE_SERVER_PORT",
        "store.retain_events",
        "server.log",
    ]
    assert lines[2].endswith("did you mean DUOLOGUE_SERVER__PORT?")
    assert lines[3].endswith('got "many" (environment variable DUOLOGUE_STORE__RETAIN_EVENTS)')


def test_the_environment_says_numbers_truths_and_lists(tmp_path: Path) -> None:
    env = {
        "DUOLOGUE_SERVER__PORT": "9000",
        "DUOLOGUE_SERVER__LOG_PII": "true",
        "DUOLOGUE_SERVER__ALLOWED_ORIGINS": "https://a.example, https://b.example",
        "DUOLOGUE_AGENT__NAME": "7",
    }
    settings = load_settings(env, tmp_path)
    assert settings.server.port == 9000
    assert settings.server.log_pii is True
    assert settings.server.allowed_origins == ("https://a.example", "https://b.example")
    assert settings.agent.name == "7"


def test_what_kubernetes_puts_beside_a_service_of_our_name_is_let_be(tmp_path: Path) -> None:
    env = {
        "DUOLOGUE_SERVICE_HOST": "10.0.0.1",
        "DUOLOGUE_SERVICE_PORT": "8420",
        "DUOLOGUE_SERVICE_PORT_HTTP": "8420",
        "DUOLOGUE_PORT": "tcp://10.0.0.1:8420",
        "DUOLOGUE_PORT_8420_TCP_ADDR": "10.0.0.1",
    }
    assert load_settings(env, tmp_path) == Settings()
    assert "DUOLOGUE_SERVER__PORT" in refused(tmp_path, env={"DUOLOGUE_PORT": "9000"})[0]


@pytest.mark.parametrize(
    "text",
    [
        "[auth]\nsecret = 'hunter2'\n",
        "[auth]\napi_keys = ['hunter2']\n",
        "[auth]\napi_keys = 'hunter2'\n",
        "[auth]\nsecert = 'hunter2'\n",
    ],
)
def test_an_error_never_shows_a_secret(tmp_path: Path, text: str) -> None:
    (line,) = refused(tmp_path, text)
    assert "hunter2" not in line
    assert line.startswith("auth.")


def test_neither_way_of_printing_shows_a_secret() -> None:
    auth = AuthSettings(api_keys=("k" * 20,), secret="s" * 32)
    shown = f"{Settings(auth=auth)} {auth!r} {auth.__rich_repr__()}"
    assert "kkk" not in shown
    assert "sss" not in shown


def test_the_schema_judges_as_the_loader_does() -> None:
    validator = jsonschema_rs.validator_for(config_schema())
    assert validator.is_valid({})
    assert validator.is_valid({"server": {"port": 1}, "auth": {"secret": "s" * 32}})
    assert not validator.is_valid({"server": {"port": 70_000}})
    assert not validator.is_valid({"server": {"prot": 1}})
    assert not validator.is_valid({"auth": {"secret": "short"}})


def test_every_key_says_what_it_does_and_holds_its_own_default(tmp_path: Path) -> None:
    for key in all_keys():
        assert key.about.endswith("."), key.name
        load_settings({}, tmp_path, flags={key.name: key.default})


@pytest.mark.parametrize(("path", "text"), settings_docs.files().items(), ids=str)
def test_the_written_pages_are_up_to_date(path: Path, text: str) -> None:
    assert (ROOT / path).read_text(encoding="utf-8") == text, "run: python -m duologue.server.settings_docs"


def test_the_example_file_is_one_that_loads(tmp_path: Path) -> None:
    text = settings_docs.example_toml()
    keys = [key.field for key in all_keys() if key.tables is None]
    live = [
        line.removeprefix("# ") if line.startswith(tuple(f"# {key} = " for key in keys)) else line
        for line in text.splitlines()
    ]
    (tmp_path / "duologue.toml").write_text("\n".join(live), encoding="utf-8")
    assert load_settings({}, tmp_path) == Settings()
    assert sum(not line.startswith("#") and " = " in line for line in live) == len(keys)


def test_a_webhook_needs_a_secret_and_an_address_that_is_safe(tmp_path: Path) -> None:
    assert refused(tmp_path, '[webhooks]\nurl = "https://example.com/hook"\n') == [
        "webhooks.secret: is needed with webhooks.url, to sign what is posted"
    ]
    text = '[webhooks]\nurl = "http://example.com/hook"\nsecret = "0123456789abcdef"\n'
    assert refused(tmp_path, text) == [
        "webhooks.url: goes to another machine in the clear; use https, or set webhooks.allow_http"
    ]
    (tmp_path / "duologue.toml").write_text(f'{text}allow_http = true\nkinds = ["turn_end"]\n')
    webhooks = load_settings({}, tmp_path).webhooks
    assert (webhooks.url, webhooks.kinds) == ("http://example.com/hook", ("turn_end",))
    assert "0123456789abcdef" not in repr(webhooks)


def test_a_webhook_s_kinds_are_named(tmp_path: Path) -> None:
    (line,) = refused(tmp_path, '[webhooks]\nkinds = ["turn_over"]\n')
    assert line.startswith("webhooks.kinds[0]: expected a list of at most 16, each ")
    assert '"turn_end"' in line


def test_further_agents_are_tables_that_take_what_they_leave_out_from_the_first(tmp_path: Path) -> None:
    text = """
        [agent]
        kind = "llm"
        [llm]
        model = "large"
        base_url = "http://127.0.0.1:1/v1"
        system_prompt = "Be kind."
        [[agents]]
        name = "Quick"
        tier = "reflex"
        kind = "llm"
        llm.model = "small"
        [[agents]]
        name = "Billing"
        kind = "agui"
        agui = { url = "http://127.0.0.1:2/agui" }
    """
    (tmp_path / "duologue.toml").write_text(text)
    quick, billing = load_settings({}, tmp_path).agents
    assert (quick.name, quick.tier, quick.llm.model, quick.llm.base_url) == (
        "Quick",
        "reflex",
        "small",
        "http://127.0.0.1:1/v1",
    )
    assert quick.llm.system_prompt == "Be kind."
    assert (billing.tier, billing.agui.url) == ("", "http://127.0.0.1:2/agui")


def test_further_agents_can_come_from_the_environment_as_json(tmp_path: Path) -> None:
    (one,) = load_settings({"DUOLOGUE_AGENTS": '[{"name": "Quick", "tier": "reflex"}]'}, tmp_path).agents
    assert (one.name, one.tier, one.kind) == ("Quick", "reflex", "knowledge")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[agents]]\ntier = 'reflex'\n", "agents[0].name: is needed; expected text of 1 to 200 characters ({})"),
        ("[[agents]]\nname = 'a'\ntire = ''\n", "agents[0].tire: unknown key ({}); did you mean agents[0].tier?"),
        (
            "[[agents]]\nname = 'a'\n[[agents]]\nname = 'b'\nllm.modle = 'x'\n",
            "agents[1].llm.modle: unknown key ({}); did you mean agents[1].llm.model?",
        ),
        (
            "[[agents]]\nname = 'a'\ntier = 'fast'\n",
            'agents[0].tier: expected "" or "gate" or "reflex" or "workhorse", got "fast" ({})',
        ),
        ("[agents]\nname = 'a'\n", 'agents: expected a list of at most 64 tables, got {{"name": "a"}} ({})'),
        ("[[agents]]\nname = 'a'\nllm = 3\n", "agents[0].llm: expected a table ({})"),
        (
            "[[agents]]\nname = 'Duologue'\n",
            "agents[0].name: 'Duologue' is another agent's name too; give each its own",
        ),
        (
            "[[agents]]\nname = 'a'\ntier = 'workhorse'\n",
            "agents[0].tier: workhorse is another agent's tier too; each tier has one agent",
        ),
        (
            "[[agents]]\nname = 'a'\nkind = 'agui'\n",
            'agents[0].agui.url: is needed for agents[0].kind = "agui"; write where its runs are posted to',
        ),
    ],
)
def test_a_mistake_in_a_further_agent_is_told_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    assert refused(tmp_path, text) == [said.format(tmp_path / "duologue.toml")]


def test_an_error_in_a_further_agent_shows_no_secret(tmp_path: Path) -> None:
    (line,) = refused(tmp_path, "[[agents]]\nname = 'a'\nllm.api_key = 7\n")
    assert line.startswith("agents[0].llm.api_key: expected text")
    assert "7" not in line.partition("(")[0].replace("4096", "")
