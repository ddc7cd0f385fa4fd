/** What the events of a journal are called, what each says in a line, and what it is about. Pure. */

const NAMES = {
  session_started: "Session started",
  capabilities_changed: "Capabilities",
  turn_accepted: "Turn accepted",
  response_started: "Response started",
  text_started: "First words",
  text_delta: "Text",
  text_completed: "Text complete",
  cited: "Source",
  suggested: "Suggestions",
  showed: "Payload",
  noted: "Diagnostic",
  tool_called: "Tool called",
  tool_returned: "Tool returned",
  response_ended: "Response ended",
  response_failed: "Response failed",
  turn_ended: "Turn ended",
  state_changed: "State changed",
  session_ended: "Session ended",
  history_trimmed: "History trimmed",
  call_began: "Call began",
  call_finished: "Call ended",
  listening_began: "Listening",
  speech_began: "Speech began",
  speech_paused: "Speech paused",
  transcribed: "Transcript",
  pause_judged: "Pause judged",
  nothing_heard: "Nothing heard",
  turn_extended: "Turn extended",
  speech_prepared: "Sound made",
  word_spoken: "Word heard",
  speaking_paused: "Voice paused",
  speaking_resumed: "Voice resumed",
  speech_ignored: "Speech ignored",
  barged_in: "Interrupted",
  answer_completed: "Answer complete",
  speaking_finished: "Heard to the end",
  answer_revealed: "Prepared early",
  nobody_spoke: "Nobody spoke",
  voice_failed: "Speech failed",
  turn_resumed: "Turn goes on",
  tool_moved: "Tool step",
  leg_ended: "Goes on after tools",
  handoff_moved: "Handoff",
  supervisor_noted: "Word with a supervisor",
  signal_updated: "Signal",
  memory_recalled: "Remembered",
  memory_stored: "To be remembered",
  memory_erased: "Forgotten",
  turn_routed: "Tier chosen",
  answer_upgraded: "Better answer",
  agent_degraded: "Condition",
  agent_ready: "Agent ready",
};

/** What events are about, for who looks for some of them. All else is voice, or nothing of these. */
const TOPICS = {
  words: ["turn_accepted", "turn_extended", "turn_resumed", "response_started", "text_started", "text_delta", "text_completed", "cited", "suggested", "showed", "response_ended", "response_failed", "turn_ended"],
  tools: ["tool_called", "tool_moved", "tool_returned", "leg_ended"],
  handoff: ["handoff_moved", "supervisor_noted"],
  signals: ["signal_updated"],
  memory: ["memory_recalled", "memory_stored", "memory_erased"],
  tiers: ["turn_routed", "answer_upgraded"],
  condition: ["agent_degraded", "agent_ready"],
};

/** What they are called, in the order in which they are offered. */
export const TOPIC_NAMES = {
  words: "Words",
  tools: "Tools and approvals",
  handoff: "Handoff",
  signals: "Signals",
  memory: "Memory",
  tiers: "Tiers",
  condition: "Condition",
  voice: "Voice",
  other: "All else",
};

const TOPIC_OF = new Map(Object.entries(TOPICS).flatMap(([topic, kinds]) => kinds.map((kind) => [kind, topic])));
const OTHER = new Set(["session_started", "capabilities_changed", "noted", "state_changed", "session_ended", "history_trimmed"]);

/** What an event is about. @returns {keyof TOPIC_NAMES} */
export function topicOf({ kind }) {
  return TOPIC_OF.get(kind) ?? (OTHER.has(kind) || !(kind in NAMES) ? "other" : "voice");
}

/** What an event is called; one of a later version by its own name. */
export function nameOf(event) {
  const own = event.kind.replaceAll("_", " ");
  return NAMES[event.kind] ?? own[0].toUpperCase() + own.slice(1);
}

/** What an event says, in a line. */
export function gistOf(event) {
  switch (event.kind) {
    case "session_started":
      return event.agent;
    case "turn_accepted":
    case "text_delta":
    case "text_completed":
      return event.text;
    case "cited":
      return event.title;
    case "suggested":
      return event.chips.map((chip) => chip.label).join(", ");
    case "showed":
      return event.payload_type;
    case "noted":
      return `${event.category}: ${event.message}`;
    case "tool_called":
      return `${event.name} ${event.arguments}`;
    case "tool_returned":
      return `${event.name}: ${event.result}`;
    case "tool_moved":
      return [`${event.name}: ${event.status.replaceAll("_", " ")}`, event.decided_by ? `by ${event.decided_by}` : "", event.reason, event.approval?.prompt].filter(Boolean).join(", ");
    case "leg_ended":
      return `leg ${event.leg}${event.waits_for?.length ? `, waits for ${event.waits_for.join(", ")}` : ""}`;
    case "turn_resumed":
      return [event.cause.replaceAll("_", " "), event.author].filter(Boolean).join(", by ");
    case "handoff_moved":
      return [event.status.replaceAll("_", " "), event.operator?.name, event.position ? `number ${event.position}` : "", event.target, event.reason, event.failure].filter(Boolean).join(", ");
    case "supervisor_noted":
      return `${event.by.name}: ${event.text}`;
    case "signal_updated":
      return `${event.signal.category ?? event.signal.intent} ${event.signal.score.toFixed(2)}, ${event.adapter} in ${Number((event.latency_ms ?? 0).toFixed(1))} ms`;
    case "memory_recalled":
      return `${event.count} in ${event.retrieve_ms} ms`;
    case "memory_stored":
      return `${event.memory_kind}, importance ${event.importance.toFixed(2)}`;
    case "memory_erased":
      return `${event.count}`;
    case "turn_routed":
      return [`${event.target}, complexity ${event.complexity.toFixed(2)}`, ...(event.reasons ?? [])].join(", ");
    case "answer_upgraded":
      return `${event.target}: ${event.reason.replaceAll("_", " ")}`;
    case "agent_degraded":
      return `${event.previous} to ${event.condition}, by ${event.reason}`.replaceAll("_", " ");
    case "response_started":
      if (event.author) return `by ${event.author}`;
      return (event.attempt ?? 1) > 1 ? `attempt ${event.attempt}` : event.response_id;
    case "response_ended":
    case "turn_ended":
      return event.outcome;
    case "response_failed":
      return `${event.code}: ${event.message}`;
    case "state_changed":
      return `${event.previous} to ${event.state}, by ${event.trigger}`;
    case "session_ended":
      return event.reason;
    case "history_trimmed":
      return `${event.messages.length} messages kept`;
    case "call_began":
      return `${event.mode} turns`;
    case "call_finished":
      return event.reason;
    case "transcribed":
      return `${event.text} (${event.final ? "final" : "so far"})`;
    case "turn_extended":
      return event.text;
    case "speech_paused":
      return `after ${event.duration_ms} ms`;
    case "pause_judged":
      return `${event.probability.toFixed(2)}, ${event.finished ? "the end" : "no end"}`;
    case "word_spoken":
      return event.word;
    case "nothing_heard":
      return event.why;
    case "speech_ignored":
      return `${event.why} ${event.text ?? ""}`;
    case "barged_in":
    case "speaking_finished":
      return `${event.heard} characters heard`;
    case "answer_revealed":
      return `${event.tokens} pieces had waited`;
    case "nobody_spoke":
      return `for ${event.waited_ms / 1000} s`;
    case "voice_failed":
      return `${event.part}: ${event.message}`;
    default:
      return event.message ?? event.name ?? "";
  }
}
