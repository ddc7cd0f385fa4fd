/** How long things took beside the words: tools at work, and people who were waited for. Pure. */

/**
 * @typedef {object} Span Times in ms since 1970; `endedAt` is null while it goes on.
 * @property {"tool" | "wait"} kind a machine at work, or people who are waited for: each has a scale of its own.
 * @property {string} what
 * @property {number} startedAt
 * @property {number | null} endedAt
 * @property {boolean} failed
 */

/** Steps of a call in which somebody has to decide. */
const UNDECIDED = new Set(["awaiting_approval", "pending_supervisor", "async_pending"]);
/** Steps of a handoff in which nobody has it yet. */
const UNTAKEN = new Set(["requested", "queued", "connecting"]);
const FAILED = new Set(["failed", "timed_out", "denied"]);

/** What an event does to the spans of its turn; false where it is about none. @param {Map<string, Span>} spans */
export function follow(spans, event) {
  switch (event.kind) {
    case "tool_called":
      spans.set(`tool ${event.call_id}`, begun("tool", event.name, event.at_ms));
      return true;
    case "tool_moved":
      return moved(spans, event);
    case "tool_returned":
      return returned(spans, event);
    case "handoff_moved":
      return passed(spans, event);
    default:
      return false;
  }
}

/** Whether an event goes on with a span that began in an earlier turn. @param {Map<string, Span>} spans */
export function isOf(spans, event) {
  return spans.has(keyOf(event)) || spans.has(`wait ${keyOf(event)}`);
}

/** How long it took, or has taken until now. @param {Span} span */
export function lengthOf({ startedAt, endedAt }, now = startedAt) {
  return (endedAt ?? now) - startedAt;
}

function moved(spans, event) {
  const key = keyOf(event);
  if (UNDECIDED.has(event.status)) {
    const who = event.status === "awaiting_approval" ? "the person" : event.status === "pending_supervisor" ? "a supervisor" : "another system";
    if (!spans.has(`wait ${key}`)) spans.set(`wait ${key}`, begun("wait", `${event.name}: ${who} to decide`, event.at_ms));
    // What waits is not at work.
    spans.delete(key);
  } else {
    end(spans, `wait ${key}`, event.at_ms, FAILED.has(event.status));
    if (event.status === "executing") spans.set(key, begun("tool", event.name, event.at_ms));
    else if (FAILED.has(event.status)) end(spans, key, event.at_ms, true);
  }
  return true;
}

function returned(spans, event) {
  const key = keyOf(event);
  const failed = event.is_error === true || FAILED.has(event.status);
  end(spans, `wait ${key}`, event.at_ms, failed);
  end(spans, key, event.at_ms, failed);
  return true;
}

function passed(spans, event) {
  const key = keyOf(event);
  if (UNTAKEN.has(event.status)) {
    if (!spans.has(key)) spans.set(key, begun("wait", "somebody to take over", event.at_ms));
  } else {
    end(spans, key, event.at_ms, event.status === "failed");
  }
  return true;
}

function keyOf(event) {
  return event.kind === "handoff_moved" ? `handoff ${event.handoff_id}` : `tool ${event.call_id}`;
}

function begun(kind, what, startedAt) {
  return { kind, what, startedAt, endedAt: null, failed: false };
}

function end(spans, key, at, failed) {
  const span = spans.get(key);
  if (span && span.endedAt === null) spans.set(key, { ...span, endedAt: at, failed });
}
