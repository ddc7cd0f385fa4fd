/** <duo-turn-bars>: each turn with how it ended and how long it took, drawn and in words. Fires `duo-go` {at}. */

import { el } from "../dom.js";
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
  #longest = 0;

  connectedCallback() {
    const key = (kind, words) => el("span", {}, el("i", { class: kind, "aria-hidden": "true" }), words);
    this.append(el("div", { class: "pane-head" }, el("h3", {}, "Turns"), el("p", { class: "key" }, key("waiting-part", "until the first word"), key("streaming-part", "while words came"))), this.#list, this.#none);
  }

  /**
   * @param {import("../recording.js").Turn[]} turns
   * @param {import("../recording.js").Turn | null} current
   */
  show(turns, current) {
    this.#none.hidden = turns.length > 0;
    const longest = Math.max(0, ...turns.flatMap((turn) => turn.runs.map(spanOf)));
    // All bars have one scale: where it changes, all change.
    if (longest !== this.#longest) this.#faces = [];
    this.#longest = longest;
    turns.forEach((turn, at) => {
      const face = JSON.stringify([turn.turn, turn.outcome, turn.runs, turn.from, [...turn.acts.values()]]);
      if (this.#faces[at] === face && this.#list.children[at]) return;
      this.#faces[at] = face;
      const drawn = this.#drawn(turn);
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

  #drawn(turn) {
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
        ...turn.runs.flatMap((run) => [bar(run, this.#longest), el("span", { class: "figures" }, figures(run))]),
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

function mark({ words, tone }) {
  return el("span", { class: `act ${tone}`.trim() }, words);
}

function spanOf(run) {
  return (run.madeAt ?? run.endedAt ?? run.firstTextAt ?? run.startedAt) - run.startedAt;
}

/** Draw a response's time on the scale of the longest one. What it shows stands beside it in words. */
function bar(run, longest) {
  const space = "http://www.w3.org/2000/svg";
  const drawing = document.createElementNS(space, "svg");
  drawing.setAttribute("class", "bar-of-time");
  drawing.setAttribute("viewBox", `0 0 ${WIDE} 1`);
  drawing.setAttribute("preserveAspectRatio", "none");
  drawing.setAttribute("aria-hidden", "true");
  const span = spanOf(run);
  const waited = run.firstTextAt === null ? span : run.firstTextAt - run.startedAt;
  const scale = longest ? WIDE / longest : 0;
  const part = (kind, from, length) => {
    const box = document.createElementNS(space, "rect");
    for (const [name, value] of Object.entries({ class: kind, x: from, y: 0, width: length, height: 1 })) box.setAttribute(name, value);
    drawing.append(box);
  };
  const failed = run.outcome === "failed";
  // Whatever took place is to be seen, also where it took no whole ms.
  if (waited > 0) part(failed && run.firstTextAt === null ? "failed-part" : "waiting-part", 0, Math.max(0.6, waited * scale));
  if (span > waited || !span) part(failed ? "failed-part" : "streaming-part", waited * scale, Math.max(0.6, (span - waited) * scale));
  return drawing;
}

function figures(run) {
  const tokens = run.figures?.total_tokens ?? 0;
  return [
    run.author ? `by ${run.author}` : "",
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
