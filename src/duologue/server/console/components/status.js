/** <duo-status>: in one word, what is going on. Not live: what matters of it is announced elsewhere. */

import { el } from "../dom.js";

const WORDS = {
  connecting: "Connecting",
  ready: "Ready",
  thinking: "Thinking",
  answering: "Answering",
  offline: "Offline",
  ended: "Ended",
};

class Status extends HTMLElement {
  connectedCallback() {
    this.show("connecting");
  }

  /** @param {keyof WORDS} state */
  show(state) {
    if (this.dataset.state === state) return;
    this.dataset.state = state;
    const label = el("span", { class: "unseen" }, "State: ");
    this.replaceChildren(el("span", { class: "dot", "aria-hidden": "true" }), el("span", {}, label, WORDS[state]));
  }
}

customElements.define("duo-status", Status);
