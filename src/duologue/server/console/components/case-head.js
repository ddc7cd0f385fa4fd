/** <duo-case-head>: whose conversation this is, how it stands, and what an operator can do with it. Fires `duo-do` {what}. */

import { el, icon } from "../dom.js";
import { at } from "../here.js";
import { addressOf } from "../places.js";

const STATES = {
  requested: "asked for a person",
  queued: "waits for a person",
};

const WAITING = new Set(["requested", "queued", "connecting"]);
const HELD = new Set(["connected", "on_hold"]);

/** What can be done, and in which case. `what` is what the server calls it. @type {{when: (how: any) => boolean}[]} */
const ACTIONS = [
  { what: "take", words: "Take", drawing: "person", filled: true, when: ({ status, consult }) => WAITING.has(status) && !consult },
  { what: "take", words: "Answer the question", drawing: "person", filled: true, when: ({ status, consult, supervises }) => WAITING.has(status) && consult && supervises },
  { what: "connect", words: "Keep it while I read", drawing: "clock", when: ({ status, consult }) => ["requested", "queued"].includes(status) && !consult },
  { what: "take-over", words: "Take over", drawing: "person", filled: true, when: ({ status, ended }) => !status && !ended },
  { what: "resume", words: "Go on", drawing: "play", filled: true, when: ({ status, mine }) => status === "on_hold" && mine },
  { what: "hold", words: "Hold", drawing: "pause", when: ({ status, mine, consult }) => status === "connected" && mine && !consult },
  { what: "hand-back", words: "Hand back", drawing: "back", when: ({ status, mine, consult }) => HELD.has(status) && mine && !consult },
  { what: "transfer", words: "Transfer", drawing: "forward", when: ({ status, mine, consult }) => HELD.has(status) && mine && !consult },
  { what: "resolve", words: "Resolve", drawing: "done", when: ({ status, mine }) => HELD.has(status) && mine },
  { what: "cancel", words: "Not needed", drawing: "close", when: ({ status }) => ["requested", "queued"].includes(status) },
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
   * @param {string} how.customer
   * @param {string} how.sessionId
   * @param {string} how.status of its handoff; empty where none is open.
   * @param {boolean} how.consult it is a question to a supervisor.
   * @param {boolean} how.mine one has it oneself.
   * @param {boolean} how.supervises one is a supervisor.
   * @param {boolean} how.ended nothing more is said in it.
   * @param {string} how.who has it.
   * @param {boolean} how.busy something is being done.
   * @param {string} how.trouble
   */
  show({ busy, trouble, ...how }) {
    const face = JSON.stringify(how);
    if (face !== this.#face) this.#draw(how);
    this.#face = face;
    for (const button of this.#actions.querySelectorAll("button")) button.disabled = busy;
    if (this.#trouble.textContent !== trouble) this.#trouble.textContent = trouble;
    this.#trouble.hidden = !trouble;
  }

  focus() {
    this.#title.focus();
  }

  #draw(how) {
    const { title, customer, sessionId, status } = how;
    const had = this.#actions.contains(document.activeElement);
    this.#title.textContent = title || customer;
    this.#state.textContent = `${title && customer ? `${customer} · ` : ""}${stateOf(how)}`;
    this.#state.dataset.status = status;
    this.#events.href = `${at("/sessions")}${addressOf({ id: sessionId })}`;
    const buttons = ACTIONS.filter((action) => action.when(how)).map(({ what, words, drawing, filled }) => {
      const fire = () => this.dispatchEvent(new CustomEvent("duo-do", { bubbles: true, detail: { what } }));
      return el("button", { type: "button", class: filled ? "button filled small" : "button small", "data-what": what, onclick: fire }, icon(drawing), words);
    });
    this.#actions.replaceChildren(...buttons, this.#events);
    // A button that is gone must not take the focus with it.
    if (had) (this.#actions.querySelector("button") ?? this.#title).focus();
  }
}

/** How it stands, in words. */
function stateOf({ status, consult, mine, who, ended }) {
  if (ended) return "has ended";
  if (consult) return status === "connected" ? `${mine ? "you answer" : `${who} answers`} an operator's question` : "an operator asks a supervisor";
  if (status === "connected") return mine ? "is with you" : `is with ${who}`;
  if (status === "on_hold") return mine ? "is on hold, with you" : `is on hold, with ${who}`;
  if (status === "connecting") return mine ? "is kept for you while you read" : `is being read by ${who}`;
  return STATES[status] ?? "is with the agent";
}

customElements.define("duo-case-head", CaseHead);
