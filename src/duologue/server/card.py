"""The agent card. Source: A2A protocol 1.0, Agent Card; AgentCall 0.1, `/ext/agentcall-agui/0.1`."""

from importlib.metadata import version

from duologue.server.settings import Settings

EXTENSION = "https://agentcall.smartycode.com/ext/agentcall-agui/0.1"
"""The extension's name. It is an identifier and is not fetched."""


def card(settings: Settings, *, public_url: str, secured: bool) -> dict[str, object]:
    """Describe this server's agent, as it is and not as it may become."""
    socket_url = "ws" + public_url.removeprefix("http") + "/agentcall"
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
                    "params": _params(socket_url),
                }
            ],
        },
        "defaultInputModes": ["text/plain", "image/png", "image/jpeg", "image/webp"],
        "defaultOutputModes": ["text/plain"],
        "skills": [
            {
                "id": "converse",
                "name": "Converse",
                "description": "Answers what is typed, and takes NFC tags and photos as turns.",
                "tags": ["conversation"],
            }
        ],
    }
    if secured:
        body["securitySchemes"] = {"bearer": {"httpAuthSecurityScheme": {"scheme": "bearer", "bearerFormat": "JWT"}}}
        body["securityRequirements"] = [{"schemes": {"bearer": {"list": []}}}]
    return body


def _params(socket_url: str) -> dict[str, object]:
    return {
        "agui": {
            "websocket": {"url": socket_url},
            "session": {"resume": True},
            "webrtc": {"available": False, "supportsExplicitTurns": False},
        },
        "physicalObservations": {
            # What a client may show by itself, and what the agent asks for.
            "accepted": ["nfc", "photo"],
            "requested": [],
        },
    }
