/** A session's events as they came, and what can be seen of them: the conversation as it stood after any of them,
 * the turns with their times, and rows for a list. Pure: knows no page and no server.
 */

import { EMPTY, fold } from "./transcript.js";

/** Events between two kept views: going back folds at most this many, about a millisecond. */
const EVERY = 128;

/**
 * @typedef {import("./api.js").Line} Line
 * @typedef {object} Run One response. Times in ms since 1970, null where it has not come to that.
 * @property {string} responseId
 * @property {number} attempt
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

  /** Which row of the list shows an event. */
  rowOf(at) {
    let [low, high] = [0, this.rows.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.rows[middle].to < at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #addRow(at, event) {
    const last = this.rows.at(-1);
    const before = last && this.#lines[last.to].event;
    const goesOn = event.kind === "text_delta" && before?.kind === "text_delta" && before.response_id === event.response_id;
    if (goesOn) last.to = at;
    else this.rows.push({ from: at, to: at });
  }

  #addToTurn(at, event) {
    if (event.kind === "turn_accepted") {
      this.turns.push({ turn: event.turn, text: event.text, protocol: event.protocol ?? "", from: at, to: at, acceptedAt: event.at_ms, outcome: null, runs: [] });
      return;
    }
    const turn = this.turns.at(-1);
    if (!turn || event.turn !== turn.turn) return;
    turn.to = at;
    if (event.kind === "response_started") turn.runs.push(newRun(event));
    else if (event.kind === "turn_ended") turn.outcome = event.outcome;
    else if (event.kind === "turn_extended") turn.text = event.text;
    else if (turn.runs.length) follow(turn.runs.at(-1), event);
  }
}

function newRun(event) {
  return {
    responseId: event.response_id,
    attempt: event.attempt ?? 1,
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

const NAMES = {
  session_started: "Session started",
  capabilities_changed: "Capabilities",
  turn_accepted: "Turn accepted",
  response_started: "Response started",
  text_started: "First words",
  text_delta: "Text",
  text_completed: "Text complete",
  cited: "Source",
  suggested: "Suggestions",
  showed: "Payload",
  noted: "Diagnostic",
  tool_called: "Tool called",
  tool_returned: "Tool returned",
  response_ended: "Response ended",
  response_failed: "Response failed",
  turn_ended: "Turn ended",
  state_changed: "State changed",
  session_ended: "Session ended",
  history_trimmed: "History trimmed",
  call_began: "Call began",
  call_finished: "Call ended",
  listening_began: "Listening",
  speech_began: "Speech began",
  speech_paused: "Speech paused",
  transcribed: "Transcript",
  pause_judged: "Pause judged",
  nothing_heard: "Nothing heard",
  turn_extended: "Turn extended",
  speech_prepared: "Sound made",
  word_spoken: "Word heard",
  speaking_paused: "Voice paused",
  speaking_resumed: "Voice resumed",
  speech_ignored: "Speech ignored",
  barged_in: "Interrupted",
  answer_completed: "Answer complete",
  speaking_finished: "Heard to the end",
  answer_revealed: "Prepared early",
  nobody_spoke: "Nobody spoke",
  voice_failed: "Speech failed",
};

/** What an event is called; one of a later version by its own name. */
export function nameOf(event) {
  const own = event.kind.replaceAll("_", " ");
  return NAMES[event.kind] ?? own[0].toUpperCase() + own.slice(1);
}

/** What an event says, in a line. */
export function gistOf(event) {
  switch (event.kind) {
    case "session_started":
      return event.agent;
    case "turn_accepted":
    case "text_delta":
    case "text_completed":
      return event.text;
    case "cited":
      return event.title;
    case "suggested":
      return event.chips.map((chip) => chip.label).join(", ");
    case "showed":
      return event.payload_type;
    case "noted":
      return `${event.category}: ${event.message}`;
    case "tool_called":
      return `${event.name} ${event.arguments}`;
    case "tool_returned":
      return `${event.name}: ${event.result}`;
    case "response_started":
      return (event.attempt ?? 1) > 1 ? `attempt ${event.attempt}` : event.response_id;
    case "response_ended":
    case "turn_ended":
      return event.outcome;
    case "response_failed":
      return `${event.code}: ${event.message}`;
    case "state_changed":
      return `${event.previous} to ${event.state}, by ${event.trigger}`;
    case "session_ended":
      return event.reason;
    case "history_trimmed":
      return `${event.messages.length} messages kept`;
    case "call_began":
      return `${event.mode} turns`;
    case "call_finished":
      return event.reason;
    case "transcribed":
      return `${event.text} (${event.final ? "final" : "so far"})`;
    case "turn_extended":
      return event.text;
    case "speech_paused":
      return `after ${event.duration_ms} ms`;
    case "pause_judged":
      return `${event.probability.toFixed(2)}, ${event.finished ? "the end" : "no end"}`;
    case "word_spoken":
      return event.word;
    case "nothing_heard":
      return event.why;
    case "speech_ignored":
      return `${event.why} ${event.text ?? ""}`;
    case "barged_in":
    case "speaking_finished":
      return `${event.heard} characters heard`;
    case "answer_revealed":
      return `${event.tokens} pieces had waited`;
    case "nobody_spoke":
      return `for ${event.waited_ms / 1000} s`;
    case "voice_failed":
      return `${event.part}: ${event.message}`;
    default:
      return event.message ?? event.name ?? "";
  }
}
