/** A photo on its way to being shown: checked, made smaller where it is too large, measured. */

import { sizeOf } from "./image-size.js";

/** Largest photo that is sent as it is. Source: `limits.UPLOAD_BYTES`; a server may be set to take less. */
export const LARGEST_BYTES = 8 * 1024 * 1024;

/** Longest edge of a photo that is made smaller, in px: enough to read small print on it. */
const EDGE_PX = 2560;

const QUALITY = 0.85;

/** What the header of a picture takes at most, with room for a large preview in it. */
const HEADER_BYTES = 256 * 1024;

/**
 * Look at a file, and make of it what can be sent.
 * @param {File} file
 * @returns {Promise<{file: File, width: number, height: number, shrunk: boolean}>} sizes as in the file's header.
 * @throws {Error} its message is for the person.
 */
export async function prepare(file) {
  const size = sizeOf(await file.slice(0, HEADER_BYTES).arrayBuffer());
  if (size && file.size <= LARGEST_BYTES) return { file, ...size, shrunk: false };
  return smaller(file);
}

async function smaller(file) {
  const upright = await read(file);
  const scale = Math.min(1, EDGE_PX / Math.max(upright.width, upright.height));
  const [width, height] = [upright.width, upright.height].map((length) => Math.max(1, Math.round(length * scale)));
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  canvas.getContext("2d").drawImage(upright, 0, 0, width, height);
  upright.close();
  const data = await new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", QUALITY));
  if (!data || data.size > LARGEST_BYTES) throw new Error("This photo cannot be made small enough. Choose another one.");
  const name = `${file.name.replace(/\.\w+$/, "") || "photo"}.jpg`;
  return { file: new File([data], name, { type: "image/jpeg" }), width, height, shrunk: true };
}

async function read(file) {
  try {
    return await createImageBitmap(file, { imageOrientation: "from-image" });
  } catch {
    throw new Error(`${file.name || "This file"} is no picture that this browser can read. Take a photo, or choose a JPEG, PNG or WebP.`);
  }
}
