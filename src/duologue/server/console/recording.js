/** A session's events as they came, and what can be seen of them: the conversation as it stood after any of them,
 * the turns with their times, and rows for a list. Pure: knows no page and no server.
 */

import { actOf } from "./acts.js";
import { topicOf } from "./gists.js";
import * as spans from "./spans.js";
import { EMPTY, fold } from "./transcript.js";

/** Events between two kept views: going back folds at most this many, about a millisecond. */
const EVERY = 128;

/**
 * @typedef {import("./api.js").Line} Line
 * @typedef {object} Run One response. Times in ms since 1970, null where it has not come to that.
 * @property {string} responseId
 * @property {number} attempt
 * @property {string} author who answered in the agent's place.
 * @property {number} startedAt
 * @property {number | null} firstTextAt
 * @property {number | null} madeAt when it was whole, where it was then still to be heard.
 * @property {number | null} endedAt
 * @property {string | null} outcome
 * @property {boolean} willRetry
 * @property {string} problem
 * @property {any} figures as the engine measured them.
 * @typedef {object} Turn `from` and `to` are places among the events.
 * @property {number} turn
 * @property {string} text
 * @property {string} protocol through which it came; empty where that is not known.
 * @property {number} from
 * @property {number} to
 * @property {number} acceptedAt
 * @property {string | null} outcome
 * @property {Run[]} runs
 * @property {Map<string, import("./acts.js").Act>} acts what was done in it, as it stands at the end.
 * @property {Map<string, import("./spans.js").Span>} spans how long that took.
 * @typedef {{from: number, to: number}} ListRow One event, or several pieces of one text.
 */

export class Recording {
  /** @type {Line[]} */
  #lines = [];
  #views = [EMPTY];
  #latest = { at: -1, view: EMPTY };
  /** @type {Turn[]} */
  turns = [];
  /** @type {ListRow[]} */
  rows = [];
  /** The rows of each topic that there is. @type {Map<string, ListRow[]>} */
  topics = new Map();

  get length() {
    return this.#lines.length;
  }

  /** The number of the last event, 0 where there is none. */
  get lastSequence() {
    return this.#lines.at(-1)?.sequence ?? 0;
  }

  /** @param {number} at */
  line(at) {
    return this.#lines[at];
  }

  /** When an event came, in ms after the first. */
  offsetOf(at) {
    return this.#lines[at].event.at_ms - this.#lines[0].event.at_ms;
  }

  /** Where the event of a number is; the nearest one where it was trimmed or has not come. */
  placeOf(sequence) {
    const first = this.#lines[0]?.sequence ?? 1;
    return Math.max(0, Math.min(this.length - 1, sequence - first));
  }

  /** Take the next event; false where it was there. */
  add(line) {
    if (line.sequence <= this.lastSequence) return false;
    const at = this.#lines.push(line) - 1;
    this.#addRow(at, line.event);
    this.#addToTurn(at, line.event);
    return true;
  }

  /** The conversation as it stood after an event. */
  viewAt(at) {
    const kept = Math.min(Math.floor((at + 1) / EVERY), this.#views.length - 1);
    let view = this.#views[kept];
    let next = kept * EVERY;
    if (this.#latest.at <= at && this.#latest.at + 1 > next) [next, view] = [this.#latest.at + 1, this.#latest.view];
    for (; next <= at; next += 1) {
      if (next === this.#views.length * EVERY) this.#views.push(view);
      const frame = this.#lines[next].frames.chat;
      if (frame) view = fold(view, frame);
    }
    this.#latest = { at, view };
    return view;
  }

  /** The turn that an event belongs to, or null between turns. */
  turnAt(at) {
    return this.turns.findLast((turn) => turn.from <= at && at <= turn.to) ?? null;
  }

  /** The rows about a topic; all of them without one. */
  rowsOf(topic) {
    return topic ? (this.topics.get(topic) ?? []) : this.rows;
  }

  /** Which of these rows shows an event, or is the last one before it; -1 before all of them. */
  rowOf(at, topic = "") {
    const rows = this.rowsOf(topic);
    let [low, high] = [0, rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (rows[middle].from <= at) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  #addRow(at, event) {
    const last = this.rows.at(-1);
    const before = last && this.#lines[last.to].event;
    const goesOn = event.kind === "text_delta" && before?.kind === "text_delta" && before.response_id === event.response_id;
    if (goesOn) {
      last.to = at;
      return;
    }
    const row = { from: at, to: at };
    this.rows.push(row);
    const topic = topicOf(event);
    if (!this.topics.has(topic)) this.topics.set(topic, []);
    this.topics.get(topic).push(row);
  }

  /** What began in an earlier turn, or comes after its turn has ended, goes on there: a handoff that is taken, a call that returns. */
  #goOn(act, event) {
    const begun = this.turns.findLast((turn) => spans.isOf(turn.spans, event));
    if (!begun || begun.turn === event.turn) return;
    spans.follow(begun.spans, event);
    if (act) begun.acts.set(act.key, act);
  }

  #addToTurn(at, event) {
    if (event.kind === "turn_accepted") {
      this.turns.push({ turn: event.turn, text: event.text, protocol: event.protocol ?? "", from: at, to: at, acceptedAt: event.at_ms, outcome: null, runs: [], acts: new Map(), spans: new Map() });
      return;
    }
    const act = actOf(event);
    this.#goOn(act, event);
    const turn = this.turns.at(-1);
    // What is of no turn, such as what is noted once one is over, stands with the one that was the last then.
    if (turn && act && !event.turn) turn.acts.set(act.key, act);
    if (!turn || event.turn !== turn.turn) return;
    turn.to = at;
    if (act) turn.acts.set(act.key, act);
    spans.follow(turn.spans, event);
    if (event.kind === "response_started") turn.runs.push(newRun(event));
    else if (event.kind === "turn_ended") turn.outcome = event.outcome;
    else if (event.kind === "turn_resumed") turn.outcome = null;
    else if (event.kind === "turn_extended") turn.text = event.text;
    else if (turn.runs.length) follow(turn.runs.at(-1), event);
  }
}

function newRun(event) {
  return {
    responseId: event.response_id,
    attempt: event.attempt ?? 1,
    author: event.author ?? "",
    startedAt: event.at_ms,
    firstTextAt: null,
    madeAt: null,
    endedAt: null,
    outcome: null,
    willRetry: false,
    problem: "",
    figures: null,
  };
}

function follow(run, event) {
  switch (event.kind) {
    case "text_started":
      run.firstTextAt = event.at_ms;
      break;
    case "answer_completed":
      run.madeAt = event.at_ms;
      break;
    case "response_ended":
      Object.assign(run, { endedAt: event.at_ms, outcome: event.outcome, figures: event.figures });
      break;
    case "response_failed":
      Object.assign(run, { endedAt: event.at_ms, outcome: "failed", figures: event.figures ?? null, willRetry: event.will_retry ?? false, problem: event.message });
      break;
  }
}
