"""The agent card. Source: A2A protocol 1.0, Agent Card; AgentCall 0.1, `/ext/agentcall-agui/0.1`."""

from importlib.metadata import version

from duologue.server.settings import Settings

EXTENSION = "https://agentcall.smartycode.com/ext/agentcall-agui/0.1"
"""The extension's name. It is an identifier and is not fetched."""


def card(
    settings: Settings, *, public_url: str, secured: bool, audio: bool = False, webrtc: bool = False
) -> dict[str, object]:
    """Describe this server's agent, as it is and not as it may become.

    Args:
        settings: all of them.
        public_url: of this server, without a slash at its end.
        secured: it asks for a credential.
        audio: it takes calls over its socket.
        webrtc: it takes calls over WebRTC as well.
    """
    socket_url = "ws" + public_url.removeprefix("http") + "/agentcall"
    sound = ["audio/pcm", "audio/opus"] if audio else []
    typed = "typed or said" if audio else "typed"
    body: dict[str, object] = {
        "name": settings.agent.name,
        "description": "One durable conversation with this agent, resumable on every channel.",
        "version": version("duologue"),
        "documentationUrl": f"{public_url}/docs/agentcall",
        "supportedInterfaces": [{"url": socket_url, "protocolBinding": EXTENSION, "protocolVersion": "0.1"}],
        "capabilities": {
            "streaming": True,
            "pushNotifications": False,
            "extensions": [
                {
                    "uri": EXTENSION,
                    "description": "AG-UI events over a WebSocket, numbered and resumable.",
                    "required": True,
                    "params": _params(socket_url, public_url, audio=audio, webrtc=webrtc),
                }
            ],
        },
        "defaultInputModes": ["text/plain", "image/png", "image/jpeg", "image/webp", *sound],
        "defaultOutputModes": ["text/plain", *sound],
        "skills": [
            {
                "id": "converse",
                "name": "Converse",
                "description": f"Answers what is {typed}, and takes NFC tags and photos as turns.",
                "tags": ["conversation"],
            }
        ],
    }
    if secured:
        body["securitySchemes"] = {"bearer": {"httpAuthSecurityScheme": {"scheme": "bearer", "bearerFormat": "JWT"}}}
        body["securityRequirements"] = [{"schemes": {"bearer": {"list": []}}}]
    return body


def _params(socket_url: str, public_url: str, *, audio: bool, webrtc: bool) -> dict[str, object]:
    peers: dict[str, object] = {"available": webrtc, "supportsExplicitTurns": audio}
    if webrtc:
        peers["url"] = f"{public_url}/webrtc"
    sound = {"audio": {"url": "ws" + public_url.removeprefix("http") + "/audio"}} if audio else {}
    return {
        "agui": {
            "websocket": {"url": socket_url},
            "session": {"resume": True},
            "webrtc": peers,
            **sound,
        },
        "physicalObservations": {
            # What a client may show by itself, and what an agent may ask for.
            "accepted": ["nfc", "photo"],
            "requested": ["nfc", "photo"],
        },
    }
