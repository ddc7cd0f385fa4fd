"""Clients and their connections in a simulated world: each has to see every event once, in order, whatever is cut."""

from typing import Final

from tests.simulation.stage import Stage

from duologue.model.events import AnyEvent
from duologue.model.inputs import UserTurn

CLIENTS: Final = 3
BURSTS: Final = (1, 5, 50, 500)
"""How much a server may send at a time: a slow client takes less."""


class Client:
    """A client: what it has seen over all its connections, and what it has sent.

    Attributes:
        seen: the events that reached it, in order, over all its connections.
        sent: its turns, of which it may send any again.
        unsure: its turns of which it does not know whether they were taken.
        cursor: up to where the server has sent on this connection; `None` while there is none.
        on_the_way: sent and not yet there; lost when the connection drops.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.seen: list[AnyEvent] = []
        self.sent: list[UserTurn] = []
        self.unsure: list[UserTurn] = []
        self.cursor: int | None = None
        self.on_the_way: list[AnyEvent] = []

    def connect(self) -> None:
        """Join, and ask for what follows the last event that was seen."""
        self.cursor = len(self.seen)

    def drop(self) -> None:
        """Lose the connection, and what was on its way."""
        self.cursor = None
        self.on_the_way.clear()


class Network:
    """Between the clients and what is stored.

    Args:
        events: the stored ones; they grow.
    """

    def __init__(self, stage: Stage, events: list[AnyEvent]) -> None:
        self.clients = [Client(number) for number in range(CLIENTS)]
        self._stage, self._events = stage, events

    def happens(self) -> None:
        """A connection is made, carries something, or drops."""
        client = self._stage.pick(self.clients)
        if client.cursor is None:
            client.connect()
        elif self._stage.chance() < 0.1:
            client.drop()
        elif self._stage.chance() < 0.5:
            self._sends(client)
        else:
            self._arrives(client)

    def cut(self) -> None:
        """Every connection drops."""
        for client in self.clients:
            client.drop()

    def bring_all(self) -> None:
        """Let every client come back and see the rest; then it has to have seen everything."""
        for client in self.clients:
            client.drop()
            client.connect()
            while client.cursor != len(self._events):
                self._sends(client)
            while client.on_the_way:
                self._arrives(client)
            assert client.seen == self._events, f"client {client.number} saw something else"

    def _sends(self, client: Client) -> None:
        """The server sends some of what is stored and not sent yet."""
        if client.cursor is not None:
            ready = self._events[client.cursor : client.cursor + self._stage.pick(BURSTS)]
            client.on_the_way += ready
            client.cursor += len(ready)

    def _arrives(self, client: Client) -> None:
        """Some of what is on its way arrives, in order."""
        count = int(self._stage.chance() * len(client.on_the_way)) + 1
        for event in client.on_the_way[:count]:
            assert event.seq == len(client.seen) + 1, f"client {client.number} sees {event.seq} out of order"
            client.seen.append(event)
        del client.on_the_way[:count]
