"""How much people and addresses may ask for."""

from typing import Final

TURNS_PER_PERSON: Final = 60
"""Turns of one person a minute: nobody reads an answer in a second."""

TURNS_PER_ADDRESS: Final = 600
"""Turns from one address a minute: an office of sixty people who all write."""

SESSIONS_PER_PERSON: Final = 30
"""New sessions of one person a minute: one every two seconds is a program."""

SESSIONS_PER_ADDRESS: Final = 300
"""New sessions from one address a minute: as for turns, an office."""

REQUESTS_PER_PERSON: Final = 600
"""Requests of one person a minute: a page that asks ten times a second is broken."""

REQUESTS_PER_ADDRESS: Final = 6_000
"""Requests from one address a minute: a hundred a second are about a tenth of what one core serves."""

FRAMES_PER_PERSON: Final = 12_000
"""Messages of one person on sockets a minute: an acknowledgement of each word, of eight answers at once, is less."""

FRAMES_PER_ADDRESS: Final = 120_000
"""Messages from one address on sockets a minute: ten such people at once; about a tenth of what one core takes."""

AUTH_FAILURES_PER_ADDRESS: Final = 30
"""Wrong credentials from one address a minute: a broken client is noticed, a search for keys is hopeless."""

CONNECTIONS: Final = 20_000
"""Most open sockets and streams in all: as many as sessions in memory."""

CONNECTIONS_PER_PERSON: Final = 64
"""Most open sockets and streams of one person: many tabs on several devices."""

CONNECTIONS_PER_ADDRESS: Final = 2_000
"""Most open sockets and streams from one address: a large office behind one address, a tenth of all."""

LIVE_SESSIONS_PER_PERSON: Final = 256
"""Most sessions of one person in memory: a minute of new ones, and those that are open."""

RATE_KEYS: Final = 65_536
"""Most people and addresses whose rate is remembered (policy: the one that was quiet longest is forgotten); 20 MB."""
