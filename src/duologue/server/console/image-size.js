/** How large a picture is, as its header says: before any rotation that stands beside it. Pure.
 *
 * Sources: PNG (third edition) 11.2.1; JPEG, ITU-T T.81, B.2.2; WebP container specification.
 */

/** Marks of a JPEG that begin a frame: all SOF but those of tables (DHT, JPG, DAC). */
const FRAMES = new Set([0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf]);

/**
 * Read the size of a JPEG, PNG or WebP; null for anything else.
 * @param {ArrayBuffer} buffer
 * @returns {{width: number, height: number} | null}
 */
export function sizeOf(buffer) {
  const view = new DataView(buffer);
  try {
    if (view.getUint32(0) === 0x89504e47) return { width: view.getUint32(16), height: view.getUint32(20) };
    if (view.getUint16(0) === 0xffd8) return jpeg(view);
    if (view.getUint32(0) === 0x52494646 && view.getUint32(8) === 0x57454250) return webp(view);
  } catch {
    // It ends before its header does.
  }
  return null;
}

function jpeg(view) {
  for (let at = 2; ; ) {
    if (view.getUint8(at) !== 0xff) return null;
    const mark = view.getUint8(at + 1);
    if (FRAMES.has(mark)) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    // A mark may be preceded by any number of fill bytes.
    at += mark === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
}

function webp(view) {
  const kind = view.getUint32(12);
  // VP8X: 24 bits each, less one.
  if (kind === 0x56503858) return { width: 1 + three(view, 24), height: 1 + three(view, 27) };
  // VP8L: 14 bits each, less one, after a byte of signature.
  if (kind === 0x5650384c) {
    const bits = view.getUint32(21, true);
    return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >> 14) & 0x3fff) };
  }
  // VP8: 14 bits each, after the frame tag and the start code.
  if (kind === 0x56503820) return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  return null;
}

function three(view, at) {
  return view.getUint8(at) | (view.getUint8(at + 1) << 8) | (view.getUint8(at + 2) << 16);
}
