/** Addresses within the page: which session, which event of it. */

/**
 * @typedef {{id: string, event: number, turn: number}} Place `event` and `turn` are 0 where none is named.
 */

/** @param {{id: string, event?: number, turn?: number}} place */
export function addressOf({ id, event = 0, turn = 0 }) {
  const parts = { id, ...(event ? { event } : {}), ...(turn ? { turn } : {}) };
  return `#${new URLSearchParams(parts)}`;
}

/** @param {string} hash @returns {Place | null} */
export function placeIn(hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  const id = parts.get("id");
  return id ? { id, event: number(parts.get("event")), turn: number(parts.get("turn")) } : null;
}

/** Where `/operator` shows a handoff. @param {{sessionId: string, handoffId: string}} handoff */
export function handoffAddress({ sessionId, handoffId }) {
  return `#${new URLSearchParams({ id: sessionId, handoff: handoffId })}`;
}

/** Where `/operator` shows a conversation. */
export function sessionAddress(id) {
  return `#${new URLSearchParams({ id })}`;
}

/** The words of a search, as the server divides them. */
export function wordsOf(q) {
  return q.split(/\s+/u).filter(Boolean);
}

function number(text) {
  return /^\d{1,15}$/.test(text ?? "") ? Number(text) : 0;
}
