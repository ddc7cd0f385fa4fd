/** <duo-answer>: one response, from its first sign to its figures. Fires `duo-send` (chips) and `duo-retry`. */

import { APPROVAL, OBSERVATION } from "../acting.js";
import { adviceFor } from "../advice.js";
import { copyButton, el, icon, outLink, safeLink } from "../dom.js";
import { draw } from "../markdown-view.js";
import { plain } from "../markdown.js";
import { markSpoken, unmark } from "../spoken-view.js";
import { textOf } from "../transcript.js";
import "./approval.js";
import "./observe.js";
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
  #asked = new Map();
  #badge = el("span", { class: "mark", "aria-hidden": "true" });
  #author = el("p", { class: "author", hidden: true });
  #content = el("div", { class: "content" });
  #wants = el("div", { class: "wants" });
  #after = el("div", { class: "after" });

  connectedCallback() {
    this.setAttribute("role", "article");
    if (!this.#content.isConnected) this.append(this.#badge, this.#author, this.#content, this.#wants, this.#after);
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
    this.dataset.author = item.author;
    this.#badge.textContent = item.author ? initials(item.author) : "";
    this.setAttribute("aria-label", item.author || item.agent ? `Answer of ${item.author || item.agent}` : "Answer");
    const drawn = before?.parts !== item.parts || before.status !== item.status || before.before !== item.before;
    if (drawn) this.#showParts(item, reading);
    if (before?.asks !== item.asks) this.#showAsks(item, reading);
    if (drawn || before.word !== item.word || before.heard !== item.heard) markSpoken(this.#content, textOf(item), item);
    // While words come, what stands after them seldom changes: leave it, and the focus in it, alone.
    const same = before && this.latest === latest && AFTER.every((key) => before[key] === item[key]);
    this.latest = latest;
    if (!same) this.#after.replaceChildren(...after(item, { latest, busy, reading }));
  }

  /** Who says this: a person, or an agent; the usual one by the name that the page knows. */
  speakerOr(usual) {
    return this.#item?.author || this.#item?.agent || usual;
  }

  /** Write a name above it; none where it is empty. */
  name(speaker) {
    // Asked for all answers with each word: what stands is left alone.
    if (this.#author.textContent === speaker) return;
    this.#author.textContent = speaker;
    this.#author.hidden = !speaker;
  }

  #showParts(item, reading) {
    // A better answer has begun and says nothing yet: what it replaces stays to be read.
    const poorer = !item.parts.length && item.before !== null;
    const parts = poorer ? item.before : item.parts;
    this.classList.toggle("poorer", poorer);
    parts.forEach((part, at) => {
      const name = elementOf(part);
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
      else if (part.kind === "tool") place.show(part, { reading });
      else place.show(part.type, part.data);
    });
    while (this.#content.children.length > parts.length) this.#content.lastElementChild.remove();
    if (!item.parts.length && item.status === "thinking") {
      const dots = [1, 2, 3].map(() => el("i", { "aria-hidden": "true" }));
      this.#content.append(el("p", { class: "waiting" }, el("span", { class: "unseen" }, poorer ? "Looking closer …" : "Thinking …"), ...dots));
    }
  }

  /** What the agent waits for, beside the approvals of tools that were told: those stand where the tool stands. */
  #showAsks(item, reading) {
    const told = new Set(item.parts.filter((part) => part.kind === "tool").map((part) => part.approval?.id));
    for (const ask of item.asks.filter((each) => !told.has(each.id))) {
      let place = this.#asked.get(ask.id);
      if (!place) {
        place = el(ask.reason === OBSERVATION ? "duo-observe" : "p", ask.reason === OBSERVATION ? {} : { class: "asks" });
        this.#asked.set(ask.id, place);
        this.#wants.append(place);
      }
      if (ask.reason === OBSERVATION) place.show(ask, { reading });
      else place.replaceChildren(icon(ask.reason === APPROVAL ? "shield" : "alert"), ask.message);
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

const AFTER = ["status", "sources", "chips", "error", "figures", "heard", "asks", "takenBy"];

function after(item, { latest, busy, reading }) {
  return [
    item.sources.length ? sources(item.sources) : null,
    noteOf(item) ? el("p", { class: "note" }, noteOf(item)) : null,
    item.status === "failed" ? failure(item, latest && !reading) : null,
    busy ? null : foot(item),
    latest && item.chips.length && !busy ? chips(item.chips, reading) : null,
  ].filter((part) => part !== null);
}

/** Which element shows a part. A tool that waits for the person asks them. */
function elementOf(part) {
  if (part.kind !== "tool") return part.kind === "text" ? "div" : "duo-payload";
  return part.status === "awaiting_approval" && part.approval?.state === "open" ? "duo-approval" : "duo-tool";
}

function initials(name) {
  const words = name.split(/\s+/u).filter(Boolean);
  return [words[0], words.length > 1 ? words.at(-1) : ""].map((word) => [...word][0] ?? "").join("").toUpperCase();
}

function noteOf(item) {
  // What has a card of its own says there that it waits.
  if (item.status === "asked" && !item.asks.some((ask) => ask.state === "open" && ![APPROVAL, OBSERVATION].includes(ask.reason))) return "";
  if (item.takenBy !== null) return `Interrupted: ${item.takenBy || "a person"} took over.`;
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
    el("p", {}, el("strong", {}, "The answer failed. "), latest ? adviceFor({ message: item.error.message, reason: item.error.code }) : item.error.message),
    latest ? el("button", { type: "button", class: "button small", onclick: retry }, icon("retry"), "Try again") : null,
  );
}

/** What it took, as the server measured it. */
function foot(item) {
  // A person is not measured.
  const figures = item.author ? null : item.figures;
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
