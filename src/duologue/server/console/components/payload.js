/** <duo-payload>: something that is not text. Cards and tables are drawn; all else is shown as it is, folded. */

import { el, outLink, safeLink } from "../dom.js";

/** Deeper values are written as JSON. */
const DEEPEST = 4;

class Payload extends HTMLElement {
  /**
   * @param {string} type
   * @param {Record<string, unknown>} data
   */
  show(type, data) {
    const drawn = type === "card" ? card(data) : type === "table" ? table(data) : null;
    this.replaceChildren(drawn ?? anything(type, data));
  }
}

function card(data) {
  if (typeof data.title !== "string") return null;
  const href = safeLink(data.url);
  const title = href ? outLink(href, {}, data.title) : data.title;
  const image = ownImage(data.image);
  return el(
    "article",
    { class: "card" },
    image ? el("img", { src: image, alt: typeof data.imageAlt === "string" ? data.imageAlt : "" }) : null,
    el(
      "div",
      { class: "card-words" },
      el("p", { class: "card-title", dir: "auto" }, title),
      typeof data.text === "string" ? el("p", { dir: "auto" }, data.text) : null,
      href ? el("p", { class: "card-host" }, new URL(href).host) : null,
    ),
  );
}

/** Pictures of elsewhere are not loaded: the page's policy forbids it, and they would tell who reads this. */
function ownImage(address) {
  if (typeof address !== "string") return null;
  if (/^data:image\/(png|jpeg|gif|webp);/i.test(address) || /^\/(?![/\\])/.test(address)) return address;
  return null;
}

function table(data) {
  if (!Array.isArray(data.columns) || !Array.isArray(data.rows)) return null;
  const columns = data.columns.map((column) =>
    column !== null && typeof column === "object"
      ? { key: String(column.key ?? ""), label: String(column.label ?? column.title ?? column.key ?? "") }
      : { key: String(column), label: String(column) },
  );
  const cells = (row) => columns.map(({ key }, at) => (Array.isArray(row) ? row[at] : row?.[key]));
  const numeric = columns.map((_, at) => data.rows.every((row) => typeof cells(row)[at] === "number"));
  const kind = (at) => ({ class: numeric[at] ? "number" : null });
  const title = typeof data.title === "string" ? data.title : "Table";
  return el(
    "div",
    { class: "table", tabindex: 0, role: "region", "aria-label": title },
    el(
      "table",
      {},
      typeof data.title === "string" ? el("caption", {}, data.title) : null,
      el("thead", {}, el("tr", {}, ...columns.map(({ label }, at) => el("th", { scope: "col", ...kind(at) }, label)))),
      el("tbody", {}, ...data.rows.map((row) => el("tr", {}, ...cells(row).map((cell, at) => el("td", { dir: "auto", ...kind(at) }, written(cell)))))),
    ),
  );
}

function written(value) {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function anything(type, data) {
  const count = Object.keys(data).length;
  const told = el("span", { class: "told" }, count === 1 ? "1 value" : `${count} values`);
  return el("details", { class: "anything" }, el("summary", {}, el("span", { class: "type" }, type), told), tree(data, 0));
}

/** Show a value of whatever shape. */
export function tree(value, depth = 0) {
  if (value === null || typeof value !== "object") return el("span", { class: `value ${typeof value}`, dir: "auto" }, String(value));
  const entries = Object.entries(value);
  if (!entries.length) return el("span", { class: "value" }, Array.isArray(value) ? "none" : "empty");
  if (Array.isArray(value) && value.every((each) => each === null || typeof each !== "object")) return el("span", { class: "value", dir: "auto" }, value.map(String).join(", "));
  if (depth >= DEEPEST) return el("code", {}, JSON.stringify(value));
  return el("dl", {}, ...entries.map(([key, inner]) => el("div", {}, el("dt", {}, key), el("dd", {}, tree(inner, depth + 1)))));
}

customElements.define("duo-payload", Payload);
