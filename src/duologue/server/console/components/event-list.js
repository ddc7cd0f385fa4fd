/** <duo-event-list>: all events in order. Only what is in sight is there as elements. Fires `duo-go` {at}. */

import { el } from "../dom.js";
import { gistOf, nameOf, TOPIC_NAMES } from "../gists.js";
import { offset } from "../times.js";

/** Height of a row in px, as the style has it: where a row stands follows from its number alone. */
const ROW_PX = 32;

/** Rows made beyond what is in sight, on each side. */
const BEYOND = 6;

class EventList extends HTMLElement {
  #recording = null;
  #at = 0;
  #row = 0;
  #count = 0;
  #topic = "";
  #offered = "";
  #choice = el("select", { class: "topics", "aria-label": "Show" });
  #made = new Map();
  #space = el("div", { class: "event-space", role: "presentation" });
  #list = el("div", { class: "event-rows", role: "listbox", tabindex: 0, "aria-label": "Events" }, this.#space);

  connectedCallback() {
    this.append(el("div", { class: "pane-head" }, el("h3", {}, "Events"), this.#choice), this.#list);
    this.#choice.addEventListener("change", () => {
      this.#topic = this.#choice.value;
      this.#anew();
      this.show(this.#recording, this.#at);
    });
    this.#list.addEventListener("scroll", () => this.#draw(), { passive: true });
    this.#list.addEventListener("keydown", (event) => this.#key(event));
    this.#list.addEventListener("click", (event) => {
      const row = event.target.closest("[role=option]");
      if (row) this.#go(this.#rows[Number(row.dataset.row)].to);
    });
    new ResizeObserver(() => this.#draw()).observe(this.#list);
  }

  /**
   * @param {import("../recording.js").Recording} recording
   * @param {number} at
   */
  show(recording, at) {
    if (recording !== this.#recording) {
      this.#anew();
      this.#recording = recording;
      this.#list.scrollTop = 0;
    }
    this.#offer();
    const rows = this.#rows;
    if (this.#count !== rows.length) {
      this.#count = rows.length;
      this.#space.style.height = `${rows.length * ROW_PX}px`;
    }
    this.#at = at;
    this.#row = recording.rowOf(at, this.#topic);
    this.#keepInSight();
    this.#draw();
  }

  get #rows() {
    return this.#recording?.rowsOf(this.#topic) ?? [];
  }

  #anew() {
    for (const made of this.#made.values()) made.remove();
    this.#made.clear();
  }

  /** Offer the topics that there are, with how many rows each has. */
  #offer() {
    const found = Object.keys(TOPIC_NAMES).filter((topic) => this.#recording.topics.has(topic) || topic === this.#topic);
    const face = found.map((topic) => `${topic} ${this.#recording.rowsOf(topic).length}`).join();
    if (face === this.#offered) return;
    this.#offered = face;
    const option = (value, words) => el("option", { value, selected: value === this.#topic }, words);
    this.#choice.replaceChildren(option("", "All events"), ...found.map((topic) => option(topic, `${TOPIC_NAMES[topic]} (${this.#recording.rowsOf(topic).length})`)));
  }

  #keepInSight() {
    const { scrollTop, clientHeight } = this.#list;
    const top = Math.max(0, this.#row) * ROW_PX;
    if (top < scrollTop) this.#list.scrollTop = top;
    else if (top + ROW_PX > scrollTop + clientHeight) this.#list.scrollTop = top + ROW_PX - clientHeight;
  }

  #draw() {
    const rows = this.#rows;
    const { scrollTop, clientHeight } = this.#list;
    const first = Math.max(0, Math.floor(scrollTop / ROW_PX) - BEYOND);
    const last = Math.min(rows.length, Math.ceil((scrollTop + clientHeight) / ROW_PX) + BEYOND);
    for (const [number, made] of this.#made) {
      if (number >= first && number < last) continue;
      made.remove();
      this.#made.delete(number);
    }
    for (let number = first; number < last; number += 1) this.#place(number, rows[number]);
    // In the order in which they are read.
    const ordered = [...this.#made].sort(([one], [other]) => one - other).map(([, made]) => made);
    ordered.forEach((made, at) => this.#space.children[at] === made || this.#space.insertBefore(made, this.#space.children[at] ?? null));
    const active = this.#made.get(this.#row);
    if (active?.getAttribute("aria-selected") === "true") this.#list.setAttribute("aria-activedescendant", active.id);
    else this.#list.removeAttribute("aria-activedescendant");
  }

  #place(number, row) {
    let made = this.#made.get(number);
    if (!made) {
      made = el("div", { role: "option", id: `event-row-${number}`, "data-row": number, "aria-posinset": number + 1 });
      made.style.top = `${number * ROW_PX}px`;
      this.#made.set(number, made);
    }
    // Among some of the events, the last one before where one is is near, but is not it.
    const chosen = number === this.#row && row.to >= this.#at;
    made.setAttribute("aria-selected", String(chosen));
    made.setAttribute("aria-setsize", String(this.#count));
    const face = `${row.to} ${chosen ? this.#at : ""}`;
    if (made.dataset.face === face) return;
    made.dataset.face = face;
    made.replaceChildren(...cells(this.#recording, row, chosen ? this.#at : row.to));
  }

  #key(event) {
    const page = Math.max(1, Math.floor(this.#list.clientHeight / ROW_PX) - 1);
    const steps = { ArrowUp: -1, ArrowDown: 1, PageUp: -page, PageDown: page, Home: -this.#count, End: this.#count };
    const by = steps[event.key];
    if (!by || !this.#count || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const row = Math.max(0, Math.min(this.#count - 1, this.#row + by));
    this.#go(this.#rows[row].to);
  }

  #go(at) {
    this.dispatchEvent(new CustomEvent("duo-go", { bubbles: true, detail: { at } }));
  }
}

function cells(recording, row, at) {
  const { sequence, event } = recording.line(at);
  const pieces = row.to - row.from + 1;
  const name = pieces > 1 ? `${nameOf(event)}, ${at - row.from + 1} of ${pieces} pieces` : nameOf(event);
  return [
    el("span", { class: "sequence" }, String(sequence)),
    el("span", { class: "at" }, offset(recording.offsetOf(at))),
    el("span", { class: `name ${event.kind}` }, name),
    el("span", { class: "gist", dir: "auto" }, String(gistOf(event) ?? "").slice(0, 200)),
  ];
}

customElements.define("duo-event-list", EventList);
