/** <duo-queue>: who waits for a person, in order, and who has one. Choosing one is following its link. */

import { el } from "../dom.js";
import { handoffAddress } from "../places.js";
import { left, moment, roughly } from "../times.js";

const WAITING = new Set(["requested", "queued", "connecting"]);

const WORDS = {
  requested: "asked",
  queued: "waits",
  connecting: "being taken",
  connected: "connected",
  on_hold: "on hold",
  transferred: "passed on",
};

class Queue extends HTMLElement {
  #face = "";
  #tick = null;
  #waiting = part("Waiting");
  #taken = part("With a person");

  connectedCallback() {
    if (!this.firstChild) this.append(this.#waiting.section, this.#taken.section);
    for (const { list } of [this.#waiting, this.#taken]) list.addEventListener("keydown", (event) => this.#walk(event));
    this.#tick = setInterval(() => this.#count(), 1000);
  }

  disconnectedCallback() {
    clearInterval(this.#tick);
  }

  /**
   * @param {import("../desk-api.js").Handoff[]} handoffs those that go on.
   * @param {{current: string, me: string, known: boolean}} how
   */
  show(handoffs, { current, me, known }) {
    const face = JSON.stringify([handoffs, current, me, known]);
    if (face === this.#face) return;
    this.#face = face;
    const focused = this.contains(document.activeElement) ? document.activeElement.dataset.id : null;
    const waiting = handoffs.filter((each) => WAITING.has(each.status));
    const taken = handoffs.filter((each) => !WAITING.has(each.status));
    fill(this.#waiting, waiting.map((each) => entry(each, { current, me })), known ? "Nobody waits." : "Loading …");
    fill(this.#taken, taken.map((each) => entry(each, { current, me })), known ? "Nobody is with a person." : "");
    this.#taken.section.hidden = !known || (!taken.length && !waiting.length);
    if (focused) this.querySelector(`a[data-id="${CSS.escape(focused)}"]`)?.focus();
    this.#count();
  }

  /** Put the focus on one that is shown. */
  focusOn(id) {
    this.querySelector(`a[data-id="${CSS.escape(id)}"]`)?.focus();
  }

  #count() {
    const now = Date.now();
    for (const { list } of [this.#waiting, this.#taken]) {
      const times = [...list.querySelectorAll("time[data-since]")].map((time) => ({ time, since: now - Number(time.dataset.since) }));
      // Drawn beside the longest, so that who has waited long is seen at once.
      const longest = Math.max(1, ...times.map(({ since }) => since));
      for (const { time, since } of times) {
        const words = left(since);
        if (time.textContent !== words) time.textContent = words;
        time.closest("a").style.setProperty("--waited", Math.max(0, since / longest).toFixed(2));
      }
    }
  }

  #walk(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const links = [...this.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    if (!step || at < 0) return;
    event.preventDefault();
    links[Math.max(0, Math.min(links.length - 1, at + step))].focus();
  }
}

function part(words) {
  const count = el("span", { class: "count" });
  const list = el("ol", { class: "rows", "aria-label": words });
  const none = el("p", { class: "none" });
  return { count, list, none, section: el("section", { "aria-label": words }, el("h2", {}, words, " ", count), none, list) };
}

function fill({ count, list, none }, entries, empty) {
  count.textContent = entries.length ? String(entries.length) : "";
  none.textContent = empty;
  none.hidden = entries.length > 0 || !empty;
  list.hidden = !entries.length;
  list.replaceChildren(...entries);
}

function entry(handoff, { current, me }) {
  const { id, status, position = 0, waitMs, skills = [], priority = 0, requestedAt, queue = "", consult = false } = handoff;
  const waits = WAITING.has(status);
  const place = waits && position > 0 ? el("span", { class: "place", "aria-label": `Number ${position}` }, String(position)) : null;
  const mine = handoff.operator?.id === me;
  const operator = handoff.operator && status !== "queued" ? (mine ? "you" : handoff.operator.name) : "";
  const facts = [
    el("span", { class: `state ${status}` }, WORDS[status] ?? status),
    operator ? el("span", { class: mine ? "who mine" : "who" }, operator) : null,
    el("span", {}, waits ? "since " : "for ", el("time", { "data-since": requestedAt, datetime: new Date(requestedAt).toISOString(), title: moment(requestedAt) })),
    waits && waitMs !== undefined ? el("span", {}, `est. ${roughly(waitMs)}`) : null,
  ];
  const marks = [
    consult ? el("span", { class: "mark-of urgent" }, "asks a supervisor") : null,
    priority > 0 ? el("span", { class: "mark-of urgent" }, `priority ${priority}`) : null,
    handoff.only ? el("span", { class: "mark-of urgent" }, handoff.only === me ? "for you" : `for ${handoff.only}`) : null,
    ...skills.map((skill) => el("span", { class: "mark-of" }, skill)),
    queue && !skills.includes(queue) && !consult ? el("span", { class: "mark-of quiet" }, queue) : null,
  ].filter(Boolean);
  return el(
    "li",
    {},
    el(
      "a",
      { href: handoffAddress({ sessionId: handoff.sessionId, handoffId: id }), "data-id": id, "aria-current": id === current ? "true" : null },
      el("span", { class: "row-head" }, place, el("span", { class: "title", dir: "auto" }, handoff.customer)),
      handoff.reason ? el("span", { class: "why", dir: "auto" }, handoff.reason) : null,
      handoff.said ? el("span", { class: "last", dir: "auto" }, el("span", { class: "unseen" }, `${handoff.said.role}: `), `“${handoff.said.text}”`) : null,
      marks.length ? el("span", { class: "marks" }, ...marks) : null,
      el("span", { class: "facts" }, ...facts),
      waits ? el("span", { class: "waited", "aria-hidden": "true" }) : null,
    ),
  );
}

customElements.define("duo-queue", Queue);
