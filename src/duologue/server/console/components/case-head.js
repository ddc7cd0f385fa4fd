/** <duo-case-head>: whose conversation this is, how it stands, and what an operator can do with it. Fires `duo-do` {what}. */

import { el, icon } from "../dom.js";
import { at } from "../here.js";
import { addressOf } from "../places.js";

const STATES = {
  requested: "asked for a person",
  queued: "waits for a person",
  connecting: "is being taken",
  connected: "is with a person",
  on_hold: "is on hold",
  transferred: "was passed on",
  resolved: "was resolved",
  cancelled: "needs no person any more",
  failed: "found nobody",
};

/** What can be done, and in which case. `mine`: one has it oneself. */
const ACTIONS = [
  { what: "take", words: "Take", drawing: "person", filled: true, when: ({ status }) => ["requested", "queued"].includes(status) },
  { what: "join", words: "Start answering", drawing: "person", filled: true, when: ({ status, mine }) => status === "connecting" && mine },
  { what: "hold", words: "Hold", drawing: "pause", when: ({ status, mine }) => status === "connected" && mine },
  { what: "return", words: "Go on", drawing: "play", filled: true, when: ({ status, mine }) => status === "on_hold" && mine },
  { what: "handBack", words: "Hand back", drawing: "back", when: ({ status, mine }) => ["connected", "on_hold"].includes(status) && mine },
  { what: "transfer", words: "Transfer", drawing: "forward", when: ({ status, mine }) => ["connected", "on_hold"].includes(status) && mine },
  { what: "resolve", words: "Resolve", drawing: "done", when: ({ status, mine }) => ["connected", "on_hold"].includes(status) && mine },
];

class CaseHead extends HTMLElement {
  #face = "";
  #title = el("h2", { id: "case-title", tabindex: -1, dir: "auto" });
  #state = el("p", { class: "case-state", role: "status" });
  #actions = el("div", { class: "actions", role: "group", "aria-label": "What to do" });
  #trouble = el("p", { class: "problem", role: "alert", hidden: true });
  #events = el("a", { class: "button bare small" }, "All events");

  connectedCallback() {
    const words = el("div", { class: "case-words" }, el("a", { class: "back", href: "#" }, icon("back"), "Who waits"), this.#title, this.#state);
    this.append(words, this.#actions, this.#trouble);
  }

  /**
   * @param {object} how
   * @param {string} how.title
   * @param {string} how.sessionId
   * @param {string} how.status of its handoff; empty where there is none.
   * @param {boolean} how.mine
   * @param {string} how.who has it, in words.
   * @param {boolean} how.busy something is being done.
   * @param {string} how.trouble
   */
  show({ title, sessionId, status, mine, who, busy, trouble }) {
    const face = JSON.stringify([title, sessionId, status, mine, who]);
    if (face !== this.#face) this.#draw({ title, sessionId, status, mine, who });
    this.#face = face;
    for (const button of this.#actions.querySelectorAll("button")) button.disabled = busy;
    if (this.#trouble.textContent !== trouble) this.#trouble.textContent = trouble;
    this.#trouble.hidden = !trouble;
  }

  focus() {
    this.#title.focus();
  }

  #draw({ title, sessionId, status, mine, who }) {
    const had = this.#actions.contains(document.activeElement);
    this.#title.textContent = title;
    const state = STATES[status] ?? "is with the agent";
    const holder = mine ? "is with you" : who ? `is with ${who}` : state;
    this.#state.textContent = `This conversation ${status === "connected" ? holder : state}${status === "on_hold" && mine ? ", with you" : ""}.`;
    this.#state.dataset.status = status;
    this.#events.href = `${at("/sessions")}${addressOf({ id: sessionId })}`;
    const buttons = ACTIONS.filter((action) => action.when({ status, mine })).map(({ what, words, drawing, filled }) => {
      const fire = () => this.dispatchEvent(new CustomEvent("duo-do", { bubbles: true, detail: { what } }));
      return el("button", { type: "button", class: filled ? "button filled small" : "button small", "data-what": what, onclick: fire }, icon(drawing), words);
    });
    this.#actions.replaceChildren(...buttons, this.#events);
    // A button that is gone must not take the focus with it.
    if (had) (this.#actions.querySelector("button") ?? this.#title).focus();
  }
}

customElements.define("duo-case-head", CaseHead);
