/** <duo-tool>: a tool that the agent called, or asked a client to run; folded, what went in and what came out. */

import { el } from "../dom.js";
import { tree } from "./payload.js";

const STATES = {
  running: "runs",
  requested: "is about to run",
  awaiting_approval: "waits for your approval",
  pending_supervisor: "waits for a supervisor",
  async_pending: "waits for an answer from elsewhere",
  approved: "approved",
  denied: "denied",
  executing: "runs",
  completed: "done",
  failed: "failed",
  timed_out: "not done in time",
  duplicate: "a repeat",
};

/** What becomes of a repeat. */
const REPEATS = { replayed: "a repeat: the same result again", rejected: "a repeat, refused", conflict: "another call has its key" };

class ToolCall extends HTMLElement {
  #told = el("span", { class: "told" });
  #name = el("span", { class: "type" });
  #values = el("dl", {});

  connectedCallback() {
    if (this.firstChild) return;
    this.append(el("details", { class: "anything" }, el("summary", {}, this.#name, this.#told), this.#values));
  }

  /** @param {import("../transcript.js").Tool} tool */
  show({ name, status, byClient, input, output, error, disposition, decidedBy, approval }) {
    this.dataset.status = status;
    this.#name.textContent = name;
    const gone = approval?.state === "expired" || approval?.state === "cancelled";
    const state = status === "awaiting_approval" && gone ? "not approved" : (REPEATS[disposition] ?? STATES[status] ?? status);
    const who = byClient ? "tool of a client" : "tool";
    this.#told.textContent = `${who}, ${decidedBy && status !== "denied" ? "approved, " : ""}${state}`;
    const rows = [
      ["input", input],
      ["output", error ? null : output],
      ["error", error || null],
      ["decided by", decidedBy || null],
    ].filter(([, value]) => value !== null && value !== undefined);
    const none = el("div", {}, el("dt", {}, "input"), el("dd", {}, "not told to this client"));
    this.#values.replaceChildren(...(rows.length ? rows.map(([key, value]) => el("div", {}, el("dt", {}, key), el("dd", {}, tree(value)))) : [none]));
  }
}

customElements.define("duo-tool", ToolCall);
