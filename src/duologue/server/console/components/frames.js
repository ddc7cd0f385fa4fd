/** <duo-frames>: an event as the journal has it, and the frame that each protocol makes of it.
 *
 * `reader` has to be set: takes a sequence and how many events, gives their lines with the frames of all protocols.
 */

import { copyButton, el } from "../dom.js";

const OWN = "journal";

const LABELS = { journal: "Journal", agentcall: "AgentCall", agui: "AG-UI", chat: "Chat", ghost: "Ghost", jambonz: "jambonz" };

/** How long an event has to stay chosen, in ms, until its frames are fetched: while playing, none are. */
const PAUSE_MS = 150;

class Frames extends HTMLElement {
  reader = null;
  #protocols = [OWN];
  #chosen = OWN;
  #line = null;
  #turn = null;
  #whole = false;
  #timer = null;
  #asked = 0;
  #tabs = el("div", { class: "tabs", role: "tablist", "aria-label": "Protocols" });
  #code = el("code", {});
  #panel = el("pre", { id: "frame", role: "tabpanel", tabindex: 0 }, this.#code);
  #wide = el("input", { type: "checkbox", id: "whole-turn" });

  connectedCallback() {
    const wide = el("label", { class: "wide" }, this.#wide, "Its whole turn");
    this.append(el("div", { class: "pane-head" }, el("h3", {}, "Raw frames"), wide, copyButton("Copy", () => this.#code.textContent)), this.#tabs, this.#panel);
    this.#wide.addEventListener("change", () => {
      this.#whole = this.#wide.checked;
      this.#later(0);
    });
    this.#tabs.addEventListener("keydown", (event) => this.#key(event));
    this.#showTabs();
  }

  /** @param {string[]} names the protocols that there are. */
  set protocols(names) {
    const all = [OWN, ...names];
    if (all.join() === this.#protocols.join()) return;
    this.#protocols = all;
    if (!all.includes(this.#chosen)) this.#chosen = OWN;
    this.#showTabs();
  }

  /**
   * @param {import("../api.js").Line | null} line
   * @param {{first: number, count: number} | null} turn where its turn is.
   */
  show(line, turn) {
    const same = line === this.#line && (!this.#whole || JSON.stringify(turn) === JSON.stringify(this.#turn));
    this.#turn = turn;
    this.#wide.disabled = turn === null;
    if (same) return;
    this.#line = line;
    this.#later(PAUSE_MS);
  }

  #later(ms) {
    clearTimeout(this.#timer);
    this.#asked += 1;
    if (!this.#line) {
      this.#code.textContent = "";
      return;
    }
    if (this.#chosen === OWN && !(this.#whole && this.#turn)) {
      this.#code.textContent = written(this.#line.event);
      return;
    }
    const asked = this.#asked;
    this.#timer = setTimeout(() => this.#fetch(asked), ms);
  }

  async #fetch(asked) {
    const { first, count } = this.#whole && this.#turn ? this.#turn : { first: this.#line.sequence, count: 1 };
    let words;
    try {
      const lines = await this.reader(first, count, this.#chosen === OWN ? [] : [this.#chosen]);
      const frames = lines.map((line) => (this.#chosen === OWN ? line.event : line.frames[this.#chosen])).filter(Boolean);
      if (count > 1) words = frames.map((frame) => JSON.stringify(frame)).join("\n");
      else words = frames.length ? written(frames[0]) : "";
      words ||= count > 1 ? "This protocol has no word for this turn." : "This protocol has no word for this event.";
    } catch (error) {
      words = `Not to be had: ${error.message}`;
    }
    if (asked === this.#asked) this.#code.textContent = words;
  }

  #showTabs() {
    this.#tabs.replaceChildren(
      ...this.#protocols.map((name) => {
        const chosen = name === this.#chosen;
        const tab = el("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": "frame", "aria-selected": String(chosen), tabindex: chosen ? 0 : -1 }, LABELS[name] ?? name);
        tab.addEventListener("click", () => this.#choose(name));
        return tab;
      }),
    );
    this.#panel.setAttribute("aria-labelledby", `tab-${this.#chosen}`);
  }

  #choose(name) {
    this.#chosen = name;
    for (const tab of this.#tabs.children) {
      const chosen = tab.id === `tab-${name}`;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      if (chosen) tab.focus();
    }
    this.#panel.setAttribute("aria-labelledby", `tab-${name}`);
    this.#later(0);
  }

  #key(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const all = this.#protocols;
    this.#choose(all[(all.indexOf(this.#chosen) + step + all.length) % all.length]);
  }
}

function written(value) {
  return JSON.stringify(value, null, 2);
}

customElements.define("duo-frames", Frames);
