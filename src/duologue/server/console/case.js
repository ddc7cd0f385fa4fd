/** One conversation as an operator looks at it: what was said, how its handoff stands, what is known. */

import { Viewer } from "./viewer.js";

/** What journals call the events of a handoff. */
const MOVED = "handoff_moved";
const NOTED = "supervisor_noted";

export class Case {
  #viewer;
  #read = 0;
  #moved = null;
  #bundle = null;

  #path = [];
  #route = null;
  notes = [];

  /** @param {string} sessionId @param {() => void} changed */
  constructor(sessionId, changed) {
    this.sessionId = sessionId;
    this.#viewer = new Viewer(sessionId, changed);
    this.#viewer.open({ event: 0, turn: 0 });
  }

  close() {
    this.#viewer.close();
  }

  get trouble() {
    return this.#viewer.trouble;
  }

  /** Whether what was said is here. */
  get known() {
    return this.#viewer.stream !== "loading";
  }

  get lost() {
    return this.#viewer.stream === "waiting";
  }

  get row() {
    return this.#viewer.row;
  }

  get transcript() {
    const { recording } = this.#viewer;
    return recording.viewAt(recording.length - 1);
  }

  /** How its latest handoff stands; null where there was none. */
  get handoff() {
    this.#take();
    return this.#moved;
  }

  get bundle() {
    this.#take();
    return this.#bundle;
  }

  /** Why it came here, in words. @returns {[string, string][]} */
  why() {
    this.#take();
    if (!this.#moved) return [];
    const { reason, transfer, target, skills, priority, cause } = this.#moved;
    const rows = [
      ["Reason", reason],
      ["Asked by", { agent: "the agent", person: "the customer", rule: "a rule", operator: "an operator", api: "another program" }[cause] ?? ""],
      ["Kind", transfer.replaceAll("_", " ")],
      ["Queue", this.#route?.target || target],
      ["Rule", this.#route?.rule ?? ""],
      ["Because", (this.#route?.reasons ?? []).join(", ")],
      ["Skills", (skills ?? []).join(", ")],
      ["Priority", priority ? String(priority) : ""],
      ["Agents", this.#path.length > 1 ? this.#path.join(" → ") : ""],
    ];
    return rows.filter(([, value]) => value);
  }

  /** Take what has come since. */
  #take() {
    const { recording } = this.#viewer;
    for (; this.#read < recording.length; this.#read += 1) {
      const { event } = recording.line(this.#read);
      if (event.kind === MOVED) this.#move(event);
      else if (event.kind === NOTED) this.notes = [...this.notes, { who: event.by.name, text: event.text, answer: event.answer ?? false }];
    }
  }

  #move(event) {
    if (event.handoff_id !== this.#moved?.handoff_id) [this.#bundle, this.#route, this.notes] = [null, null, []];
    this.#moved = { skills: [], priority: 0, reason: "", target: "", operator: null, ...dropped(event) };
    this.#bundle = event.bundle ?? this.#bundle;
    this.#route = event.route ?? this.#route;
    if (event.path?.length) this.#path = event.path;
  }
}

/** What an event does not tell anew stays out of it. */
function dropped(event) {
  return Object.fromEntries(Object.entries(event).filter(([, value]) => value !== null && value !== ""));
}

