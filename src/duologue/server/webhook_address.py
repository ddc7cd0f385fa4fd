"""Which addresses a webhook may have."""

from urllib.parse import urlsplit

from duologue.server.auth import is_loopback


def fault_of(url: str, *, allow_http: bool) -> str | None:
    """Say what is wrong with an address, and what to write instead; `None` where nothing is.

    Who may name one is trusted, so machines of an inner network are allowed; nothing is looked up.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return "is no address; write it like https://example.com/hook"
    if parts.scheme not in ("http", "https") or not host or port == 0:
        return "has to be like https://example.com/hook"
    if parts.username is not None or parts.fragment:
        return "may have no name, password or fragment in it"
    if any(not "!" <= letter <= "~" for letter in url):
        return "may only have visible ASCII characters; encode the others"
    if parts.scheme == "http" and not (allow_http or is_loopback(host)):
        return "goes to another machine in the clear; use https, or set webhooks.allow_http"
    return None
