"""Calls are offered where all is there; nothing of speech is imported before it is wanted."""

import subprocess
import sys
from pathlib import Path

import pytest

from duologue.model.errors import Code, Refused, SettingsError
from duologue.model.voice import VoiceRules
from duologue.runtime.clock import SystemClock
from duologue.runtime.hub import Hub
from duologue.runtime.voice.calls import Calls
from duologue.runtime.voice.link import IceServer
from duologue.server import voice_parts
from duologue.server.settings import Settings
from duologue.server.settings_load import load_settings
from duologue.server.settings_voice import VoiceSettings
from duologue.server.voice import Voice
from duologue.server.voice_parts import make_voice, missing
from duologue.testing.memory_store import MemoryStore
from duologue.testing.scripted_agent import ScriptedAgent

HEAVY = ("numpy", "av", "aiortc", "onnxruntime", "duologue.runtime.voice.calls", "duologue.protocols.audio")


def test_a_server_that_nobody_calls_imports_nothing_of_speech(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from duologue.server.app import make_app\n"
        "from duologue.server.settings import ServerSettings, Settings\n"
        f"make_app(Settings(server=ServerSettings(data={str(tmp_path)!r})))\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "[]\n"


def test_the_defaults_are_the_rules_defaults() -> None:
    assert VoiceSettings().rules() == VoiceRules()


def test_zero_means_never_and_a_model_has_a_threshold() -> None:
    rules = VoiceSettings(idle_ms=0, no_response_ms=0, end_of_turn="smart_turn", end_of_turn_threshold=0.7).rules()
    assert (rules.idle_ms, rules.no_response_ms, rules.end_of_turn) == (None, None, 0.7)
    assert VoiceSettings(no_response_ms=9_000).rules().no_response_ms == 9_000


@pytest.mark.anyio
async def test_who_calls_where_there_are_no_calls_is_told_why() -> None:
    voice = make_voice(VoiceSettings(enabled="off"))
    assert not voice.offered
    assert not voice.webrtc_offered
    with pytest.raises(Refused) as refused:
        await voice.calls()
    assert refused.value.problem.code is Code.NO_AUDIO
    assert "voice.enabled" in refused.value.problem.message
    assert not Voice().offered


def test_a_model_that_is_named_is_not_looked_for(tmp_path: Path) -> None:
    # Whether the packages are there is this machine's affair; their models are not asked for.
    named = VoiceSettings(whisper_model=str(tmp_path), piper_voice="v.onnx", vad_model="vad.onnx")
    assert not [lack for lack in missing(named) if "model:" in lack or "a voice:" in lack]


def test_what_is_wrong_in_the_file_is_told(tmp_path: Path) -> None:
    file = tmp_path / "duologue.toml"
    for text, told in (
        ("[voice]\nstt = ['wisper']\n", "voice.stt[0]"),
        ("[voice]\nend_of_turn_threshold = 2\n", "voice.end_of_turn_threshold: expected a number from 0 to 1"),
        (
            "[voice]\nice_servers = ['http://x']\n",
            "voice.ice_servers[0]: expected a list of at most 8, each a STUN or TURN address",
        ),
        ("[voice]\nwhisper = 'x'\n", "voice.whisper: unknown key"),
    ):
        file.write_text(text)
        with pytest.raises(SettingsError) as error:
            load_settings({}, tmp_path)
        assert told in str(error.value)


def test_secrets_are_not_shown() -> None:
    settings = Settings(voice=VoiceSettings(ice_credential="hush"))
    assert "hush" not in repr(settings)


@pytest.mark.anyio
async def test_each_name_makes_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    settings = VoiceSettings(stt=("openai", "whisper"), tts=("openai",), whisper_model="m", piper_voice="v.onnx")
    recogniser, voice = voice_parts.recognisers(settings), voice_parts.voices(settings)
    assert "openai" in recogniser.name and "whisper" in recogniser.name
    assert "openai" in voice.name
    await recogniser.aclose()
    await voice.aclose()


def test_a_plugin_has_to_be_named() -> None:
    lacking = list(missing(VoiceSettings(stt=("livekit",), tts=("livekit",))))
    assert any("voice.livekit_stt" in lack for lack in lacking)
    assert any("voice.livekit_tts" in lack for lack in lacking)


@pytest.mark.anyio
async def test_speech_that_cannot_be_loaded_leaves_the_rest() -> None:
    def broken() -> Calls:
        raise ImportError("no such thing")

    noted: list[str] = []

    def note(event: str, **_: object) -> None:
        noted.append(event)

    voice = Voice(broken, at_once=True)
    hub = Hub(store=MemoryStore(), agent=ScriptedAgent(["yes"]), clock=SystemClock(), log=note, companions=(voice,))
    voice.join(hub)
    async with hub:
        with pytest.raises(Refused) as refused:
            await voice.calls()
        assert refused.value.problem.code is Code.NO_AUDIO
        assert noted == ["voice_failed"]
        assert await hub.unready() is None


def test_who_relays_is_given_the_credentials_and_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(settings: VoiceSettings) -> tuple[str, ...]:
        assert settings.ice_username == "u"
        return ()

    # Whether the packages are there is this machine's affair.
    monkeypatch.setattr(voice_parts, "missing", nothing)
    names = ("stun:stun.example.com:3478", "turns:turn.example.com?transport=tcp")
    voice = make_voice(VoiceSettings(ice_servers=names, ice_username="u", ice_credential="c"))
    assert voice.ice_servers() == (
        IceServer(urls=names[:1]),
        IceServer(urls=names[1:], username="u", credential="c"),
    )
