/** <duo-answer>: one response, from its first sign to its figures. Fires `duo-send` (chips) and `duo-retry`. */

import { copyButton, el, icon, outLink, safeLink } from "../dom.js";
import { draw } from "../markdown-view.js";
import { plain } from "../markdown.js";
import { markSpoken, unmark } from "../spoken-view.js";
import { textOf } from "../transcript.js";
import "./payload.js";
import "./tool.js";

const NOTES = {
  cancelled: "Stopped.",
  interrupted: "Interrupted by your next message.",
  spokenOver: "You interrupted here; the rest was not heard.",
  spokenAtEnd: "You interrupted as it ended.",
  asked: "Waits for an answer to what it asked.",
  lost: "Cut off by a restart of the server. It is answered again:",
};

class AnswerTurn extends HTMLElement {
  #item = null;
  #content = el("div", { class: "content" });
  #after = el("div", { class: "after" });

  connectedCallback() {
    this.setAttribute("role", "article");
    this.setAttribute("aria-label", "Answer");
    if (!this.#content.isConnected) this.append(el("span", { class: "mark", "aria-hidden": "true" }), this.#content, this.#after);
  }

  disconnectedCallback() {
    unmark(this.#content);
  }

  /**
   * @param {import("../transcript.js").Answer} item
   * @param {{latest: boolean, reading: boolean}} how only the latest offers chips and another try, and to nobody who
   *   is only reading.
   */
  show(item, { latest, reading }) {
    const before = this.#item;
    this.#item = item;
    this.dataset.status = item.status;
    const busy = item.status === "thinking" || item.status === "streaming";
    this.setAttribute("aria-busy", String(busy));
    const drawn = before?.parts !== item.parts || before.status !== item.status;
    if (drawn) this.#showParts(item);
    if (drawn || before.word !== item.word || before.heard !== item.heard) markSpoken(this.#content, textOf(item), item);
    // While words come, what stands after them seldom changes: leave it, and the focus in it, alone.
    const same = before && this.latest === latest && AFTER.every((key) => before[key] === item[key]);
    this.latest = latest;
    if (!same) this.#after.replaceChildren(...after(item, { latest, busy, reading }));
  }

  #showParts(item) {
    const parts = item.parts;
    parts.forEach((part, at) => {
      const name = { text: "div", payload: "duo-payload", tool: "duo-tool" }[part.kind];
      let place = this.#content.children[at];
      if (place?.localName !== name || place.classList.contains("waiting")) {
        const made = el(name, { class: part.kind === "text" ? "prose" : "payload" });
        if (place) place.replaceWith(made);
        else this.#content.append(made);
        place = made;
      }
      if (place.drawnFrom === part) return;
      place.drawnFrom = part;
      if (part.kind === "text") draw(place, part.text, (number) => this.#mark(number));
      else if (part.kind === "tool") place.show(part);
      else place.show(part.type, part.data);
    });
    while (this.#content.children.length > parts.length) this.#content.lastElementChild.remove();
    if (!parts.length && item.status === "thinking") {
      const dots = [1, 2, 3].map(() => el("i", { "aria-hidden": "true" }));
      this.#content.append(el("p", { class: "waiting" }, el("span", { class: "unseen" }, "Thinking …"), ...dots));
    }
  }

  #mark(number) {
    const source = this.#item.sources[number - 1];
    const href = safeLink(source?.url);
    const label = `Source ${number}: ${source?.title ?? ""}`;
    if (!href) return el("sup", { class: "cite" }, String(number));
    return el("sup", { class: "cite" }, outLink(href, { "aria-label": `${label} (opens in a new tab)`, title: source.title }, String(number)));
  }
}

/** A rate over fewer tokens than this says nothing. */
const ENOUGH_TOKENS = 10;

const AFTER = ["status", "sources", "chips", "error", "figures", "heard"];

function after(item, { latest, busy, reading }) {
  return [
    item.sources.length ? sources(item.sources) : null,
    ...item.asks.map((words) => el("p", { class: "asks" }, icon("alert"), words)),
    noteOf(item) ? el("p", { class: "note" }, noteOf(item)) : null,
    item.status === "failed" ? failure(item, latest && !reading) : null,
    busy ? null : foot(item),
    latest && item.chips.length && !busy ? chips(item.chips, reading) : null,
  ].filter((part) => part !== null);
}

function noteOf(item) {
  if (item.status !== "interrupted" || item.heard === null) return NOTES[item.status];
  return item.heard < [...textOf(item)].length ? NOTES.spokenOver : NOTES.spokenAtEnd;
}

function sources(list) {
  const entries = list.map((source, at) => {
    const number = el("span", { class: "number", "aria-hidden": "true" }, String(at + 1));
    const words = [
      el("span", { class: "title" }, source.title),
      source.snippet ? el("span", { class: "snippet" }, plain(source.snippet)) : null,
    ];
    const href = safeLink(source.url);
    const body = href ? outLink(href, {}, number, ...words) : el("span", {}, number, ...words);
    return el("li", {}, body);
  });
  return el("section", { class: "sources", "aria-label": "Sources" }, el("ol", {}, ...entries));
}

function failure(item, latest) {
  const detail = { requestId: item.requestId };
  const retry = (event) => event.target.dispatchEvent(new CustomEvent("duo-retry", { bubbles: true, detail }));
  return el(
    "div",
    { class: "failure" },
    icon("alert"),
    el("p", {}, el("strong", {}, "The answer failed. "), item.error.message),
    latest ? el("button", { type: "button", class: "button small", onclick: retry }, icon("retry"), "Try again") : null,
  );
}

/** What it took, as the server measured it. */
function foot(item) {
  const figures = item.figures;
  const said = textOf(item);
  const at = new Date(item.at);
  const clock = Number.isNaN(at.getTime()) ? "" : at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  const shown = [
    clock,
    figures?.ttftMs === undefined ? "" : `first word in ${duration(figures.ttftMs)}`,
    figures?.totalTokens >= ENOUGH_TOKENS ? `${rate(figures.tps)} tokens/s` : "",
  ].filter(Boolean);
  if (!said.trim() && !figures) return null;
  return el(
    "div",
    { class: "foot" },
    el("span", { class: "figures" }, shown.join(" · ")),
    figures?.totalTokens ? el("span", { class: "figures more" }, `· ${count(figures.totalTokens, "token")}`) : null,
    said.trim() ? copyButton("Copy", () => said) : null,
  );
}

function count(number, what) {
  return number === 1 ? `1 ${what}` : `${number} ${what}s`;
}

function rate(tps) {
  return tps < 10 ? tps.toFixed(1) : Math.round(tps).toLocaleString();
}

function duration(ms) {
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function chips(list, reading) {
  const made = list.map((chip) => {
    if (reading) return el("span", { class: "chip still", title: chip.text }, chip.label);
    const send = (event) =>
      event.target.dispatchEvent(new CustomEvent("duo-send", { bubbles: true, detail: { text: chip.text, attachments: [] } }));
    return el("button", { type: "button", class: "chip", onclick: send }, chip.label);
  });
  return el("div", { class: "chips", role: "group", "aria-label": "Suggestions" }, ...made);
}

customElements.define("duo-answer", AnswerTurn);
