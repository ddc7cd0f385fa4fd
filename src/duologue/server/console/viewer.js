/** One session as it is looked at: reads its events, follows what comes, and knows where in time one is. */

import { ApiError, followEvents, readEvents, showSession } from "./api.js";

/** Where a session is read. @typedef {{show: Function, read: Function, follow: Function}} Source */

/** @type {Source} */
const SESSIONS = { show: showSession, read: readEvents, follow: followEvents };
import { Recording } from "./recording.js";

/** First wait before a lost stream is asked for again, in ms; it doubles up to the longest. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;

/** How often a long session is shown while it is read, in ms. */
const SHOW_MS = 200;

export class Viewer {
  recording = new Recording();
  /** @type {(import("./api.js").Row & {protocols: string[]}) | null} */
  row = null;
  /** @type {ApiError | null} */
  trouble = null;
  /** @type {"loading" | "live" | "waiting" | "over"} */
  stream = "loading";
  /** Where in time one is: the place of an event. */
  at = 0;
  /** What comes is shown at once. */
  sticks = true;
  #stop = new AbortController();
  #changed;
  #source;

  /** @param {string} id @param {() => void} changed called when there is something new to show. @param {Source} [source] */
  constructor(id, changed, source = SESSIONS) {
    this.id = id;
    this.#changed = changed;
    this.#source = source;
  }

  /** "open", "answering" or "ended", as of the last event. */
  get state() {
    const last = this.recording.length ? this.recording.line(this.recording.length - 1).event : null;
    if (last?.kind === "session_ended" || this.row?.ended) return "ended";
    const turn = this.recording.turns.at(-1);
    return turn && turn.outcome === null ? "answering" : "open";
  }

  /** Read it, then follow it until `close`. @param {{event: number, turn: number}} place where to begin. */
  async open(place) {
    try {
      this.row = await this.#source.show(this.id, this.#stop.signal);
      await this.#readAll(place);
      this.stream = "over";
      this.#changed();
      if (this.state !== "ended") await this.#follow();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Let go of it. */
  close() {
    this.#stop.abort();
  }

  /** Go to an event. Who goes to the last one stays with what comes. */
  go(at) {
    const last = this.recording.length - 1;
    this.at = Math.max(0, Math.min(last, at));
    this.sticks = this.at === last;
  }

  async #readAll(place) {
    this.sticks = !place.event && !place.turn;
    let shown = performance.now();
    for await (const line of this.#source.read(this.id, { signal: this.#stop.signal })) {
      this.#take(line);
      if (performance.now() - shown < SHOW_MS) continue;
      this.#goTo(place);
      this.#changed();
      // A picture, and whatever the person has pressed meanwhile.
      await new Promise((resolve) => setTimeout(resolve));
      shown = performance.now();
    }
    this.#goTo(place);
  }

  #goTo({ event, turn }) {
    const found = turn ? this.recording.turns.find((each) => each.turn === turn) : null;
    if (event) this.go(this.recording.placeOf(event));
    else if (found) this.go(found.to);
  }

  async #follow() {
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(LONGEST_WAIT_MS, wait * 2)) {
      try {
        this.stream = "live";
        this.#changed();
        for await (const line of this.#source.follow(this.id, { after: this.recording.lastSequence, signal: this.#stop.signal })) {
          wait = FIRST_WAIT_MS;
          if (this.#take(line)) this.#changed();
        }
        if (this.state === "ended") break;
      } catch (error) {
        // A refusal stays one; a lost connection comes back, and so does who asked too often.
        const refused = error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429;
        if (this.#stop.signal.aborted || refused) throw error;
      }
      this.stream = "waiting";
      this.#changed();
      await new Promise((resolve) => setTimeout(resolve, wait));
      if (this.#stop.signal.aborted) return;
    }
    this.stream = "over";
    this.#changed();
  }

  #take(line) {
    if (!this.recording.add(line)) return false;
    if (this.sticks) this.at = this.recording.length - 1;
    return true;
  }

  #fail(error) {
    if (this.#stop.signal.aborted) return;
    this.trouble = error instanceof ApiError ? error : new ApiError(`The page could not show it: ${error.message}`);
    this.stream = "over";
    this.#changed();
  }
}
