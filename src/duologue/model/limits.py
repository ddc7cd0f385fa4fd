"""Every bound of the system, with its unit and its reason.

A number that a setting can change is the default; a number that no setting changes is final.
"""

from typing import Final

SESSION_ID_CHARS: Final = 128
"""Longest session id. Source: AgentCall 0.1, `session.start.sessionId`."""

REQUEST_ID_CHARS: Final = 256
"""Longest client message id (`requestId`, `Idempotency-Key`, `turn_id`): ids of other systems fit."""

TURN_TEXT_CHARS: Final = 65_536
"""Longest user text, in code points. Source: AgentCall 0.1, `user.turn.text`; kept for all dialects."""

CONTEXT_ITEMS: Final = 16
"""Most context items of a turn. Source: AgentCall 0.1, `user.turn.context`."""

CONTEXT_DESCRIPTION_CHARS: Final = 1_024
"""Longest context description. Source: AgentCall 0.1, `aguiContext`."""

CONTEXT_VALUE_CHARS: Final = 8_192
"""Longest context value. Source: AgentCall 0.1, `aguiContext`."""

TURN_ATTACHMENTS: Final = 8
"""Most uploads referred to by one turn: a model takes few images well, and a turn stays readable."""

CLIENT_TOOLS: Final = 128
"""Most tools that a client may offer with a turn: models choose badly among more."""

CLIENT_DATA_BYTES: Final = 128 * 1024
"""Largest JSON of a turn's offered tools, its state and its forwarded values, each: they are stored with the turn."""

TOOL_NAME_CHARS: Final = 128
"""Longest name of a tool: models' providers take 64."""

TOOL_CALL_ID_CHARS: Final = 256
"""Longest id of a tool call or an interrupt: ids of other systems fit."""

TOOL_CALLS: Final = 128
"""Most tool calls of one run: an agent that calls more is taken to be stuck in a loop."""

TOOL_RESULT_CHARS: Final = 65_536
"""Longest result of a client's tool, in code points, as for what a person writes."""

TOOL_BETWEEN_MS: Final = 15_000
"""How much longer than its own time each attempt at a call may take: waiting before it, and a loaded machine."""

TOOL_REPORT_MS: Final = 15_000
"""How long the report of a call is waited for beyond all its attempts; then nobody makes one any more."""

TOOL_KEYS: Final = 1_024
"""How many calls of a session are recognised when they are made again: the oldest are forgotten before their time."""

TOOL_KEY_RESULTS: Final = 64
"""Of how many of them the result is kept, to be given again; of older ones only that there was one."""

APPROVAL_VALUE_CHARS: Final = 200
"""How much of an argument the question repeats whether a tool may run: it is read aloud; the exact one is beside it."""

OBSERVATION_WAIT_MS: Final = 86_400_000
"""Longest time that something to observe may be waited for: a day."""

INTERRUPTS: Final = 32
"""Most interrupts of one run: a person has to answer each of them before the next one."""

RECENT_DECISIONS: Final = 256
"""How many answered interrupts and tool calls are remembered, so that a second answer is told so."""

TURN_NUMBER_MAX: Final = 2**31 - 1
"""Highest turn number: an ordinal that every client language holds exactly."""

FRAME_BYTES: Final = 12 * 2**20
"""Largest frame from a client: the largest photo in base64, and room for the rest."""

UPLOAD_BYTES: Final = 8 * 2**20
"""Largest upload or photo: a phone's photo fits; memory per request stays small."""

IMPORT_BYTES: Final = 128 * 2**20
"""Largest session to import over the network: a year of daily talk is 20 MB, ten photos 110; it is held in memory."""

SESSIONS_LISTED: Final = 100
"""Most sessions on one page of the list: a screen shows a dozen."""

SEARCH_CHARS: Final = 256
"""Longest text to search for: some sentences."""

SEARCH_SESSIONS: Final = 1_000
"""Most sessions looked through for one page of a search: about 0.3 s; the next page goes on from there."""

SEARCH_BYTES: Final = 64 * 2**20
"""Most read for one page of a search: long sessions count by what they hold."""

UPLOAD_ID_CHARS: Final = 128
"""Longest upload id that a message may refer to: ours are far shorter."""

PHOTO_SIDE_PIXELS: Final = 16_384
"""Longest side of a photo: WebP ends there, and panoramas fit."""

PHOTO_PIXELS: Final = 50_000_000
"""Most pixels of a photo: a 48-megapixel phone fits; decoded at 4 bytes a pixel it takes 200 MB, not more."""

NFC_TAG_ID_BYTES: Final = 32
"""Longest tag id: ISO 14443 has 4, 7 or 10 bytes, ISO 15693 and FeliCa 8; the rest is for others."""

NFC_TECHNOLOGIES: Final = 16
"""Most technologies of a tag: Android knows ten, iOS four."""

NFC_TECHNOLOGY_CHARS: Final = 64
"""Longest technology name: the longest class name of Android's is 34."""

NFC_RECORDS: Final = 64
"""Most NDEF records of a tag: real ones have one to five."""

NFC_FIELD_CHARS: Final = 255
"""Longest record type or id. Source: NDEF 1.0, 3.2.2 and 3.2.5: their length is one byte."""

NFC_MESSAGE_BYTES: Final = 32 * 1024
"""Most payload of a tag, all records together: the largest tags on sale hold 32 KB."""

INTEGER_MAX: Final = 2**53 - 1
"""Largest integer that we write: the last that every JSON reader holds exactly. Source: RFC 8259, 6."""

RESPONSE_TEXT_CHARS: Final = 1_000_000
"""Longest answer, in code points: beyond it an agent is taken to be stuck in a loop."""

CONDITION_RETRY_MS: Final = 30_000
"""When to ask again for what the machine's condition does not allow: as long as it has to be better to count."""

CONDITION_FIRST_MS: Final = 1_000
"""When the machine's sensors are first read: loading what reads them takes 80 ms, and a server starts before."""

CONDITION_EVERY_MS: Final = 5_000
"""How often the machine's sensors are read: heat and batteries change slower."""

TIER_FAILURES: Final = 3
"""How often in a row a tier's runs may fail before it counts as not loaded: one may be the question's fault."""

TIER_REST_MS: Final = 30_000
"""How long a tier that is not loaded rests before it is tried again."""

GATE_MS: Final = 500
"""How long the gate's agent may judge how hard a turn is: somebody waits, and the rules can tell as well."""

AGENT_ITEM_BYTES: Final = 256 * 1024
"""Largest single item that an agent may say: one rich payload; larger data belongs behind a link."""

LLM_SILENCE_MS: Final = 30_000
"""How long a language model may say nothing, before its first word and after: large ones think for many seconds."""

LLM_ATTEMPTS: Final = 3
"""How often one language model is asked while it has said nothing: what passes by itself is gone by then."""

LLM_BACKOFF_MS: Final = 500
"""Wait before a language model is asked again, doubled each time: a person is waiting for the answer."""

LLM_BACKOFF_MAX_MS: Final = 8_000
"""Longest wait before a language model is asked again: who is told to come back later gives up or asks another."""

LLM_HISTORY_TOKENS: Final = 16_000
"""How much of earlier messages a language model is sent, in tokens: fits every model of today, and bounds the cost."""

COUNTED_MODELS: Final = 64
"""Most models that tokens are counted for by name; agents choose the names, and further ones count as `other`."""

AGUI_SILENCE_MS: Final = 60_000
"""How long an agent elsewhere may send nothing at all: its tools may take long, a dead connection is noticed."""

AGUI_CONNECT_MS: Final = 10_000
"""How long connecting to an agent elsewhere, and sending it a run, may take in each step."""

AGUI_END_MS: Final = 1_000
"""How long the stream of an agent elsewhere may stay open after its run has ended: an error may still come."""

AGUI_EVENT_BYTES: Final = 4 * 2**20
"""Largest event of an agent elsewhere: snapshots hold the whole conversation."""

AGUI_NOTES: Final = 256
"""Most diagnostics of one run of an agent elsewhere: steps and events of its own."""

CHIPS: Final = 12
"""Most suggestion chips in one item: more than a screen of them helps nobody."""

AGENT_SILENCE_MS: Final = 120_000
"""How long a run may say nothing: slow tools of 90 s are normal, two minutes are not."""

RESPONSE_MS: Final = 600_000
"""How long one run may last in all: ten minutes bound what a stuck agent can cost."""

RUN_ATTEMPTS: Final = 3
"""How often a turn is run when the server dies under it: a turn that kills the server must not do so forever."""

RECENT_TURNS: Final = 256
"""How many turns back a repeat is recognised: retries come within seconds, memory is per session."""

HISTORY_MESSAGES: Final = 200
"""How many messages the agent is given: the state of a long session stays small; the journal has the rest."""

HISTORY_CHARS: Final = 400_000
"""How much text the agent is given, in code points; about what a large model reads at once, and a state stays small."""

SNAPSHOT_EVERY_EVENTS: Final = 2_000
"""Events between snapshots: a reload folds at most this many, about 20 ms."""

TAIL_EVENTS: Final = 512
"""Committed events that a live session keeps ready for its subscribers; who is further behind reads the store."""

READ_EVENTS: Final = 256
"""Events taken from the store or tail at once: the loop is never blocked for more than a few ms."""

BACKLOG_RECORDS: Final = 16
"""Records of one session that may wait for the store; then its agent waits (policy: wait)."""

RUN_ITEMS: Final = 16
"""Items that an agent may say before the others have their turn, under 1 ms, and the store too if it is behind."""

SESSIONS_LIVE: Final = 20_000
"""Most sessions in memory at once; one more is refused with `server_full`."""

IDLE_UNLOAD_MS: Final = 60_000
"""How long a session without connection or run stays in memory: a reload costs milliseconds."""

DRAIN_MS: Final = 20_000
"""How long running answers may go on after SIGTERM: orchestrators kill after 30 s."""

CANCEL_MS: Final = 1_000
"""How long a cancelled agent may take to stop before it is left behind and reported."""

HEARTBEAT_MS: Final = 10_000
"""Silence after which a heartbeat is sent: proxies cut after 60 s, some after 15."""

HELLO_MS: Final = 10_000
"""How long a socket may stay open without opening a session."""

STORE_MS: Final = 30_000
"""How long a store call may take before it counts as failed."""

COMMIT_WINDOW_MS: Final = 4
"""How long the store gathers under load before it writes: about thirty tokens at 6,000 tokens/s."""

RECOVERY_AT_ONCE: Final = 16
"""Interrupted sessions taken up at once on start: agents are not flooded."""

CHECK_BYTES: Final = 256 * 2**20
"""Largest recording that is checked: a day of a busy session's frames; it is held in memory."""

CHECK_FRAME_BYTES: Final = 16 * 2**20
"""Largest frame of a live address that is checked: the largest photo in base64, with room."""

CHECK_FINDINGS: Final = 1_000
"""Most findings that a check keeps: what breaks every frame shows in the first; the rest is counted."""

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

WEBHOOK_MS: Final = 10_000
"""How long one attempt to deliver a webhook may take: a receiver should only write it down."""

WEBHOOK_RETRIES: Final = 14
"""How often a webhook is tried again: with the pauses between, for an hour, as long as a bad deploy takes to mend."""

WEBHOOK_BACKOFF_MS: Final = 1_000
"""Longest pause before the first retry of a webhook; each later one is twice as long: a restart is soon over."""

WEBHOOK_BACKOFF_MAX_MS: Final = 600_000
"""Longest pause between two attempts of a webhook: ten minutes after it is well, a receiver hears of it."""

WEBHOOK_SENDS: Final = 64
"""Most webhooks on their way at once: each takes a socket and some 50 KiB."""

WEBHOOK_SENDS_PER_TARGET: Final = 16
"""Most webhooks on their way to one machine at once: a dead one leaves room for others, a small one is not flooded."""

WEBHOOK_RUN: Final = 64
"""Webhooks of one session sent in a row before others get a turn: a long backlog holds nobody up."""

WEBHOOK_KINDS: Final = 16
"""Most kinds that a webhook asks for: there are four."""

WEBHOOK_URL_CHARS: Final = 2_048
"""Longest address of a webhook: what every proxy and server takes."""

WEBHOOK_SECRET_CHARS: Final = 256
"""Longest secret that signs webhooks: far more than the 64 hex digits that make sense."""

WEBHOOK_LETTERS: Final = 100_000
"""Most webhooks kept that could not be delivered (policy: drop the oldest): 20 MB, a day's at one a second."""

WEBHOOK_STOP_MS: Final = 2_000
"""How long webhooks on their way may take when the server stops; then they are sent again after the next start."""

HANDOFF_REASON_CHARS: Final = 1_000
"""Longest reason, note or summary of a handoff: people read it before they say anything."""

HANDOFF_SKILLS: Final = 16
"""Most skills that a handoff asks for: nobody can do more things at once."""

HANDOFF_PRIORITY: Final = 100
"""Highest priority of a handoff, and as a negative the lowest: rules add to it."""

HANDOFF_HOPS: Final = 8
"""Most agents that may have one turn in a row: beyond it they pass it round."""

HANDOFF_PATH: Final = 32
"""How many of the agents that had a conversation are told: the latest."""

HANDOFF_SAYINGS: Final = 64
"""How many of an operator's latest messages are recognised when they come again, and how many may wait to be spoken."""

HANDOFF_NOTES: Final = 200
"""Most words between an operator and a supervisor in one consultation: beyond it they should talk."""

HANDOFF_MESSAGES: Final = 50
"""Latest messages in a context bundle: an operator reads the last few, and the summary."""

HANDOFF_TRANSCRIPT_CHARS: Final = 20_000
"""How much text of them, in code points: it is in an event, which every client of the session gets."""

HANDOFF_SUMMARY_CHARS: Final = 600
"""Longest summary without a model: read in half a minute."""

HANDOFF_SUMMARY_MS: Final = 15_000
"""How long a model may take for a summary; the one without a model is there meanwhile."""

HANDOFF_WAIT_MS: Final = 1_800_000
"""How long one waits in a queue before it is given up: half an hour, after which nobody is there any more."""

HANDOFF_CONNECT_MS: Final = 60_000
"""How long an operator may read before they take a conversation: then others may."""

HANDOFF_AWAY_MS: Final = 600_000
"""How long somebody who waits may have no connection: ten minutes outlast any tunnel."""

HANDOFF_PLACES_MS: Final = 1_000
"""How often those who wait are told of another place at most: each is an event in their journals."""

HANDOFFS_WAITING: Final = 1_000
"""Most handoffs in all queues together (policy: one more fails): at three minutes each, ten people work five hours."""

HANDOFFS_PER_OPERATOR: Final = 3
"""Conversations that an operator has at once at most, where nothing else is set: more is slower for all of them."""

HANDOFFS_ENDED: Final = 500
"""How many handoffs that are over are still listed (policy: the oldest is forgotten; the journals have all)."""

DESK_QUEUES: Final = 64
"""Most queues of the desk."""

DESK_RULES: Final = 256
"""Most rules of the desk: each is looked at for each handoff."""

DESK_OPERATORS: Final = 1_000
"""Most operators of whom something is known."""

DESK_FEED: Final = 256
"""News that wait for one page of an operator's (policy: all are dropped, and it gets everything anew)."""

DESK_PRESENT_MS: Final = 60_000
"""How long an operator counts as being there after their latest request, where no page of theirs is open."""

DESK_CALL_MS: Final = 300_000
"""How far a signed call of another desk may be from our clock: five minutes, as is usual for signatures."""

DESK_CALLS: Final = 10_000
"""Signed calls that are remembered, so that none is taken twice (policy: further ones are refused): 33 a second."""

SEGMENT_MS: Final = 60_000
"""Most speech of one person that waits to be recognised (policy: the oldest is forgotten): two windows of Whisper."""

HEARD_WAITING: Final = 64
"""Most of what was recognised that waits for its reader (policy: partials are dropped first): minutes of talk."""

PIECE_CHARS: Final = 400
"""Longest piece of text that is spoken at once, in code points: a long sentence; longer ones are cut at a word."""

PIECE_AUDIO_MS: Final = 120_000
"""Longest audio of one piece: numbers and links read out are slow; beyond it a voice is taken to be stuck."""

END_OF_TURN_AUDIO_MS: Final = 8_000
"""How much of the end of a turn is listened to, to judge whether it is over: what Smart Turn takes in."""

END_OF_TURN_WAITING: Final = 8
"""Most ends of turns that wait to be judged (policy: further ones are refused, and silence decides): 1 to 2 s."""

SIGNAL_TEXT_CHARS: Final = 400
"""How much of a message signals are estimated from, half from its begin and half from its end: feelings stand there."""

SIGNAL_EARLIER: Final = 3
"""How many earlier messages are looked at for the same thing said again."""

SIGNALS_KEPT: Final = 128
"""How many estimates a session's state holds (policy: drop oldest): some thirty turns; rules look at twenty."""

SIGNALS_LOCAL_AT_ONCE: Final = 64
"""How many estimates wait for the local classifier (policy: leave out): each takes 3 ms, so it is behind by 0.2 s."""

SIGNALS_MODEL_AT_ONCE: Final = 8
"""How many estimates are asked of a language model at once (policy: leave out): each is a request that costs money."""

SIGNALS_MS: Final = 30_000
"""How long any estimate may take: nobody acts on a mood that old."""

SIGNALS_MODEL_MS: Final = 5_000
"""How long a language model may take to estimate: later it tells of a mood that has changed."""

SIGNAL_INTENTS: Final = 64
"""Most intents: more are not told apart by a few examples each."""

SIGNAL_EXAMPLES: Final = 64
"""Most examples of an intent: the nearest one decides, so more change little."""

SIGNAL_EXAMPLE_CHARS: Final = 300
"""Longest example of an intent: a sentence or two."""

SIGNAL_NAME_CHARS: Final = 100
"""Longest name of an intent, adapter or rule: it is shown on one line."""

SIGNAL_ALTERNATES: Final = 5
"""Most other intents of an estimate: who reads them looks at two or three."""

SIGNALS_AT_ONCE: Final = 8
"""Most signals of one estimate that a backend gives: a mood and an intent are two."""

ESCALATION_RULES: Final = 16
"""Most rules of escalation: they are stored with each estimate, so that a replay decides the same."""

ESCALATION_TURNS: Final = 20
"""How many turns back a rule may look: what was felt before is over."""

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

HEARING_GATHER_MS: Final = 16
"""How long a window of sound that cannot show anything yet waits for others: half of the time to the one after it."""

HEARING_BATCH: Final = 64
"""Most windows that are judged at once: 3 ms, in which the loop does nothing else."""

HEARING_BACKLOG_WINDOWS: Final = 64
"""Most windows of one call that wait to be judged (policy: the oldest is dropped): 2 s, which only a burst brings."""

HEARING_STALL_MS: Final = 400
"""How long sound may stay away while somebody speaks; then it is silence: networks pause for less."""

WORKER_START_MS: Final = 60_000
"""How long a process of ours for speech may take until it is ready: large models load for half a minute."""

WORKER_DEATHS: Final = 3
"""How often such a process is started again within `WORKER_DEATHS_MS`: what dies of every input is left dead."""

WORKER_DEATHS_MS: Final = 60_000
"""After this time, an early death of such a process is forgotten: machines recover."""

SPEAKS: Final = 256
"""Most pieces of text that one voice speaks or keeps waiting at once (policy: one more is refused)."""

DECODE_MS: Final = 20_000
"""How long recognising one window may take: a large model on a slow machine; then the process is taken to be stuck."""

SPEAK_SILENCE_MS: Final = 10_000
"""How long a voice may give no sound of what it was asked to speak: nobody waits longer in a conversation."""

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

VENDOR_MS: Final = 5_000
"""How long the next sound or final of a vendor of speech is waited for where another could give it: long in a talk."""

VENDOR_ATTEMPTS: Final = 3
"""How often vendors of speech are asked in a row for one thing: what fails three times will fail again."""

VENDOR_REST_MS: Final = 15_000
"""How long a vendor of speech that failed is asked last, doubled with each failure in a row up to 8 minutes."""

SPEECH_CONNECT_MS: Final = 3_000
"""How long connecting to a server for speech may take: beyond it nobody in a conversation waits."""

TOOLS: Final = 256
"""Most tools of the registry: models choose badly among fewer."""

TOOL_CONNECT_MS: Final = 5_000
"""How long reaching a tool's machine may take: it is near, or the call had better fail."""

TOOL_CONNECTIONS: Final = 64
"""Most connections to one machine of tools, as for webhooks: a call more waits, within its time."""

TOOL_IDLE_MS: Final = 5_000
"""How long a connection to a tool's machine is kept that nobody uses: the next call of a turn is not far."""

TOOL_SOURCE_MS: Final = 20_000
"""How long a server of tools has to tell which there are: one that is a program is begun first."""

TOOL_START_MS: Final = 5_000
"""How long the server's start waits for the servers of tools: those that are later are used once they are there."""

TOOL_OUTPUT_CHARS: Final = 65_536
"""Longest result of a tool of the server's, in code points, as of a client's tool; a model reads no more at once."""

TOOL_FAULT_CHARS: Final = 2_048
"""Longest text of a tool's failure, and of what is wrong with a call: enough for an agent to mend it."""

TOOL_BACKOFF_MS: Final = 200
"""Longest pause before a tool's first retry; doubled for each later one. Somebody is waiting."""

TOOL_BACKOFF_MAX_MS: Final = 5_000
"""Longest pause between two attempts at a tool."""

TOOL_CALLS_AT_ONCE: Final = 64
"""Most calls of tools that are carried out at once: one more waits; its own time has not begun."""

TOOL_THREADS: Final = 64
"""Most threads of one tool that is a plain function: those that hang are not ended by anybody. One more call fails."""

APPROVALS_LISTED: Final = 100
"""Most approvals on one page of the list."""

APPROVAL_REASON_CHARS: Final = 1_024
"""Longest reason of a decision."""

CALLBACK_SKEW_MS: Final = 300_000
"""How old or early the time in a callback's signature may be: clocks differ, and a copy of it is of no use later."""

APPROVALS_REMEMBERED: Final = 4_096
"""How many decided approvals can be found by their id alone, so that a second decision is told so."""

MEMORY_RECALL_MS: Final = 200
"""How long a run may wait for what is remembered of the person; then it runs without: less than a pause."""

MEMORY_RECALLED: Final = 8
"""Most memories that a run is given: more of them distract a model, and cost on every turn."""

MEMORY_CANDIDATES: Final = 32
"""Most memories that are compared for a run by their words, by their meaning and by importance, each."""

MEMORY_ITEMS: Final = 1_000
"""Most memories of one person (policy: the least important and longest unused goes): years of talk leave hundreds."""

MEMORY_AGE_DAYS: Final = 0
"""How long a memory is kept that is neither confirmed nor recalled, in days; 0 keeps it."""

MEMORY_TEXT_CHARS: Final = 300
"""Longest text of a memory: one sentence."""

MEMORY_LEARNT: Final = 16
"""Most memories of one turn: who tells more at once is reciting something."""

MEMORY_READ_CHARS: Final = 4_000
"""How much of a turn is looked through for memories without a model: more is a pasted document."""

MEMORY_EXTRACT_MS: Final = 30_000
"""How long a model may take to tell what a turn leaves; then rules tell it: nobody waits for it."""

MEMORY_AT_ONCE: Final = 4
"""How many sessions are looked through at once; the others wait: a model's provider is not flooded."""

MEMORY_TURNS_WAITING: Final = 64
"""Most turns of one session that wait in memory to be looked through; further ones are read from the journal."""

MEMORY_EMBED_MS: Final = 5_000
"""How long an embedding model may take for what is kept; a run's question has a part of `MEMORY_RECALL_MS`."""

MEMORY_EMBED_TEXTS: Final = 32
"""Most texts that an embedding model is given at once."""

MEMORY_MARKS: Final = 64
"""How many stored memories a session's state knows by id, so that none is told twice after a crash."""

MEMORY_LISTED: Final = 200
"""Most memories on one page of the list."""

MEMORY_TIDY_MS: Final = 600_000
"""How often what has expired is removed: it is not recalled any more meanwhile."""
