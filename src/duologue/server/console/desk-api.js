/** `/api/handoffs` and `/api/approvals`, as the page for operators needs them. */

import { askJson } from "./api.js";

/**
 * @typedef {object} Handoff
 * @property {string} handoffId
 * @property {string} sessionId
 * @property {string} subject whose conversation it is.
 * @property {string} title
 * @property {string} status
 * @property {string} transferType
 * @property {string} reason
 * @property {string} queue
 * @property {string[]} skills
 * @property {number} priority
 * @property {number} position
 * @property {number | null} waitMs
 * @property {number} askedAt
 * @property {{operatorId: string, name: string} | null} operator
 * @typedef {object} Approval
 * @property {string} approvalId
 * @property {string} sessionId
 * @property {string} tool
 * @property {any} arguments those that may be seen.
 * @property {string[]} redacted where the others are.
 * @property {string} digest
 * @property {string} person
 * @property {string} prompt
 * @property {string} policy
 * @property {string} sideEffect
 * @property {number} expiresAt
 */

/** @returns {Promise<{handoffs: Handoff[], me: {operatorId: string, name: string}}>} those that go on. */
export async function listHandoffs() {
  const { handoffs, operator } = await askJson("/api/handoffs");
  return { handoffs, me: operator };
}

/** @returns {Promise<Approval[]>} those that wait for a supervisor. */
export async function listApprovals() {
  const { approvals } = await askJson("/api/approvals");
  return approvals;
}

/** Decide about a call, exactly as it was shown. */
export async function decide({ approvalId, digest }, { approve, reason }) {
  const body = { decision: approve ? "approve" : "deny", digest, ...(reason ? { reason } : {}) };
  await askJson(`/api/approvals/${encodeURIComponent(approvalId)}`, { method: "POST", body });
}

/** Do something with a handoff. @param {string} id @param {string} what @param {object} [body] */
export async function act(id, what, body = {}) {
  await askJson(`/api/handoffs/${encodeURIComponent(id)}/${what}`, { method: "POST", body });
}
