/** What is done in a turn beside the words, one thing each, as it stands: a tool, a handoff, a mood. Pure. */

/** @typedef {{key: string, topic: string, words: string, tone: "" | "good" | "warn" | "bad", share?: number}} Act `share`: of 1, to
 * be drawn as well. */

/** A mood that is weaker says too little for a line of its own. */
const STRONG = 0.5;

const BAD = new Set(["failed", "timed_out", "denied"]);
const GOOD = new Set(["completed", "approved", "connected", "resolved"]);

/** What an event does to the list of what is done; null for nothing. @returns {Act | null} */
export function actOf(event) {
  switch (event.kind) {
    case "tool_called":
      return act(`tool ${event.call_id}`, "tools", `${event.name}: called`);
    case "tool_moved":
      return act(`tool ${event.call_id}`, "tools", `${event.name}: ${plain(event.status)}`, tone(event.status));
    case "tool_returned":
      return returned(event);
    case "handoff_moved":
      return act(`handoff ${event.handoff_id}`, "handoff", ["person", plain(event.status), event.operator?.name].filter(Boolean).join(": "), tone(event.status));
    case "signal_updated":
      return felt(event.signal);
    case "memory_recalled":
      return event.count ? act("recalled", "memory", `${event.count} remembered`) : null;
    case "memory_stored":
      return act(`stored ${event.memory_id}`, "memory", `noted: ${event.memory_kind}`);
    case "memory_erased":
      return act("erased", "memory", `${event.count} forgotten`);
    case "turn_routed":
      return { ...act("tier", "tiers", `${event.target}, complexity ${event.complexity.toFixed(2)}`), share: event.complexity };
    case "answer_upgraded":
      return act("upgrade", "tiers", `better answer: ${plain(event.reason)}`, "good");
    case "agent_degraded":
      return act("condition", "condition", plain(event.condition), event.condition === "full_power" ? "good" : "warn");
    default:
      return null;
  }
}

function returned({ call_id: id, name, status = "", is_error: failed }) {
  const end = status || (failed ? "failed" : "completed");
  return act(`tool ${id}`, "tools", `${name}: ${end === "completed" ? "done" : plain(end)}`, tone(end));
}

function felt(signal) {
  const name = signal.category ?? signal.intent;
  if (name === "neutral" || signal.score < STRONG) return null;
  const bad = ["frustration", "anger"].includes(name) ? "bad" : ["confusion", "urgency"].includes(name) ? "warn" : "";
  return act(`signal ${name}`, "signals", `${plain(name)} ${Math.round(signal.score * 100)} %`, bad);
}

function act(key, topic, words, looks = "") {
  return { key, topic, words, tone: looks };
}

function tone(status) {
  if (BAD.has(status)) return "bad";
  return GOOD.has(status) ? "good" : "warn";
}

function plain(name) {
  return name.replaceAll("_", " ");
}
