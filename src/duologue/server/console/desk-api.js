/** `/api/handoffs` and `/api/approvals`, as the page for operators needs them. */

import { askJson, FOLDED, followJson, readJson } from "./api.js";
import { operatorName } from "./keepsakes.js";

/**
 * @typedef {object} Handoff What does not apply is absent.
 * @property {string} id
 * @property {string} sessionId
 * @property {string} status
 * @property {string} transfer
 * @property {string} reason
 * @property {string} customer whose conversation it is.
 * @property {string} agent
 * @property {number} requestedAt ms since 1970.
 * @property {string} [cause]
 * @property {string} [queue]
 * @property {string[]} [skills]
 * @property {number} [priority]
 * @property {string} [only]
 * @property {number} [position]
 * @property {number} [waitMs]
 * @property {{id: string, name: string}} [operator]
 * @property {string} [failure]
 * @property {{target: string, rule?: string, reasons?: string[]}} [route]
 * @property {string[]} [path]
 * @property {boolean} [consult] it is a question to a supervisor, beside a conversation that somebody has.
 * @property {{role: string, text: string}} [said]
 * @typedef {{id: string, name: string, skills?: string[], supervises?: boolean, has?: number, atMost?: number}} Operator
 * @typedef {{by: {id: string, name: string}, text: string, answer?: boolean, at: number}} Word
 * @typedef {object} Approval
 * @property {string} approvalId
 * @property {string} sessionId
 * @property {string} tool
 * @property {any} arguments what of them may not be seen says so.
 * @property {string} digest of the exact ones.
 * @property {string} person
 * @property {string} prompt
 * @property {string} approvalPolicy
 * @property {string} sideEffect
 * @property {number} expiresAt ms since 1970.
 */

/** What happens at the desk, everything first. */
export function followDesk(signal) {
  return followJson("/api/handoffs/events", { signal, headers: as() });
}

/** @returns {Promise<{handoff: Handoff, bundle: any, words: Word[]}>} */
export function showHandoff(id, signal) {
  return askJson(pathOf(id), { signal, headers: as() });
}

/** Where the conversation of a handoff is read: who operates sees it, whoever's it is. @type {import("./viewer.js").Source} */
export const CONVERSATION = {
  show: async (id, signal) => (await showHandoff(id, signal)).handoff,
  read: (id, { signal }) => readJson(`${pathOf(id)}/conversation?protocols=${FOLDED}`, { signal, headers: as() }),
  follow: (id, { after, signal }) => followJson(`${pathOf(id)}/conversation?protocols=${FOLDED}&after=${after}`, { signal, headers: as() }),
};

/** Do something with a handoff. @returns {Promise<{handoff: Handoff}>} */
export function act(id, what, body = {}) {
  return askJson(`${pathOf(id)}/${what}`, { method: "POST", body, headers: as() });
}

/** Take a conversation that nobody has passed on. @returns {Promise<{handoff: Handoff}>} */
export function takeOver(sessionId) {
  return askJson("/api/handoffs/take-over", { method: "POST", body: { sessionId }, headers: as() });
}

/** Whether it is decided at the desk, and not by the person in the conversation. @param {Approval} approval */
export function decidedHere({ approvalPolicy }) {
  return approvalPolicy !== "user_confirm";
}

/** @returns {Promise<Approval[]>} those that wait and are decided at the desk. */
export async function listApprovals(signal) {
  const { approvals } = await askJson("/api/approvals", { signal, headers: as() });
  return approvals.filter(decidedHere);
}

/** Decide about a call, exactly as it was shown. */
export async function decide({ approvalId, sessionId, digest }, { approve, reason }) {
  const body = { decision: approve ? "approve" : "deny", digest, sessionId, ...(reason ? { reason } : {}) };
  await askJson(`/api/approvals/${encodeURIComponent(approvalId)}`, { method: "POST", body, headers: as() });
}

function pathOf(id) {
  return `/api/handoffs/${encodeURIComponent(id)}`;
}

/** Who one is, where one may say so oneself: on one's own machine, or with a backend's key. */
function as() {
  const name = operatorName.get();
  return name ? { "Duologue-Subject": name } : {};
}
