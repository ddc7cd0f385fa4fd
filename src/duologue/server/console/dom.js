/** Making elements. Text only ever becomes text nodes: nothing here, or anywhere, parses HTML. */

import { at } from "./here.js";

/**
 * Make an element.
 * @param {string} name
 * @param {Record<string, unknown>} [attributes] `onclick` and the like take functions; true and false add and
 *   leave out an attribute; null and undefined leave it out.
 * @param {...(Node | string | null | undefined)} children
 */
export function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, String(value));
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

const PATHS = {
  alert: "M12 8v5m0 3v.1M12 3 2.500 20h19z",
  back: "m15 5-7 7 7 7",
  attach: "m20 11.500-8.300 8.300a5 5 0 0 1-7-7l8.800-8.900a3.300 3.300 0 0 1 4.700 4.700l-8.800 8.800a1.700 1.700 0 0 1-2.400-2.400l8-8",
  camera: "M4 8h3.500l1.500-2.500h6L16.500 8H20v11H4zM12 16.500a3.200 3.200 0 1 0 0-6.400 3.200 3.200 0 0 0 0 6.400",
  clock: "M12 3.500a8.500 8.500 0 1 0 0 17 8.500 8.500 0 0 0 0-17zM12 7.500V12l3 2",
  close: "M6 6l12 12M18 6 6 18",
  copy: "M9 9h10v11H9zM5 15V4h10",
  done: "m5 12.500 4.500 4.500L19 7.500",
  down: "M12 5v14m-6-6 6 6 6-6",
  file: "M14 3H6v18h12V7zm0 0v4h4",
  first: "m18 5-7 7 7 7M7 5v14",
  forward: "m9 5 7 7-7 7",
  fresh: "M12 20h8M4 20l1-4L16.500 4.500l3 3L8 19z",
  hangup: "M3 14.500c0-2 4-4.500 9-4.500s9 2.500 9 4.500v1.500a1 1 0 0 1-1.200 1l-3.600-.800a1 1 0 0 1-.800-1v-2.200a12 12 0 0 0-6.800 0v2.200a1 1 0 0 1-.800 1l-3.600.800A1 1 0 0 1 3 16z",
  last: "m6 5 7 7-7 7M17 5v14",
  memory: "M12 6.500C10 4.500 6.500 4.500 4 5.500v13c2.500-1 6-1 8 1 2-2 5.500-2 8-1v-13c-2.500-1-6-1-8 1zm0 0v13",
  mic: "M12 3a3 3 0 0 0-3 3v5a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3zM5.500 11a6.500 6.500 0 0 0 13 0M12 17.500V21",
  muted: "M9 9v2a3 3 0 0 0 4.500 2.600M15 10V6a3 3 0 0 0-5.900-.800M5.500 11a6.500 6.500 0 0 0 10 5.500M18 13.500a6.500 6.500 0 0 0 .500-2.500M12 17.500V21M4 3l16 18",
  pause: "M8 5v14m8-14v14",
  person: "M12 11.500a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.500 20.500c.500-4 3.500-6 7.500-6s7 2 7.500 6",
  play: "M8 5v14l11-7z",
  retry: "M4 12a8 8 0 0 1 14-5l2 2m0-5v5h-5m5 3a8 8 0 0 1-14 5l-2-2m0 5v-5h5",
  send: "M12 19V5m-6 6 6-6 6 6",
  shield: "M12 3 5 5.500V11c0 4.500 3 8 7 10 4-2 7-5.500 7-10V5.500zM9 11.500l2.200 2.200L15.500 9.500",
  stop: "M7 7h10v10H7z",
  tag: "M6 8a6 6 0 0 1 0 8M9.500 5.500a10 10 0 0 1 0 13M13 3.500a13.500 13.500 0 0 1 0 17",
  tune: "M4 7h9m4 0h3M4 17h3m4 0h9M15 5v4M9 15v4",
  voice: "M12 4v16M8 8v8m8-8v8M4 11v2m16-2v2",
};

/** Make one of the icons; it says nothing to screen readers, so its button needs a label. */
export function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const drawing = document.createElementNS(space, "svg");
  drawing.setAttribute("viewBox", "0 0 24 24");
  drawing.setAttribute("class", "icon");
  drawing.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", PATHS[name]);
  drawing.append(path);
  return drawing;
}

/**
 * Give a link's address if it may be followed: http, https, or a path of this server; else null.
 * @param {unknown} address
 */
export function safeLink(address) {
  if (typeof address !== "string" || !/^(https?:\/\/|\/(?![/\\]))/i.test(address)) return null;
  try {
    const url = address.startsWith("/") ? at(address) : new URL(address);
    return url.protocol === "http:" || url.protocol === "https:" ? url.href : null;
  } catch {
    return null;
  }
}

/** Make a link that leaves the conversation where it is. */
export function outLink(href, attributes, ...children) {
  const told = el("span", { class: "unseen" }, " (opens in a new tab)");
  return el("a", { href, target: "_blank", rel: "noopener noreferrer", ...attributes }, ...children, told);
}

/** How long a copy button says that it has copied. */
const COPIED_MS = 2000;

/** Make a button that copies text, and says so for a moment. */
export function copyButton(label, text) {
  const face = (drawing, words) => [icon(drawing), el("span", { class: "label" }, words)];
  const button = el("button", { type: "button", class: "button bare small copy" }, ...face("copy", label));
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text());
      button.replaceChildren(...face("done", "Copied"));
    } catch {
      button.replaceChildren(...face("alert", "Not allowed here"));
    }
    setTimeout(() => button.replaceChildren(...face("copy", label)), COPIED_MS);
  });
  return button;
}
