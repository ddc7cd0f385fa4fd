/** <duo-session-list>: finding a session. Fires `duo-find` {q, state, subject}, `duo-more`, `duo-import` {file} and
 * `duo-reload`. Choosing one is following its link.
 */

import { el, icon } from "../dom.js";
import { addressOf, wordsOf } from "../places.js";
import { ago, moment } from "../times.js";

/** How long one may pause while typing, in ms, until it is searched. */
const PAUSE_MS = 250;

class SessionList extends HTMLElement {
  #timer = null;
  #shown = "";
  #search = el("input", { type: "search", id: "search", placeholder: "Search what was said", "aria-label": "Search", autocomplete: "off", maxlength: 256 });
  #state = el(
    "select",
    { "aria-label": "State" },
    ...[["", "Any state"], ["open", "Open"], ["answering", "In progress"], ["ended", "Ended"]].map(([value, words]) => el("option", { value }, words)),
  );
  #subject = el("input", { type: "text", placeholder: "Any person", "aria-label": "Person", autocomplete: "off", maxlength: 256 });
  #picker = el("input", { type: "file", hidden: true, tabindex: -1, "aria-label": "File to import", accept: ".jsonl,application/jsonl" });
  #told = el("p", { class: "told", role: "status" });
  #trouble = el("div", { class: "trouble", role: "alert", hidden: true });
  #list = el("ol", { class: "rows", "aria-label": "Conversations" });
  #more = el("button", { type: "button", class: "button small", hidden: true, onclick: () => this.#fire("duo-more") });

  connectedCallback() {
    const bring = el("button", { type: "button", class: "button small", onclick: () => this.#picker.click() }, "Import");
    const form = el("form", { class: "find", role: "search", "aria-label": "Conversations" }, this.#search, el("div", { class: "filters" }, this.#state, this.#subject));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#find();
    });
    form.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#find(), PAUSE_MS);
    });
    this.#picker.addEventListener("change", () => {
      const [file] = this.#picker.files;
      this.#picker.value = "";
      if (file) this.#fire("duo-import", { file });
    });
    this.#list.addEventListener("keydown", (event) => this.#walk(event));
    const head = el("div", { class: "list-head" }, el("h1", {}, "Sessions"), bring, this.#picker);
    this.append(head, form, this.#told, this.#trouble, this.#list, this.#more);
  }

  /**
   * @param {object} found
   * @param {import("../api.js").Row[]} found.sessions
   * @param {string} found.current the session that is open.
   * @param {string} found.q what was searched for.
   * @param {string} found.told what is going on, in words.
   * @param {boolean} found.more whether there is more to be had.
   * @param {import("../api.js").ApiError | null} found.trouble
   * @param {string} found.me who is looking.
   */
  show({ sessions, current, q, told, more, trouble, me }) {
    // Times pass, but a list that stays the same must not lose the focus in it.
    const face = JSON.stringify([sessions, current, q, me, Math.floor(Date.now() / 60_000)]);
    if (face !== this.#shown) {
      this.#shown = face;
      const focused = this.#list.contains(document.activeElement) ? document.activeElement.dataset.id : null;
      this.#list.replaceChildren(...sessions.map((row) => el("li", {}, link(row, { current, q, me }))));
      if (focused !== null) this.#list.querySelector(`a[data-id="${CSS.escape(focused)}"]`)?.focus();
    }
    if (this.#told.textContent !== told) this.#told.textContent = told;
    this.#told.hidden = !told;
    this.#more.hidden = !more;
    this.#more.textContent = q ? "Search further back" : "Show more";
    this.#trouble.hidden = !trouble;
    const again = el("button", { type: "button", class: "button small", onclick: () => this.#fire("duo-reload") }, icon("retry"), "Try again");
    this.#trouble.replaceChildren(...(trouble ? [icon("alert"), el("p", {}, trouble.message), again] : []));
  }

  /** Put the focus on the link of a session, or on the search. */
  focusOn(id) {
    (this.#list.querySelector(`a[data-id="${CSS.escape(id)}"]`) ?? this.#search).focus();
  }

  #find() {
    clearTimeout(this.#timer);
    this.#fire("duo-find", { q: this.#search.value.trim(), state: this.#state.value, subject: this.#subject.value.trim() });
  }

  #walk(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const links = [...this.#list.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    if (!step || at < 0) return;
    event.preventDefault();
    links[Math.max(0, Math.min(links.length - 1, at + step))].focus();
  }

  #fire(name, detail = {}) {
    this.dispatchEvent(new CustomEvent(name, { bubbles: true, detail }));
  }
}

function link(row, { current, q, me }) {
  const state = row.ended ? "ended" : row.open ? "answering" : "open";
  const whose = row.subject === me ? null : el("span", { class: "whose" }, row.subject);
  const facts = el(
    "span",
    { class: "facts" },
    // An answer, or something else that is not over: a handoff, a decision that is waited for.
    el("span", { class: `state ${state}` }, state === "answering" ? "in progress" : state),
    el("span", {}, row.turns === 1 ? "1 turn" : `${row.turns} turns`),
    whose,
    el("time", { datetime: new Date(row.updatedAt).toISOString(), title: moment(row.updatedAt) }, ago(row.updatedAt)),
  );
  const match = row.match && row.match.where !== "title" ? excerpt(row.match, q) : null;
  const title = el("span", { class: row.title ? "title" : "title none", dir: "auto" }, ...(row.match?.where === "title" ? marked(row.title, q) : [row.title || "Nothing said yet"]));
  const href = addressOf({ id: row.sessionId, turn: row.match?.turn ?? 0 });
  return el("a", { href, "data-id": row.sessionId, "aria-current": row.sessionId === current ? "true" : null }, title, match, facts);
}

function excerpt(match, q) {
  const who = match.where === "user" ? "Person" : "Agent";
  return el("span", { class: "excerpt", dir: "auto" }, el("span", { class: "who" }, `${who}, turn ${match.turn}: `), ...marked(match.excerpt, q));
}

/** A text with the words that were searched for marked. */
function marked(text, q) {
  const words = wordsOf(q).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (!words.length) return [text];
  return text.split(new RegExp(`(${words.join("|")})`, "giu")).map((part, at) => (at % 2 ? el("mark", {}, part) : part));
}

customElements.define("duo-session-list", SessionList);
