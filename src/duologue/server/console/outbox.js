/** Messages that the server has not taken yet. They keep their request id, so that it can tell a repeat. */

import { OFFERED } from "./client-tools.js";

const KEY = "duologue.outbox";

/**
 * @typedef {object} Letter
 * @property {string} requestId
 * @property {string} text
 * @property {import("./transcript.js").Attachment[]} attachments
 * @property {object} [observation] what is shown, and `interactionId` to which request.
 * @property {string} [interactionId]
 * @property {{message: string, retryable: boolean, code: string} | null} problem why it was refused.
 */

export class Outbox {
  /** @type {Letter[]} */
  #letters;

  constructor() {
    this.#letters = read();
  }

  /** All of them, oldest first; always a new list after a change. */
  get letters() {
    return this.#letters;
  }

  /** Put a message in. */
  add({ text, attachments = [], observation, interactionId }) {
    const shown = observation ? { observation, interactionId } : {};
    const letter = { requestId: newId(), text, attachments, ...shown, problem: null };
    this.#set([...this.#letters, letter]);
    return letter;
  }

  /** The server has it, or the person gave it up. */
  drop(requestId) {
    const kept = this.#letters.filter((letter) => letter.requestId !== requestId);
    if (kept.length < this.#letters.length) this.#set(kept);
  }

  /** The server refused it; it waits for the person. */
  refuse(requestId, problem) {
    this.#set(this.#letters.map((letter) => (letter.requestId === requestId ? { ...letter, problem } : letter)));
  }

  clear() {
    this.#set([]);
  }

  /** Those to be sent on a new connection. */
  waiting() {
    return this.#letters.filter((letter) => letter.problem === null);
  }

  #set(letters) {
    this.#letters = letters;
    try {
      // Of this tab: two tabs would overwrite each other's.
      sessionStorage.setItem(KEY, JSON.stringify(letters));
    } catch {
      // A full or forbidden storage costs only what a reload would have kept.
    }
  }
}

/** The frame that sends a letter. */
export function frameOf({ requestId, text, attachments, observation, interactionId }) {
  return {
    type: "message.send",
    requestId,
    text,
    tools: OFFERED,
    ...(attachments.length ? { attachments: attachments.map((each) => each.uploadId) } : {}),
    ...(observation ? { observation, interactionId } : {}),
  };
}

function read() {
  try {
    const found = JSON.parse(sessionStorage.getItem(KEY) ?? "[]");
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

/** crypto.randomUUID is missing on plain http beyond this machine; getRandomValues is not. */
function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `web-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
