/** <duo-tool>: a tool that the agent called, or asked a client to run; folded, what went in and what came out. */

import { el } from "../dom.js";
import { tree } from "./payload.js";

const STATES = { running: "runs", completed: "done", failed: "failed" };

class ToolCall extends HTMLElement {
  #told = el("span", { class: "told" });
  #name = el("span", { class: "type" });
  #values = el("dl", {});

  connectedCallback() {
    if (this.firstChild) return;
    this.append(el("details", { class: "anything" }, el("summary", {}, this.#name, this.#told), this.#values));
  }

  /** @param {import("../transcript.js").Tool} tool */
  show({ name, status, byClient, input, output, error }) {
    this.dataset.status = status;
    this.#name.textContent = name;
    this.#told.textContent = byClient ? `tool of another client, ${STATES[status]}` : `tool, ${STATES[status]}`;
    const rows = [
      ["input", input],
      ["output", error ? null : output],
      ["error", error || null],
    ].filter(([, value]) => value !== null && value !== undefined);
    const none = el("div", {}, el("dt", {}, "input"), el("dd", {}, "not told to this client"));
    this.#values.replaceChildren(...(rows.length ? rows.map(([key, value]) => el("div", {}, el("dt", {}, key), el("dd", {}, tree(value)))) : [none]));
  }
}

customElements.define("duo-tool", ToolCall);
