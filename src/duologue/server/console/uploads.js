/** Files on their way to the server: `POST /chat/upload`. */

/** What the server takes; it checks again, by content. */
export const TAKEN = "image/png,image/jpeg,image/webp,image/gif,application/pdf,text/plain,text/markdown,text/csv,application/json,.md";

/** Most files of one message. Source: `limits.TURN_ATTACHMENTS`. */
export const MOST = 8;

const previews = new Map();

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
    answer = await fetch("/chat/upload", { method: "POST", body: form, headers, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server cannot be reached.");
  }
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(body.message ?? `The server refused it (${answer.status}).`);
  if (file.type.startsWith("image/")) previews.set(body.uploadId, URL.createObjectURL(file));
  return { uploadId: body.uploadId, name: body.name, mediaType: body.mediaType, sizeBytes: body.sizeBytes };
}

/** The picture of an upload of this page, or null: the server does not give files back. */
export function previewOf(uploadId) {
  return previews.get(uploadId) ?? null;
}

/** A size for people. */
export function shownSize(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${Math.round(bytes / 1000)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
