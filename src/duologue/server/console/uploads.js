/** Files on their way to the server and back: `POST /chat/upload`, `GET /chat/upload/{id}`. */

import { fetchUpload } from "./api.js";
import { at } from "./here.js";

/** What the server takes; it checks again, by content. */
export const TAKEN = "image/png,image/jpeg,image/webp,image/gif,application/pdf,text/plain,text/markdown,text/csv,application/json,.md";

/** Most files of one message. Source: `limits.TURN_ATTACHMENTS`. */
export const MOST = 8;

/** Pictures that a page draws by itself. Source: `uploads.SHOWN` of the server. */
const PICTURES = new Set(["image/png", "image/jpeg", "image/webp", "image/gif"]);

/** Pictures that are kept in memory, for when they are drawn again. */
const KEPT = 64;

/** @type {Map<string, Promise<string>>} addresses of pictures, by upload; the longest kept first. */
const pictures = new Map();

/**
 * Send a file.
 * @param {File} file
 * @param {{sessionId: string | null, token: string | null, signal: AbortSignal}} how
 * @returns {Promise<import("./transcript.js").Attachment>}
 * @throws {Error} its message is for the person.
 */
export async function upload(file, { sessionId, token, signal }) {
  const form = new FormData();
  form.append("file", file);
  if (sessionId) form.append("sessionId", sessionId);
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  let answer;
  try {
    answer = await fetch(at("/chat/upload"), { method: "POST", body: form, headers, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server cannot be reached.");
  }
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(body.message ?? `The server refused it (${answer.status}).`);
  if (isPicture(body)) keep(body.uploadId, Promise.resolve(URL.createObjectURL(file)));
  const { uploadId, name, mediaType, sizeBytes, sha256 } = body;
  return { uploadId, name, mediaType, sizeBytes, sha256 };
}

/** Whether a file is shown as a picture. */
export function isPicture({ mediaType }) {
  return PICTURES.has(mediaType);
}

/**
 * An address at which the page can show an uploaded picture; the credential goes with the request, not into it.
 * @returns {Promise<string>}
 */
export function pictureOf(uploadId) {
  const held = pictures.get(uploadId);
  if (held) return held;
  const coming = fetchUpload(uploadId).then((data) => URL.createObjectURL(data));
  keep(uploadId, coming);
  // What could not be had now may be had the next time.
  coming.catch(() => pictures.delete(uploadId));
  return coming;
}

/** Save a file as the person's browser does. */
export function save(data, name) {
  const address = URL.createObjectURL(data);
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
  // The browser has taken hold of it by the next turn of the loop.
  setTimeout(() => URL.revokeObjectURL(address), 0);
}

function keep(uploadId, address) {
  pictures.set(uploadId, address);
  if (pictures.size <= KEPT) return;
  const [oldest, gone] = pictures.entries().next().value;
  pictures.delete(oldest);
  gone.then(URL.revokeObjectURL, () => {});
}

/** A size for people. */
export function shownSize(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${Math.round(bytes / 1000)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
