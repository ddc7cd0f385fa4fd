/** What is done rather than said: tools and who lets them run, what the agent waits for, who answers, moods.
 * Pure parts of the fold in transcript.js.
 */

/**
 * @typedef {"running" | "requested" | "awaiting_approval" | "pending_supervisor" | "async_pending" | "approved" | "denied"
 *   | "executing" | "completed" | "failed" | "timed_out" | "duplicate"} ToolStatus `running` where no step was told.
 * @typedef {object} Tool
 * @property {"tool"} kind
 * @property {string} id
 * @property {string} name
 * @property {ToolStatus} status
 * @property {boolean} byClient a client runs it, and perhaps another one than this.
 * @property {object | null} input
 * @property {object | null} output
 * @property {string} error
 * @property {string} policy who lets it run; empty where nobody has to.
 * @property {string} disposition of a duplicate.
 * @property {string} decidedBy
 * @property {string} digest of tool and input, which a decision is bound to; empty where none was asked for.
 * @property {Ask | null} approval what the person is asked before it runs.
 * @typedef {object} Ask Something that the agent waits for.
 * @property {string} id
 * @property {string} reason
 * @property {string} message
 * @property {string} toolCallId
 * @property {string} expiresAt RFC 3339, empty for never.
 * @property {object} about for programs, such as `modality`.
 * @property {"open" | "resolved" | "cancelled" | "expired"} state
 * @typedef {object} Handoff
 * @property {string} status
 * @property {string} transferType
 * @property {string} reason
 * @property {string} operator who has it, or had.
 * @property {string} target queue or agent.
 * @property {number} position from 1; 0 where it is in no queue.
 * @property {number | null} waitMs
 * @property {string} failure
 * @property {string} handoffId
 * @property {string} at
 * @typedef {object} Mood One estimate.
 * @property {"sentiment" | "intent"} kind
 * @property {string} name category or intent.
 * @property {number} score
 * @property {number} confidence
 * @property {string} source
 * @property {string} adapter
 * @property {string} scope
 * @property {string} messageId
 * @property {number} turn
 */

/** Statuses in which a call waits for somebody. */
export const WAITING = new Set(["awaiting_approval", "pending_supervisor", "async_pending"]);

/** Statuses of a handoff in which it is over. */
const OVER = new Set(["transferred", "resolved", "cancelled", "failed"]);

/** Why a run stopped to ask. Source: `model.observations.REASON`, and the engine's word for approvals. */
export const APPROVAL = "tool_approval";
export const OBSERVATION = "observation";

/** @returns {Tool} */
export function newTool(members) {
  return {
    kind: "tool",
    status: "running",
    byClient: false,
    input: null,
    output: null,
    error: "",
    policy: "",
    disposition: "",
    decidedBy: "",
    digest: "",
    approval: null,
    ...members,
  };
}

/** What a `tool.result` changes of its call: a step, or the end. */
export function stepped(frame) {
  return {
    status: frame.status ?? "completed",
    ...(frame.approvalPolicy ? { policy: frame.approvalPolicy } : {}),
    ...(frame.duplicateDisposition ? { disposition: frame.duplicateDisposition } : {}),
    ...(frame.decidedBy ? { decidedBy: frame.decidedBy } : {}),
    ...(frame.approval ? waited(frame) : {}),
    ...(ended(frame.status) ? { output: frame.output, error: frame.error ?? "" } : {}),
  };
}

/** A decision that is waited for; the person is asked where it is theirs. */
function waited({ status, approval: { approvalId, prompt, digest, expiresAt } }) {
  const ask = { id: approvalId, reason: APPROVAL, message: prompt, toolCallId: "", expiresAt, about: {}, state: "open" };
  return { digest, approval: status === "awaiting_approval" ? ask : null };
}

function ended(status) {
  return status === undefined || ["completed", "failed", "timed_out", "denied", "duplicate"].includes(status);
}

/** What a response that ended waits for. @returns {Ask[]} */
export function asksOf(frame) {
  return (frame.interrupts ?? []).map((each) => ({
    id: each.interruptId,
    reason: each.reason,
    message: each.message ?? each.reason,
    toolCallId: each.toolCallId ?? "",
    expiresAt: each.expiresAt ?? "",
    about: each.metadata ?? {},
    state: "open",
  }));
}

/** Give each call the approval that it waits for. */
export function withApprovals(parts, asks) {
  return parts.map((part) => {
    const ask = part.kind === "tool" ? asks.find((each) => each.reason === APPROVAL && each.toolCallId === part.id) : null;
    return ask ? { ...part, status: "awaiting_approval", approval: ask } : part;
  });
}

/** Settle what somebody has answered, or given up. @param {{interruptId: string, status: string}[]} answers */
export function settled(items, answers) {
  return changed(items, (ask) => answers.find((each) => each.interruptId === ask.id)?.status ?? null);
}

/** Settle what waits no longer at a moment. @param {string} now RFC 3339 */
export function expired(items, now) {
  const at = Date.parse(now);
  return changed(items, (ask) => (ask.expiresAt && Date.parse(ask.expiresAt) <= at ? "expired" : null));
}

function changed(items, stateOf) {
  const settle = (ask) => {
    const state = ask?.state === "open" ? stateOf(ask) : null;
    return state ? { ...ask, state } : ask;
  };
  return items.map((item) => {
    if (item.kind !== "answer" || !item.asks.some((ask) => settle(ask) !== ask)) return item;
    const parts = item.parts.map((part) => (part.approval ? { ...part, approval: settle(part.approval) } : part));
    return { ...item, asks: item.asks.map(settle), parts };
  });
}

/** @returns {Handoff} */
export function handoffOf(frame) {
  return {
    status: frame.status,
    transferType: frame.transferType ?? "",
    reason: frame.reason ?? "",
    operator: frame.operator?.name ?? "",
    target: frame.targetAgent ?? "",
    position: frame.queuePosition ?? 0,
    waitMs: frame.estimatedWaitMs ?? null,
    failure: frame.failureReason ?? "",
    handoffId: frame.handoffId ?? "",
    at: frame.timestamp,
  };
}

/** Whether a handoff is going on. One that was passed on is followed by another. @param {Handoff | null} handoff */
export function goesOn(handoff) {
  return handoff !== null && !OVER.has(handoff.status);
}

/**
 * Take a step of a handoff. Of several that are open, one that a person has comes before one that is to follow it.
 * @param {Handoff[]} handoffs those that are open, and the last one.
 * @param {Handoff} moved
 * @returns {Handoff[]} the first one says who answers.
 */
export function moved(handoffs, step) {
  const others = handoffs.filter((each) => each.handoffId !== step.handoffId && goesOn(each));
  const all = [step, ...others];
  const rank = (each) => (each.transferType === "supervisor_consult" ? 3 : ["connected", "on_hold"].includes(each.status) ? 0 : goesOn(each) ? 1 : 2);
  return all.sort((one, other) => rank(one) - rank(other));
}

/**
 * Take an estimate. A better one takes the place of the one before of the same message, turn or session.
 * @param {Mood[]} moods
 * @param {any} frame
 * @param {number} turn
 */
export function felt(moods, frame, turn) {
  const { signal, source, adapter, scope = "message", attributedMessageId: messageId = "" } = frame;
  const name = signal.category ?? signal.intent;
  const { kind, score, confidence } = signal;
  const mood = { kind, name, score, confidence, source, adapter, scope, messageId, turn };
  const about = (one) => scope === "session" || (one.turn === turn && one.messageId === messageId);
  const same = (one) => one.kind === kind && one.scope === scope && about(one);
  return [...moods.filter((one) => !(same(one) && (frame.replaces || one.name === name))), mood];
}
