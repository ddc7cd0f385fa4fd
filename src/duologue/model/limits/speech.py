"""Calls: hearing, speaking, taking turns, and the vendors and processes that do it."""

from typing import Final

SEGMENT_MS: Final = 60_000
"""Most speech of one person that waits to be recognised (policy: the oldest is forgotten): two windows of Whisper."""

END_OF_TURN_AUDIO_MS: Final = 8_000
"""How much of the end of a turn is listened to, to judge whether it is over: what Smart Turn takes in."""

END_OF_TURN_WAITING: Final = 8
"""Most ends of turns that wait to be judged (policy: further ones are refused, and silence decides): 1 to 2 s."""

HEARING_GATHER_MS: Final = 16
"""How long a window of sound that cannot show anything yet waits for others: half of the time to the one after it."""

HEARING_BATCH: Final = 64
"""Most windows that are judged at once: 3 ms, in which the loop does nothing else."""

HEARING_BACKLOG_WINDOWS: Final = 64
"""Most windows of one call that wait to be judged (policy: the oldest is dropped): 2 s, which only a burst brings."""

HEARING_STALL_MS: Final = 400
"""How long sound may stay away while somebody speaks; then it is silence: networks pause for less."""

SPEECH_AHEAD_MS: Final = 5_000
"""How much of an answer's sound is made ahead of what was sent (policy: the voice waits): 160 KB a call."""

AUDIO_MESSAGE_MS: Final = 1_000
"""Longest sound in one message of `WS /audio`: frames have 20 ms; what is longer is a recording and no talk."""

AUDIO_BURST_MS: Final = 5_000
"""How much sound may come faster than it is spoken (policy: drop): what a gap of the network holds up comes at once."""

BEFORE_SPEECH_MS: Final = 500
"""How much sound from before voice activity is sure is recognised: it takes two windows, and words begin softly."""

END_OF_TURN_MS: Final = 1_000
"""How long judging a pause may take: after that, the silence has judged."""

RECOGNISER_FAILURES: Final = 3
"""How often in a row a recogniser may fail before its call is hung up: once more may help, often does not."""

EARLY_ITEMS: Final = 512
"""Most that is kept of an answer that is prepared early (policy: its agent waits): a long answer's tokens."""

VOICE_START_MS: Final = 20_000
"""How long a call waits for the models of speech to be loaded: small ones take two seconds, on a slow machine ten."""

ICE_GATHER_MS: Final = 8_000
"""How long finding the addresses of this server may take: a STUN server that does not answer takes 5 s."""

ICE_CONNECT_MS: Final = 20_000
"""How long a peer has to reach this server after its offer was answered."""

OFFER_BYTES: Final = 64 * 1024
"""Largest offer of a peer: browsers send 2 to 10 KB."""

OFFER_CANDIDATES: Final = 64
"""Most addresses of a peer that are tried: browsers name one to three for each network that they are in."""

HEARD_WAITING: Final = 64
"""Most of what was recognised that waits for its reader (policy: partials are dropped first): minutes of talk."""

PIECE_CHARS: Final = 400
"""Longest piece of text that is spoken at once, in code points: a long sentence; longer ones are cut at a word."""

PIECE_AUDIO_MS: Final = 120_000
"""Longest audio of one piece: numbers and links read out are slow; beyond it a voice is taken to be stuck."""

SPEAKS: Final = 256
"""Most pieces of text that one voice speaks or keeps waiting at once (policy: one more is refused)."""

SPEAK_SILENCE_MS: Final = 10_000
"""How long a voice may give no sound of what it was asked to speak: nobody waits longer in a conversation."""

DECODE_MS: Final = 20_000
"""How long recognising one window may take: a large model on a slow machine; then the process is taken to be stuck."""

SPEECH_CONNECT_MS: Final = 3_000
"""How long connecting to a server for speech may take: beyond it nobody in a conversation waits."""

VENDOR_MS: Final = 5_000
"""How long the next sound or final of a vendor of speech is waited for where another could give it: long in a talk."""

VENDOR_ATTEMPTS: Final = 3
"""How often vendors of speech are asked in a row for one thing: what fails three times will fail again."""

VENDOR_REST_MS: Final = 15_000
"""How long a vendor of speech that failed is asked last, doubled with each failure in a row up to 8 minutes."""

WORKER_START_MS: Final = 60_000
"""How long a process of ours for speech may take until it is ready: large models load for half a minute."""

WORKER_DEATHS: Final = 3
"""How often such a process is started again within `WORKER_DEATHS_MS`: what dies of every input is left dead."""

WORKER_DEATHS_MS: Final = 60_000
"""After this time, an early death of such a process is forgotten: machines recover."""

VOICE_SILENCE_MS: Final = 200
"""Silence after which speech has stopped: shorter ones stand within words."""

VOICE_ENDPOINT_MS: Final = 300
"""Silence beyond that before a pause ends the turn: most pauses within a sentence are shorter than half a second."""

VOICE_UNFINISHED_MS: Final = 2_000
"""Silence in all before a pause ends the turn although it does not sound like an end."""

VOICE_FINAL_MS: Final = 4_000
"""Longest wait for a final transcript: with the silence before it, the person waits 5 s at most."""

VOICE_MIN_SPEECH_MS: Final = 500
"""How long somebody has to speak to interrupt the assistant: coughs and `mhm` are shorter."""

VOICE_TURN_MS: Final = 120_000
"""Longest spoken turn: two minutes are some 300 words."""

VOICE_IDLE_MS: Final = 300_000
"""How long nothing may happen in a call before it is hung up: a forgotten microphone costs."""

VOICE_STALL_MS: Final = 15_000
"""How long playback may make no progress, in words begun: no word lasts so long, so the link is stuck."""

VOICE_NUDGES: Final = 3
"""How often in a row the agent is told that nobody speaks: who has left does not come back for the fourth time."""

VOICE_EARLY_RUNS: Final = 3
"""Most answers that are prepared for one turn: each pause may be the end, and each costs a run."""
