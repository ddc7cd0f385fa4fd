"""What sends to addresses that operators and backends name, of webhooks and the like."""

import httpx2


def anywhere_but_metadata() -> httpx2.AsyncClient:
    """Make a client for addresses that somebody trusted names: inner networks too.

    Where a cloud tells a machine its credentials nobody has a hook, and who can name one must not read them.
    """
    # Its client takes 0.1 s to load, and only who has hooks needs one.
    from duologue.adapters.guarded_http import EVERYWHERE, Reach, guarded_client, read_networks

    return guarded_client(Reach(read_networks(EVERYWHERE)))
