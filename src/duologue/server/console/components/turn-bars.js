/** <duo-turn-bars>: each turn with how it ended and how long it took, drawn and in words. Fires `duo-go` {at}. */

import { el } from "../dom.js";
import { lengthOf } from "../spans.js";
import { duration } from "../times.js";

const WIDE = 100;

/** A rate over fewer tokens than this says nothing. */
const ENOUGH_TOKENS = 10;

/** What was done in a turn is told up to so many things. */
const MOST_ACTS = 8;

class TurnBars extends HTMLElement {
  #list = el("ol", { class: "turn-bars", "aria-label": "Turns" });
  #none = el("p", { class: "none" }, "No turns yet.");
  #faces = [];
  #scales = "";

  connectedCallback() {
    const key = (kind, words) => el("span", {}, el("i", { class: kind, "aria-hidden": "true" }), words);
    this.append(el("div", { class: "pane-head" }, el("h3", {}, "Turns"), el("p", { class: "key" }, key("waiting-part", "first word"), key("streaming-part", "words"), key("tool-part", "tool"), key("people-part", "people"))), this.#list, this.#none);
  }

  /**
   * @param {import("../recording.js").Turn[]} turns
   * @param {import("../recording.js").Turn | null} current
   */
  show(turns, current) {
    this.#none.hidden = turns.length > 0;
    // Machines have one scale, and people another: a wait of a minute would leave nothing of a word's 20 ms.
    const beside = turns.flatMap((turn) => [...turn.spans.values()]);
    const lengths = (kind) => beside.filter((span) => span.kind === kind).map((span) => lengthOf(span));
    const scale = {
      machine: Math.max(0, ...turns.flatMap((turn) => turn.runs.filter((run) => !run.author).map(spanOf)), ...lengths("tool")),
      people: Math.max(0, ...lengths("wait")),
    };
    const scales = JSON.stringify(scale);
    // Where a scale changes, all bars change.
    if (scales !== this.#scales) this.#faces = [];
    this.#scales = scales;
    turns.forEach((turn, at) => {
      const face = JSON.stringify([turn.turn, turn.outcome, turn.runs, turn.from, [...turn.acts.values()], [...turn.spans.values()]]);
      if (this.#faces[at] === face && this.#list.children[at]) return;
      this.#faces[at] = face;
      const drawn = this.#drawn(turn, scale);
      if (this.#list.children[at]) this.#list.children[at].replaceWith(drawn);
      else this.#list.append(drawn);
    });
    while (this.#list.children.length > turns.length) this.#list.lastElementChild.remove();
    this.#mark(turns.indexOf(current));
  }

  #mark(at) {
    const before = this.#list.querySelector("[aria-current]");
    const now = this.#list.children[at]?.firstElementChild ?? null;
    if (before === now) return;
    before?.removeAttribute("aria-current");
    now?.setAttribute("aria-current", "true");
    if (now) keepInView(this.#list, now);
  }

  #drawn(turn, { machine, people }) {
    const outcome = turn.outcome ?? "answering";
    const go = () => this.dispatchEvent(new CustomEvent("duo-go", { bubbles: true, detail: { at: turn.from } }));
    return el(
      "li",
      {},
      el(
        "button",
        { type: "button", onclick: go },
        el("span", { class: "number" }, [`Turn ${turn.turn}`, turn.protocol].filter(Boolean).join(" · ")),
        el("span", { class: "said", dir: "auto" }, turn.text || "…"),
        el("span", { class: `state ${outcome}` }, outcome),
        ...turn.runs.filter((run) => run.outcome !== "passed").flatMap((run) => [run.author ? null : bar(run, machine), el("span", { class: "figures" }, figures(run))]),
        ...[...turn.spans.values()].flatMap((span) => [lane(span, span.kind === "tool" ? machine : people), el("span", { class: "figures" }, told(span))]),
        turn.acts.size ? el("span", { class: "acts" }, ...[...turn.acts.values()].slice(0, MOST_ACTS).map(mark), turn.acts.size > MOST_ACTS ? `and ${turn.acts.size - MOST_ACTS} more` : null) : null,
      ),
    );
  }
}

/** Scroll a list, and nothing around it, until an entry can be seen. */
export function keepInView(list, entry) {
  const [outer, inner] = [list.getBoundingClientRect(), entry.getBoundingClientRect()];
  if (inner.top < outer.top) list.scrollTop -= outer.top - inner.top;
  else if (inner.bottom > outer.bottom) list.scrollTop += inner.bottom - outer.bottom;
}

function mark({ words, tone, share }) {
  const made = el("span", { class: `act ${tone}`.trim() }, words);
  if (share === undefined) return made;
  made.classList.add("measured");
  made.style.setProperty("--share", share);
  return made;
}

function spanOf(run) {
  return (run.madeAt ?? run.endedAt ?? run.firstTextAt ?? run.startedAt) - run.startedAt;
}

/** An empty bar. What it shows stands beside it in words. */
function ground() {
  const drawing = shape("svg", { class: "bar-of-time", viewBox: `0 0 ${WIDE} 1`, preserveAspectRatio: "none", "aria-hidden": "true" });
  const part = (kind, from, length) => drawing.append(shape("rect", { class: kind, x: from, y: 0, width: Math.max(0.6, length), height: 1 }));
  return [drawing, part];
}

function shape(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** Draw how long something took beside the words. */
function lane(span, longest) {
  const [drawing, part] = ground();
  part(span.failed ? "failed-part" : span.kind === "tool" ? "tool-part" : "people-part", 0, longest ? (lengthOf(span) * WIDE) / longest : 0);
  return drawing;
}

function told(span) {
  const took = span.endedAt === null ? "goes on" : duration(lengthOf(span));
  return span.kind === "tool" ? `${span.what} ${span.failed ? "failed after" : "worked"} ${took}` : `waited ${span.endedAt === null ? "" : `${took} `}for ${span.what}${span.endedAt === null ? ", and waits" : ""}`;
}

/** Draw a response's time on the scale of the longest one. */
function bar(run, longest) {
  const [drawing, part] = ground();
  const span = spanOf(run);
  const waited = run.firstTextAt === null ? span : run.firstTextAt - run.startedAt;
  const scale = longest ? WIDE / longest : 0;
  const failed = run.outcome === "failed";
  // Whatever took place is to be seen, also where it took no whole ms.
  if (waited > 0) part(failed && run.firstTextAt === null ? "failed-part" : "waiting-part", 0, waited * scale);
  if (span > waited || !span) part(failed ? "failed-part" : "streaming-part", waited * scale, (span - waited) * scale);
  return drawing;
}

/** A person is not measured: nobody knows when they began to write. */
function figures(run) {
  if (run.author) return `by ${run.author}`;
  const tokens = run.figures?.total_tokens ?? 0;
  return [
    run.attempt > 1 ? `attempt ${run.attempt}` : "",
    run.firstTextAt === null ? "" : `first word in ${duration(run.firstTextAt - run.startedAt)}`,
    run.endedAt === null && run.madeAt === null ? "runs" : `whole ${duration((run.madeAt ?? run.endedAt) - run.startedAt)}`,
    run.madeAt === null ? "" : run.endedAt === null ? "is spoken" : `spoken until ${duration(run.endedAt - run.startedAt)}`,
    tokens ? `${tokens} ${tokens === 1 ? "token" : "tokens"}` : "",
    tokens >= ENOUGH_TOKENS && run.figures.tps ? `${run.figures.tps.toFixed(1)} tokens/s` : "",
    run.outcome === "failed" ? (run.willRetry ? `${run.problem} Run again.` : run.problem) : "",
  ]
    .filter(Boolean)
    .join(" · ");
}

customElements.define("duo-turn-bars", TurnBars);
