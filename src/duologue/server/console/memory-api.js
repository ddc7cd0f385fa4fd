/** `/api/memory`: what is remembered of the person who asks. */

import { askFile, askJson } from "./api.js";
import { save as saveFile } from "./uploads.js";

/** @returns {Promise<{items: {memoryId: string, kind: string, text: string, atMs: number}[], remembers: boolean | null}>}
 *   `remembers`: whether more is kept; null where that cannot be chosen. */
export async function list() {
  const { memories, remembers = null } = await askJson("/api/memory");
  return { items: memories, remembers };
}

export async function forget(id) {
  await askJson(`/api/memory/${encodeURIComponent(id)}`, { method: "DELETE" });
}

export async function forgetAll() {
  await askJson("/api/memory", { method: "DELETE" });
}

/** From now on, remember or do not. */
export async function remember(wanted) {
  await askJson("/api/memory", { method: "PUT", body: { remembers: wanted } });
}

export async function save() {
  saveFile(await askFile("/api/memory/export"), "memories.json");
}
