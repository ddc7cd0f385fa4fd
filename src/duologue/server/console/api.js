/** The server's `/api`, as the page needs it. Whoever asks gets an answer or an `ApiError` whose message is for people. */

import { at } from "./here.js";
import { token } from "./keepsakes.js";

const SIGN_IN = new Set(["auth_required", "auth_failed", "auth_expired"]);

/** Every protocol that the page folds a conversation from: `transcript.js` reads chat's frames. */
export const FOLDED = "chat";

const EVENT_STREAM = "text/event-stream";

/** Begins a line of a stream that holds something. */
const DATA = "data: ";

export class ApiError extends Error {
  /** @param {string} message @param {{status?: number, reason?: string}} [about] */
  constructor(message, { status = 0, reason = "" } = {}) {
    super(message);
    this.status = status;
    this.reason = reason;
  }

  /** Whether a token would help. */
  get signIn() {
    return SIGN_IN.has(this.reason);
  }
}

/** @typedef {{sessionId: string, subject: string, title: string, agent: string, turns: number, open: boolean,
 *   ended: boolean, firstSequence: number, lastSequence: number, epoch: number, createdAt: number, updatedAt: number,
 *   match?: {where: "title" | "user" | "assistant", turn: number, excerpt: string}}} Row
 * @typedef {{sequence: number, event: any, frames: Record<string, any>}} Line */

/**
 * A page of the list.
 * @param {{q?: string, state?: string, subject?: string, after?: string}} asked
 * @returns {Promise<{sessions: Row[], next: string | null, lookedThrough: number, reachedAt: number | null, subject: string}>}
 */
export async function listSessions(asked, signal) {
  const given = Object.entries(asked).filter(([, value]) => value);
  return (await ask(`/api/sessions?${new URLSearchParams(given)}`, { signal })).json();
}

/** One session, and which protocols can show it. */
export async function showSession(id, signal) {
  return (await ask(pathOf(id), { signal })).json();
}

/**
 * The events after a number, up to now, in order.
 * @returns {AsyncGenerator<Line>}
 */
export async function* readEvents(id, { after = 0, limit = 0, protocols = [FOLDED], signal }) {
  const query = new URLSearchParams({ after, protocols: protocols.join(",") });
  if (limit) query.set("limit", limit);
  yield* readJson(`${pathOf(id)}/events?${query}`, { signal });
}

/**
 * The events after a number, and those that are still to come. Ends where the server ends it.
 * @returns {AsyncGenerator<Line>}
 */
export async function* followEvents(id, { after, signal }) {
  const query = new URLSearchParams({ after, protocols: FOLDED });
  yield* followJson(`${pathOf(id)}/events?${query}`, { signal });
}

/** All of a session as a file. */
export async function exportSession(id) {
  return (await ask(`${pathOf(id)}/export`)).blob();
}

/** Store an exported session. @param {Blob} file @returns {Promise<Row>} */
export async function importSession(file) {
  return (await ask("/api/sessions/import", { method: "POST", body: file })).json();
}

/** Remove a session with its uploads. */
export async function deleteSession(id) {
  await ask(pathOf(id), { method: "DELETE" });
}

/** An upload's bytes. */
export async function fetchUpload(uploadId) {
  return (await ask(`/chat/upload/${encodeURIComponent(uploadId)}`)).blob();
}

/** Ask for JSON, or tell some. @param {{method?: string, body?: object, headers?: object, signal?: AbortSignal}} [how] */
export async function askJson(path, { method = "GET", body, headers = {}, signal } = {}) {
  const told = body === undefined ? { headers } : { headers: { ...headers, "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const answer = await ask(path, { method, signal, ...told });
  return answer.status === 204 ? null : answer.json();
}

/** Each piece of JSON of a stream, until the server ends it. @returns {AsyncGenerator<any>} */
export async function* followJson(path, { headers = {}, signal }) {
  const answer = await ask(path, { signal, headers: { ...headers, Accept: EVENT_STREAM } });
  for await (const line of lines(answer.body)) if (line.startsWith(DATA)) yield JSON.parse(line.slice(DATA.length));
}

/** Each line of JSON of an answer. @returns {AsyncGenerator<any>} */
export async function* readJson(path, { headers = {}, signal }) {
  const answer = await ask(path, { signal, headers });
  for await (const line of lines(answer.body)) if (line) yield JSON.parse(line);
}

/** A file of the server's. */
export async function askFile(path) {
  return (await ask(path)).blob();
}

async function ask(path, { headers = {}, ...how } = {}) {
  const held = token.get();
  let answer;
  try {
    answer = await fetch(at(path), { ...how, headers: held ? { ...headers, Authorization: `Bearer ${held}` } : headers });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError("The server cannot be reached.");
  }
  if (answer.ok) return answer;
  const body = await answer.json().catch(() => ({}));
  throw new ApiError(body.message ?? body.error ?? `The server refused it (${answer.status}).`, { status: answer.status, reason: body.reason });
}

function pathOf(id) {
  return `/api/sessions/${encodeURIComponent(id)}`;
}

/** Cut a stream of bytes into lines. */
async function* lines(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const parts = (rest + value).split("\n");
      rest = parts.pop();
      yield* parts;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
  if (rest) yield rest;
}
