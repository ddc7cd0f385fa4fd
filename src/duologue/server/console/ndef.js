/** What a tag holds, as records. Source: NFC Forum, NDEF 1.0, and its record types Text and URI 1.0. Pure. */

const WELL_KNOWN = 1;
const MEDIA = 2;
const ABSOLUTE_URI = 3;
const EXTERNAL = 4;
const UNKNOWN = 5;

/** `payload` is base64. @typedef {{tnf: number, type: string, id: string, payload: string}} NdefRecord */

/** A record that holds a text. @param {string} language BCP 47 */
export function textRecord(text, language = "en") {
  const [tag, words] = [utf8(language), utf8(text)];
  // Bit 7 is 0 for UTF-8; the lower six bits are the length of the language.
  return record({ tnf: WELL_KNOWN, type: "T", payload: Uint8Array.of(tag.length, ...tag, ...words) });
}

/** A record that holds an address, in full: prefix code 0. */
export function uriRecord(address) {
  return record({ tnf: WELL_KNOWN, type: "U", payload: Uint8Array.of(0, ...utf8(address)) });
}

/**
 * What Web NFC read, as it stood on the tag.
 * @param {{recordType: string, mediaType?: string, id?: string, lang?: string, encoding?: string, data?: DataView}} read
 */
export function readRecord({ recordType, mediaType = "", id = "", lang = "en", encoding = "utf-8", data }) {
  const bytes = data ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array();
  switch (recordType) {
    case "text": {
      const wide = encoding.startsWith("utf-16");
      return record({ tnf: WELL_KNOWN, type: "T", id, payload: Uint8Array.of((wide ? 0x80 : 0) | lang.length, ...utf8(lang), ...bytes) });
    }
    case "url":
      return record({ tnf: WELL_KNOWN, type: "U", id, payload: Uint8Array.of(0, ...bytes) });
    case "absolute-url":
      return record({ tnf: ABSOLUTE_URI, type: new TextDecoder().decode(bytes), id, payload: new Uint8Array() });
    case "mime":
      return record({ tnf: MEDIA, type: mediaType, id, payload: bytes });
    case "smart-poster":
      return record({ tnf: WELL_KNOWN, type: "Sp", id, payload: bytes });
    case "empty":
      return record({ tnf: 0, type: "", payload: new Uint8Array() });
    case "unknown":
      return record({ tnf: UNKNOWN, type: "", id, payload: bytes });
    default:
      return recordType.startsWith(":")
        ? record({ tnf: WELL_KNOWN, type: recordType.slice(1), id, payload: bytes })
        : record({ tnf: EXTERNAL, type: recordType, id, payload: bytes });
  }
}

/** A tag's number as pairs of hex digits, lower case; null where it is none. */
export function tagId(text) {
  const digits = text.replace(/[\s:.-]/g, "").toLowerCase();
  return /^([0-9a-f]{2}){1,32}$/.test(digits) ? digits : null;
}

function record({ tnf, type, id = "", payload }) {
  return { tnf, type, id, payload: base64(payload) };
}

function utf8(text) {
  return new TextEncoder().encode(text);
}

function base64(bytes) {
  return btoa(String.fromCharCode(...bytes));
}
